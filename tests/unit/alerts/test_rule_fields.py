"""Members of alert rules."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from afterdrop.alerts.rule_fields import changed, restricting, rule_json

MEMBERS: dict[str, Any] = {
    "name": "n",
    "min_score": 50,
    "min_dr": 0,
    "max_price": None,
    "tlds": ["com"],
    "topics": [],
    "clean_only": False,
    "keywords": ["hut"],
}


def test_only_what_restricts_is_kept() -> None:
    assert restricting(MEMBERS) == {"min_score": 50, "tlds": ["com"], "keywords": ["hut"]}


def test_a_change_touches_what_is_sent_and_nothing_clears() -> None:
    before = restricting(MEMBERS)
    assert changed(before, {}) == before
    assert changed(before, {"name": "x", "min_dr": 5}) == {**before, "min_dr": 5}
    assert changed(before, {"min_score": None, "tlds": [], "keywords": ["a"]}) == {"keywords": ["a"]}


def test_a_rule_is_shown_whole() -> None:
    now = datetime(2026, 11, 20, tzinfo=UTC)
    own = {"id": 7, "name": "n", "active": True, "frequency": "daily", "match_count": 0, "created_at": now}
    shown = rule_json({**own, "last_matched_at": None, "criteria": {"min_dr": 5, "clean_only": True}})
    assert (shown["min_dr"], shown["min_score"], shown["tlds"], shown["clean_only"]) == (5, None, [], True)
    assert len(shown) == 19
