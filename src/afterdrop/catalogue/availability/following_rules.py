"""A registry's answer about a followed name: what it changes, what followers are told, and when to ask again. Pure.

Only what two answers differ in is a change: the first answer about a name tells nothing, and neither does one that
could not be had. That a name is free takes what `rules.judge_not_found` asks for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal, Self, TypedDict

from afterdrop.catalogue.availability.rules import (
    RENEWED_BY,
    SOON,
    WEEK,
    Doubt,
    NotFound,
    RecheckIntervals,
    confirming,
    is_another,
    judge_not_found,
    quiet_for,
)
from afterdrop.sources.registry.drop_estimate import GRACE_DAYS, Stage, estimate
from afterdrop.sources.registry.rdap_answer import Registration, RegistryAnswer, RegistrySource

RegistryChange = Literal["renewed", "redemption", "pending_delete", "dropped", "registered"]
_GRACE: Final = timedelta(days=GRACE_DAYS)
_LONGEST: Final = timedelta(days=21)
_DYING: Final = ("redemption", "pending_delete")


class StateColumns(TypedDict, total=False):
    """Columns of `registry_states` that an answer sets; `stage` is None before the first answer.

    `since` is when the stage was first seen. `term_ends_at` is the expiry that a renewal is told from: it stays while
    a registry that renews by itself may still take that back. `earliest` and `latest` bound the estimated drop of a
    name that is no longer active. `quiet_until`: see `registry_state.KnownName`.
    """

    stage: Stage | None
    since: datetime | None
    checked_at: datetime | None
    source: RegistrySource | None
    registrar: str | None
    registered_at: datetime | None
    expires_at: datetime | None
    term_ends_at: datetime | None
    earliest: str | None
    latest: str | None
    first_free_at: datetime | None
    due_at: datetime | None
    quiet_until: datetime | None


@dataclass(frozen=True, slots=True)
class FollowedName:
    """A followed name as the last answer left it; the members are columns of `registry_states`."""

    stage: Stage | None = None
    checked_at: datetime | None = None
    registered_at: datetime | None = None
    expires_at: datetime | None = None
    term_ends_at: datetime | None = None
    first_free_at: datetime | None = None

    @classmethod
    def of(cls, row: Mapping[str, object]) -> Self:
        """From a row of `registry_states`."""
        return cls(**{name: row[name] for name in cls.__slots__})  # type: ignore[arg-type]  # the columns' types

    @property
    def ends(self) -> datetime | None:
        """When its term ends."""
        return self.term_ends_at or self.expires_at

    def confirming(self, now: datetime, gap: timedelta) -> bool:
        """Whether another "not found" would confirm the first; the canary is asked before that."""
        return self.stage != "available" and confirming(self.first_free_at, now, gap)


@dataclass(frozen=True, slots=True)
class StageStep:
    """`values`: what to store. `change`: what followers are told. `not_found`: what a "not found" meant."""

    values: StateColumns
    change: RegistryChange | None = None
    not_found: NotFound | None = None


def decide_followed(
    known: FollowedName, answer: RegistryAnswer, doubt: Doubt, now: datetime, waits: RecheckIntervals
) -> StageStep:
    """Decide what the registry's answer about a followed name, received at `now`, changes."""
    if answer.state == "available":
        return _not_found(known, answer, doubt, now, waits)
    if answer.state == "unknown":
        return StageStep({"due_at": now + _wait_after_silence(known, answer, waits)})
    step = seen_registered(known, answer, now)
    wait = quiet_followed(step.values["stage"], step.values["term_ends_at"], now, waits)
    return StageStep({**step.values, "due_at": now + wait}, step.change)


def quiet_followed(
    stage: Stage | None, ends: datetime | None, now: datetime, waits: RecheckIntervals
) -> timedelta:
    """How long a followed name that is registered is left alone: the longer, the farther its end.

    Never so long that a registry's last stages, redemption and pending delete (35 days, RFC 3915), could pass unseen.
    """
    quiet = quiet_for(stage, ends, now, waits)
    if quiet < WEEK or ends is None:
        return quiet
    return max(quiet, min(_LONGEST, ends - now - SOON))


def seen_registered(known: FollowedName, answer: RegistryAnswer, now: datetime) -> StageStep:
    """The changes where the registry has a registration of the name. Does not say when to ask again."""
    record, drop = answer.record, estimate(answer, now)
    nears = drop.stage != "active"
    values: StateColumns = {
        "stage": drop.stage,
        "checked_at": now,
        "source": answer.source,
        "registrar": record.registrar,
        "registered_at": record.registered_at or known.registered_at,
        "expires_at": record.expires_at,
        "term_ends_at": known.term_ends_at or record.expires_at,
        "earliest": drop.earliest.isoformat() if drop.earliest and nears else None,
        "latest": drop.latest.isoformat() if drop.latest and nears else None,
        "first_free_at": None,
    }
    if drop.stage != known.stage:
        values["since"] = now
    if known.stage is None or _registered_anew(known, record):
        anew = known.stage is not None and drop.stage == "active"
        values |= {"registered_at": record.registered_at, "term_ends_at": record.expires_at}
        return StageStep(values, "registered" if anew else None)
    if drop.stage == "active":
        renewed = _renewed(known, record, now)
        # After its last stages, what is not known to be the same registration is looked at afresh.
        if renewed or known.stage in _DYING or not _moved_on(known, record):
            values["term_ends_at"] = record.expires_at
        return StageStep(values, "renewed" if renewed else None)
    # A registry whose servers disagree for a while does not lead back from pending delete to redemption.
    forward = drop.stage != known.stage and known.stage != "pending_delete"
    if drop.stage == "redemption":
        return StageStep(values, "redemption" if forward else None)
    if drop.stage == "pending_delete":
        return StageStep(values, "pending_delete" if forward else None)
    return StageStep(values)


def seen_free(known: FollowedName, answer: RegistryAnswer, now: datetime) -> StageStep:
    """The changes where the name is confirmed to be free. Does not say when to ask again."""
    values: StateColumns = {"stage": "available", "checked_at": now, "source": answer.source}
    if known.stage == "available":
        return StageStep(values)
    values |= {
        **{"since": known.first_free_at or now, "registrar": None, "registered_at": None},
        **{"expires_at": None, "term_ends_at": None, "earliest": None, "latest": None},
    }
    return StageStep(values, None if known.stage is None else "dropped", "free")


def _not_found(
    known: FollowedName, answer: RegistryAnswer, doubt: Doubt, now: datetime, waits: RecheckIntervals
) -> StageStep:
    verdict = judge_not_found(known.first_free_at, doubt, now, waits)
    if verdict == "delegated":
        return StageStep({"first_free_at": None, "due_at": now + waits.slow}, not_found=verdict)
    if known.stage == "available" or verdict == "free":
        step = seen_free(known, answer, now)
        return StageStep({**step.values, "due_at": now + waits.slow}, step.change, step.not_found)
    if known.first_free_at is None:
        return StageStep(
            {"first_free_at": now, "due_at": now + min(waits.gap, waits.slow)}, not_found=verdict
        )
    soon = min(known.first_free_at + waits.gap, now + waits.slow)
    return StageStep({"due_at": soon if verdict == "early" else now + waits.often}, not_found=verdict)


def _registered_anew(known: FollowedName, record: Registration) -> bool:
    """Whether this is another registration than the one known. One without a date is, where the name was free."""
    if known.stage == "available":
        return True
    return is_another(known.registered_at, record.registered_at)


def _renewed(known: FollowedName, record: Registration, now: datetime) -> bool:
    """Whether the same registration goes on, for certain.

    Restored from redemption, or it was never deleted by its date; no longer held by the registrar as expired; or its
    expiry moved on and it was not a registry's own renewal, which the registrar can take back for 45 days.
    """
    if known.stage in _DYING:
        return known.stage == "redemption" or None not in (known.registered_at, record.registered_at)
    held = (
        known.expires_at is not None and known.checked_at is not None and known.expires_at > known.checked_at
    )
    if known.stage == "expired" and held:
        return True
    before = known.term_ends_at
    return before is not None and _moved_on(known, record) and not before <= now < before + _GRACE


def _moved_on(known: FollowedName, record: Registration) -> bool:
    before, after = known.term_ends_at, record.expires_at
    return before is not None and after is not None and after - before >= RENEWED_BY


def _wait_after_silence(known: FollowedName, answer: RegistryAnswer, waits: RecheckIntervals) -> timedelta:
    if answer.reason == "no_rdap":
        return WEEK
    soon = known.stage == "pending_delete" or known.first_free_at is not None
    return waits.often if soon else waits.slow
