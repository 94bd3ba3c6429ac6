"""The members of an alert rule: which restrict, how they are kept and shown. Pure.

A rule keeps only what restricts: a number of 0, an empty array or false is the same as nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

NUMBERS: Final = ("min_score", "min_dr", "min_tf", "min_ref_domains", "min_archive_years", "max_price")
ARRAYS: Final = ("tlds", "listing_types", "topics", "langs", "keywords")
CRITERIA: Final = (*NUMBERS, *ARRAYS, "clean_only")
OWN_COLUMNS: Final = ("name", "active", "frequency")


def restricting(members: Mapping[str, Any]) -> dict[str, Any]:
    """The members that restrict, as `alert_rules.criteria` keeps them."""
    return {name: members[name] for name in CRITERIA if members.get(name)}


def changed(criteria: Mapping[str, Any], sent: Mapping[str, Any]) -> dict[str, Any]:
    """The criteria after a change that sends some members; null, 0, [] and false clear."""
    return restricting({**criteria, **{name: value for name, value in sent.items() if name in CRITERIA}})


def rule_json(row: Mapping[str, Any]) -> dict[str, Any]:
    """A rule as the interface shows it."""
    criteria = row["criteria"]
    return {
        "id": row["id"],
        "name": row["name"],
        "active": row["active"],
        "frequency": row["frequency"],
        **{name: criteria.get(name) for name in NUMBERS},
        **{name: criteria.get(name, []) for name in ARRAYS},
        "clean_only": criteria.get("clean_only", False),
        "match_count": row["match_count"],
        "last_matched_at": row["last_matched_at"],
        "created_at": row["created_at"],
    }
