"""The notes and tags that an account keeps on any domain it chooses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from starlette.responses import Response

from afterdrop.catalogue.lists.chosen_store import chosen
from afterdrop.core.errors import AfterdropError
from afterdrop.watching import desk_store as store
from afterdrop.watching.desk_rules import DECISIONS, Marks, tag_of
from afterdrop.web.actions.checks import read_names
from afterdrop.web.actions.lists import attributions_for, lives_of
from afterdrop.web.problems import Invalid
from afterdrop.web.site.downloads import NamedRow, csv_text
from afterdrop.web.site.forms import own_path, whole_number
from afterdrop.web.site.site_request import SiteRequest, attachment

# The names of one form: a page of a list, or some pasted ones.
MOST_NAMES: Final = 500
PER_PAGE: Final = 50


def chosen_names(request: SiteRequest) -> list[str]:
    """The domains that a form names (`d`, repeated or with commas or lines). Raises Invalid."""
    names, wrong = read_names(request.form.all("d"), request.sale_zones)
    if wrong:
        raise Invalid({"d": [f"name {place + 1}: {message}" for place, message in wrong.items()][:10]})
    if not 0 < len(names) <= MOST_NAMES:
        raise Invalid({"d": [f"choose 1 to {MOST_NAMES} domains"]})
    return names


async def change_tags(request: SiteRequest) -> Response:
    """Tag the chosen domains, or take a tag off them (`do=remove`); back to where the form stood.

    `flip` is a tag that one domain loses where it has it, and gets where it has not.
    """
    form, names = request.form, chosen_names(request)
    flip, tag = form.text("flip"), tag_of(form.text("flip") or form.text("tag"))
    async with request.context.database.write() as conn:
        has = flip and tag in (await store.marked(conn, request.member.id, names[0])).tags
        if has or form.text("do") == "remove":
            await store.remove_tag(conn, request.member.id, names, tag)
        else:
            await store.add_tag(conn, request.member.id, names, tag, request.now)
    return request.redirect(own_path(request.form.text("back"), "/account/notes"))


async def notes_page(request: SiteRequest) -> Response:
    """All domains with a note or a tag, or those with one tag; tagging of pasted names."""
    tag = _asked_tag(request)
    async with request.context.database.read() as conn:
        counts = await store.tag_counts(conn, request.member.id)
        marks = await _marks(request, tag)
        page = max(whole_number(request.http.query_params.get("page", "")), 1)
        names = sorted(marks)[(page - 1) * PER_PAGE : page * PER_PAGE]
        seen = await chosen(conn, names, request.viewer, request.now, request.context.links)
    pages = max(-(-len(marks) // PER_PAGE), 1)
    return request.page(
        "notes.html",
        names=names,
        seen=seen,
        marks=marks,
        lives=await lives_of(request, list(seen.values())),
        paging=(page, pages),
        tag=tag,
        counts=counts,
        decisions=DECISIONS,
        credits=attributions_for(request),
    )


async def notes_file(request: SiteRequest) -> Response:
    """The same as CSV, with the figures of those that the account may see."""
    request.count("form")  # a whole file costs as much as a form
    marks = await _marks(request, _asked_tag(request))
    async with request.context.database.read() as conn:
        seen = await chosen(conn, marks, request.viewer, request.now, request.context.links)
    rows: list[NamedRow] = [seen.get(name) or {"domain": name} for name in sorted(marks)]
    return csv_file(request, "notes", rows, marks)


def csv_file(
    request: SiteRequest, name: str, rows: Iterable[NamedRow], marks: Mapping[str, Marks]
) -> Response:
    """A download of these domains with the account's tags and notes."""
    return attachment(csv_text(rows, marks), "text/csv", f"afterdrop-{name}-{request.now:%Y-%m-%d}.csv")


async def _marks(request: SiteRequest, tag: str) -> dict[str, Marks]:
    async with request.context.database.read() as conn:
        if not tag:
            return await store.marks(conn, request.member.id)
        names = await store.tagged(conn, request.member.id, [tag])
        return await store.marks(conn, request.member.id, names)


def _asked_tag(request: SiteRequest) -> str:
    """The tag in the address; empty for none, and for what can be no tag."""
    try:
        return tag_of(request.http.query_params.get("tag", ""))
    except AfterdropError:
        return ""
