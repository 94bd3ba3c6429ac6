"""Checks of many names: the preview that names their cost, the order, and the batch with its table and CSV."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from starlette.responses import Response

from afterdrop.checks import batch_store
from afterdrop.checks.batch import MOST_NAMES, progress_of
from afterdrop.checks.order import NoChecksLeft
from afterdrop.web.actions import check_batches, domains
from afterdrop.web.problems import Invalid
from afterdrop.web.site.batch_file import batch_csv
from afterdrop.web.site.forms import whole_number
from afterdrop.web.site.name_lists import names_of_file, pasted_names
from afterdrop.web.site.site_request import SiteRequest

_SHOWN: Final = 10
_MOST_TOLD: Final = 20


async def bulk_page(request: SiteRequest) -> Response:
    """The form for many names; names in the address (`?names=a.com,b.org`) are previewed at once."""
    given = request.http.query_params.get("names", "")
    request.form.values = {"names": [given]}
    return await _previewed(request) if given else await _page(request)


async def preview_or_order(request: SiteRequest) -> Response:
    """Preview the names, or order those that are ticked for the cost that the preview named."""
    if request.form.text("do") != "order":
        return await _previewed(request)
    names, wrong = check_batches.read_names(request.form.all("include"), request.sale_zones)
    try:
        if wrong or not names:
            raise Invalid({"names": ["tick at least one name"]})
        ordered = await check_batches.order(request, names, whole_number(request.form.text("credits")))
    except Invalid as error:
        return await _previewed(request, 422, error.fields or {})
    except NoChecksLeft as error:
        return await _previewed(request, 402, {"form": [f"Nothing was ordered: {error.message}."]})
    return request.redirect(f"/checks/batch/{ordered.id}")


async def _previewed(request: SiteRequest, status: int = 200, errors: Any = None) -> Response:
    texts = _texts(request)
    names, wrong = check_batches.read_names(texts, request.sale_zones)
    found = dict(errors or {})
    if len(names) > MOST_NAMES:
        found["names"] = [f"has {len(names)} names; at most {MOST_NAMES} can be checked together"]
    elif not names and not found:
        found["names"] = ["contains no domain names"]
    if found and status == 200:
        status = 422
    request.form = request.form.with_errors(found)
    request.form.values = {
        **request.form.values,
        "names": ["\n".join(names[: 2 * MOST_NAMES] or texts[:_SHOWN])],
    }
    if not names or len(names) > MOST_NAMES:
        return await _page(request, status)
    preview = await check_batches.preview(request, names)
    told = [f"{texts[place]}: {message}" for place, message in wrong.items()]
    return await _page(
        request, status, preview=preview, wrong=told[:_MOST_TOLD], more_wrong=len(told) - _MOST_TOLD
    )


def _texts(request: SiteRequest) -> list[str]:
    """The names as they were sent: pasted, in a file, and ticked."""
    form = request.form
    texts = pasted_names("\n".join(form.values.get("names", []))) + names_of_file(form.raw("file"))
    return texts + form.all("include") + form.all("watched")


async def _page(request: SiteRequest, status: int = 200, **values: Any) -> Response:
    watched = await domains.watched(request)
    async with request.context.database.read() as conn:
        batches = await batch_store.newest_batches(conn, request.member.id, _SHOWN)
    return request.page(
        "check_bulk.html",
        status,
        most=MOST_NAMES,
        watched=[row["domain"] for row in watched][:MOST_NAMES],
        batches=batches,
        **{"preview": None, "wrong": [], "more_wrong": 0, **values},
    )


async def batch_page(request: SiteRequest) -> Response:
    """One batch: how far it is, and a table of its names."""
    batch = await check_batches.batch(request, request.http.path_params["id"])
    progress = progress_of(batch)
    return request.page(
        "check_batch.html",
        batch=batch,
        progress=progress,
        ahead=progress["queued"] + progress["running"],
        standings=Counter(
            item.check["standing"] for item in batch.items if item.check and item.check["status"] == "done"
        ),
    )


async def batch_file(request: SiteRequest) -> Response:
    """The batch as CSV, as far as it is."""
    batch = await check_batches.batch(request, request.http.path_params["id"])
    name = f"afterdrop-checks-{batch.created_at:%Y-%m-%d}.csv"
    text = batch_csv(batch, request.context.settings.site_url)
    disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type="text/csv", headers=disposition)
