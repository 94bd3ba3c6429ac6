"""Two to four reports side by side: every figure in one row, and which is best. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from afterdrop.catalogue.purchase import marketplace
from afterdrop.review.history.life import life
from afterdrop.review.history.story import naming_share
from afterdrop.web.site.charts import Strip, row_strip
from afterdrop.web.site.languages import language_name
from afterdrop.web.site.report_view import Verdict, verdict
from afterdrop.web.site.score_table import Comparison, comparison

STRIP_WIDTH: Final = 200
Value = int | float | None
_Pick = Callable[[Mapping[str, Any]], Value]


@dataclass(frozen=True, slots=True)
class Compared:
    """One domain of a comparison; `against`: how it differs from the first, None for that one or without scores."""

    report: Mapping[str, Any]
    verdict: Verdict
    strip: Strip
    against: Comparison | None


@dataclass(frozen=True, slots=True)
class Cell:
    """One figure; `best` where it is the best of several that differ."""

    text: str
    best: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Rows under one heading, each with a cell for every domain."""

    title: str
    rows: Sequence[tuple[str, Sequence[Cell]]]


def compared(reports: Sequence[Mapping[str, Any]], now: datetime) -> list[Compared]:
    """The domains in the order asked."""
    found = []
    for report in reports:
        eras = life(report.get("history"))
        against = None if report is reports[0] else comparison(reports[0], report)
        found.append(Compared(report, verdict(report, eras), row_strip(eras, now, STRIP_WIDTH), against))
    return found


def groups(reports: Sequence[Mapping[str, Any]]) -> list[Group]:
    """Every figure of the reports."""
    links = [
        _row("Trust Flow", reports, _metric("trust_flow")),
        _row("Citation Flow", reports, _metric("citation_flow")),
        _row("Trust to citation", reports, _metric("tf_cf_ratio")),
        _row("Domain Rating", reports, _metric("domain_rating")),
        _row("Referring domains", reports, _metric("referring_domains")),
        _row("Backlinks", reports, _metric("backlinks")),
        _row("Authority score", reports, _metric("<vendor_a>_authority_score")),
        _row("Domain authority", reports, _metric("<vendor_b>_domain_authority")),
        _row("Page rank", reports, _metric("<vendor_d>_pagerank")),
        _row("Indexed pages", reports, _metric("<search_engine>_indexed_pages")),
        _row("Links that name the first owner", reports, _naming, "{:.0%}"),
    ]
    past = [
        _row("Years archived", reports, _metric("archive_years")),
        _row("First year", reports, _metric("archive_first_year"), "{}", least=True),
        _row("Last year", reports, _metric("archive_last_year"), "{}"),
        _row("Archived addresses", reports, _metric("archived_urls")),
        ("Language", [Cell(language_name(report["language"])) for report in reports]),
        ("Topic", [Cell(report["topic"] or "–") for report in reports]),
    ]
    listing = [
        _row("Price", reports, lambda report: report["listing"]["price_usd"], "${:,}", least=True),
        ("Bids", [Cell(f"{report['listing']['bids']:,}") for report in reports]),
        ("Marketplace", [Cell(marketplace(report) or "–") for report in reports]),
    ]
    told = (("Links", links), ("Past", past), ("Listing", listing))
    return [
        Group(title, [row for row in rows if any(cell.text != "–" for cell in row[1])])
        for title, rows in told
    ]


def _metric(name: str) -> _Pick:
    return lambda report: report["metrics"].get(name)


def _naming(report: Mapping[str, Any]) -> Value:
    anchors = (report.get("anchors") or {}).get("top")
    return naming_share(life(report.get("history")), report["domain"], anchors)


def _row(
    label: str, reports: Sequence[Mapping[str, Any]], pick: _Pick, form: str = "{:,}", *, least: bool = False
) -> tuple[str, list[Cell]]:
    values = [pick(report) for report in reports]
    known = [value for value in values if value is not None]
    best = (min if least else max)(known) if len(set(known)) > 1 else None
    return label, [
        Cell(
            "–" if value is None else form.format(value),
            value is not None and value == best,
        )
        for value in values
    ]
