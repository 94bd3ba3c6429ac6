"""The domain summary: the one JSON shape of lists, watchlist, matches and events. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal
from urllib.parse import quote

from afterdrop.accounts.plans import Viewer
from afterdrop.catalogue.access import access, sees_availability
from afterdrop.catalogue.filters import TIME_FORM
from afterdrop.catalogue.listings import shown_at
from afterdrop.catalogue.status import is_live, status
from afterdrop.core.domain_names import tld

Detail = Literal["full", "basic"]


@dataclass(frozen=True, slots=True)
class Links:
    """Where this deployment's answers lead: its site, its API, the archive, registrars and their fees.

    `register_url` is a template with `{domain}` (and, if wanted, `{tld}`); `fees` are whole US dollars by
    extension.
    """

    site_url: str
    base_url: str
    archive_url: str
    register_url: str
    fees: Mapping[str, int] = field(default_factory=dict)

    def report(self, domain: str) -> str:
        """The site's report page."""
        return f"{self.site_url}/domains/{domain}"

    def pages(self, domain: str) -> str:
        """The API's revival kit of a domain."""
        return f"{self.base_url}/domains/{domain}/pages"

    def register(self, domain: str) -> str:
        """Where to register a free domain."""
        return self.register_url.replace("{domain}", domain).replace("{tld}", tld(domain))

    def fee(self, extension: str) -> int | None:
        """A normal registration fee, None when the operator gives none."""
        return self.fees.get(extension)

    def archive(self, domain: str) -> str:
        """The archive's listing of a domain."""
        return f"{self.archive_url}/*/{domain}"

    def capture(self, timestamp: str, url: str) -> str:
        """One archived page (`timestamp` as the archive writes it)."""
        return f"{self.archive_url}/{timestamp}/{quote(url, safe='/:?&=%~+,;@!$()*-._')}"


def instant(moment: datetime | None) -> str | None:
    """A time as the interface writes it."""
    return None if moment is None else moment.astimezone(UTC).strftime(TIME_FORM)


def summary(row: Mapping[str, Any], viewer: Viewer, now: datetime, links: Links) -> dict[str, Any]:
    """The summary of a row of the catalogue (as `queries.shown` gives it) as `viewer` sees it at `now`.

    A domain the viewer may not see in a list is given as `basic`: a watchlist keeps it.
    """
    row = shown_at(row, now)
    detail: Detail = "full" if access(row, viewer, now) == "full" else "basic"
    announced = row["announced"] and sees_availability(row, viewer)
    state = status(row["type"], row["ends_at"], row["live_until"], announced, now)
    return {
        "domain": row["domain"],
        "tld": row["tld"],
        "status": state,
        "score": row["score"],
        "verdict": row["verdict"],
        "flags": row["flags"],
        "topic": row["topic"],
        "language": row["language"],
        "title": row["title"],
        "metrics": _metrics(row, detail),
        "listing": _listing(row, now, links, available=state == "available"),
        "found_at": instant(row["found_at"]),
        "open": bool(row["open_now"]),
        "detail": detail,
        "report_url": links.report(row["domain"]),
    }


def _metrics(row: Mapping[str, Any], detail: Detail) -> dict[str, Any]:
    names = ["domain_rating", "referring_domains", "archive_years", "archive_first_year", "archive_last_year"]
    if detail == "full":
        names += ["trust_flow", "citation_flow"]
    return {name: row[name] for name in names}


def _listing(row: Mapping[str, Any], now: datetime, links: Links, *, available: bool) -> dict[str, Any]:
    # An ended domain ended with the last of its listings, whether its feed named that end or the scan missed it.
    ends_at = row["ends_at"] if is_live(row["live_until"], now) else row["live_until"]
    return {
        "source": row["source"],
        "type": row["type"],
        # Nobody sells an available domain: a registrar's fee, no bids, and the way to a registrar.
        "price_usd": links.fee(row["tld"]) if available else row["price_usd"],
        "bids": 0 if available else row["bids"],
        "ends_at": instant(ends_at),
        "url": links.register(row["domain"]) if available else row["url"],
    }
