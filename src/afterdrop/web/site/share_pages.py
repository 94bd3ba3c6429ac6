"""Share links: made from chosen domains, listed, revoked, and opened by whoever has one.

A link names domains only. Its reader sees of them what his own plan and licence allow; a stranger sees the day's open
domains and the names of the others. Operators see names that a licence keeps from everybody else: their links do not
pass these on. Links of others are left as they are, or a link of guessed names would tell which of them are kept.
"""

from __future__ import annotations

import secrets
from typing import Final, NamedTuple

from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import Response

from afterdrop.catalogue.chosen_store import chosen, for_everybody
from afterdrop.catalogue.summary import SiteRow
from afterdrop.core.errors import AfterdropError
from afterdrop.desk import share_store
from afterdrop.desk.rules import BadEntry, shared
from afterdrop.web.actions.desk import lives_of
from afterdrop.web.problems import not_found
from afterdrop.web.site.attributions import attributions_for
from afterdrop.web.site.forms import whole_number
from afterdrop.web.site.mark_pages import chosen_names
from afterdrop.web.site.site_request import SiteRequest

_LONGEST_TOKEN: Final = 64


class Made(NamedTuple):
    """A new link: its address, how many names it has, and how many were left out of it."""

    address: str
    names: int
    left_out: int


async def shares_page(request: SiteRequest) -> Response:
    """The account's links, to be revoked; names that are pasted or given in the address (`d`) can be shared."""
    return await _shares(request)


async def change_shares(request: SiteRequest) -> Response:
    """Make a link, whose address is shown only now; or revoke one (`revoke`)."""
    gone = request.form.text("revoke")
    if gone:
        text = "Nobody will be able to open it any more. This cannot be undone, but you can create another."
        if asked := request.ask_once("Revoke this link?", text, "Revoke the link"):
            return asked
        async with request.context.database.write() as conn:
            if not await share_store.revoke(conn, request.member.id, whole_number(gone)):
                raise not_found("This link does not exist.")
        return request.redirect("/account/shares")
    token = secrets.token_urlsafe(share_store.TOKEN_BYTES)
    try:
        wanted = shared(chosen_names(request))
        async with request.context.database.write() as conn:
            names = await for_everybody(conn, wanted) if request.member.operator else wanted
            if not names:
                raise BadEntry("", "only operators may see these domains; a link cannot share them")
            await share_store.share(conn, request.member.id, token, names, request.now)
    except AfterdropError as error:
        request.form = request.form.refused(error, "d")
        return await _shares(request, error.status)
    address = f"{request.context.settings.site_url}/s/{token}"
    return await _shares(request, made=Made(address, len(names), len(wanted) - len(names)))


async def _shares(request: SiteRequest, status: int = 200, made: Made | None = None) -> Response:
    async with request.context.database.read() as conn:
        links = await share_store.links_of(conn, request.member.id, request.now)
    given = request.form.all("d") if request.form.errors else request.http.query_params.getlist("d")
    return request.page("shares.html", status, links=links, made=made, given=given[:100])


async def shared_page(request: SiteRequest) -> Response:
    """The domains of a link as its reader may see them. Search engines are told to leave it out."""
    token = request.http.path_params["token"]
    names: list[str] | None = None
    seen: dict[str, SiteRow] = {}
    async with request.context.database.read() as conn:
        if len(token) <= _LONGEST_TOKEN:
            names = await _names(conn, request, token)
        if names:
            seen = await chosen(conn, names, request.viewer, request.now, request.context.links)
    if request.account is None:
        seen = {name: row for name, row in seen.items() if row["open"]}
    values = {"names": names or [], "seen": seen, "gone": names is None}
    values["lives"] = await lives_of(request, list(seen.values()))
    response = request.page(
        "shared.html", 404 if names is None else 200, **values, credits=attributions_for(request)
    )
    response.headers["X-Robots-Tag"] = "noindex, nofollow"
    return response


async def _names(conn: AsyncConnection, request: SiteRequest, token: str) -> list[str] | None:
    """The names of a link that this reader may learn; None when there is no such link, or nothing left of it."""
    names = await share_store.shared_names(conn, token, request.now)
    if names and not request.viewer.operator and await share_store.by_operator(conn, token):
        names = await for_everybody(conn, names)
    return names or None
