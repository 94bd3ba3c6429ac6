"""What an answer changes, when to ask again, what resolves."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterdrop.catalogue.availability.rules import (
    Change,
    Doubt,
    EndedDomain,
    RecheckIntervals,
    decide_ended,
    is_mass,
)
from afterdrop.sources.registry.rdap_answer import Registration, RegistryAnswer, RegistryState, unknown

NOW = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)
DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)
WAITS = RecheckIntervals(often=2 * HOUR, slow=DAY, gap=5 * MINUTE)
OLD, EXPIRY = NOW - 3000 * DAY, NOW - 20 * DAY
NO_DOUBT = Doubt(delegated=False, canary=True)
FREE = RegistryAnswer("available", Registration("a.com", "available"), reason="not_found")


def followed(**values: Any) -> EndedDomain:
    given_ = {"domain": "a.com", "type": "auction", "found_at": NOW - 9 * DAY, "ended_at": NOW - HOUR}
    return EndedDomain(**{**given_, **values})


def answered(
    state: RegistryState = "registered",
    created: datetime | None = OLD,
    expires: datetime | None = EXPIRY,
    **more: Any,
) -> RegistryAnswer:
    return RegistryAnswer(
        state, Registration("a.com", state, "R", registered_at=created, expires_at=expires, **more)
    )


def after(change: Change) -> Any:
    return change.values["due_at"] - NOW


def test_of_a_row() -> None:
    row = {name: getattr(followed(), name) for name in EndedDomain.__slots__ if name != "ended_at"}
    assert EndedDomain.of({**row, "live_until": NOW - HOUR, "score": 1}, None) == followed()


def test_not_found_is_not_free_while_the_registry_sells_the_name_first() -> None:
    assert (
        WAITS.of("a.com", NOW, None)
        == WAITS.of("a.dk", NOW, None)
        == WAITS.of("shop.uk.com", NOW, None)
        == WAITS
    )
    assert WAITS.of("a.cz", None, None).gap == 23 * DAY
    assert WAITS.of("a.cz", NOW, EXPIRY).gap == 23 * DAY, "deleted by its holder, in mid-term"
    expired = NOW - 71 * DAY  # deleted ten days before it was asked about
    assert WAITS.of("a.cz", NOW, expired).gap == 13 * DAY
    assert WAITS.of("a.cz", NOW, NOW - 400 * DAY).gap == WAITS.gap
    sold = WAITS.of("a.cz", None, None)
    first = decide_ended(followed(domain="a.cz"), FREE, NO_DOUBT, NOW, sold)
    assert (first.announce, first.values["availability"], after(first)) == (False, "unknown", DAY)
    second = decide_ended(followed(domain="a.cz", first_free_at=NOW - 22 * DAY), FREE, NO_DOUBT, NOW, sold)
    assert (second.announce, after(second)) == (False, DAY)
    assert decide_ended(
        followed(domain="a.cz", first_free_at=NOW - 23 * DAY), FREE, NO_DOUBT, NOW, sold
    ).announce


def test_the_first_not_found_waits_for_the_gap() -> None:
    first = decide_ended(followed(), FREE, NO_DOUBT, NOW, WAITS)
    assert (first.not_found == "first", first.announce, after(first)) == (True, False, 5 * MINUTE)
    known = followed(first_free_at=NOW - 4 * MINUTE)
    assert not known.confirming(NOW, WAITS.gap)
    early = decide_ended(known, FREE, NO_DOUBT, NOW, WAITS)
    assert (early.not_found == "first", early.announce, after(early)) == (False, False, MINUTE)


@pytest.mark.parametrize(
    ("doubt", "since", "announced", "withheld"),
    [
        (NO_DOUBT, 5 * MINUTE, True, False),
        (Doubt(None, canary=True), 5 * MINUTE, False, True),
        (Doubt(False, canary=False), 5 * MINUTE, False, True),
        (Doubt(False, canary=False), 50 * DAY, False, True),
        (Doubt(False, canary=True, mass=True), 2 * HOUR - MINUTE, False, True),
        (Doubt(False, canary=True, mass=True), 2 * HOUR, True, False),
        (Doubt(True, canary=True), 5 * MINUTE, False, False),
    ],
)
def test_the_second_not_found_announces_unless_doubted(
    doubt: Doubt, since: timedelta, announced: bool, withheld: bool
) -> None:
    known = followed(first_free_at=NOW - since)
    assert known.confirming(NOW, WAITS.gap)
    change = decide_ended(known, FREE, doubt, NOW, WAITS)
    assert (change.announce, change.not_found == "withheld", change.visible) == (
        announced,
        withheld,
        announced,
    )
    assert after(change) == 2 * HOUR
    if announced:
        assert change.values["available_since"] == NOW - since
        assert change.values["announced"] is True


def test_an_announced_name_is_asked_every_two_hours_for_as_long_as_it_is_free() -> None:
    known = followed(announced=True, available_since=NOW - DAY, ended_at=NOW - 500 * DAY)
    assert not known.confirming(NOW, WAITS.gap)
    still = decide_ended(known, FREE, NO_DOUBT, NOW, WAITS)
    assert (after(still), "announced" in still.values, still.values["checked_at"]) == (2 * HOUR, False, NOW)
    silent = decide_ended(known, unknown("a.com", "unreachable"), NO_DOUBT, NOW, WAITS)
    assert dict(silent.values) == {"due_at": NOW + 2 * HOUR}
    delegated = decide_ended(known, FREE, Doubt(True), NOW, WAITS)
    assert (delegated.values["announced"], delegated.visible) == (False, True)


@pytest.mark.parametrize(
    ("known", "created", "caught", "since"),
    [
        ({"registered_at": OLD}, NOW - HOUR, True, None),
        ({"registered_at": OLD, "first_free_at": NOW - HOUR}, NOW, True, NOW - HOUR),
        ({"announced": True, "available_since": NOW - DAY, "registered_at": OLD}, NOW, True, NOW - DAY),
        ({"announced": True, "available_since": NOW - DAY}, None, True, NOW - DAY),
        ({}, NOW - 8 * DAY, True, None),
        ({}, OLD, False, None),
        ({"registered_at": OLD}, OLD, False, None),
        ({"registered_at": OLD}, OLD + 14 * HOUR, False, None),
        ({"registered_at": OLD}, OLD + 2 * DAY, False, None),
        ({"registered_at": OLD}, OLD + 2 * DAY + HOUR, True, None),
        ({"registered_at": OLD, "announced": True, "available_since": NOW - DAY}, OLD, False, None),
        ({"first_free_at": NOW - HOUR}, None, False, None),
    ],
)
def test_caught_after_the_drop(
    known: dict[str, Any], created: datetime | None, caught: bool, since: datetime | None
) -> None:
    change = decide_ended(followed(**known), answered(created=created), NO_DOUBT, NOW, WAITS)
    assert change.values.get("caught_after_drop", False) is caught
    assert ("resolved_at" in change.values) is caught
    assert change.values.get("available_since") == since
    assert (change.values["announced"], change.values["first_free_at"]) == (False, None)
    assert change.visible is bool(known.get("announced"))


@pytest.mark.parametrize(
    ("before", "after_", "created", "more", "resolved"),
    [
        (EXPIRY, EXPIRY + 365 * DAY, OLD, {}, True),
        (EXPIRY, EXPIRY + 300 * DAY, OLD, {}, True),
        (EXPIRY, EXPIRY + 299 * DAY, OLD, {}, False),
        (EXPIRY, EXPIRY + 365 * DAY, None, {}, False),
        (EXPIRY, EXPIRY + 365 * DAY, OLD + HOUR, {}, True),
        (None, EXPIRY + 365 * DAY, OLD, {}, False),
        (EXPIRY, None, OLD, {}, False),
        # Renewed by the registry alone: the registrar may still let it go.
        (EXPIRY, EXPIRY + 365 * DAY, OLD, {"statuses": ("auto renew period",)}, False),
    ],
)
def test_a_renewal_resolves(
    before: datetime | None,
    after_: datetime | None,
    created: datetime | None,
    more: dict[str, Any],
    resolved: bool,
) -> None:
    known = followed(registered_at=OLD, expires_at=before)
    change = decide_ended(known, answered("registered", created, after_, **more), NO_DOUBT, NOW, WAITS)
    assert ("resolved_at" in change.values) is resolved
    assert change.values["registered_at"] == (created or OLD)
    assert change.values["expires_at"] == (after_ or before)


@pytest.mark.parametrize(
    ("answer", "wait"),
    [
        (answered(), DAY),
        (answered(expires=NOW + 31 * DAY), 7 * DAY),
        (answered("dropping", statuses=("redemption period",)), DAY),
        (answered("dropping", statuses=("pending delete",)), 2 * HOUR),
        (unknown("a.com", "unreachable"), DAY),
        (unknown("a.com", "blocked"), DAY),
        (unknown("a.com", "no_rdap"), 7 * DAY),
    ],
)
def test_after_a_hundred_days_it_is_over_for_the_lists(answer: RegistryAnswer, wait: timedelta) -> None:
    over = decide_ended(followed(ended_at=NOW - 100 * DAY), answer, NO_DOUBT, NOW, WAITS)
    assert (over.values["resolved_at"], after(over)) == (NOW, wait)
    before = decide_ended(followed(ended_at=NOW - 100 * DAY + MINUTE), answer, NO_DOUBT, NOW, WAITS)
    assert "resolved_at" not in before.values


def test_a_denial_that_the_dns_contradicts_for_a_hundred_days_is_over_too() -> None:
    known = followed(ended_at=NOW - 100 * DAY, first_free_at=NOW - DAY)
    for doubt in (Doubt(True), Doubt(False)):
        assert decide_ended(known, FREE, doubt, NOW, WAITS).values["resolved_at"] == NOW
    assert decide_ended(known, FREE, NO_DOUBT, NOW, WAITS).values["resolved_at"] is None


@pytest.mark.parametrize(
    ("known", "answer", "wait"),
    [
        ({}, answered("dropping", statuses=("pending delete",), updated_at=NOW - DAY), 2 * HOUR),
        ({}, answered("dropping", statuses=("redemption period",), updated_at=NOW - 33 * DAY), 2 * HOUR),
        ({}, answered("dropping", statuses=("redemption period",), updated_at=NOW - 5 * DAY), DAY),
        ({}, answered(), DAY),
        ({"type": "pending_delete"}, answered(), 2 * HOUR),
        ({"type": "pending_delete", "ended_at": NOW - 4 * DAY}, answered(), DAY),
        ({"type": "pending_delete"}, unknown("a.com", "unreachable"), 2 * HOUR),
        ({}, unknown("a.com", "unreachable"), DAY),
        ({"first_free_at": NOW - HOUR}, unknown("a.com", "rate_limited"), 2 * HOUR),
        ({}, unknown("a.com", "no_rdap"), DAY),
        ({}, unknown("a.com", "reserved"), DAY),
        ({"resolved_at": NOW - 30 * DAY, "registered_at": OLD}, answered(expires=NOW + 90 * DAY), 7 * DAY),
        ({"resolved_at": NOW - 30 * DAY, "registered_at": OLD}, answered(expires=NOW + 30 * DAY), DAY),
        ({"resolved_at": NOW - 30 * DAY}, answered("dropping", statuses=("pending delete",)), 2 * HOUR),
    ],
)
def test_when_it_is_asked_next(known: dict[str, Any], answer: RegistryAnswer, wait: timedelta) -> None:
    assert after(decide_ended(followed(**known), answer, NO_DOUBT, NOW, WAITS)) == wait


@pytest.mark.parametrize("reason", ["blocked", "reserved", "says_more"])
def test_blocked_names_are_not_free(reason: str) -> None:
    change = decide_ended(followed(announced=True), unknown("a.com", reason), NO_DOUBT, NOW, WAITS)
    assert (change.values["announced"], change.visible) == (False, True)


@pytest.mark.parametrize(
    ("turned", "asked", "names", "mass"),
    [
        (2, 2, 2, False),
        (3, 10, 0, True),
        (3, 15, 15, False),
        (3, 5, 100, False),
        (21, 100, 90, True),
        (20, 100, 9, False),
    ],
)
def test_mass(turned: int, asked: int, names: int, mass: bool) -> None:
    assert is_mass(turned, asked, names, 0.2) is mass


moments = st.none() | st.integers(-200, 0).map(lambda days: NOW + days * DAY)


@given(
    st.builds(
        followed,
        ended_at=st.integers(0, 200).map(lambda days: NOW - days * DAY),
        type=st.sampled_from(["auction", "pending_delete"]),
        announced=st.booleans(),
        first_free_at=moments,
        registered_at=moments,
        expires_at=moments,
        resolved_at=moments,
    ),
    st.sampled_from(
        [FREE, answered(), answered("dropping"), *(unknown("a.com", r) for r in ("blocked", "timeout"))]
    ),
    st.builds(Doubt, st.none() | st.booleans(), st.booleans(), st.booleans()),
)
def test_always_asked_again_and_never_free_without_two_denials_and_a_canary(
    known: EndedDomain, answer: RegistryAnswer, doubt: Doubt
) -> None:
    change = decide_ended(known, answer, doubt, NOW, WAITS)
    assert change.values["due_at"] > NOW
    if change.announce:
        assert answer is FREE
        assert doubt.canary
        assert not doubt.delegated
        assert known.first_free_at is not None
        assert NOW - known.first_free_at >= WAITS.gap
    elif not known.announced:
        assert not change.values.get("announced", False)


@pytest.mark.parametrize("extension", ["org", "info", "ngo", "io", "ai", "xn--c1avg"])
def test_what_registrars_are_offered_first_is_free_a_day_later(extension: str) -> None:
    """Its registry says "not found" from the beginning of that day."""
    waits = WAITS.of(f"a.{extension}", NOW - HOUR, NOW - 80 * DAY)
    assert waits.gap == DAY
    for hours, told in ((3, "early"), (23, "early"), (25, "free")):
        known = followed(domain=f"a.{extension}", first_free_at=NOW - hours * HOUR)
        assert decide_ended(known, FREE, Doubt(False, canary=True), NOW, waits).not_found == (
            None if told == "early" else told
        )
    assert WAITS.of("a.com", NOW - HOUR, NOW - 80 * DAY) == WAITS.of("a.xyz", None, None) == WAITS
