"""The rows of the table `domains` as they travel through the code. Pure."""

from __future__ import annotations

from datetime import datetime
from typing import NotRequired

from typing_extensions import TypedDict

from afterdrop.catalogue.kit_shapes import KitEra
from afterdrop.catalogue.shapes import FurtherMetrics, JudgedParts
from afterdrop.feeds.spec import ListingType
from afterdrop.review.flags.risk_flags import Flag, Severity, Verdict
from afterdrop.sources.metrics.values import Topic
from afterdrop.sources.registry.rdap_answer import RegistryState


class OfferColumns(TypedDict):
    """The columns that show one listing, apart from its times; all None but `bids` where there is no listing."""

    source: str | None
    source_title: str | None
    type: ListingType | None
    price_usd: int | None
    bids: int
    url: str | None


class NextListing(OfferColumns):
    """A listing that the domain shows from `shown_from` on. Times are seconds since 1970: it is stored as JSON."""

    shown_from: int
    ends_at: int | None
    certain_from: int | None


class ListingColumns(OfferColumns):
    """The columns of a view that come from listings: the best one until `next_listing_at`, and those that follow.

    `live_until` is the end of the last listing to end, None while one has no known end. Until `certain_from` the name
    only may drop.
    """

    ends_at: datetime | None
    certain_from: datetime | None
    live_until: datetime | None
    next_listing_at: datetime | None
    next_listings: list[NextListing] | None


class StoredReport(JudgedParts):
    """The members that a report adds to the summary, stored with the domain and ready to be merged."""

    metrics: FurtherMetrics
    revival_pages: int
    revival_eras: list[KitEra]


class LinkColumns(TypedDict):
    """Of the known links the percentage that the site's last owner earned, and how many of the strongest are there
    today; null where unknown."""

    last_owner_links: int | None
    live_links: int | None


class FactColumns(TypedDict):
    """The facts that marketplaces state of a name, as its view's columns; null where none states it."""

    valuation_usd: int | None
    search_volume: int | None
    cost_per_click_cents: int | None
    extensions_taken: int | None
    adult: bool | None


class JudgedColumns(FactColumns, LinkColumns):
    """The columns of a view that come from a judgement."""

    score: int
    verdict: Verdict
    flags: list[Flag]
    flag_count: int
    topic: Topic | None
    domain_rating: int | None
    trust_flow: int | None
    citation_flow: int | None
    referring_domains: int | None
    report: StoredReport


class ViewColumns(JudgedColumns, ListingColumns):
    """Everything that is shown of a domain and may change while it is listed."""


class ReviewColumns(TypedDict):
    """The columns of `domains` that a review fills in."""

    tld: str
    language: str | None
    title: str | None
    search: str
    archive_years: int | None
    archive_first_year: int | None
    archive_last_year: int | None


class SummaryRow(ListingColumns, FactColumns, LinkColumns):
    """The columns of `domains` that a summary is made from (`store.SUMMARY_COLUMNS`)."""

    domain: str
    tld: str
    round: int
    found_at: datetime | None
    language: str | None
    title: str | None
    score: int
    verdict: Verdict
    flags: list[Flag]
    # of `conclusion.VARYING`, read out of the report; None where it is the usual one
    varying_severity: NotRequired[Severity | None]
    topic: Topic | None
    archive_years: int | None
    archive_first_year: int | None
    archive_last_year: int | None
    domain_rating: int | None
    trust_flow: int | None
    citation_flow: int | None
    referring_domains: int | None
    announced: bool
    last_open_on: str | None
    open_now: bool
    removed_at: datetime | None
    availability: RegistryState | None
    available_since: datetime | None
    registrar: str | None
    registered_at: datetime | None
    caught_after_drop: bool
    resolved_at: datetime | None
    life: str | None


class DomainRow(SummaryRow):
    """A whole row of `domains`, with its report where that was read (`store.with_reports`)."""

    hunt_day: str
    rank_on_hunt_day: int | None
    search: str
    flag_count: int
    checked_at: datetime | None
    expires_at: datetime | None
    registry_host: str | None
    estimated_drop: str | None
    removed_reason: str | None
    updated_at: datetime
    report: NotRequired[StoredReport]
