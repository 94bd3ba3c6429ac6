"""The captures that the web archive has of each domain's pages.

Pure. Rows have the seven fields of the Wayback index. Spellings with http, https, www and :80, redirects, missing
pages and revisits occur as they do in the real index.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from afterdrop.sandbox import pages, sites
from afterdrop.sandbox.pages import PageRenderer, SitePage
from afterdrop.sandbox.story import Era, Story


@dataclass(frozen=True, slots=True)
class Capture:
    """One row of the index with the page that was captured."""

    urlkey: str
    timestamp: str
    original: str
    mimetype: str
    status: str
    page: SitePage

    def row(self) -> tuple[str, ...]:
        """The seven fields, in the index's order."""
        length = "512" if self.mimetype == "warc/revisit" else str(self.page.length)
        return (
            self.urlkey, self.timestamp, self.original, self.mimetype, self.status, self.page.digest, length,
        )  # fmt: skip


def surt(host: str, path: str) -> str:
    """The index's key of an address: labels reversed, www and port dropped, path in lower case.

    >>> surt("www.example.com", "/A")
    'com,example)/a'
    """
    name = host.partition(":")[0].lower().removeprefix("www.")
    return f"{','.join(reversed(name.split('.')))}){path.lower() or '/'}"


def captures_of(story: Story, rendered: PageRenderer) -> tuple[Capture, ...]:
    """Every capture of a domain in the index's order: by key, then by time."""
    rng = random.Random(f"captures:{story.domain}:{story.index}")
    rows: list[Capture] = []
    for number, era in enumerate(story.eras):
        for path, often, likely in _plan(story, era):
            for moment in _moments(rng, era, often, likely):
                rows.append(_capture(rng, story, number, path, moment, rendered))
    rows.sort(key=lambda row: (row.urlkey, row.timestamp))
    return tuple(_revisits(rng, rows))


def _plan(story: Story, era: Era) -> Iterator[tuple[str, int, float]]:
    """The paths of an era: how many captures a year are tried, and how likely each of them succeeds."""
    if era.scene in ("parked", "placeholder"):
        yield "/", 3, 0.9
        return
    yield "/", 4, 0.85
    own = sites.paths(story.domain, era) if era.scene != "spam" else ()
    for path in own[1:]:
        yield path, 1, 0.45
    for path in pages.spam_paths(era):
        yield path, 1, 0.7
    yield "/style.css", 1, 0.3
    yield "/robots.txt", 1, 0.3
    yield "/logo.png", 1, 0.2
    yield "/wp-login.php", 1, 0.12


def _moments(rng: random.Random, era: Era, often: int, likely: float) -> Iterator[datetime]:
    span = max(1, int((era.end - era.start).total_seconds()))
    step = min(span, 365 * 86400 // often)
    at_least = often > 1
    for begin in range(0, span, step):
        wide = min(step, span - begin)
        shift = rng.randrange(wide)
        if rng.random() < likely or at_least:
            yield era.start + timedelta(seconds=begin + shift)
            at_least = False


def _capture(
    rng: random.Random, story: Story, number: int, path: str, moment: datetime, rendered: PageRenderer
) -> Capture:
    scheme, host = _address(rng, story.domain, moment)
    page = rendered.of_era(story, number, path, moment)
    if path == "/" and moment.year >= 2017 and scheme == "http":
        page = pages.redirect(f"https://{story.domain}/")
    return Capture(
        urlkey=surt(host, path),
        timestamp=moment.strftime("%Y%m%d%H%M%S"),
        original=f"{scheme}://{host}{path}",
        mimetype=page.mimetype,
        status=str(page.status),
        page=page,
    )


def _address(rng: random.Random, domain: str, moment: datetime) -> tuple[str, str]:
    host = f"www.{domain}" if rng.random() < 0.35 else domain
    if moment.year < 2017:
        return "http", f"{host}:80" if rng.random() < 0.4 else host
    return ("http" if rng.random() < 0.15 else "https"), host


def _revisits(rng: random.Random, rows: list[Capture]) -> Iterator[Capture]:
    """Turn some captures that repeat the one before into revisits."""
    before: Capture | None = None
    for row in rows:
        same = before is not None and row.urlkey == before.urlkey and row.page.digest == before.page.digest
        if same and row.status == "200" and rng.random() < 0.4:
            row = Capture(row.urlkey, row.timestamp, row.original, "warc/revisit", "-", row.page)
        yield row
        before = row
