"""The state of the database, budgets and disk, in Prometheus' text format, beside what this process counted itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final, Literal, TypeVar

from prometheus_client import REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric

from afterdrop import __version__
from afterdrop.core.settings import Settings
from afterdrop.worker.alarms import alarms
from afterdrop.worker.observation import Observation

Labels = TypeVar("Labels", bound=tuple[str, ...])
_OF_QUEUES: Final[tuple[tuple[Literal["waiting", "due", "in_hand", "oldest_seconds"], str], ...]] = (
    ("waiting", "Rows of a queue that are not settled."),
    ("due", "Rows of a queue that are due."),
    ("in_hand", "Rows of a queue that a worker holds."),
    ("oldest_seconds", "Age of the oldest row of a queue that waits."),
)
_OF_ENDPOINTS: Final[tuple[tuple[Literal["failed", "retrying"], str], ...]] = (
    ("failed", "Deliveries to an endpoint that failed for good in the last hour."),
    ("retrying", "Deliveries to an endpoint that failed and are tried again."),
)


def exposition(seen: Observation, settings: Settings) -> bytes:
    """Everything `/metrics` shows. Names of feeds and providers are the operator's own; no foreign text is in it."""
    registry = CollectorRegistry()
    registry.register(_Seen(seen, settings))
    return generate_latest(REGISTRY) + generate_latest(registry)


class _Seen:
    """A collector of one observation."""

    def __init__(self, seen: Observation, settings: Settings) -> None:
        self._seen, self._settings = seen, settings

    def describe(self) -> list[Metric]:
        """Nothing beforehand: the registry need not ask."""
        return []

    def collect(self) -> Iterator[Metric]:
        """The gauges of the observation."""
        seen = self._seen
        yield _gauge("afterdrop_build", "Always 1, with the version.", ("version",), {(__version__,): 1})
        yield _plain("afterdrop_database_up", "Whether the database answers.", seen.fault is None)
        yield _plain(
            "afterdrop_schema_current", "Whether it has this version's schema.", seen.schema == "current"
        )
        yield _plain(
            "afterdrop_disk_free_bytes", "Free bytes of the disk with the data folder.", seen.disk_free
        )
        yield _plain("afterdrop_disk_size_bytes", "All bytes of that disk.", seen.disk_size)
        active = {(alarm.key,): 1.0 for alarm in alarms(seen, self._settings)}
        yield _gauge("afterdrop_alarm", "1 for each alarm that `afterdrop status` shows.", ("alarm",), active)
        if seen.health:
            yield from self._queues()
            yield from self._scans()
            yield from self._spending()
            yield from self._archives()
            yield from self._failing()

    def _queues(self) -> Iterator[Metric]:
        queues = self._seen.health["queues"]
        for column, text in _OF_QUEUES:
            values = {(row["queue"],): float(row[column] or 0) for row in queues}
            yield _gauge(f"afterdrop_queue_{column}", text, ("queue",), values)
        yield _plain("afterdrop_workers", "Workers with a fresh heartbeat.", self._seen.workers_alive)

    def _scans(self) -> Iterator[Metric]:
        scans = self._seen.health["scans"]
        finished = next((scan for scan in scans if scan["finished_at"]), None)
        yield _plain(
            "afterdrop_scan_under_way",
            "Whether a scan is under way.",
            bool(scans) and scans[0] is not finished,
        )
        if finished is not None:
            yield _plain(
                "afterdrop_scan_started_seconds",
                "When the last finished scan began.",
                _at(finished["started_at"]),
            )
            yield _plain("afterdrop_scan_finished_seconds", "When it finished.", _at(finished["finished_at"]))
            yield _plain("afterdrop_scan_names", "Names it read.", finished["scanned"])
            yield _plain(
                "afterdrop_scan_passed", "Names that passed its filter.", finished["passed_authority_filter"]
            )
            counts = {(name,): float(number) for name, number in finished["counts"].items()}
            yield _gauge("afterdrop_scan_outcomes", "Its names by reason and outcome.", ("outcome",), counts)
        feeds = self._seen.health["sources"]
        good = {(row["feed"],): _at(row["last_good"]) for row in feeds}
        yield _gauge(
            "afterdrop_feed_last_good_seconds", "When a feed was last taken in; 0: never.", ("feed",), good
        )
        done = {(row["feed"],): float(row["state"] == "done") for row in feeds}
        yield _gauge("afterdrop_feed_good", "Whether a feed's newest run was good.", ("feed",), done)

    def _spending(self) -> Iterator[Metric]:
        spent: dict[tuple[str, ...], float] = {}
        budgets: dict[tuple[str, ...], float] = {}
        for row in self._seen.providers:
            spent[row.provider, "day"], spent[row.provider, "month"] = row.spent_on_day, row.spent_in_month
            for period, budget in (("day", row.per_day), ("month", row.per_month)):
                if budget is not None:
                    budgets[row.provider, period] = budget
        labels = ("provider", "period")
        yield _gauge(
            "afterdrop_provider_spent_units",
            "Units spent with a provider today and this month.",
            labels,
            spent,
        )
        yield _gauge("afterdrop_provider_budget_units", "Its budget, where it has one.", labels, budgets)

    def _archives(self) -> Iterator[Metric]:
        rows = self._seen.health["archives"]
        count = {(row["host"],): float(row["asked_today"]) for row in rows}
        most = {(row["host"],): float(row["allowed_a_day"]) for row in rows}
        text = "Requests to an archive on this UTC day."
        yield _gauge("afterdrop_archive_requests_today", text, ("host",), count)
        text = "How many its pace in the settings allows a day."
        yield _gauge("afterdrop_archive_requests_allowed", text, ("host",), most)

    def _failing(self) -> Iterator[Metric]:
        health = self._seen.health
        given_up = {
            (row.provider,): float(row.provider in health["given_up"]) for row in self._seen.providers
        }
        yield _gauge(
            "afterdrop_provider_given_up",
            "Whether a provider was given up and has not answered since.",
            ("provider",),
            given_up,
        )
        outages = {
            (row["host"],): (self._seen.now - row["since"]).total_seconds() for row in health["outages"]
        }
        text = "For how long a host has not answered. It is left alone, and asked again ever less often."
        yield _gauge("afterdrop_host_outage_seconds", text, ("host",), outages)
        for column, text in _OF_ENDPOINTS:
            values = {(str(row["endpoint"]),): float(row[column]) for row in health["failing_endpoints"]}
            yield _gauge(f"afterdrop_endpoint_{column}_deliveries", text, ("endpoint",), values)


def _plain(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, text, value=float(value))


def _gauge(name: str, text: str, labels: tuple[str, ...], values: Mapping[Labels, float]) -> Metric:
    family = GaugeMetricFamily(name, text, labels=labels)
    for key, value in values.items():
        family.add_metric(key, value)
    return family


def _at(moment: datetime | None) -> float:
    return 0.0 if moment is None else moment.timestamp()
