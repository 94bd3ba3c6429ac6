"""When a scan was a success, and when a feed that failed is tried again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from afterdrop.scan.run import retry_at, scan_fault

BEGAN = datetime(2026, 11, 22, 16, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.mark.parametrize(
    ("states", "counts", "fault"),
    [
        (["failed", "done"], {"published": 1, "failed": 9}, None),
        (["failed", "failed"], {}, "every feed failed"),
        (["done"], {"failed": 1200}, "all 1,200 reviews failed"),
        (["done"], {"failed": 1, "refreshed": 3}, None),
        ([], {}, None),
    ],
)
def test_a_scan_that_could_read_no_feed_or_review_nothing_failed(
    states: list[str], counts: dict[str, int], fault: str | None
) -> None:
    figures: Any = {"feeds": [{"state": state} for state in states], "counts": counts}
    assert scan_fault(figures) == fault


def test_the_waits_of_a_feed_double_from_a_quarter_of_an_hour_to_four_hours() -> None:
    failed, waits = BEGAN + MINUTE, []
    for _ in range(8):
        again = retry_at(BEGAN, failed)
        waits.append(round((again - failed) / MINUTE))
        failed = again
    assert waits == [15, 16, 32, 64, 128, 240, 240, 240]


def test_what_failed_before_the_days_scan_is_left_to_that_scan() -> None:
    assert retry_at(BEGAN, BEGAN - MINUTE) == BEGAN + timedelta(days=1)
