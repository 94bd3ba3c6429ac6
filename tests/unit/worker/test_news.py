"""What is new since the operator was last told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from afterdrop.worker.alarms import Alarm
from afterdrop.worker.operator_news import news, report, subject

NOW = datetime(2026, 11, 22, 20, tzinfo=UTC)
DAY = timedelta(days=1)
DISK, SCAN = Alarm("disk", "1 GB is free"), Alarm("scan-late", "the scan is late")


def test_an_alarm_is_told_once_then_daily_then_when_it_is_over() -> None:
    first = news({}, [DISK], NOW, DAY)
    assert (list(first.raised), subject(first, "Site")) == (["disk"], "Site: 1 GB is free")
    quiet = news(first.told, [Alarm("disk", "0.9 GB is free")], NOW + DAY / 2, DAY)
    assert not quiet
    assert quiet.told["disk"]["text"] == "0.9 GB is free"
    again = news(quiet.told, [DISK], NOW + DAY, DAY)
    assert list(again.lasting) == ["disk"]
    assert report(again) == "Not resolved:\n- 1 GB is free (since 2026-11-22T20:00:00Z)\n"
    over = news(again.told, [], NOW + DAY * 1.1, DAY)
    assert (subject(over, "Site"), over.told) == ("Site: resolved: 1 GB is free", {})
    assert not news({}, [], NOW, DAY)


def test_the_subject_counts_all_that_lasts() -> None:
    told = news({}, [DISK], NOW, DAY).told
    both = news(told, [DISK, SCAN], NOW, DAY)
    assert subject(both, "Site") == "Site: the scan is late (and 1 more)"
    assert report(both).startswith("New:\n- the scan is late")
