"""What an operator is told of: every rule on both sides of its bound."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from afterdrop.core.settings import Feed, Settings
from afterdrop.core.settings_sections import Operator
from afterdrop.sources.metrics.store import ProviderStanding
from afterdrop.worker.alarms import advice, alarms, needs
from afterdrop.worker.health_shapes import Health
from afterdrop.worker.observation import Observation

NOW = datetime(2026, 11, 22, 20, tzinfo=UTC)
HOUR = timedelta(hours=1)
SETTINGS = Settings(feeds=(Feed(preset="x"),))
SCAN = {
    "id": 7, "day": "2026-11-22", "started_at": NOW - 4 * HOUR, "finished_at": NOW - HOUR,
    "deadline_at": NOW + 16 * HOUR, "counts": {"published": 8, "rejected": 1, "failed": 1},
}  # fmt: skip
WELL: Any = {
    "up_since": NOW - 48 * HOUR, "scans": [SCAN], "reviewing": None, "jobs": [], "bad_feeds": [], "queues": [],
    "deliveries_last_hour": {}, "failing_endpoints": [], "given_up": {}, "refusing_hosts": {}, "outages": [],
    "workers": [{"state": "alive", "heartbeat_at": NOW}],
    "backup": {"made_at": None, "first_scan_at": NOW - 24 * HOUR},
}  # fmt: skip
REVIEWING = {
    "failing": 0, "failed": 0, "done": 5, "last_done": NOW - HOUR / 2, "reviewed_today": 5, "error": None
}  # fmt: skip
OPEN = {**SCAN, "finished_at": None}
SEEN = Observation(NOW, 50, 100, None, "current", WELL)


def keys(settings: Settings = SETTINGS, **changed: Any) -> list[str]:
    """The alarms when the health differs so from a healthy one's."""
    return [alarm.key for alarm in alarms(replace(SEEN, health=cast(Health, {**WELL, **changed})), settings)]


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
    [alarm] = alarms(replace(seen, schema="different", disk_free=10), SETTINGS)
    assert "names what differs" in alarm.text
    for other in ("newer", "unreleased"):
        [alarm] = alarms(replace(seen, schema=other, disk_free=10), SETTINGS)
        assert "another version made the database" in alarm.text


def test_a_scan_that_failed() -> None:
    job = {"job": "scan", "moment": NOW, "error": "every feed failed"}
    assert keys(jobs=[job]) == ["scan-failed"]
    assert keys(jobs=[{**job, "error": None}, {**job, "job": "prune"}]) == []


def test_lists_that_are_not_answered() -> None:
    job = {"job": "lists", "moment": NOW, "error": "the public lists cannot be read: OSError"}
    assert keys(jobs=[job]) == ["lists"]
    assert keys(jobs=[{**job, "error": None}]) == []


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
def test_a_scan_that_is_late(
    scans: list[Any], hours: int, late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("afterdrop.worker.alarms._SCAN_LATE", hours * HOUR)
    assert keys(scans=scans) == (["scan-late"] if late else [])
    assert keys(SETTINGS.model_copy(update={"feeds": ()}), scans=scans) == []


def test_reviews_that_fail() -> None:
    assert keys(scans=[{**SCAN, "counts": {"published": 3, "failed": 1}}]) == ["reviews"]
    assert keys(scans=[{**SCAN, "counts": {"refreshed": 3}}]) == []
    assert keys(scans=[{**SCAN, "finished_at": None, "counts": {}}]) == []


def test_a_feed_that_was_bad_twice() -> None:
    assert keys(bad_feeds=[{"feed": "market_a", "state": "suspect", "error": "half"}]) == ["feed:market_a"]


def waits(queue: str, oldest: int | None, untried: int | None = None) -> list[dict[str, Any]]:
    """A queue with rows that wait for so many seconds."""
    return [{"queue": queue, "waiting": 2, "due": 0, "oldest_seconds": oldest, "untried_seconds": untried}]


def test_a_queue_that_is_too_old() -> None:
    """Whether a row is due does not matter: each retry pushes that ahead."""
    assert keys(queues=waits("checks", 3601)) == ["queue:checks"]
    assert keys(queues=waits("checks", 3600)) == []
    assert keys(queues=waits("checks", None)) == []
    assert keys(queues=waits("page texts", 72_000)) == []
    assert keys(queues=waits("page texts", 72_001)) == ["queue:page texts"]


def test_mails_that_a_mail_server_does_not_take() -> None:
    assert keys(queues=waits("mails", 3601)) == ["queue:mails"]
    # One recipient's server is away: the others get theirs.
    assert keys(queues=waits("mails", 3601), deliveries_last_hour={"mails sent": 1}) == []
    assert keys(queues=waits("mails", 3601, 3601), deliveries_last_hour={"mails sent": 1}) == ["queue:mails"]


def test_deliveries_that_nobody_takes() -> None:
    one = {"endpoint": 1, "failed": 0, "retrying": 1}
    assert keys(queues=waits("deliveries", 3601), failing_endpoints=[one, one]) == []
    assert keys(queues=waits("deliveries", 3601), failing_endpoints=[one, one, one]) == ["queue:deliveries"]
    some = {"deliveries delivered": 1}
    assert (
        keys(queues=waits("deliveries", 3601), failing_endpoints=[one] * 3, deliveries_last_hour=some) == []
    )
    assert keys(queues=waits("deliveries", 3601, 3601)) == ["queue:deliveries"]


def test_time_in_which_nothing_ran_is_nobodys_delay() -> None:
    """The machine slept, its clock jumped, or the service was stopped."""
    yesterday = [{**SCAN, "started_at": NOW - 24 * HOUR, "finished_at": NOW - 23 * HOUR}]
    stuck = [{**OPEN, "deadline_at": NOW - HOUR}]
    for up_since, late in ((NOW - HOUR / 12, False), (NOW - 3 * HOUR, True)):
        assert bool(keys(queues=waits("mails", 360_000), up_since=up_since)) is late
        assert bool(keys(scans=yesterday, up_since=up_since)) is late
        assert bool(keys(scans=stuck, up_since=up_since)) is late


def test_candidates_that_make_no_progress() -> None:
    long_ago = {**REVIEWING, "last_done": NOW - 2 * HOUR}
    scans: dict[str, Any] = {"scans": [{**OPEN, "started_at": NOW - 3 * HOUR}]}
    assert keys(queues=waits("candidates", 90_000), reviewing=REVIEWING, **scans) == []
    assert keys(queues=waits("candidates", 90_000), reviewing=long_ago, **scans) == ["queue:candidates"]
    assert keys(queues=waits("candidates", 90_000), reviewing={**REVIEWING, "last_done": None}, **scans) == [
        "queue:candidates"
    ]
    # Those beyond the day's cap wait for the next day, and those of a closed scan for the next scan.
    assert keys(queues=waits("candidates", 9), reviewing={**long_ago, "reviewed_today": 8000}, **scans) == []
    assert keys(queues=waits("candidates", 360_000)) == []
    assert keys(queues=[{**waits("candidates", None)[0], "waiting": 0}], reviewing=long_ago, **scans) == []


def test_no_worker_is_alive() -> None:
    lost = {"state": "lost", "heartbeat_at": NOW - 3 * HOUR}
    assert keys(workers=[]) == ["workers"]
    [alarm] = alarms(replace(SEEN, health=cast(Health, {**WELL, "workers": [lost]})), SETTINGS)
    assert "the last was seen at 2026-11-22 17:00Z" in alarm.text
    # It is being restarted.
    assert keys(workers=[lost, {"state": "stopped", "heartbeat_at": NOW - HOUR / 60}]) == []


def test_an_archive_that_is_away_during_the_scan() -> None:
    away = {**REVIEWING, "failing": 3, "error": "web.archive.org: answered 503"}
    assert keys(scans=[OPEN], reviewing=away) == ["reviews"]
    assert (
        "answered 503"
        in alarms(replace(SEEN, health=cast(Health, {**WELL, "reviewing": away})), SETTINGS)[0].text
    )
    assert keys(scans=[OPEN], reviewing={**away, "failing": 2, "failed": 1}) == ["reviews"]
    assert keys(scans=[OPEN], reviewing={**away, "failing": 2}) == []
    assert keys(scans=[OPEN], reviewing={**away, "done": 12}) == []


def test_providers_and_hosts_that_refuse() -> None:
    standing = ProviderStanding("vendor", "Vendor", "paid", "bulk", True, (), 0, 0, None, None)
    health: Any = {**WELL, "given_up": {"vendor": "answered 402", "gone": "answered 401"}}
    [alarm] = alarms(replace(SEEN, health=health, providers=(standing,)), SETTINGS)
    assert alarm.key == "provider:vendor"
    assert alarm.text.startswith("Vendor was given up: answered 402. ")
    assert keys(refusing_hosts={"rdap.example": "answered 403"}) == ["refused:rdap.example"]


def test_no_backup_was_made_for_days() -> None:
    made, first = NOW - 8 * 24 * HOUR, NOW - 90 * 24 * HOUR
    assert keys(backup={"made_at": made, "first_scan_at": first}) == ["backup"]
    assert keys(backup={"made_at": NOW - 24 * HOUR, "first_scan_at": first}) == []
    [alarm] = alarms(
        replace(SEEN, health=cast(Health, {**WELL, "backup": {"made_at": None, "first_scan_at": first}})),
        SETTINGS,
    )
    assert "made yet" in alarm.text
    assert keys(backup={"made_at": None, "first_scan_at": None}) == []
    never = SETTINGS.model_copy(update={"operator": Operator(backup_days=0)})
    assert keys(never, backup={"made_at": made, "first_scan_at": first}) == []


def test_budgets_at_each_share() -> None:
    standing = ProviderStanding("vendor", "Vendor", "paid", "bulk", True, (), 80, 30, 100, 100)
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


def test_hosts_that_do_not_answer() -> None:
    """The archive is told soon, since nothing is reviewed without it; other hosts after an hour."""
    away: Any = {
        "host": "web.archive.org/cdx",
        "since": NOW - HOUR / 20,
        "next_try_at": NOW,
        "note": "answered 503",
    }
    assert keys(outages=[away]) == ["outage:web.archive.org/cdx"]
    assert keys(outages=[{**away, "since": NOW - HOUR / 21}]) == []
    other = {**away, "host": "rdap.example"}
    assert keys(outages=[other]) == []
    assert keys(outages=[{**other, "since": NOW - HOUR}]) == ["outage:rdap.example"]


def test_the_gravest_comes_first_each_with_what_to_do() -> None:
    bad: Any = [{"feed": "a", "state": "failed", "error": "answered 404"}]
    provider = ProviderStanding("x", "X", "paid", "bulk", True, (), 80, 0, 100, None)
    health = cast(Health, {**WELL, "bad_feeds": bad})
    told = SETTINGS.model_copy(update={"operator": Operator(mail="ops@members.example")})
    found = needs(replace(SEEN, disk_free=1, health=health, providers=(provider,)), told)
    assert [alarm.key for alarm in found] == ["disk", "feed:a", "backup", "budget:x:month:80%"]
    assert "Free some space" in advice(found[0])
    assert "Correct its address" in advice(found[1])


@pytest.mark.parametrize(
    ("operator", "made", "lacks"),
    [
        (Operator(mail="a@b.example"), NOW, []),
        (Operator(webhook="https://hooks.example.com/x"), NOW, []),
        (Operator(heartbeat="https://hooks.example.com/x"), NOW, ["unheard"]),
        (Operator(mail="a@b.example"), None, ["backup"]),
        (Operator(), None, ["backup", "unheard"]),
        (Operator(backup_days=0), None, ["unheard"]),
        (Operator(mail="a@b.example"), NOW - 8 * 24 * HOUR, ["backup"]),
    ],
)
def test_what_is_not_set_up_needs_the_operator_before_there_is_an_alarm(
    operator: Operator, made: datetime | None, lacks: list[str]
) -> None:
    settings = SETTINGS.model_copy(update={"operator": operator})
    health = cast(Health, {**WELL, "backup": {"made_at": made, "first_scan_at": NOW - HOUR}})
    seen = replace(SEEN, health=health)
    assert [alarm.key for alarm in needs(seen, settings)] == lacks
    assert "unheard" not in [alarm.key for alarm in alarms(seen, settings)]
