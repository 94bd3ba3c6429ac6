"""Ending mails with one click: the address in a mail is the proof, no sign-in is asked (RFC 8058)."""

from __future__ import annotations

from starlette.responses import Response

from afterdrop.delivery.mail.unsubscribe import read_token, unsubscribe
from afterdrop.web.site.site_request import SiteRequest


async def unsubscribe_page(visit: SiteRequest) -> Response:
    """A button: mail scanners open links, they must not end anything."""
    known = read_token(visit.env.secret_box, visit.request.path_params["token"], visit.now)
    topic = known[1] if known else None
    return visit.page("unsubscribe.html", 200 if known else 410, topic=topic, done=False)


async def end_mails(visit: SiteRequest) -> Response:
    """End the mails of the link's topic; also what mail programs send by themselves."""
    known = read_token(visit.env.secret_box, visit.request.path_params["token"], visit.now)
    if known is None:
        return visit.page("unsubscribe.html", 410, topic=None, done=False)
    async with visit.env.database.write() as conn:
        await unsubscribe(conn, *known)
    return visit.page("unsubscribe.html", topic=known[1], done=True)
