"""Share links: made and revoked by an account, and opened by whoever has the address.

A link names domains only; what is shown of them is decided at each opening. Its reader sees what his own plan allows.
Where the operator's setting lets links show reports, everybody sees what whoever made it may see: of a listed name the
report, of another one the newest check of the link's maker. Nothing is kept, so that a name taken off the lists and a
revoked link close at once.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import Response

from afterdrop.accounts.account import Account, Viewer
from afterdrop.accounts.store import account_by_id
from afterdrop.catalogue import store
from afterdrop.catalogue.lists.chosen_store import chosen
from afterdrop.catalogue.shapes import CheckReport, FullReport, SiteRow
from afterdrop.catalogue.visits import VisitRow
from afterdrop.checks.store import shared_reports
from afterdrop.core.errors import AfterdropError
from afterdrop.review.history.life import packed, stored_life
from afterdrop.watching import desk_store
from afterdrop.watching.desk_rules import shared
from afterdrop.web.actions.lists import attributions_for, lives_of
from afterdrop.web.problems import not_found
from afterdrop.web.site import takeover_pages
from afterdrop.web.site.forms import whole_number
from afterdrop.web.site.mark_pages import chosen_names
from afterdrop.web.site.report_pages import provider_titles
from afterdrop.web.site.report_view import report_values
from afterdrop.web.site.site_request import SiteRequest

_LONGEST_TOKEN: Final = 64


class Made(NamedTuple):
    """A new link: its address, how many names it has, and when it ends."""

    address: str
    names: int
    until: datetime


async def change_shares(request: SiteRequest) -> Response:
    """Make a link, whose address is shown only now; or revoke one (`revoke`)."""
    gone = request.form.text("revoke")
    if gone:
        text = "Nobody will be able to open it any more. This cannot be undone, but you can create another."
        if asked := request.ask_once("Revoke this link?", text, "Revoke the link"):
            return asked
        async with request.context.database.write() as conn:
            if not await desk_store.revoke(conn, request.member.id, whole_number(gone)):
                raise not_found("This link does not exist.")
        return request.redirect("/account/shares")
    token = secrets.token_urlsafe(desk_store.TOKEN_BYTES)
    try:
        names = shared(chosen_names(request))
        async with request.context.database.write() as conn:
            until = await desk_store.share(conn, request.member.id, token, names, request.now)
    except AfterdropError as error:
        request.form = request.form.refused(error, "form" if request.part else "d")
        return await shares_page(request, 200 if request.part else error.status)
    address = f"{request.context.settings.site_url}/s/{token}"
    return await shares_page(request, made=Made(address, len(names), until))


async def shares_page(request: SiteRequest, status: int = 200, made: Made | None = None) -> Response:
    """The account's links, to be revoked; names that are pasted or given in the address (`d`) can be shared."""
    async with request.context.database.read() as conn:
        links = await desk_store.links_of(conn, request.member.id, request.now)
    given = request.form.all("d") if request.form.errors else request.http.query_params.getlist("d")
    return request.page("shares.html", status, links=links, made=made, given=given[:100])


@dataclass(frozen=True, slots=True)
class _OpenLink:
    """A link that somebody opens: its names, its end, its maker, and whose eyes it lends (None: nobody's)."""

    token: str
    names: Sequence[str]
    until: datetime
    maker: Account
    lent: Viewer | None


async def shared_page(request: SiteRequest) -> Response:
    """The domains of a link as its reader may see them; of a single one the report at once."""
    request.count_stranger("page")
    async with request.context.database.read() as conn:
        link = await _opened(conn, request)
        if link is None:
            return _private(request.page("shared.html", 404, names=[], gone=True))
        if len(link.names) == 1:
            report = await _report(conn, request, link, link.names[0])
            if report is not None:
                return _report_page(request, link, report, await _takeovers(conn, request, link, link.names))
        seen, checked = await _seen(conn, request, link)
        visited = await _takeovers(conn, request, link, link.names)
    lives = await lives_of(request, list(seen.values()))
    lives |= {name: packed(stored_life(report.get("history"))) for name, report in checked.items()}
    full = {name for name, row in seen.items() if row["detail"] == "full"} | checked.keys()
    values = {"names": link.names, "seen": {**seen, **checked}, "lives": lives, "gone": False}
    values |= {
        "token": link.token,
        "until": link.until,
        "full": full if link.lent else set(),
        "lent": link.lent is not None,
    }
    values["visited"] = visited.keys()
    return _private(request.page("shared.html", **values, credits=attributions_for(request)))


async def shared_report(request: SiteRequest) -> Response:
    """The report of one domain of a link."""
    request.count_stranger("page")
    async with request.context.database.read() as conn:
        link, name = await _opened(conn, request), request.http.path_params["domain"]
        report = await _report(conn, request, link, name) if link and name in link.names else None
        visited = await _takeovers(conn, request, link, [name]) if link and report else {}
    if link is None or report is None:
        return _private(request.page("shared.html", 404, names=[], gone=True))
    return _report_page(request, link, report, visited)


async def shared_takeover(request: SiteRequest) -> Response:
    """The outcome of one domain of a link, where its maker may read that.

    It is told in our words and in short quotes of a public page, so that no setting is asked.
    """
    request.count_stranger("page")
    name = request.http.path_params["domain"]
    async with request.context.database.read() as conn:
        link = await _opened(conn, request)
        rows = await _takeovers(conn, request, link, [name]) if link and name in link.names else {}
    if link is None or name not in rows:
        return _private(request.page("shared.html", 404, names=[], gone=True))
    return _private(takeover_pages.shown(request, name, rows[name], link.token))


async def _takeovers(
    conn: AsyncConnection, request: SiteRequest, link: _OpenLink, names: Sequence[str]
) -> dict[str, list[VisitRow]]:
    """The visits of those names that the link's maker may read of: on Pro of the followed ones, operators of all."""
    if not link.maker.operator and link.maker.plan(request.now) != "pro":
        return {}
    return await takeover_pages.visits_of(conn, link.maker, names)


async def _opened(conn: AsyncConnection, request: SiteRequest) -> _OpenLink | None:
    """The link in the address; None where there is none."""
    token = request.http.path_params["token"]
    found = None
    if len(token) <= _LONGEST_TOKEN:
        found = await desk_store.shared_names(conn, token, request.now)
    maker = await account_by_id(conn, found.account_id) if found else None
    if found is None or maker is None:
        return None
    lends = request.context.settings.site.share_links == "reports"
    lent = Viewer(maker.id, maker.plan(request.now)) if lends else None
    return _OpenLink(token, found.names, found.until, maker, lent)


async def _seen(
    conn: AsyncConnection, request: SiteRequest, link: _OpenLink
) -> tuple[dict[str, SiteRow], Mapping[str, CheckReport]]:
    """The rows that the reader sees, and the reports of checks of those names that he sees no full row of."""
    links = request.context.links
    own = await chosen(conn, link.names, request.viewer, request.now, links)
    if request.account is None:
        own = {name: row for name, row in own.items() if row["open"]}
    if link.lent is None:
        return own, {}
    seen = await chosen(conn, link.names, link.lent, request.now, links)
    seen |= {name: row for name, row in own.items() if name not in seen or row["detail"] == "full"}
    rest = [name for name in link.names if name not in seen or seen[name]["detail"] != "full"]
    return seen, await shared_reports(conn, link.maker.id, rest)


async def _report(
    conn: AsyncConnection, request: SiteRequest, link: _OpenLink, name: str
) -> FullReport | CheckReport | None:
    """The full report of a name of the link that its reader may see, in his own right or by the link."""
    for viewer in (request.viewer if request.account else None, link.lent):
        if viewer is not None:
            _, report = await store.report(conn, name, viewer, request.now, request.context.links)
            if report is not None and report["detail"] == "full":
                return report
    return (await shared_reports(conn, link.maker.id, [name])).get(name) if link.lent else None


def _report_page(
    request: SiteRequest, link: _OpenLink, report: FullReport | CheckReport, visited: Collection[str]
) -> Response:
    values = report_values(report, request.now, provider_titles(request))
    around = {"several": len(link.names) > 1, "until": link.until, "visited": report["domain"] in visited}
    return _private(request.page("shared_report.html", **values, **around, token=link.token))


def _private(response: Response) -> Response:
    """The address is the key: search engines leave the page out, and no site that it links to learns it."""
    response.headers["X-Robots-Tag"] = "noindex, nofollow"
    response.headers["Referrer-Policy"] = "no-referrer"
    return response
