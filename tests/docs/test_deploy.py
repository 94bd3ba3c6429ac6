"""The alert rules and the dashboard ask for metrics that the service has."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

# Their counters are made when they are imported.
import afterdrop.web.app
import afterdrop.worker.wiring  # noqa: F401
from afterdrop.core.settings import Settings
from afterdrop.sources.metrics.store import ProviderStanding
from afterdrop.worker.exposition import exposition
from afterdrop.worker.observation import Observation

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
NOW = datetime(2026, 11, 22, tzinfo=UTC)
SCAN = {
    "finished_at": NOW, "started_at": NOW, "deadline_at": NOW, "day": "", "id": 1, "scanned": 9,
    "passed_authority_filter": 3, "counts": {"published": 1},
}  # fmt: skip
HEALTH: Any = {
    "queues": [
        {"queue": "checks", "waiting": 1, "due": 1, "in_hand": 0, "oldest_seconds": None, "untried_seconds": None}
    ],
    "up_since": NOW, "reviewing": None, "given_up": {}, "refusing_hosts": {}, "outages": [],
    "failing_endpoints": [{"endpoint": 1, "failed": 1, "retrying": 0}],
    "archives": [{"host": "web.archive.org/cdx", "asked_today": 1, "allowed_a_day": 28_512}],
    "backup": {"made_at": None, "first_scan_at": None},
    "scans": [SCAN], "workers": [], "jobs": [], "bad_feeds": [], "deliveries_last_hour": {},
    "sources": [{"feed": "a", "state": "done", "last_good": None}],
}  # fmt: skip
STANDING = ProviderStanding("a", "A", "paid", "bulk", True, (), 1, 1, 5, None)
PAGE = exposition(Observation(NOW, 1, 1, None, "current", HEALTH, (STANDING,)), Settings()).decode()


def expressions() -> Iterator[str]:
    """Every question that the files ask."""
    rules = yaml.safe_load((DEPLOY / "prometheus" / "afterdrop.rules.yml").read_text(encoding="utf-8"))
    yield from (rule["expr"] for group in rules["groups"] for rule in group["rules"])
    board = json.loads((DEPLOY / "grafana" / "afterdrop.json").read_text(encoding="utf-8"))
    yield from (target["expr"] for panel in board["panels"] for target in panel["targets"])


@pytest.mark.parametrize("expression", sorted(set(expressions())))
def test_every_metric_that_is_asked_for_exists(expression: str) -> None:
    named = set(re.findall(r"\b(?:afterdrop|process)_[a-z_]+", expression)) - {"afterdrop"}
    assert named or expression.startswith("up{")
    families = set(re.findall(r"^# TYPE (\S+) ", PAGE, re.M))
    for name in named:
        assert {name, re.sub(r"_(bucket|count|sum)$", "", name)} & families, name


def test_the_page_is_in_the_formats_shape() -> None:
    for line in PAGE.splitlines():
        assert line.startswith("#") or re.fullmatch(r"[a-z_]+(\{.*\})? [-+0-9.e]+(Inf|NaN)?", line), line
