"""A catalogue to hunt in: a full page of it, names that a hunt finds, drops of tomorrow, and names that ended."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from tests.support.rows import DAY, NOW, row
from tests.support.site_world import report

MANY = 60


def hunted(name: str, **values: Any) -> dict[str, Any]:
    """A live auction with a life and figures worth a look."""
    ends_at = NOW + timedelta(hours=30)
    told = {"title": "Old mill bakery, bread since 1904", "trust_flow": 25, "price_usd": 60, "bids": 4}
    return row(name, **{**told, "ends_at": ends_at, "live_until": ends_at, "report": report(), **values})


def catalogue() -> list[dict[str, Any]]:
    """Enough names for a full page, some to be found by a hunt, drops of tomorrow, and names that ended."""
    drop = {"ends_at": NOW + timedelta(hours=20), "live_until": NOW + timedelta(hours=20), "price_usd": None}
    ended = {"ends_at": NOW - 9 * DAY, "live_until": NOW - 9 * DAY}
    again = {"available_since": NOW - 4 * DAY, "registered_at": NOW - 2 * DAY, "resolved_at": NOW - DAY}
    caught = {
        **ended,
        **again,
        "availability": "registered",
        "caught_after_drop": True,
        "registrar": "Gandi SAS",
    }
    return [
        *(hunted(f"bakery-{n}.com", score=99 - n) for n in range(8)),
        *(hunted(f"mill-{n}.org", score=70 - n % 20, price_usd=300 + n, trust_flow=10) for n in range(MANY)),
        hunted(
            "dropping.uk",
            title="Ferry times",
            type="pending_delete",
            url=None,
            source_title="The registry",
            bids=0,
            **drop,
        ),
        hunted("caught.com", **caught),
    ]
