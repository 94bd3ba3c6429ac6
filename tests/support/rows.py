"""Rows of the catalogue for tests, without going through a scan."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.account import Viewer
from afterdrop.catalogue.lists.search_index import search_text
from afterdrop.catalogue.publish import bump_catalogue, put_reports
from afterdrop.catalogue.summary import Links
from afterdrop.core.domain_names import tld
from afterdrop.db.tables.catalogue import domains, reports

NOW = datetime(2026, 11, 20, 18, 0, 0, tzinfo=UTC)
DAY = timedelta(days=1)
FREE = Viewer(1, "free")
PRO = Viewer(2, "pro")
LINKS = Links(
    site_url="http://site.example",
    base_url="http://site.example/api/v1",
    archive_url="https://archive.example/web",
    register_url="https://registrar.example/?d={domain}",
    fees={"com": 12},
)
_FIGURES = ("tf_cf_ratio", "<vendor_a>_authority_score", "<vendor_b>_domain_authority", "<vendor_d>_pagerank")
_PARTS = (
    "<vendor_c>_dr",
    "trust_flow",
    "ref_domains",
    "<vendor_a>_as",
    "<vendor_d>_pagerank",
    "history",
    "age",
    "price",
)
# A stored report of which little is known.
REPORT: dict[str, Any] = {
    "metrics": {
        **dict.fromkeys(_FIGURES, None),
        "backlinks": 7,
        "<search_engine>_indexed_pages": None,
        "archived_urls": None,
        "link_rank": None,
    },
    "score_breakdown": {**dict.fromkeys(_PARTS, None), "penalty": 0.0},
    "standing": "unknown",
    "spam": {"result": "unknown", "note": "The web archive has no capture."},
    "score_notes": {},
    "score_confidence": 0.5,
    "score_version": "test",
    "top_referring_domains": None,
    "anchors": {"top": None, "spam_share": None},
    "topical_trust_flow": None,
    "risk_checks": [],
    "topic_estimated": False,
    "history": {
        "reviewed_at": "2026-11-19T18:00:00Z",
        "first_capture": None,
        "last_capture": None,
        "captures": 0,
        "eras": [],
        "findings": [],
    },
    "review_notes": [],
    "attributions": [],
    "revival_pages": 0,
    "revival_eras": [],
}


def row(domain: str, **values: Any) -> dict[str, Any]:
    """A whole row of `domains` with its report: an auction that ends in two days unless told otherwise."""
    title = values.get("title", "An old site")
    ends_at = values.get("ends_at", NOW + 2 * DAY)
    flags = values.get("flags", [])
    return {
        "domain": domain,
        "tld": tld(domain),
        "round": 1,
        "found_at": NOW - DAY,
        "hunt_day": "2026-11-19",
        "rank_on_hunt_day": None,
        "language": "en",
        "title": title,
        "search": search_text(domain, title),
        "archive_years": 10,
        "archive_first_year": 2004,
        "archive_last_year": 2020,
        "score": 60,
        "verdict": "ok",
        "flags": flags,
        "flag_count": len(flags),
        "life": None,
        "topic": "Arts",
        "domain_rating": 20,
        "trust_flow": 15,
        "citation_flow": 18,
        "referring_domains": 120,
        "valuation_usd": 900,
        "search_volume": 400,
        "cost_per_click_cents": 125,
        "extensions_taken": 7,
        "last_owner_links": 64,
        "live_links": 22,
        "adult": False,
        "source": "market_a",
        "source_title": "Harbour Auctions",
        "type": "auction",
        "price_usd": 50,
        "bids": 3,
        "ends_at": ends_at,
        "certain_from": None,
        "url": f"https://market.example/{domain}",
        "live_until": ends_at,
        "next_listing_at": None,
        "next_listings": None,
        "report": REPORT,
        "updated_at": NOW - DAY,
        **values,
    }


# The rows of `domains`, each with its report.
REPORTED = select(domains, reports.c.report).join(reports, reports.c.domain == domains.c.domain)


async def put(conn: AsyncConnection, *rows: dict[str, Any]) -> None:
    """Write rows of `domains` and their reports."""
    for each in rows:
        columns = {name: value for name, value in each.items() if name != "report"}
        await conn.execute(insert(domains).values(**columns))
        await put_reports(conn, {each["domain"]: each["report"]})
    await bump_catalogue(conn, [each["domain"] for each in rows])
