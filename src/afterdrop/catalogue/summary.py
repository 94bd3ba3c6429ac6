"""The domain summary: the one JSON shape of lists, watchlist, matches and events. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict
from urllib.parse import quote

from afterdrop.accounts.plans import Viewer
from afterdrop.catalogue.access import access, sees_availability
from afterdrop.catalogue.listings import shown_at
from afterdrop.catalogue.purchase import Places, Way, ways
from afterdrop.catalogue.rows import SummaryRow
from afterdrop.catalogue.status import Outcome, Status, is_live, outcome, status
from afterdrop.core.domain_names import tld

if TYPE_CHECKING:
    from afterdrop.core.settings import Settings

Detail = Literal["full", "basic"]


class SummaryMetrics(TypedDict):
    """The figures of a summary; the last two are absent with `basic` detail."""

    domain_rating: int | None
    referring_domains: int | None
    archive_years: int | None
    archive_first_year: int | None
    archive_last_year: int | None
    trust_flow: NotRequired[int | None]
    citation_flow: NotRequired[int | None]


class SummaryListing(TypedDict):
    """The listing of a summary; a check of a domain that is not listed has none, and every member is null."""

    source: str | None
    source_title: str | None
    type: str | None
    price_usd: int | None
    bids: int
    ends_at: str | None
    url: str | None


class SharedMembers(TypedDict):
    """What a summary and a report have in common."""

    domain: str
    tld: str
    status: Status
    flags: list[str]
    topic: str | None
    language: str | None
    title: str | None
    listing: SummaryListing
    purchase: list[Way]
    found_at: str | None
    open: bool
    detail: Detail
    report_url: str


class DomainSummary(SharedMembers):
    """The domain summary, as the interface shows it."""

    score: int
    verdict: str
    metrics: SummaryMetrics


class SiteRow(DomainSummary):
    """A summary with what only the site's lists show.

    `outcome` is None of a live domain, and where the viewer may not know what became of it. `life` is the packed life
    (`review.history.life`), None where the viewer does not see the domain in full or the row is of an earlier version.
    """

    outcome: Outcome | None
    life: str | None


@dataclass(frozen=True, slots=True)
class Links:
    """The addresses that answers link to: this site, its API, the archive, registrars (and their fees).

    `register_url` is a template with `{domain}` (and, if wanted, `{tld}`), `register_urls` has others by extension;
    `fees` are whole US dollars by extension; `places` says where else a domain can be bought.
    """

    site_url: str
    base_url: str
    archive_url: str
    register_url: str
    fees: Mapping[str, int] = field(default_factory=dict)
    register_urls: Mapping[str, str] = field(default_factory=dict)
    places: Places = field(default_factory=Places)

    @classmethod
    def of(cls, settings: Settings) -> Links:
        """The links of a deployment with these settings."""
        return cls(
            site_url=settings.site_url,
            base_url=settings.base_url,
            archive_url=settings.archive.public_url.rstrip("/"),
            register_url=settings.registry.register_url,
            fees=settings.registry.registration_fees,
            register_urls=settings.registry.register_urls,
            places=Places.of(settings),
        )

    def report(self, domain: str) -> str:
        """The site's report page."""
        return f"{self.site_url}/domains/{domain}"

    def pages(self, domain: str) -> str:
        """The API's revival kit of a domain."""
        return f"{self.base_url}/domains/{domain}/pages"

    def register(self, domain: str) -> str:
        """A registrar's search for an available domain."""
        extension = tld(domain)
        template = self.register_urls.get(extension, self.register_url)
        return template.replace("{domain}", domain).replace("{tld}", extension)

    def ways(self, domain: str, state: Status, offer: Mapping[str, Any]) -> list[Way]:
        """How to buy a domain in this state that shows this listing."""
        register = self.register(domain) if state == "available" else ""
        return ways(domain, state, offer, register, self.places)

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
    # Several times as fast as strftime, and lists have many times.
    return None if moment is None else moment.astimezone(UTC).isoformat()[:19] + "Z"


def summary(row: SummaryRow, viewer: Viewer, now: datetime, links: Links) -> DomainSummary:
    """The summary of a row of the catalogue (from `store.audience_view`) as `viewer` sees it at `now`.

    A domain that the viewer may not see in a list is shown as `basic`: a watchlist keeps it.
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
        "purchase": links.ways(row["domain"], state, row),
        "found_at": instant(row["found_at"]),
        "open": bool(row["open_now"]),
        "detail": detail,
        "report_url": links.report(row["domain"]),
    }


def site_row(row: SummaryRow, viewer: Viewer, now: datetime, links: Links) -> SiteRow:
    """The same for the site's lists."""
    row = shown_at(row, now)
    shown = summary(row, viewer, now, links)
    life = row["life"] if shown["detail"] == "full" else None
    return {**shown, "outcome": _outcome(row, viewer, now, shown["detail"]), "life": life}


def _outcome(row: SummaryRow, viewer: Viewer, now: datetime, detail: Detail) -> Outcome | None:
    if is_live(row["live_until"], now) or not sees_availability(row, viewer):
        return None
    told = outcome(row)
    # Who caught it and when is part of the report's registration.
    return told if detail == "full" else {"became": told["became"], "registrar": None, "days": None}


def _metrics(row: SummaryRow, detail: Detail) -> SummaryMetrics:
    metrics: SummaryMetrics = {
        "domain_rating": row["domain_rating"],
        "referring_domains": row["referring_domains"],
        "archive_years": row["archive_years"],
        "archive_first_year": row["archive_first_year"],
        "archive_last_year": row["archive_last_year"],
    }
    if detail == "full":
        metrics["trust_flow"] = row["trust_flow"]
        metrics["citation_flow"] = row["citation_flow"]
    return metrics


def _listing(row: SummaryRow, now: datetime, links: Links, *, available: bool) -> SummaryListing:
    # An ended domain ended with the last of its listings, whether its feed named that end or a scan missed it.
    ends_at = row["ends_at"] if is_live(row["live_until"], now) else row["live_until"]
    return {
        "source": row["source"],
        "source_title": row["source_title"],
        "type": row["type"],
        # Nobody sells an available domain: it shows a registrar's fee, no bids, and the way to a registrar.
        "price_usd": links.fee(row["tld"]) if available else row["price_usd"],
        "bids": 0 if available else row["bids"],
        "ends_at": instant(ends_at),
        "url": links.register(row["domain"]) if available else row["url"],
    }
