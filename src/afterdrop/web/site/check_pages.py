"""Domain checks: ordering one or many, the lists, and the pages of a check and of a batch with its CSV."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from starlette.responses import Response

from afterdrop.catalogue.lists.sort_orders import Order, orders_of
from afterdrop.catalogue.shapes import Summary
from afterdrop.checks import batch, store
from afterdrop.checks.batch import MOST_NAMES, BatchItem, CheckBatch, CheckFigures, progress_of
from afterdrop.checks.order import NoChecksLeft, check_detail, check_json
from afterdrop.core.json_shapes import instant
from afterdrop.review.history.life import stored_life
from afterdrop.scoring.conclusion import VERDICTS, has_score
from afterdrop.web.actions import checks
from afterdrop.web.actions.account import credits_left
from afterdrop.web.actions.checks import Preview, names_of_file, pasted_names
from afterdrop.web.list_csv import cell
from afterdrop.web.problems import Invalid, not_found
from afterdrop.web.responses import page_meta
from afterdrop.web.site.forms import whole_number
from afterdrop.web.site.list_query import SiteQuery
from afterdrop.web.site.list_rows import COLUMNS
from afterdrop.web.site.report_pages import provider_titles
from afterdrop.web.site.report_view import in_use, report_values
from afterdrop.web.site.site_request import SiteRequest, attachment
from afterdrop.web.strict_input import path_check_id, read_domain, read_query

PER_PAGE: Final = 25
_COLUMNS: Final = (
    "domain", "known", "status", "score", "verdict", "would_list", "reject_reasons",
    "finished_at", "report_url", "conclusion",
)  # fmt: skip
# The columns of a batch's table, by those of a list, and the figures that lists call otherwise than reports do.
_SHOWN_COLUMNS: Final = ("score", "tf", "dr", "refs", "years", "price", "flags")
_METRICS: Final = {
    **{"tf": "trust_flow", "cf": "citation_flow", "dr": "domain_rating"},
    **{"ref_domains": "referring_domains", "years": "archive_years"},
}
_SHOWN: Final = 10
_MOST_TOLD: Final = 20


async def order_check(request: SiteRequest) -> Response:
    """Order a check. One of the last seven days is shown again without a credit; a listed name's report comes first."""
    try:
        domain = read_domain(request.form.text("domain"), request.sale_zones)
        if not request.form.has("anyway"):
            [item] = (await checks.preview_names(request, [domain])).items
            if item.listed is not None:
                return request.page("check_listed.html", listed=item.listed, left=await credits_left(request))
        ordered = await checks.order(request, domain)
    except Invalid as error:
        request.form = request.form.with_errors(error.fields or {})
        return await checks_page(request, 422)
    except NoChecksLeft as error:
        request.form = request.form.with_errors({"form": [error.message]})
        return await checks_page(request, 402)
    return request.redirect(f"/checks/{ordered.check['id']}")


async def check_page(request: SiteRequest) -> Response:
    """One check: its progress, then its report."""
    async with request.context.database.read() as conn:
        row = await store.check_row(conn, request.member.id, path_check_id(request.http.path_params["id"]))
        waiting = await store.queue_position(conn, row["id"]) if row and row["status"] == "queued" else None
    if row is None:
        raise not_found("You have no such check.")
    detail = check_detail(row, request.context.settings.site_url)
    report = detail["report"]
    values: Mapping[str, object] = (
        report_values(report, request.now, provider_titles(request)) if report else {}
    )
    registered = detail["registration"]
    used = False
    if registered is not None and report is not None:
        eras = stored_life(report.get("history"))
        used = in_use(registered["state"], registered["expires_at"], eras, request.now)
    return request.page(
        "check.html",
        check=detail,
        progress=row["progress"],
        waiting=waiting,
        used=used,
        **values,
    )


async def bulk_page(request: SiteRequest) -> Response:
    """The form for many names; names in the address (`?names=a.com,b.org`) are previewed at once."""
    given = request.http.query_params.get("names", "")
    request.form.values = {"names": [given]}
    return await _previewed(request) if given else await checks_page(request)


async def preview_or_order(request: SiteRequest) -> Response:
    """Preview the names, or order those that are ticked for the cost that the preview named."""
    if request.form.text("do") != "order":
        return await _previewed(request)
    names, wrong = checks.read_names(request.form.all("include"), request.sale_zones)
    try:
        if wrong or not names:
            raise Invalid({"names": ["tick at least one name"]})
        ordered = await checks.order_names(request, names, whole_number(request.form.text("credits")))
    except Invalid as error:
        return await _previewed(request, 422, error.fields or {})
    except NoChecksLeft as error:
        return await _previewed(request, 402, {"form": [f"Nothing was ordered: {error.message}."]})
    return request.redirect(f"/checks/batch/{ordered.id}")


async def _previewed(
    request: SiteRequest, status: int = 200, refused: Mapping[str, list[str]] | None = None
) -> Response:
    texts = _texts(request)
    names, wrong = checks.read_names(texts, request.sale_zones)
    errors = dict(refused or {})
    if len(names) > MOST_NAMES:
        errors["names"] = [f"has {len(names)} names; at most {MOST_NAMES} can be checked together"]
    elif not names and not errors:
        errors["names"] = ["contains no domain names"]
    if errors and status == 200:
        status = 422
    request.form = request.form.with_errors(errors)
    request.form.values = {
        **request.form.values,
        "names": ["\n".join(names[: 2 * MOST_NAMES] or texts[:_SHOWN])],
    }
    if not names or len(names) > MOST_NAMES:
        return await checks_page(request, status)
    preview = await checks.preview_names(request, names)
    return await checks_page(
        request, status, preview, [f"{texts[place]}: {text}" for place, text in wrong.items()]
    )


def _texts(request: SiteRequest) -> list[str]:
    """The names as they were sent: pasted, in a file, and ticked in a preview."""
    form = request.form
    texts = pasted_names("\n".join(form.values.get("names", []))) + names_of_file(form.raw("file"))
    return texts + form.all("include")


async def checks_page(
    request: SiteRequest, status: int = 200, preview: Preview | None = None, wrong: Sequence[str] = ()
) -> Response:
    """The forms to order one check or many, what many would cost, and what was ordered so far.

    `wrong` says of pieces of a list why they are no names.
    """
    page = min(max(whole_number(request.http.query_params.get("page", "1")), 1), 100_000)
    async with request.context.database.read() as conn:
        orders, total = await batch.ordered(conn, request.member.id, page=page, per_page=PER_PAGE)
    return request.page(
        "checks.html",
        status,
        orders=orders,
        left=await credits_left(request),
        meta=page_meta(total, page, PER_PAGE),
        most=MOST_NAMES,
        preview=preview,
        wrong=wrong[:_MOST_TOLD],
        more_wrong=len(wrong) - _MOST_TOLD,
    )


@dataclass(frozen=True, slots=True)
class BatchRow:
    """A row of a batch's table: the name's item, and the figures of its report; None while there is none."""

    item: BatchItem
    told: Summary | CheckFigures | None

    def figure(self, column: str) -> str | int | None:
        """The value by which the table is sorted, by the names of a list's sort orders; None where it is not known."""
        if column == "name":
            return self.item.domain
        if column == "score":
            check = self.item.check
            if check is not None:
                return check["score"] if has_score(check["conclusion"]) else None
            return None if self.item.listed is None else self.item.listed["score"]
        told = cast(Mapping[str, Mapping[str, int | None] | None], self.told or {})
        if column == "price":
            return (told.get("listing") or {}).get("price_usd")
        return (told.get("metrics") or {}).get(_METRICS.get(column, column))


def sorted_rows(rows: Sequence[BatchRow], orders: Sequence[Order]) -> list[BatchRow]:
    """The rows in these orders, the first one first; what is not known comes last."""
    found = list(rows)
    for order in reversed(orders):
        known = [row for row in found if row.figure(order.column) is not None]
        unknown = [row for row in found if row.figure(order.column) is None]
        known.sort(key=lambda row: cast(int, row.figure(order.column)), reverse=order.descending)
        found = known + unknown
    return found


async def batch_page(request: SiteRequest) -> Response:
    """One batch: how far it is, and a table of its names like a list's."""
    batch = await checks.get_batch(request, request.http.path_params["id"])
    asked = read_query(request.http.scope["query_string"], SiteQuery)
    orders = orders_of("live", asked.order()) if asked.sort else ()
    progress, told = progress_of(batch), await checks.batch_figures(request, batch)
    rows = [
        BatchRow(item, item.listed or told.get(item.check["id"] if item.check else ""))
        for item in batch.items
    ]

    def here(**changes: str | int | None) -> str:
        sort = changes.get("sort", asked.sort)
        return f"/checks/batch/{batch.id}" + (f"?sort={sort}" if sort else "")

    return request.page(
        "check_batch.html",
        batch=batch,
        rows=sorted_rows(rows, orders),
        columns=[COLUMNS[key] for key in _SHOWN_COLUMNS],
        orders=orders or (Order("", descending=False),),
        here=here,
        progress=progress,
        ahead=progress["queued"] + progress["running"],
        conclusions=Counter(
            item.check["conclusion"] for item in batch.items if item.check and item.check["status"] == "done"
        ),
    )


async def batch_file(request: SiteRequest) -> Response:
    """The batch as CSV, as far as it is."""
    batch = await checks.get_batch(request, request.http.path_params["id"])
    name = f"afterdrop-checks-{batch.created_at:%Y-%m-%d}.csv"
    text = batch_csv(batch, request.context.settings.site_url)
    return attachment(text, "text/csv", name)


def batch_csv(batch: CheckBatch, site_url: str) -> str:
    """The names of a batch, one a line, with what their checks found so far.

    A name that was rejected for spam, or of which too little is known, has no score.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(_COLUMNS)
    for item in batch.items:
        values: dict[str, object] = {"domain": item.domain, "known": item.known}
        if item.check is not None:
            values |= {**item.check, **check_json(item.check, site_url)}
            values["finished_at"] = instant(item.check["finished_at"])
            if item.check["status"] == "done" and not has_score(item.check["conclusion"]):
                values |= {"score": None, "verdict": VERDICTS[item.check["conclusion"]].word.lower()}
        elif item.rejected is not None:
            values |= {"verdict": "rejected", "reject_reasons": item.rejected["reasons"]}
        elif item.listed is not None:
            values |= item.listed
        writer.writerow([cell(values.get(name)) for name in _COLUMNS])
    return out.getvalue()
