"""The web archive over HTTP: `/cdx/search/cdx` and `/web/<timestamp><modifier>/<url>` in the Wayback dialect.

A replay is the response that an address means, with its headers (Memento, RFC 7089): the modifier `id_` gives the raw
body, no modifier the page with a toolbar and rewritten links, for those who follow a report's links.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from html import escape
from urllib.parse import urlsplit

from aiohttp import web

from afterdrop.sandbox import cdx
from afterdrop.sandbox.captures import Capture, surt
from afterdrop.sandbox.state import SandboxState

_ADDRESS = re.compile(r"/(?P<stamp>\d{14})(?P<modifier>(?:id_)?)/(?P<url>https?://.+)", re.DOTALL)
_LINK = re.compile(r'(?P<name>\b(?:href|src|action))="(?P<url>https?://[^"]+|/[^"/][^"]*|/)"')
_TOOLBAR = (
    '<!-- BEGIN WAYBACK TOOLBAR INSERT --><div id="wm-ipp-base" lang="en"><div id="wm-ipp">'
    '<a href="/web/">Archive</a> {count} captures of <b>{url}</b></div></div><!-- END WAYBACK TOOLBAR INSERT -->'
)


@dataclass(frozen=True, slots=True)
class ReplayAddress:
    """The parts of a replay address."""

    stamp: str
    modifier: str
    url: str

    @property
    def key(self) -> str:
        """The key of the requested address in the index."""
        parts = urlsplit(self.url)
        return surt(parts.netloc, parts.path + (f"?{parts.query}" if parts.query else ""))


@dataclass(frozen=True, slots=True)
class ReplayResponse:
    """The archive's response."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def parse_address(path: str) -> ReplayAddress | None:
    """The parts of a replay path below `/web`; None when it is none."""
    found = _ADDRESS.fullmatch(path)
    return ReplayAddress(found["stamp"], found["modifier"], found["url"]) if found else None


def nearest(captures: Sequence[Capture], address: ReplayAddress, latest: str) -> Capture | None:
    """The capture nearest to the requested time, not later than `latest`."""
    wanted = _time(address.stamp)
    there = [item for item in captures if item.urlkey == address.key and item.timestamp <= latest]
    return min(there, key=lambda item: abs(_time(item.timestamp) - wanted), default=None)


def _time(stamp: str) -> datetime:
    return datetime.strptime(stamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC)


def replay_response(
    found: Capture | None, address: ReplayAddress, captures: Sequence[Capture], origin: str
) -> ReplayResponse:
    """A redirect to the capture's own timestamp, the capture, or a 404 without Memento headers."""
    if found is None:
        said = f"The Wayback Machine has not archived that URL: {escape(address.url[:200])}"
        body = f"<html><head><title>Wayback Machine</title></head><body>{said}</body></html>"
        return ReplayResponse(
            404, {"Content-Type": "text/html; charset=utf-8"}, body.encode("utf-8", "replace")
        )
    if address.stamp != found.timestamp:
        where = f"{origin}/web/{found.timestamp}{address.modifier}/{found.original}"
        reason = f"found capture at {found.timestamp}"
        return ReplayResponse(302, {"Location": where, "X-Archive-Redirect-Reason": reason}, b"")
    page = found.page
    headers = _memento(found, captures, origin)
    if page.location:
        headers["Location"] = f"{origin}/web/{found.timestamp}{address.modifier}/{page.location}"
    headers["Content-Type"] = page.content_type
    if address.modifier == "id_" or page.mimetype != "text/html":
        return ReplayResponse(page.status, headers, page.body)
    charset = page.charset or "utf-8"
    html = _rewritten(page.body.decode(charset, "replace"), found, len(captures))
    headers["Content-Type"] = f"text/html; charset={charset}"
    return ReplayResponse(page.status, headers, html.encode(charset, "xmlcharrefreplace"))


def _memento(found: Capture, captures: Sequence[Capture], origin: str) -> dict[str, str]:
    same = [item for item in captures if item.urlkey == found.urlkey]
    links = [
        f'<{found.original}>; rel="original"',
        f'<{origin}/web/timemap/link/{found.original}>; rel="timemap"; type="application/link-format"',
        f'<{origin}/web/{found.original}>; rel="timegate"',
    ]
    for name, item in (("first memento", same[0]), ("memento", found), ("last memento", same[-1])):
        where = f"{origin}/web/{item.timestamp}/{item.original}"
        links.append(f'<{where}>; rel="{name}"; datetime="{_http_date(item.timestamp)}"')
    return {
        "Memento-Datetime": _http_date(found.timestamp),
        "Link": ", ".join(links),
        "X-Archive-Src": f"sandbox-{found.timestamp[:6]}-00000.warc.gz",
        "X-Archive-Orig-Date": _http_date(found.timestamp),
        "X-Archive-Orig-Content-Type": found.page.content_type,
        "X-Archive-Orig-Content-Length": str(len(found.page.body)),
        "X-Archive-Orig-Server": "Apache/2.2.22 (Debian)",
        **({"X-Archive-Orig-Location": found.page.location} if found.page.location else {}),
    }


def _http_date(stamp: str) -> str:
    return format_datetime(_time(stamp), usegmt=True)


def _rewritten(html: str, found: Capture, count: int) -> str:
    host = urlsplit(found.original)

    def absolute(match: re.Match[str]) -> str:
        url = match["url"]
        full = url if url.startswith("http") else f"{host.scheme}://{host.netloc}{url}"
        return f'{match["name"]}="/web/{found.timestamp}/{full}"'

    toolbar = _TOOLBAR.format(count=count, url=found.original)
    return re.sub(r"(<body[^<>]*>)", lambda body: body[1] + toolbar, _LINK.sub(absolute, html), count=1)


def routes(sandbox: SandboxState) -> Iterator[web.RouteDef]:
    """The routes of the index and of the replay."""

    async def index(request: web.Request) -> web.StreamResponse:
        latest = _stamp(sandbox)
        there = _captures(sandbox, request.query["url"])
        rows = (item.row() for item in there if item.timestamp <= latest)
        try:
            body = cdx.answer_query(rows, request.query)
        except ValueError as error:
            return web.Response(status=400, text=f"Bad Request: {error}\n", content_type="text/plain")
        return _packed(request, web.Response(body=body, content_type="text/plain", charset="utf-8"))

    async def play(request: web.Request) -> web.StreamResponse:
        return _play(sandbox, request)

    yield web.get("/cdx/search/cdx", index)
    yield web.get("/web/{rest:.+}", play)


def _stamp(sandbox: SandboxState) -> str:
    return sandbox.clock.now().strftime("%Y%m%d%H%M%S")


def _captures(sandbox: SandboxState, host: str) -> tuple[Capture, ...]:
    story = sandbox.world.find(host)
    return sandbox.world.captures(story) if story else ()


def _play(sandbox: SandboxState, request: web.Request) -> web.Response:
    raw = request.raw_path.removeprefix("/web")
    address = parse_address(raw)
    if address is None:
        return web.Response(status=404, text="not a replay address")
    host = address.key.partition(")")[0]
    captures = _captures(sandbox, ".".join(reversed(host.split(","))))
    found = nearest(captures, address, _stamp(sandbox))
    answer = replay_response(found, address, captures, sandbox.origins["archive"])
    return _packed(request, web.Response(status=answer.status, headers=answer.headers, body=answer.body))


def _packed(request: web.Request, response: web.Response) -> web.Response:
    if response.body and "gzip" in request.headers.get("Accept-Encoding", ""):
        response.enable_compression(web.ContentCoding.gzip)
    return response
