"""What a registry's answer changes for a followed name, and what its followers are told."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterdrop.catalogue.availability.following_rules import (
    FollowedName,
    StageStep,
    decide_followed,
    seen_free,
    seen_registered,
)
from afterdrop.catalogue.availability.rules import Doubt, RecheckIntervals
from afterdrop.sources.registry.rdap_answer import Registration, RegistryAnswer, RegistryState, unknown

NOW = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)
DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)
WAITS = RecheckIntervals(often=2 * HOUR, slow=DAY, gap=5 * MINUTE)
BORN, ENDS = NOW - 3000 * DAY, NOW + 200 * DAY
NEXT = ENDS + 365 * DAY
NO_DOUBT = Doubt(delegated=False, canary=True)
FREE = RegistryAnswer("available", Registration("a.com", "available"), reason="not_found")
REDEMPTION = ("redemption period", "pending delete")
PENDING = ("pending delete",)


def name(**values: Any) -> FollowedName:
    """A name seen a week ago, registered until `ENDS`."""
    seen = {
        **{"stage": "active", "checked_at": NOW - 7 * DAY, "registered_at": BORN},
        **{"expires_at": ENDS, "term_ends_at": ENDS},
    }
    return FollowedName(**{**seen, **values})


def answered(
    *statuses: str,
    created: datetime | None = BORN,
    expires: datetime | None = ENDS,
    domain: str = "a.com",
    **more: Any,
) -> RegistryAnswer:
    state: RegistryState = "dropping" if {*statuses} & {*REDEMPTION} else "registered"
    record = Registration(
        domain,
        state,
        "R",
        registered_at=created,
        expires_at=expires,
        statuses=statuses or ("active",),
        **more,
    )
    return RegistryAnswer(state, record)


def decided(
    known: FollowedName, answer: RegistryAnswer, doubt: Doubt = NO_DOUBT, now: datetime = NOW
) -> StageStep:
    return decide_followed(known, answer, doubt, now, WAITS)


def wait(step: StageStep) -> timedelta:
    due = step.values["due_at"]
    assert due is not None
    return due - NOW


def test_of_a_row() -> None:
    row = {each: getattr(name(), each) for each in FollowedName.__slots__}
    assert FollowedName.of({**row, "domain": "a.com", "since": NOW}) == name()


@pytest.mark.parametrize("statuses", [("active",), REDEMPTION, PENDING])
def test_the_first_answer_tells_nothing(statuses: tuple[str, ...]) -> None:
    step = decided(FollowedName(), answered(*statuses))
    assert (step.change, step.values["since"], step.values["registrar"]) == (None, NOW, "R")
    assert step.values["term_ends_at"] == ENDS


def test_a_name_that_was_free_when_it_was_followed_has_not_dropped() -> None:
    step = decided(FollowedName(first_free_at=NOW - HOUR), FREE)
    assert (step.change, step.values["stage"], step.values["since"]) == (None, "available", NOW - HOUR)


@pytest.mark.parametrize(
    ("before", "statuses", "change"),
    [
        ("active", REDEMPTION, "redemption"),
        ("expired", REDEMPTION, "redemption"),
        ("active", PENDING, "pending_delete"),
        ("redemption", PENDING, "pending_delete"),
        ("redemption", REDEMPTION, None),
        ("pending_delete", PENDING, None),
        # The servers of one registry may disagree for a while.
        ("pending_delete", REDEMPTION, None),
        ("active", ("active", "auto renew period"), None),
        ("active", ("active",), None),
    ],
)
def test_stages(before: Any, statuses: tuple[str, ...], change: str | None) -> None:
    step = decided(name(stage=before), answered(*statuses))
    assert step.change == change
    assert ("since" in step.values) == (step.values["stage"] != before)


def test_the_estimated_drop_is_kept() -> None:
    step = decided(name(stage="redemption"), answered(*PENDING, updated_at=NOW - DAY))
    assert (step.values["earliest"], step.values["latest"]) == ("2026-11-24", "2026-11-25")
    for known, answer in (
        (name(), answered()),
        (name(), answered(*PENDING, domain="a.de")),
        (name(), answered(*REDEMPTION, "pending restore", domain="a.de")),
    ):
        kept = decided(known, answer).values
        assert (kept["earliest"], kept["latest"]) == (None, None)


def test_renewed_ahead_of_its_end() -> None:
    step = decided(name(), answered(expires=NEXT))
    assert (step.change, step.values["term_ends_at"]) == ("renewed", NEXT)
    assert decided(name(term_ends_at=NEXT, expires_at=NEXT), answered(expires=NEXT)).change is None


def test_a_moved_date_is_no_renewal() -> None:
    step = decided(name(), answered(expires=ENDS + 30 * DAY))
    assert (step.change, step.values["term_ends_at"]) == (None, ENDS + 30 * DAY)
    assert decided(name(), answered(expires=None)).change is None


@pytest.mark.parametrize(("since_the_end", "change"), [(HOUR, None), (44 * DAY, None), (45 * DAY, "renewed")])
def test_a_registrys_own_renewal_counts_once_it_cannot_be_taken_back(
    since_the_end: timedelta, change: str | None
) -> None:
    ended = NOW - since_the_end
    step = decided(name(expires_at=ended, term_ends_at=ended), answered(expires=ended + 365 * DAY))
    assert step.change == change
    assert step.values["term_ends_at"] == (ended + 365 * DAY if change else ended)
    assert step.values["expires_at"] == ended + 365 * DAY
    assert wait(step) == (21 * DAY if change else DAY)


def test_no_longer_held_by_the_registrar_as_expired() -> None:
    held = name(stage="expired", expires_at=NEXT, term_ends_at=NEXT)
    assert decided(held, answered(expires=NEXT)).change == "renewed"
    # The date alone had said that it expired: its registry's own renewal proves nothing.
    ended = NOW - 10 * DAY
    by_date = name(stage="expired", checked_at=NOW - DAY, expires_at=ended, term_ends_at=ended)
    assert decided(by_date, answered(expires=ended + 365 * DAY)).change is None
    assert decided(name(stage="expired", expires_at=None), answered()).change is None


@pytest.mark.parametrize("stage", ["redemption", "pending_delete"])
def test_restored(stage: Any) -> None:
    assert decided(name(stage=stage), answered()).change == "renewed"
    undated = decided(name(stage=stage, registered_at=None), answered(created=None, expires=NEXT))
    # What was pending delete cannot be restored: without a date it may be somebody else's by now.
    told = "renewed" if stage == "redemption" else None
    assert (undated.change, undated.values["term_ends_at"]) == (told, NEXT)


@pytest.mark.parametrize("later", [timedelta(hours=14, minutes=3), DAY, 2 * DAY, -3 * DAY])
def test_a_date_that_becomes_more_exact_is_the_same_registration(later: timedelta) -> None:
    """WHOIS told a day, .it its local midnight, and RDAP the second."""
    for stage, change in (("active", None), ("redemption", "renewed"), ("pending_delete", "renewed")):
        step = decided(name(stage=stage, registered_at=BORN), answered(created=BORN + later))
        assert step.change == change, stage
    assert decided(name(registered_at=BORN), answered(created=BORN + 3 * DAY)).change == "registered"


def test_registered_by_somebody_else_is_a_new_beginning() -> None:
    for known in (name(stage="pending_delete"), name(stage="available", registered_at=None)):
        step = decided(known, answered(created=NOW - HOUR, expires=NEXT))
        assert (step.change, step.values["stage"], step.values["term_ends_at"]) == (
            "registered",
            "active",
            NEXT,
        )
        assert step.values["registered_at"] == NOW - HOUR
        again = decided(
            name(registered_at=NOW - HOUR, term_ends_at=NEXT, expires_at=NEXT),
            answered(created=NOW - HOUR, expires=NEXT),
        )
        assert again.change is None
    undated = decided(name(stage="available"), answered(created=None))
    assert (undated.change, undated.values["registered_at"]) == ("registered", None)


def test_a_registration_that_is_about_to_end_is_no_new_one() -> None:
    step = decided(name(stage="available", registered_at=None), answered(*PENDING))
    assert (step.change, step.values["stage"]) == (None, "pending_delete")


def test_two_not_founds_with_a_canary_between_tell_that_it_dropped() -> None:
    first = decided(name(stage="pending_delete"), FREE)
    assert (first.not_found, first.change, wait(first)) == ("first", None, 5 * MINUTE)
    assert "stage" not in first.values
    known = name(stage="pending_delete", first_free_at=NOW - 4 * MINUTE)
    assert not known.confirming(NOW, WAITS.gap)
    early = decided(known, FREE)
    assert (early.not_found, early.change, wait(early)) == ("early", None, MINUTE)
    known = name(stage="pending_delete", first_free_at=NOW - 5 * MINUTE)
    assert known.confirming(NOW, WAITS.gap)
    second = decided(known, FREE)
    assert (second.not_found, second.change, wait(second)) == ("free", "dropped", DAY)
    assert (second.values["since"], second.values["expires_at"]) == (NOW - 5 * MINUTE, None)


@pytest.mark.parametrize(
    ("doubt", "verdict"),
    [
        (Doubt(False, canary=False), "withheld"),
        (Doubt(None, canary=True), "withheld"),
        (Doubt(False, canary=True, mass=True), "withheld"),
        (Doubt(True, canary=True), "delegated"),
    ],
)
def test_what_is_not_believed_tells_nothing(doubt: Doubt, verdict: str) -> None:
    step = decided(name(first_free_at=NOW - HOUR), FREE, doubt)
    assert (step.not_found, step.change) == (verdict, None)
    assert "stage" not in step.values
    assert wait(step) == (DAY if verdict == "delegated" else 2 * HOUR)


def test_a_free_name_stays_free_without_another_word() -> None:
    known = name(stage="available", first_free_at=NOW - 9 * DAY)
    assert not known.confirming(NOW, WAITS.gap)
    step = decided(known, FREE, Doubt(None, canary=False))
    assert (step.change, step.not_found, wait(step)) == (None, None, DAY)
    assert "since" not in step.values


def test_the_recheck_says_that_a_name_is_free_without_a_first_time() -> None:
    step = seen_free(name(), FREE, NOW)
    assert (step.change, step.values["since"]) == ("dropped", NOW)


@given(
    st.sampled_from([None, "active", "expired", "redemption", "pending_delete", "available"]),
    st.sampled_from(["refused", "rate_limited", "unreachable", "not_believed", "no_rdap", "blocked"]),
    st.booleans(),
)
def test_unknown_is_never_a_change(stage: Any, reason: str, turned: bool) -> None:
    known = name(stage=stage, first_free_at=NOW - HOUR if turned else None)
    step = decided(known, unknown("a.com", reason))
    assert step.change is None
    assert set(step.values) == {"due_at"}
    soon = stage == "pending_delete" or turned
    assert wait(step) == (7 * DAY if reason == "no_rdap" else 2 * HOUR if soon else DAY)


@pytest.mark.parametrize(
    ("answer", "after"),
    [
        (answered(), 21 * DAY),
        (answered(expires=NOW + 51 * DAY), 21 * DAY),
        (answered(expires=NOW + 45 * DAY), 15 * DAY),
        (answered(expires=NOW + 31 * DAY), 7 * DAY),
        (answered(expires=NOW + 30 * DAY), DAY),
        (answered(expires=None), DAY),
        (answered(*REDEMPTION), DAY),
        (answered(*PENDING), 2 * HOUR),
    ],
)
def test_when_it_is_asked_again(answer: RegistryAnswer, after: timedelta) -> None:
    assert wait(decided(FollowedName(), answer)) == after


def test_the_recheck_keeps_its_own_times() -> None:
    assert "due_at" not in seen_registered(name(), answered(), NOW).values


def test_an_expiry_that_the_registry_moved_on_is_no_renewal_while_the_registrar_waits_for_the_holder() -> (
    None
):
    ended = NOW - 10 * DAY
    known = name(expires_at=ended, term_ends_at=ended, checked_at=NOW - 11 * DAY)
    moved = replace(answered(expires=ended + 365 * DAY), registrar_expires_at=ended)
    step = seen_registered(known, moved, NOW)
    assert (step.change, step.values["stage"]) == (None, "expired")
    assert step.values["earliest"] == (NOW + 35 * DAY).date().isoformat()
    unpaid = name(**{key: step.values[key] for key in ("stage", "checked_at", "expires_at", "term_ends_at")})
    paid = replace(moved, registrar_expires_at=ended + 365 * DAY)
    later = seen_registered(unpaid, paid, NOW + DAY)
    assert (later.change, later.values["stage"]) == ("renewed", "active")
