from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from afterdrop.sources.registry.drop_estimate import (
    EXPIRY_NAMESERVERS,
    DropEstimate,
    ListedDrop,
    estimate,
)
from afterdrop.sources.registry.rdap_answer import Registration, RegistryAnswer, RegistryState, unknown

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def days(count: float) -> timedelta:
    return timedelta(days=count)


def answer(
    *statuses: str,
    domain: str = "example-name.com",
    deleted_at: datetime | None = None,
    registrar_expires_at: datetime | None = None,
    **more: Any,
) -> RegistryAnswer:
    dropping = {"pending delete", "redemption period", "pending restore"}.intersection(statuses)
    state: RegistryState = "dropping" if dropping else "registered"
    return RegistryAnswer(
        state,
        Registration(domain, state, statuses=statuses, **more),
        deleted_at=deleted_at,
        registrar_expires_at=registrar_expires_at,
    )


def window(given: RegistryAnswer, now: datetime = NOW, **more: Any) -> tuple[str, date | None, date | None]:
    found = estimate(given, now, **more)
    return found.stage, found.earliest, found.latest


def test_available_and_unknown_have_no_days() -> None:
    assert estimate(RegistryAnswer("available", Registration("a.com", "available")), NOW) == DropEstimate(
        "available"
    )
    assert estimate(unknown("a.com", "no_rdap"), NOW) == DropEstimate("unknown")
    assert estimate(unknown(None, "bad_content"), NOW) == DropEstimate("unknown")


def test_active_counts_from_the_expiry_ahead() -> None:
    expiry = datetime(2027, 1, 1, tzinfo=UTC)
    assert window(answer("active", expires_at=expiry)) == ("active", date(2027, 2, 5), date(2027, 3, 23))
    assert window(answer("active")) == ("active", None, None)
    never = datetime(9999, 12, 31, tzinfo=UTC)
    assert window(answer("active", expires_at=never)) == ("active", None, None)


def test_expired_counts_from_now_to_the_end_of_grace() -> None:
    ended = NOW - days(10)
    assert window(answer("active", expires_at=ended)) == (
        "expired",
        (NOW + days(35)).date(),
        (ended + days(81)).date(),
    )


def test_long_expired_ends_when_it_can_begin() -> None:
    for long in (46, 60, 400):
        stale = answer("active", expires_at=NOW - days(long))
        assert window(stale) == ("expired", (NOW + days(35)).date(), (NOW + days(35)).date())


def test_auto_renew_status_counts_from_the_term_that_ended() -> None:
    renewed = answer("active", "auto renew period", expires_at=datetime(2027, 11, 1, tzinfo=UTC))
    assert window(renewed) == ("expired", (NOW + days(35)).date(), date(2026, 11, 1) + days(81))
    two_years = answer("auto renew period", expires_at=datetime(2028, 12, 1, tzinfo=UTC))
    assert window(two_years) == ("expired", (NOW + days(35)).date(), (NOW + days(81)).date())
    assert window(answer("auto renew period"))[0] == "expired"


def shack(**more: Any) -> RegistryAnswer:
    """The genuine case: com moves the expiry on at once, and only the delegation shows that the owner let it expire."""
    fields: dict[str, Any] = {
        "registered_at": datetime(2024, 11, 22, 18, 1, 8, tzinfo=UTC),
        "expires_at": datetime(2026, 11, 22, 18, 1, 8, tzinfo=UTC),
        "updated_at": datetime(2025, 11, 26, 6, 34, 24, tzinfo=UTC),
        "nameservers": ("ns1.renewyourname.net", "ns2.renewyourname.net"),
    }
    return answer("active", **(fields | more))


def test_an_expired_name_whose_registry_shows_the_renewed_expiry() -> None:
    read = datetime(2025, 12, 21, 6, 9, 46, tzinfo=UTC)
    assert window(shack(), read) == ("expired", date(2026, 1, 25), date(2026, 2, 11))
    assert not estimate(shack(), read).exact


@pytest.mark.parametrize(
    ("more", "now"),
    [
        ({"nameservers": ("ns1.example.com",)}, datetime(2025, 12, 21, tzinfo=UTC)),
        ({"nameservers": ("ns1.not-renewyourname.net",)}, datetime(2025, 12, 21, tzinfo=UTC)),
        ({}, datetime(2026, 3, 1, tzinfo=UTC)),
        ({}, datetime(2025, 11, 1, tzinfo=UTC)),
        ({"registered_at": datetime(2025, 11, 22, tzinfo=UTC)}, datetime(2025, 12, 21, tzinfo=UTC)),
        ({"expires_at": None}, datetime(2025, 12, 21, tzinfo=UTC)),
    ],
)
def test_a_renewed_name_that_lacks_one_sign_is_active(more: dict[str, Any], now: datetime) -> None:
    assert window(shack(**more), now)[0] == "active"


ENDED = datetime(2026, 11, 1, 7, 8, 9, tzinfo=UTC)
NEXT = datetime(2027, 11, 1, 7, 8, 9, tzinfo=UTC)


def test_a_term_that_the_registrar_has_not_renewed_is_expired_though_the_registrys_has_moved_on() -> None:
    given = answer("active", expires_at=NEXT, registrar_expires_at=ENDED)
    assert window(given) == ("expired", (NOW + days(35)).date(), (ENDED + days(81)).date())
    first, last = ENDED, ENDED + days(45)
    assert [window(given, now)[0] for now in (first - days(1), first, last, last + days(1))] == [
        "active",
        "expired",
        "expired",
        "active",
    ]
    several = answer("active", expires_at=NEXT.replace(year=2030), registrar_expires_at=ENDED)
    assert window(several)[0] == "expired", "a registrar may renew for years and be paid for none"


@pytest.mark.parametrize(
    ("registry", "registrar"),
    [
        (NEXT, NEXT),
        (NEXT, NEXT + days(365)),
        (NEXT, None),
        (None, ENDED),
        (NEXT, NOW + days(1)),
        (NEXT, ENDED - days(365)),
    ],
)
def test_a_registrars_expiry_that_says_no_more_than_the_registrys_means_nothing(
    registry: datetime | None, registrar: datetime | None
) -> None:
    plain = answer("active", expires_at=registry)
    with_it = answer("active", expires_at=registry, registrar_expires_at=registrar)
    assert estimate(with_it, NOW) == estimate(plain, NOW)


def test_a_registrars_expiry_takes_nothing_back() -> None:
    past = answer("active", expires_at=ENDED, registrar_expires_at=NEXT)
    assert window(past)[0] == "expired", "the registry's own expiry has passed"
    began = NOW - days(3)
    later = answer("redemption period", updated_at=began, expires_at=NEXT, registrar_expires_at=ENDED)
    assert window(later) == ("redemption", (began + days(35)).date(), (began + days(37)).date())
    country = answer("active", domain="a.fr", expires_at=NEXT, registrar_expires_at=ENDED)
    assert window(country) == ("expired", None, None)


def test_the_delegation_may_be_the_host_itself_and_the_registration_unknown() -> None:
    given = shack(registered_at=None, nameservers=(EXPIRY_NAMESERVERS[1],))
    assert window(given, datetime(2025, 12, 21, tzinfo=UTC))[0] == "expired"


def test_a_leap_day_expiry_ended_on_the_28th() -> None:
    given = answer("auto renew period", expires_at=datetime(2028, 2, 29, tzinfo=UTC))
    assert window(given, datetime(2027, 3, 10, tzinfo=UTC))[2] == date(2027, 2, 28) + days(81)


def test_redemption_counts_from_the_last_change_and_wins_over_pending_delete() -> None:
    began = NOW - days(3)
    given = answer("pending delete", "redemption period", updated_at=began)
    assert window(given) == ("redemption", (began + days(35)).date(), (began + days(37)).date())


def test_a_deletion_event_is_a_better_start_than_the_last_change() -> None:
    began = NOW - days(20)
    given = answer("redemption period", updated_at=NOW - days(2), deleted_at=began)
    assert window(given)[1] == (began + days(35)).date()
    old = answer("redemption period", updated_at=NOW - days(2), deleted_at=NOW - days(900))
    assert window(old)[1] == (NOW + days(33)).date()


@pytest.mark.parametrize("updated_at", [None, NOW - days(40), NOW + days(3)])
def test_a_redemption_whose_start_is_not_known(updated_at: datetime | None) -> None:
    given = answer("redemption period", updated_at=updated_at)
    assert window(given) == ("redemption", NOW.date(), (NOW + days(35)).date())


def test_a_pending_restore_has_no_latest_day() -> None:
    began = NOW - days(3)
    assert window(answer("pending restore", updated_at=began)) == (
        "redemption",
        (began + days(35)).date(),
        None,
    )


def test_pending_delete_of_the_genuine_case() -> None:
    given = answer("client hold", "pending delete", updated_at=datetime(2026, 9, 27, 9, 15, 9, tzinfo=UTC))
    found = estimate(given, datetime(2026, 9, 29, tzinfo=UTC))
    assert found.as_json() == {
        "stage": "pending_delete",
        "earliest": "2026-10-02",
        "latest": "2026-10-03",
        "exact": False,
        "drop_hour_utc": 18,
        "rests_on": "Verisign (2024)",
        "hour_rests_on": "drop catchers' guides (2008, not confirmed since)",
    }
    assert window(given, NOW) == ("pending_delete", NOW.date(), (NOW + days(5)).date())


def listed(ends_at: datetime, *, opens_at: datetime | None = None, certain: bool = True) -> ListedDrop:
    return ListedDrop(ends_at, opens_at, certain)


def test_a_drop_list_makes_it_exact_while_pending_delete_stands() -> None:
    drop = NOW + days(4)
    day = drop.date()
    given = answer("pending delete", updated_at=NOW - days(1))
    found = estimate(given, NOW, listed=listed(drop))
    assert (found.earliest, found.latest, found.exact, found.drop_hour_utc) == (day, day, True, 19)
    assert found.rests_on == "the registry's drop list"
    assert not estimate(given, NOW, listed=listed(NOW - days(1))).exact
    for other in (answer("active", expires_at=NOW + days(9)), answer("redemption period", updated_at=NOW)):
        assert not estimate(other, NOW, listed=listed(drop)).exact, (
            "a generic name that is not beyond redemption"
        )


def test_a_country_codes_list_tells_the_second_or_that_it_may_drop() -> None:
    drop = datetime(2026, 11, 24, 9, 8, 7, tzinfo=UTC)
    given = answer("pending delete", domain="a.co.uk", expires_at=NOW - days(91))
    found = estimate(given, NOW, listed=listed(drop))
    assert (found.stage, found.earliest, found.exact, found.drop_hour_utc) == (
        "pending_delete",
        drop.date(),
        True,
        9,
    )
    early = answer("pending delete", domain="a.co.uk", expires_at=NOW - days(85))
    found = estimate(early, NOW, listed=listed(drop + days(6), certain=False))
    assert (found.stage, found.earliest, found.exact) == ("redemption", (drop + days(6)).date(), False)
    swedish = answer("pending delete", domain="a.se")
    end = datetime(2026, 11, 24, 6, tzinfo=UTC)
    found = estimate(swedish, NOW, listed=listed(end, opens_at=end.replace(hour=4)))
    assert (found.earliest, found.exact, found.drop_hour_utc) == (date(2026, 11, 24), True, 4)
    renewed = answer("active", domain="a.co.uk", expires_at=NOW + days(200))
    assert not estimate(renewed, NOW, listed=listed(drop)).exact


def test_the_hour_is_null_where_the_registrys_hour_is_not_known() -> None:
    given = answer("pending delete", domain="example-name.org", updated_at=NOW)
    assert estimate(given, NOW).drop_hour_utc is None


@pytest.mark.parametrize("domain", ["example.de", "example.me", "example.ch", "example.uk.com"])
def test_what_a_country_code_does_not_publish_is_not_estimated(domain: str) -> None:
    given = answer("pending delete", domain=domain, updated_at=NOW)
    assert estimate(given, NOW).as_json() == {
        "stage": "pending_delete",
        "earliest": None,
        "latest": None,
        "exact": False,
        "drop_hour_utc": None,
        "rests_on": None,
        "hour_rests_on": None,
    }


moments = st.datetimes(datetime(1985, 1, 1), datetime(9999, 12, 31), timezones=st.just(UTC)) | st.none()
near = st.datetimes(datetime(2020, 1, 1), datetime(2032, 12, 31), timezones=st.just(UTC)) | st.none()
words = st.lists(
    st.sampled_from(
        [
            "active",
            "auto renew period",
            "redemption period",
            "pending delete",
            "pending restore",
            "client hold",
        ]
    ),
    max_size=3,
)


@given(
    statuses=words,
    registered_at=near,
    expires_at=moments | near,
    updated_at=near,
    deleted_at=near,
    now=st.datetimes(datetime(2024, 1, 1), datetime(2030, 12, 31), timezones=st.just(UTC)),
    servers=st.sampled_from([(), ("ns1.renewyourname.net",)]),
    drop=st.datetimes(datetime(2024, 1, 1), datetime(2031, 1, 1), timezones=st.just(UTC)) | st.none(),
    domain=st.sampled_from(["a.com", "a.shop", "a.me", "a.co.uk", "a.ca", "a.it", None]),
)
def test_the_window_is_ordered_and_never_in_the_past(
    statuses: list[str],
    now: datetime,
    servers: tuple[str, ...],
    drop: datetime | None,
    deleted_at: datetime | None,
    domain: str,
    **times: datetime | None,
) -> None:
    given = answer(*statuses, domain=domain, deleted_at=deleted_at, nameservers=servers, **times)
    found = estimate(given, now, listed=listed(drop) if drop else None)
    if found.earliest is None:
        assert (found.latest, found.exact, found.drop_hour_utc, found.rests_on) == (None, False, None, None)
        return
    assert domain in ("a.com", "a.shop", "a.co.uk", "a.ca", "a.it") or drop is not None
    assert found.earliest >= now.date()
    assert found.latest is None or found.latest >= found.earliest
    assert not found.exact or (drop is not None and found.earliest == found.latest == drop.date())
    assert found.rests_on
    assert (found.drop_hour_utc is None) == (found.hour_rests_on is None)
    assert domain != "a.com" or found.drop_hour_utc is not None


@given(
    grace=st.integers(0, 45),
    asked=st.lists(st.integers(-60, 85), min_size=2, max_size=6, unique=True).map(sorted),
    hour=st.integers(0, 23),
)
def test_the_estimate_never_moves_back_through_the_stages(grace: int, asked: list[int], hour: int) -> None:
    """One life: expiry, deletion `grace` days later, 30 days of redemption, 5 of pending delete."""
    expiry = datetime(2026, 6, 1, 7, tzinfo=UTC)
    deleted = expiry + days(grace)
    released = deleted + days(35)
    order = ["active", "expired", "redemption", "pending_delete"]
    before: DropEstimate | None = None
    for day in asked:
        now = expiry + days(day) + timedelta(hours=hour)
        assume(now < released)
        if now < deleted:
            given = answer("active", expires_at=expiry, updated_at=expiry - days(365))
        elif now < deleted + days(30):
            given = answer("redemption period", expires_at=expiry, updated_at=deleted)
        else:
            given = answer("pending delete", expires_at=expiry, updated_at=deleted + days(30))
        found = estimate(given, now)
        assert found.earliest is not None
        assert found.latest is not None
        assert found.earliest <= released.date() <= found.latest
        if before is not None and before.earliest is not None and before.latest is not None:
            assert order.index(found.stage) >= order.index(before.stage)
            assert found.earliest >= before.earliest
            assert found.latest <= before.latest + days(1)
        before = found


@pytest.mark.parametrize(
    ("utc", "today"),
    [
        (datetime(2026, 11, 20, 14, 30, tzinfo=UTC), date(2026, 11, 21)),
        (datetime(2026, 11, 20, 12, 30, tzinfo=UTC), date(2026, 11, 20)),
    ],
)
def test_a_window_that_is_over_ends_today_where_the_registry_is(utc: datetime, today: date) -> None:
    late = answer("pending delete", domain="a.com.au", expires_at=utc - days(101))
    assert window(late, utc) == ("pending_delete", today, today)
