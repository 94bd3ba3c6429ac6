from datetime import UTC, date, datetime

import pytest

from afterdrop.sources.registry import release_hours


def moment(day: int, hour: int, minute: int = 0, month: int = 12) -> datetime:
    return datetime(2026, month, day, hour, minute, tzinfo=UTC)


@pytest.mark.parametrize(
    ("domain", "ends_at", "wanted"),
    [
        ("a.com", moment(1, 20, month=7), moment(1, 18, month=7)),
        ("a.com", moment(1, 21), moment(1, 19)),
        ("a.tv", moment(1, 21), moment(1, 19)),
        ("a.se", moment(1, 6), moment(1, 4)),
        ("a.nu", moment(1, 3), moment(1, 3)),
        ("a.co.uk", moment(1, 9, 8), moment(1, 9, 8)),
        ("a.it", moment(1, 17), moment(1, 8)),
        ("a.it", moment(1, 15), moment(1, 15)),
        ("a.com.au", moment(1, 5, 30), moment(1, 3)),
        ("a.com.au", moment(1, 3, 30), moment(1, 3, 30)),
        ("a.ca", moment(2, 21), moment(2, 19)),
        ("a.co.nz", moment(1, 5), moment(1, 2)),
        ("a.org", moment(1, 21), None),
        ("a.be", moment(1, 21), None),
        ("a.uk.com", moment(1, 21), None),
    ],
)
def test_the_release_opens_on_the_registrys_clock(
    domain: str, ends_at: datetime, wanted: datetime | None
) -> None:
    assert release_hours.release_opens(domain, ends_at) == wanted


def test_a_close_is_told_only_where_it_is_published() -> None:
    closes = {
        name: release_hours.release_closes(name, moment(1, 21))
        for name in ("a.com", "a.se", "a.it", "a.nz", "a.org")
    }
    assert closes == {"a.com": None, "a.se": None, "a.it": None, "a.nz": moment(1, 3), "a.org": None}


@pytest.mark.parametrize(
    ("day", "domain", "wanted"),
    [
        (date(2026, 7, 1), "a.com", datetime(2026, 7, 1, 20, tzinfo=UTC)),
        (date(2026, 12, 1), "a.net", datetime(2026, 12, 1, 21, tzinfo=UTC)),
        (date(2026, 12, 1), "a.se", datetime(2026, 12, 1, 6, tzinfo=UTC)),
        (date(2026, 12, 1), "a.it", datetime(2026, 12, 1, 17, tzinfo=UTC)),
        (date(2026, 12, 1), "a.nz", datetime(2026, 12, 1, 5, tzinfo=UTC)),
        (date(2026, 12, 1), "a.co.uk", datetime(2026, 12, 1, 23, 59, 59, tzinfo=UTC)),
    ],
)
def test_a_day_without_an_hour_ends_two_hours_after_the_release_or_at_midnight(
    day: date, domain: str, wanted: datetime
) -> None:
    assert release_hours.drop_end(day, domain) == wanted
