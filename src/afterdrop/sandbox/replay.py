"""Which capture a replay address means, and how the archive dresses it (Memento, RFC 7089).

Pure. `id_` gives the raw body, `if_` and others the page with rewritten links, no modifier adds the toolbar too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from html import escape
from urllib.parse import urlsplit

from afterdrop.sandbox.captures import Capture, surt

_ADDRESS = re.compile(r"/(?P<stamp>\d{1,14}|\*)(?P<modifier>(?:[a-z]{2}_)?)/(?P<url>.+)", re.DOTALL)
_LINK = re.compile(r'(?P<name>\b(?:href|src|action))="(?P<url>https?://[^"]+|/[^"/][^"]*|/)"')
_TOOLBAR = (
    '<!-- BEGIN WAYBACK TOOLBAR INSERT --><div id="wm-ipp-base" lang="en"><div id="wm-ipp">'
    '<a href="/web/">Archive</a> {count} captures of <b>{url}</b></div></div><!-- END WAYBACK TOOLBAR INSERT -->'
)
_SCRIPTS = (
    '<script type="text/javascript" src="/_static/js/bundle-playback.js" charset="utf-8"></script>'
    '<link rel="stylesheet" type="text/css" href="/_static/css/banner-styles.css"/>'
    "<!-- End Wayback Rewrite JS Include -->"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A replay address taken apart."""

    stamp: str
    modifier: str
    url: str

    @property
    def key(self) -> str:
        """The index's key of the address asked for."""
        parts = urlsplit(self.url if "//" in self.url else f"http://{self.url}")
        return surt(parts.netloc, parts.path + (f"?{parts.query}" if parts.query else ""))


@dataclass(frozen=True, slots=True)
class Answer:
    """What the archive sends."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def asked(path: str) -> Asked | None:
    """A replay path below `/web`, None when it is not one."""
    found = _ADDRESS.fullmatch(path)
    if not found or found["stamp"] == "*":
        return None
    url = re.sub(r"^(https?:)/(?!/)", r"\1//", found["url"])
    return Asked(found["stamp"], found["modifier"], url)


def nearest(captures: Sequence[Capture], question: Asked, latest: str) -> Capture | None:
    """The capture nearest in time to the one asked for, none later than `latest`."""
    wanted = _seconds(question.stamp.ljust(14, "0") if len(question.stamp) > 3 else "20000101000000")
    there = [item for item in captures if item.urlkey == question.key and item.timestamp <= latest]
    return min(there, key=lambda item: abs(_seconds(item.timestamp) - wanted), default=None)


def _seconds(stamp: str) -> float:
    year, month, day = int(stamp[:4]), int(stamp[4:6]) or 1, int(stamp[6:8]) or 1
    try:
        moment = datetime(
            year, month, day, int(stamp[8:10]), int(stamp[10:12]), int(stamp[12:14]), tzinfo=UTC
        )
    except ValueError:
        moment = datetime(max(1, min(year, 9999)), 1, 1, tzinfo=UTC)
    return moment.timestamp()


def serve(found: Capture | None, question: Asked, captures: Sequence[Capture], origin: str) -> Answer:
    """The archive's answer: a redirect to the true timestamp, the capture, or 404 without memento headers."""
    if found is None:
        said = f"The Wayback Machine has not archived that URL: {escape(question.url[:200])}"
        body = f"<html><head><title>Wayback Machine</title></head><body>{said}</body></html>"
        return Answer(404, {"Content-Type": "text/html; charset=utf-8"}, body.encode("utf-8", "replace"))
    if question.stamp != found.timestamp:
        where = f"{origin}/web/{found.timestamp}{question.modifier}/{found.original}"
        reason = f"found capture at {found.timestamp}"
        return Answer(302, {"Location": where, "X-Archive-Redirect-Reason": reason}, b"")
    page = found.page
    headers = _memento(found, captures, origin)
    if page.location:
        headers["Location"] = f"{origin}/web/{found.timestamp}{question.modifier}/{page.location}"
    headers["Content-Type"] = page.content_type
    if question.modifier == "id_" or page.mimetype != "text/html":
        return Answer(page.status, headers, page.body)
    charset = page.charset or "utf-8"
    html = _rewritten(page.body.decode(charset, "replace"), found, question.modifier, len(captures))
    headers["Content-Type"] = f"text/html; charset={charset}"
    return Answer(page.status, headers, html.encode(charset, "xmlcharrefreplace"))


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
    return format_datetime(datetime.fromtimestamp(_seconds(stamp), UTC), usegmt=True)


def _rewritten(html: str, found: Capture, modifier: str, count: int) -> str:
    host = urlsplit(found.original)

    def absolute(match: re.Match[str]) -> str:
        url = match["url"]
        full = url if url.startswith("http") else f"{host.scheme}://{host.netloc}{url}"
        kind = modifier or ("im_" if match["name"] == "src" else "")
        return f'{match["name"]}="/web/{found.timestamp}{kind}/{full}"'

    changed = _LINK.sub(absolute, html).replace("<head>", f"<head>{_SCRIPTS}", 1)
    if modifier:
        return changed
    toolbar = _TOOLBAR.format(count=count, url=found.original)
    return re.sub(r"(<body[^<>]*>)", lambda body: body[1] + toolbar, changed, count=1)
