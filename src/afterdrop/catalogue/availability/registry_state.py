"""Changes that a registry's answer makes to a name, whoever wants to know: the lists, its followers, or both. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

from afterdrop.catalogue.availability.following_rules import (
    FollowedName,
    RegistryChange,
    StageStep,
    StateColumns,
    decide_followed,
    seen_free,
    seen_registered,
)
from afterdrop.catalogue.availability.rules import (
    Change,
    Doubt,
    EndedDomain,
    NotFound,
    RecheckIntervals,
    decide_ended,
)
from afterdrop.sources.registry.rdap_answer import RegistryAnswer

_ASKING = ("first_free_at", "due_at")


@dataclass(frozen=True, slots=True)
class Step:
    """`state`: columns of `registry_states` to set; `listed`: columns of `domains`, for a name of an ended listing.

    `change`: what followers are told. `not_found`: what a "not found" meant. `announce`: available on the lists from
    now on. `visible`: readers of the lists notice.
    """

    state: StateColumns
    listed: Mapping[str, Any] = field(default_factory=dict)
    change: RegistryChange | None = None
    not_found: NotFound | None = None
    announce: bool = False
    visible: bool = False


@dataclass(frozen=True, slots=True)
class KnownName:
    """A name as the last answer left it, and its ended listing, if it has one."""

    stage: FollowedName
    listing: EndedDomain | None = None

    @property
    def first_free_at(self) -> datetime | None:
        """When the registry first did not find it."""
        return self.stage.first_free_at

    def waits(self, domain: str, waits: RecheckIntervals) -> RecheckIntervals:
        """The waits for this name."""
        ends = self.listing.expires_at if self.listing else self.stage.ends
        return waits.of(domain, self.first_free_at, ends)

    def confirming(self, now: datetime, waits: RecheckIntervals) -> bool:
        """Whether another "not found" would confirm the first; the canary is asked before that."""
        return (self.listing or self.stage).confirming(now, waits.gap)


def decide(
    known: KnownName, answer: RegistryAnswer, doubt: Doubt, now: datetime, waits: RecheckIntervals
) -> Step:
    """Decide what the registry's answer, received at `now`, changes."""
    if known.listing is None:
        step = decide_followed(known.stage, answer, doubt, now, waits)
        return Step(step.values, change=step.change, not_found=step.not_found)
    change = decide_ended(known.listing, answer, doubt, now, waits)
    stage = _stage(known, answer, change, now)
    asking = {name: change.values[name] for name in _ASKING if name in change.values}
    return Step(
        cast(StateColumns, {**stage.values, **asking}),
        {name: value for name, value in change.values.items() if name not in _ASKING},
        stage.change,
        change.not_found,
        change.announce,
        change.visible,
    )


def _stage(known: KnownName, answer: RegistryAnswer, change: Change, now: datetime) -> StageStep:
    """The step of the stage after the answer. An announcement has a notice of its own."""
    if change.announce:
        return StageStep(seen_free(known.stage, answer, now).values)
    if answer.state in ("registered", "dropping"):
        return seen_registered(known.stage, answer, now)
    return StageStep({})
