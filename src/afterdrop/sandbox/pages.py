"""The pages of each domain at any moment of its past: honest pages, parked pages, spam, redirects and missing pages.

Pure. `PageRenderer` renders on demand and keeps what it rendered.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from dataclasses import dataclass, field
from datetime import datetime
from html import escape

from afterdrop.sandbox import sites
from afterdrop.sandbox.story import Era, Story
from afterdrop.sandbox.texts import SpamTexts, landers, spams

_ASSETS = {
    "/style.css": ("text/css", b"body{font-family:Georgia,serif;max-width:60em;margin:auto}nav a{margin-right:1em}\n"),
    "/robots.txt": ("text/plain", b"User-agent: *\nAllow: /\n"),
    "/logo.png": ("image/png", bytes.fromhex("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489")),
    "/logo.gif": ("image/gif", b"GIF89a" + bytes.fromhex("0100010080000000000000ffffff21f90401000000")),
}  # fmt: skip
_MISSING = b"<html><head><title>404 Not Found</title></head><body><h1>Not Found</h1></body></html>"


@dataclass(frozen=True, slots=True)
class SitePage:
    """One response of the old web server. `digest` is the archive's: SHA-1 in base 32."""

    status: int
    mimetype: str
    charset: str
    body: bytes
    location: str = ""
    digest: str = ""
    length: int = 0

    @property
    def content_type(self) -> str:
        """The Content-Type header."""
        return f"{self.mimetype}; charset={self.charset}" if self.charset else self.mimetype


@dataclass
class PageRenderer:
    """Renders the pages of one world, each once."""

    _kept: dict[tuple[int, int, str, int], SitePage] = field(default_factory=dict)

    def at(self, story: Story, path: str, moment: datetime) -> SitePage | None:
        """The response to `path` at `moment`; None when no site stood there."""
        for number, era in enumerate(story.eras):
            if era.start <= moment <= era.end:
                return self.of_era(story, number, path, moment)
        return None

    def of_era(self, story: Story, number: int, path: str, moment: datetime) -> SitePage:
        """The response to `path` in era `number` of the domain."""
        era = story.eras[number]
        edition = sites.edition_number(era, (moment - era.start).days)
        key = (story.index, number, path, edition)
        if key not in self._kept:
            self._kept[key] = _page(story.domain, era, path, edition)
        return self._kept[key]


def spam_paths(era: Era) -> tuple[str, ...]:
    """The paths that a spammer added in this era."""
    trade = spams().get(era.spam or era.key)
    if trade is None or era.scene == "injected":
        return ()
    return (
        *trade.paths,
        *(path.replace(".html", "-2.html").rstrip("/") + "-2" * (path[-1] == "/") for path in trade.paths),
    )


def redirect(target: str) -> SitePage:
    """A permanent redirect to `target`."""
    body = f'<html><head><title>301 Moved Permanently</title></head><body><a href="{target}">here</a></body></html>'
    return _with_digest(301, "text/html", "", body.encode(), target)


def missing() -> SitePage:
    """The old web server's own 404."""
    return _with_digest(404, "text/html", "iso-8859-1", _MISSING)


def _page(domain: str, era: Era, path: str, edition: int) -> SitePage:
    if path in _ASSETS:
        mimetype, body = _ASSETS[path]
        return _with_digest(200, mimetype, "", body)
    if era.scene in ("parked", "placeholder"):
        lander = landers()[era.key]
        token = hashlib.md5(f"{domain}{edition}".encode(), usedforsecurity=False).hexdigest()[:12]
        stem = domain.partition(".")[0].replace("-", " ").title()
        return _text(lander.html.format(domain=domain, token=token, stem=stem), "utf-8")
    if era.scene == "spam" or path in spam_paths(era):
        return _text(spam_page(domain, spams()[era.spam or era.key], path), "utf-8")
    here = sites.edition_of(domain, era, edition)
    if path not in sites.paths(domain, era):
        return missing()
    html, charset = sites.render(here, path)
    if era.scene == "hacked" and path == "/":
        html, charset = _hacked(html, domain, spams()[era.spam]), "utf-8"
    if era.scene == "injected":
        html = html.replace("</body>", f"{_hidden_links(spams()[era.spam])}</body>")
    return _text(html, charset)


def spam_page(domain: str, trade: SpamTexts, path: str) -> str:
    """A page of a spammer's site."""
    turn = len(path) % len(trade.paragraphs)
    texts = "".join(f"<p>{escape(text)}</p>" for text in trade.paragraphs[turn:] + trade.paragraphs[:turn])
    inner = "".join(
        f'<li><a href="{where}">{escape(phrase)}</a></li>'
        for where, phrase in zip(trade.paths, trade.phrases, strict=False)
    )
    title = trade.title if path == "/" else f"{trade.phrases[len(path) % len(trade.phrases)]} – {trade.title}"
    return (
        f'<!doctype html><html lang="{trade.language}"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="description" content="{escape(trade.paragraphs[0][:150])}"></head><body><h1>{escape(title)}</h1>'
        f"<nav><ul>{inner}</ul></nav>{texts}<aside>{_links(trade, 8)}</aside><footer>{domain}</footer></body></html>"
    )


def _hacked(html: str, domain: str, trade: SpamTexts) -> str:
    head = f"<title>{escape(trade.title)}</title>"
    start, end = html.index("<title>"), html.index("</title>") + len("</title>")
    texts = "".join(f"<p>{text}</p>" for text in trade.paragraphs)
    goods = "".join(
        f'<a href="https://{domain}{where}">{phrase}</a> '
        for where, phrase in zip(trade.paths, trade.phrases, strict=False)
    )
    changed = html[:start] + head + html[end:]
    return changed.replace("<h1>", f"<h1>{trade.title}</h1>{texts}<p>{goods}</p><h1>", 1)


def _links(trade: SpamTexts, count: int) -> str:
    names = (f"{trade.category}-{word}{number}" for number in range(1, 9) for word in ("top", "best", "vip"))
    pairs = zip(names, trade.phrases * 8, range(count), strict=False)
    return " ".join(f'<a href="https://{name}.top/">{escape(phrase)}</a>' for name, phrase, _ in pairs)


def _hidden_links(trade: SpamTexts) -> str:
    return f'<div style="position:absolute;left:-9999px;top:0">{_links(trade, 18)}</div>'


def _text(html: str, charset: str) -> SitePage:
    return _with_digest(200, "text/html", charset, html.encode(charset, "xmlcharrefreplace"))


def _with_digest(status: int, mimetype: str, charset: str, body: bytes, location: str = "") -> SitePage:
    digest = base64.b32encode(hashlib.sha1(body, usedforsecurity=False).digest()).decode()
    length = len(zlib.compress(body, 1)) + 320
    return SitePage(status, mimetype, charset, body, location, digest, length)
