"""When a drop announced by its day is over."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from afterdrop.feeds.drop_day import drop_end


@pytest.mark.parametrize(
    ("day", "tld", "wanted"),
    [
        (date(2026, 7, 1), "com", datetime(2026, 7, 1, 20, tzinfo=UTC)),
        (date(2026, 12, 1), "net", datetime(2026, 12, 1, 21, tzinfo=UTC)),
        (date(2026, 12, 1), "se", datetime(2026, 12, 1, 6, tzinfo=UTC)),
        (date(2026, 12, 1), "co.uk", datetime(2026, 12, 1, 23, 59, 59, tzinfo=UTC)),
    ],
)
def test_release_hour_plus_two_or_the_end_of_the_day(day: date, tld: str, wanted: datetime) -> None:
    assert drop_end(day, tld) == wanted
