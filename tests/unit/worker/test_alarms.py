"""What an operator is told of: every rule on both sides of its bound."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from afterdrop.core.operations import Operator
from afterdrop.core.settings import Feed, Settings
from afterdrop.metrics.store import ProviderStanding
from afterdrop.worker.alarms import alarms
from afterdrop.worker.observation import Observation

NOW = datetime(2026, 11, 22, 20, tzinfo=UTC)
HOUR = timedelta(hours=1)
SETTINGS = Settings(feeds=(Feed(preset="x"),))
SCAN = {
    "id": 7, "day": "2026-11-22", "started_at": NOW - 4 * HOUR, "finished_at": NOW - HOUR,
    "deadline_at": NOW + 16 * HOUR, "counts": {"published": 8, "rejected": 1, "failed": 1},
}  # fmt: skip
WELL: dict[str, Any] = {
    "scans": [SCAN], "jobs": [], "bad_feeds": [], "queues": [], "deliveries_last_hour": {}, "workers": []
}  # fmt: skip
SEEN = Observation(NOW, 50, 100, None, "current", WELL)


def keys(settings: Settings = SETTINGS, **changed: Any) -> list[str]:
    """The alarms when the health differs so from a healthy one's."""
    return [alarm.key for alarm in alarms(replace(SEEN, health={**WELL, **changed}), settings)]


def test_a_healthy_deployment_has_no_alarm() -> None:
    assert keys() == []


def test_a_database_that_does_not_answer_is_the_only_alarm() -> None:
    assert [alarm.text for alarm in alarms(Observation(NOW, 1, 100, "gone"), SETTINGS)] == [
        "the database does not answer: gone"
    ]


def test_the_disk_and_the_schema() -> None:
    seen = Observation(NOW, 9, 100, None, "older")
    assert [alarm.key for alarm in alarms(seen, SETTINGS)] == ["schema", "disk"]
    assert "run `afterdrop migrate`" in alarms(seen, SETTINGS)[0].text
    [alarm] = alarms(replace(seen, schema="newer", disk_free=10), SETTINGS)
    assert "update and restart" in alarm.text


def test_a_scan_that_failed() -> None:
    job = {"job": "scan", "moment": NOW, "error": "every feed failed"}
    assert keys(jobs=[job]) == ["scan-failed"]
    assert keys(jobs=[{**job, "error": None}, {**job, "job": "prune"}]) == []


@pytest.mark.parametrize(
    ("scans", "hours", "late"),
    [
        ([{**SCAN, "started_at": NOW - 24 * HOUR}], 2, True),
        ([{**SCAN, "started_at": NOW - 24 * HOUR}], 5, False),
        ([{**SCAN, "started_at": NOW - 24 * HOUR, "finished_at": None}], 2, False),
        ([{**SCAN, "finished_at": None, "deadline_at": NOW - HOUR}], 2, True),
        ([], 2, True),
        ([], 5, False),
    ],
)
def test_a_scan_that_is_late(scans: list[Any], hours: int, late: bool) -> None:
    settings = SETTINGS.model_copy(update={"operator": Operator(scan_late_hours=hours)})
    assert keys(settings, scans=scans) == (["scan-late"] if late else [])
    assert keys(settings.model_copy(update={"feeds": ()}), scans=scans) == []


def test_reviews_that_fail() -> None:
    assert keys(scans=[{**SCAN, "counts": {"published": 3, "failed": 1}}]) == ["reviews"]
    assert keys(scans=[{**SCAN, "counts": {"refreshed": 3}}]) == []
    assert keys(scans=[{**SCAN, "finished_at": None, "counts": {}}]) == []


def test_a_feed_that_was_bad_twice() -> None:
    assert keys(bad_feeds=[{"feed": "market_a", "state": "suspect", "error": "half"}]) == ["feed:market_a"]


def test_a_queue_that_is_too_old() -> None:
    row = {"queue": "checks", "due": 2, "oldest_seconds": 3601}
    assert keys(queues=[row]) == ["queue:checks"]
    assert (
        keys(queues=[{**row, "queue": "candidates"}, {**row, "oldest_seconds": 3600}, {**row, "due": 0}])
        == []
    )
    assert keys(queues=[{**row, "queue": "candidates", "oldest_seconds": 72001}]) == ["queue:candidates"]
    assert keys(queues=[{**row, "oldest_seconds": None}]) == []


def test_budgets_at_each_share() -> None:
    standing = ProviderStanding("vendor", "Vendor", "paid", "bulk", True, (), False, 80, 30, 100, 100)
    seen = replace(SEEN, providers=(standing, replace(standing, per_month=None, per_day=0)))
    assert [alarm.key for alarm in alarms(seen, SETTINGS)] == ["budget:vendor:month:80%"]
    seen = replace(SEEN, providers=(replace(standing, spent_on_day=100),))
    found = alarms(seen, SETTINGS)
    assert [alarm.key for alarm in found] == ["budget:vendor:day:100%", "budget:vendor:month:80%"]
    assert found[0].text == "Vendor has used 100 of 100 units of this day (100%)"


def test_deliveries_and_mails_that_fail() -> None:
    assert keys(deliveries_last_hour={"deliveries failed": 10, "deliveries delivered": 9}) == [
        "failing:deliveries"
    ]
    assert keys(deliveries_last_hour={"mails failed": 10, "mails sent": 10, "deliveries failed": 9}) == []


def test_keys_that_do_not_open_what_is_stored() -> None:
    [alarm] = alarms(replace(SEEN, sealed_secrets=3), SETTINGS)
    assert (alarm.key, "restore the keys" in alarm.text) == ("keys", True)
