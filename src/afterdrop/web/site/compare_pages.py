"""Two to four listed domains side by side, as the account may see each of them, and which figure is best."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from starlette.responses import Response

from afterdrop.review.history.life import stored_life
from afterdrop.web.actions import reports, watching
from afterdrop.web.problems import Problem
from afterdrop.web.site.charts import Strip, row_strip
from afterdrop.web.site.labels import language_name
from afterdrop.web.site.owners_view import OwnerLine, owner_lines, whose_links
from afterdrop.web.site.report_view import ReportVerdict, verdict, whole
from afterdrop.web.site.score_view import Comparison, WholeReport, comparison
from afterdrop.web.site.site_request import SiteRequest
from afterdrop.web.strict_input import path_domain

STRIP_WIDTH: Final = 200
Value = int | float | None
_Pick = Callable[[WholeReport], Value]
MOST: Final = 4
_NAME_CHARS: Final = 2000


@dataclass(frozen=True, slots=True)
class Compared:
    """One domain of a comparison; `against`: how it differs from the first, None for that one or without scores."""

    report: WholeReport
    verdict: ReportVerdict
    strip: Strip
    owners: Sequence[OwnerLine]
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


def compared(reports: Sequence[WholeReport], now: datetime) -> list[Compared]:
    """The domains in the order asked."""
    columns = []
    for report in reports:
        eras = stored_life(report.get("history"))
        against = None if report is reports[0] else comparison(reports[0], report)
        owners = owner_lines(eras, whose_links(report, eras))
        strip = row_strip(eras, now, STRIP_WIDTH)
        columns.append(Compared(report, verdict(report, eras), strip, owners, against))
    return columns


def groups(reports: Sequence[WholeReport]) -> list[Group]:
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
    ]
    past = [
        _row("Years archived", reports, _metric("archive_years")),
        _row("First year", reports, _metric("archive_first_year"), "{}", least=True),
        _row("Last year", reports, _metric("archive_last_year"), "{}"),
        _row("Archived addresses", reports, _metric("archived_urls")),
        ("Language", [Cell(language_name(report["language"])) for report in reports]),
        ("Topic", [Cell(report["topic"] or "–") for report in reports]),
    ]
    sections = (("Links", links), ("Past", past), ("Listing", _listing(reports)))
    return [
        Group(title, [row for row in rows if any(cell.text != "–" for cell in row[1])])
        for title, rows in sections
    ]


def _listing(reports: Sequence[WholeReport]) -> list[tuple[str, list[Cell]]]:
    def price(report: WholeReport) -> Value:
        return report["listing"]["price_usd"]

    bids = [report["listing"]["bids"] for report in reports]
    return [
        _row("Price", reports, price, "${:,}", least=True, unknown="no price"),
        ("Bids", [Cell(f"{bid:,}" if bid else "–") for bid in bids]),
    ]


def _metric(name: str) -> _Pick:
    def figure(report: WholeReport) -> Value:
        value: object = report["metrics"].get(name)
        return value if isinstance(value, int | float) else None

    return figure


def _row(
    label: str,
    reports: Sequence[WholeReport],
    pick: _Pick,
    form: str = "{:,}",
    *,
    least: bool = False,
    unknown: str = "–",
) -> tuple[str, list[Cell]]:
    values = [pick(report) for report in reports]
    known = [value for value in values if value is not None]
    best = (min if least else max)(known) if len(set(known)) > 1 else None
    return label, [
        Cell(
            unknown if value is None else form.format(value),
            value is not None and value == best,
        )
        for value in values
    ]


async def compare(request: SiteRequest) -> Response:
    """The comparison of the domains in the address (`d`, repeated or with commas), with a form to choose them."""
    # The names asked for, each once.
    texts = ",".join(request.http.query_params.getlist("d"))[:_NAME_CHARS].replace(" ", ",").split(",")
    asked = list(dict.fromkeys(text.strip().lower() for text in texts if text.strip()))
    chosen: list[WholeReport] = []
    refused: dict[str, str] = {}
    for text in asked[:MOST]:
        try:
            name = path_domain(text, request.sale_zones)
            if all(report["domain"] != name for report in chosen):
                chosen.append(whole(await reports.report(request, name)))
        except Problem as problem:
            refused[text] = problem.message
    followed = {row["domain"] for row in await watching.watched(request)}
    names = [report["domain"] for report in chosen]
    return request.page(
        "compare.html",
        compared=compared(chosen, request.now),
        groups=groups(chosen) if chosen else [],
        shown=names,
        refused=refused,
        too_many=len(asked) > MOST,
        followed=[name for name in sorted(followed) if name not in names],
        most=MOST,
    )
