"""Listings, metrics and reviews for tests of publishing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from afterdrop.catalogue import publish as publishing
from afterdrop.catalogue.placement import Placement
from afterdrop.db.dialects import upsert
from afterdrop.db.engine import Database
from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.feeds import candidates, listings, metric_values, scans
from afterdrop.db.tables.review import reviews
from afterdrop.db.tables.watching import to_match
from afterdrop.review.history.domain_history import CaptureRead, History, RevivalPage
from tests.support import told_reports
from tests.support.rows import DAY, NOW, REPORTED

NAME = "alpine-hut.org"
STRONG = {"domain_rating": 50, "trust_flow": 30, "referring_domains": 400}
WEAK = {"domain_rating": 6, "trust_flow": 2, "referring_domains": 11}


def history(domain: str = NAME, **values: Any) -> History:
    """An honest site's history of sixteen years."""
    given: dict[str, Any] = {
        "archive_years": 16,
        "first_year": 2004,
        "last_year": 2019,
        "first_capture": datetime(2004, 3, 1, tzinfo=UTC),
        "last_capture": datetime(2019, 6, 1, tzinfo=UTC),
        "captures": 300,
        "archived_urls": 80,
        "good_years": tuple(range(2004, 2020)),
        "honest_years": tuple(range(2004, 2020)),
        "parked_share": 0.0,
        "language": "en",
        "title": "Alpine Hut",
        "read": (
            CaptureRead(datetime(2019, 6, 1, tzinfo=UTC), "https://a.test/", "site", "en", "Alpine Hut", 200),
        ),
        "topic": "Recreation",
        "pages": (page("/"), page("/huts/", 9)),
        **values,
    }
    return History(domain, given.pop("reviewed_at", NOW), given.pop("outcome", "ok"), **given)


def page(path: str, captures: int = 40, timestamp: str = "20190601120000") -> RevivalPage:
    """One page of the revival kit."""
    return RevivalPage(path, f"http://{NAME}{path}", captures, "2019-06-01", timestamp)


def offer(domain: str = NAME, **values: Any) -> dict[str, Any]:
    """A row of `listings`: an auction ending in two days."""
    ends_at = values.get("ends_at", NOW + 2 * DAY)
    return {
        "source": "market_a",
        "feed": "a",
        "external_id": domain,
        "domain": domain,
        "type": "auction",
        "price_usd": 50,
        "bids": 2,
        "ends_at": ends_at,
        "live_until": ends_at,
        "url": f"https://market.example/{domain}",
        "first_seen_at": NOW,
        "last_seen_at": NOW,
        "seen_run": 1,
        "withdrawn_at": None,
        "attribution": None,
        "source_title": None,
        **values,
    }


async def put_offer(database: Database, *rows: dict[str, Any]) -> None:
    """Write listings, or write them anew."""
    async with database.write() as conn:
        for row in rows:
            await upsert(conn, listings, [row], ["source", "external_id"])


async def put_metrics(
    database: Database, values: dict[str, Any], domain: str = NAME, provider: str = "vendor", **more: Any
) -> None:
    """Write metric values of one provider."""
    rows = [
        {
            "domain": domain,
            "role": role,
            "provider": provider,
            "value": value,
            "fetched_at": NOW,
            "attribution": None,
            **more,
        }
        for role, value in values.items()
    ]
    async with database.write() as conn:
        await upsert(conn, metric_values, rows, ["domain", "role", "provider"])


async def reviewed(
    database: Database, past: History | None = None, now: datetime = NOW, valid: timedelta = 30 * DAY
) -> Placement:
    """Store a review and publish it, as the worker does."""
    past = past or history()
    row = {
        "domain": past.domain,
        "reviewed_at": now,
        "valid_until": now + valid,
        "spam": past.spam,
        "history": past.to_dict(),
    }
    async with database.write() as conn:
        await upsert(conn, reviews, [row], ["domain"])
        return await publishing.publish(conn, past, now, f"{now:%Y-%m-%d}")


async def refreshed(database: Database, now: datetime, domain: str = NAME) -> Placement:
    """Refresh one domain."""
    async with database.write() as conn:
        return (await publishing.refresh(conn, [domain], now, f"{now:%Y-%m-%d}"))[domain]


async def row_of(database: Database, domain: str = NAME) -> dict[str, Any]:
    """The stored row."""
    async with database.read() as conn:
        found = await conn.execute(REPORTED.where(domains.c.domain == domain))
        return dict(found.mappings().one())


async def left_to_match(database: Database) -> list[tuple[str, int, str]]:
    """What publishing left for matching."""
    async with database.read() as conn:
        found = await conn.execute(
            sa.select(to_match.c.domain, to_match.c.round, to_match.c.kind).order_by(*to_match.primary_key)
        )
        return [(domain, round_, kind) for domain, round_, kind in found]


async def reject(database: Database, domain: str) -> None:
    """A candidate of the last scan that was rejected for spam."""
    past = {**told_reports.casino().history.to_dict(), "domain": domain}
    async with database.write() as conn:
        scan = {"id": 1, "day": "2026-11-20", "started_at": NOW, "deadline_at": NOW, "counts": {}}
        await upsert(conn, scans, [{**scan, "finished_at": NOW, "scanned": 184_300}], ["id"])
        settled = {"scan_id": 1, "state": "settled", "outcome": "rejected", "first_seen_at": NOW}
        settled |= {"settled_at": NOW, "reasons": ["Gambling spam in 2022."]}
        await upsert(conn, candidates, [{"domain": domain, **settled}], ["domain"])
        review = {"reviewed_at": NOW, "valid_until": NOW + DAY, "spam": True, "history": past}
        await upsert(conn, reviews, [{"domain": domain, **review}], ["domain"])
    await put_offer(database, offer(domain))
    await put_metrics(database, {"trust_flow": 29, "domain_rating": 52}, domain)
