from datetime import UTC, date, datetime

import pytest

from afterdrop.registry import release_hours
from afterdrop.registry.release_hours import DropHour


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
    hour = release_hours.drop_hour("a.com")
    assert hour is not None
    assert hour.at(date(2026, 7, 1)) == datetime(2026, 7, 1, 18, tzinfo=UTC)
    assert hour.at(date(2026, 12, 1)) == datetime(2026, 12, 1, 19, tzinfo=UTC)


def test_most_release_hours_are_not_known() -> None:
    assert release_hours.drop_hour("a.tv") == DropHour(14, "America/New_York")
    assert release_hours.drop_hour("a.org") is None
    assert release_hours.drop_hour("a.co.uk") is None
