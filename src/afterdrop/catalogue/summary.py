"""The domain summary: the one JSON shape of lists, watchlist, matches and events. Pure.

`access` is the one predicate behind lists, report, pages, watchlist and MCP: what a viewer may see of a domain.
`full`: everything. `basic`: the summary without Trust Flow. `locked`: the domain is listed, but part of Pro. `hidden`:
for this viewer it is not on the list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Literal, cast
from urllib.parse import quote

from typing_extensions import TypedDict

from afterdrop.accounts.account import Viewer
from afterdrop.catalogue.listings import shown_at
from afterdrop.catalogue.outcomes import outcome
from afterdrop.catalogue.purchase import Offer, Places, Way, ways
from afterdrop.catalogue.rows import DomainRow, SummaryRow
from afterdrop.catalogue.shapes import (
    CheckedListing,
    Detail,
    ListingJson,
    MetricsJson,
    RiskCheckJson,
    SiteRow,
    Summary,
)
from afterdrop.catalogue.status import Outcome, Status, is_certain, is_live, status
from afterdrop.core.domain_names import tld
from afterdrop.core.json_shapes import instant
from afterdrop.review.flags.risk_flags import Flag, Severity
from afterdrop.review.history.life import packed_kinds
from afterdrop.scoring.conclusion import (
    VARYING,
    Conclusion,
    Past,
    Standing,
    conclude,
    levels,
    past_of,
    severities,
)
from afterdrop.sources.registry.release_hours import drop_begins, drop_day

if TYPE_CHECKING:
    from afterdrop.core.settings import Settings


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

    def ways(self, domain: str, state: Status, offer: Offer) -> list[Way]:
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


def summary(row: SummaryRow, viewer: Viewer, now: datetime, links: Links) -> Summary:
    """The summary of a row of the catalogue as `viewer` sees it at `now`.

    A domain that the viewer may not see in a list is shown as `basic`: a watchlist keeps it.
    """
    row = shown_at(row, now)
    detail: Detail = "full" if access(row, viewer, now) == "full" else "basic"
    announced = row["announced"] and sees_availability(row, viewer)
    state = status(row["type"], row["ends_at"], row["live_until"], announced, now)
    shown: Summary = {
        "domain": row["domain"],
        "tld": row["tld"],
        "status": state,
        "score": row["score"],
        "verdict": row["verdict"],
        "flags": row["flags"],
        "flag_levels": levels(found_severities(row)),
        "conclusion": conclusion(row, "scored" if row["archive_years"] else "unknown"),
        "topic": row["topic"],
        "language": row["language"],
        "title": row["title"],
        "metrics": _metrics(row, detail),
        # Whatever is published has a listing, and was found at some time.
        "listing": cast(ListingJson, _listing(row, now, links, available=state == "available")),
        "purchase": links.ways(row["domain"], state, row),
        "found_at": cast(str, instant(row["found_at"])),
        "open": bool(row["open_now"]),
        "detail": detail,
        "report_url": links.report(row["domain"]),
    }
    if detail == "full":
        cents = row["cost_per_click_cents"]
        shown["facts"] = {
            "valuation_usd": row["valuation_usd"],
            "search_volume": row["search_volume"],
            "cost_per_click_usd": None if cents is None else cents / 100,
            "extensions_taken": row["extensions_taken"],
            "adult": row["adult"],
        }
        shown["last_owner_links"] = row["last_owner_links"]
        shown["live_links"] = row["live_links"]
    return shown


def conclusion(row: SummaryRow, standing: Standing) -> Conclusion:
    """The conclusion from the columns of a domain. A row knows no years where the archive shows no capture."""
    life = row["life"]
    past: Past = "site"
    if life is not None:
        past = past_of(packed_kinds(life), captured=bool(row["archive_years"]))
    return conclude(standing, row["score"], row["verdict"], found_severities(row), past)


def found_severities(row: SummaryRow) -> dict[Flag, Severity]:
    """The severity of each flag found: as its report says, where that was read with the row."""
    stored, varying = cast(DomainRow, row).get("report"), row.get("varying_severity")
    if stored:
        return checked_severities(row["flags"], stored["risk_checks"])
    return severities(row["flags"], {VARYING: varying} if varying else {})


def checked_severities(flags: Iterable[Flag], checks: Iterable[RiskCheckJson]) -> dict[Flag, Severity]:
    """The severity of each flag found, as the risk checks of a report have it."""
    told = {check["flag"]: check["severity"] for check in checks if check["result"] == "found"}
    return severities(flags, told)


def site_row(row: SummaryRow, viewer: Viewer, now: datetime, links: Links) -> SiteRow:
    """The same for the site's lists."""
    row = shown_at(row, now)
    shown = summary(row, viewer, now, links)
    full = shown["detail"] == "full"
    return {
        **shown,
        "outcome": _outcome(row, viewer, now, shown["detail"]),
        "life": row["life"] if full else None,
    }


def _outcome(row: SummaryRow, viewer: Viewer, now: datetime, detail: Detail) -> Outcome | None:
    if is_live(row["live_until"], now) or not sees_availability(row, viewer):
        return None
    told = outcome(row)
    # Who caught it and when is part of the report's registration.
    return told if detail == "full" else {"became": told["became"], "registrar": None, "days": None}


def _metrics(row: SummaryRow, detail: Detail) -> MetricsJson:
    metrics: MetricsJson = {
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


def _listing(row: SummaryRow, now: datetime, links: Links, *, available: bool) -> CheckedListing:
    # An ended domain ended with the last of its listings, whether its feed named that end or a scan missed it.
    live = is_live(row["live_until"], now)
    ends_at = row["ends_at"] if live else row["live_until"]
    return {
        "source": row["source"],
        "source_title": row["source_title"],
        "type": row["type"],
        # Nobody sells an available domain: it shows a registrar's fee, no bids, and the way to a registrar.
        "price_usd": links.fee(row["tld"]) if available else row["price_usd"],
        "bids": 0 if available else row["bids"],
        "ends_at": instant(ends_at),
        **_drop(row, ends_at, live=live),
        "certain": not live or is_certain(row["certain_from"], now),
        "url": links.register(row["domain"]) if available else row["url"],
    }


class _Drop(TypedDict):
    """The facts of a drop in a listing besides its end."""

    opens_at: str | None
    day: str | None


_NO_DROP: _Drop = {"opens_at": None, "day": None}


def _drop(row: SummaryRow, ends_at: datetime | None, *, live: bool) -> _Drop:
    if row["type"] != "pending_delete" or ends_at is None:
        return _NO_DROP
    day = drop_day(row["domain"], ends_at)
    return {
        "opens_at": instant(drop_begins(row["domain"], ends_at)) if live else None,
        "day": day.isoformat() if day else None,
    }


Access = Literal["full", "basic", "locked", "hidden"]


def access(row: SummaryRow, viewer: Viewer, now: datetime) -> Access:
    """The access of `viewer` at `now` to the domain with this row."""
    if row["removed_at"] is not None:
        return "hidden"
    if viewer.plan == "pro" or row["open_now"]:
        return "full"
    return "locked" if is_live(row["live_until"], now) else "basic"


def sees_availability(row: SummaryRow, viewer: Viewer) -> bool:
    """Only Pro learns that a domain is available; free callers learn it of domains that were open on some date.

    The outcome of a domain is told to the same callers: the outcomes of others would show which are available.
    """
    return viewer.plan == "pro" or row["last_open_on"] is not None
