"""One answer of a registry serves the lists and whoever follows the name, each at its own pace."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from afterdrop.catalogue.availability.following_rules import FollowedName
from afterdrop.catalogue.availability.registry_state import KnownName, Step, decide
from afterdrop.catalogue.availability.rules import Doubt, EndedDomain, RecheckIntervals
from afterdrop.sources.registry.rdap_answer import Registration, RegistryAnswer, unknown

NOW = datetime(2026, 11, 20, 18, tzinfo=UTC)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
WAITS = RecheckIntervals(often=2 * HOUR, slow=DAY, gap=5 * MINUTE)
BELIEVED = Doubt(delegated=False, canary=True)
BORN, ENDS = NOW - 3000 * DAY, NOW + 200 * DAY
FREE = RegistryAnswer("available", Registration("a.com", "available"))
PENDING = RegistryAnswer(
    "dropping",
    Registration(
        "a.com", "dropping", registered_at=BORN, expires_at=NOW - 80 * DAY, statuses=("pending delete",)
    ),
)
STAGE = FollowedName("active", NOW - DAY, BORN, ENDS, ENDS)
LISTING = EndedDomain("a.com", "auction", NOW - 9 * DAY, NOW - DAY, registered_at=BORN, expires_at=ENDS)


def known(first: datetime | None = None, **more: Any) -> KnownName:
    """A followed name whose listing has ended; `first` is when it was first not found."""
    made = KnownName(replace(STAGE, first_free_at=first), replace(LISTING, first_free_at=first))
    return replace(made, **more)


def step(name: KnownName, answer: RegistryAnswer, doubt: Doubt = BELIEVED) -> Step:
    """What the answer changes now."""
    return decide(name, answer, doubt, NOW, WAITS)


def test_a_name_on_no_list_has_nothing_for_the_lists() -> None:
    alone = KnownName(STAGE)
    told = step(alone, PENDING)
    assert (told.listed, told.change, told.announce) == ({}, "pending_delete", False)
    assert told.state["due_at"] == NOW + 2 * HOUR
    assert not alone.confirming(NOW, WAITS)
    assert alone.waits("a.com", WAITS) == WAITS


def test_two_not_founds_are_announced_once_for_all() -> None:
    first = step(known(), FREE)
    assert (first.not_found, first.announce, first.change) == ("first", False, None)
    assert (first.state, first.listed["availability"]) == (
        {"first_free_at": NOW, "due_at": NOW + 5 * MINUTE},
        "unknown",
    )
    again = known(NOW - 5 * MINUTE)
    assert again.confirming(NOW, WAITS)
    second = step(again, FREE)
    assert (second.not_found, second.announce, second.visible) == ("free", True, True)
    assert second.change is None, "the lists' announcement has a notice of its own"
    assert second.state["stage"] == "available"
    assert second.listed["available_since"] == NOW - 5 * MINUTE
    assert not {"first_free_at", "due_at"} & second.listed.keys()


def test_what_the_lists_were_told_of_a_registration_followers_hear_too() -> None:
    told = step(known(), PENDING)
    assert (told.change, told.state["stage"], told.listed["availability"]) == (
        "pending_delete",
        "pending_delete",
        "dropping",
    )
    silent = step(known(), unknown("a.com", "unreachable"))
    assert (silent.change, dict(silent.state)) == (None, {"due_at": NOW + DAY})
