from datetime import UTC, date, datetime

import pytest

from afterdrop.sources.registry import release_hours
from afterdrop.sources.registry.release_hours import ReleaseHour


@pytest.mark.parametrize(
    "domain", ["a.com", "a.xyz", "a.travel", "a.xn--q9jyb4c", "a.name", "a.notyetlisted"]
)
def test_generic_extensions(domain: str) -> None:
    assert release_hours.is_generic(domain)


@pytest.mark.parametrize(
    "domain",
    [
        "a.de",
        "a.co.uk",
        "a.xn--p1ai",
        "a.gov",
        "a.edu",
        "a.test",
        "com",
        "www.a.com",
        "a.uk.com",
        "a.tv",
        "2.0.192.in-addr.arpa",
    ],
)
def test_country_codes_suffixes_and_hosts_are_not_generic(domain: str) -> None:
    assert not release_hours.is_generic(domain)


def test_the_release_hour_moves_with_summer_time() -> None:
    hour = release_hours.release_hour("a.com")
    assert hour is not None
    assert hour.at(date(2026, 7, 1)) == datetime(2026, 7, 1, 18, tzinfo=UTC)
    assert hour.at(date(2026, 12, 1)) == datetime(2026, 12, 1, 19, tzinfo=UTC)


def test_release_hours_are_known_of_six_extensions() -> None:
    assert release_hours.release_hour("a.tv") == ReleaseHour(14, "America/New_York")
    assert release_hours.release_hour("a.se") == release_hours.release_hour("a.nu") == ReleaseHour(4, "UTC")
    assert release_hours.release_hour("a.org") is None
    assert release_hours.release_hour("a.co.uk") is None


@pytest.mark.parametrize(
    ("day", "domain", "wanted"),
    [
        (date(2026, 7, 1), "a.com", datetime(2026, 7, 1, 20, tzinfo=UTC)),
        (date(2026, 12, 1), "a.net", datetime(2026, 12, 1, 21, tzinfo=UTC)),
        (date(2026, 12, 1), "a.se", datetime(2026, 12, 1, 6, tzinfo=UTC)),
        (date(2026, 12, 1), "a.co.uk", datetime(2026, 12, 1, 23, 59, 59, tzinfo=UTC)),
    ],
)
def test_a_day_without_an_hour_ends_two_hours_after_the_release_or_at_midnight(
    day: date, domain: str, wanted: datetime
) -> None:
    assert release_hours.drop_end(day, domain) == wanted
