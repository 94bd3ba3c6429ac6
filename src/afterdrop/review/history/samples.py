"""One capture that was asked for, and what became of it: the unit every rule over a site's history works on.

Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from afterdrop.review.history.likeness import MUCH, likeness, shared_words
from afterdrop.review.page.values import PageReading
from afterdrop.sources.archive.cdx_index import archive_of

Kind = Literal["site", "suspect", "spam", "parked", "error", "redirect", "failed"]

_TOKEN = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class Sample:
    """One capture of a site that was read.

    `at` is the time the archive served, `asked` the one asked for (None when the same). `home` marks captures of
    the home page; a deep page tells of spam, not of the site's life. `length` is the index's record size.
    `reading` is None when there was nothing to read: then `redirected_to` or `failure` says why.
    `followed` marks what was asked for only to see where the home page redirected.
    """

    at: datetime
    url: str
    replay_url: str
    digest: str
    status: int
    home: bool = True
    length: int | None = None
    reading: PageReading | None = field(default=None, repr=False)
    redirected_to: str | None = None
    failure: str | None = None
    asked: datetime | None = None
    followed: bool = False

    @property
    def kind(self) -> Kind:
        """The kind of page here: the site itself, or something else."""
        if self.failure is not None:
            return "failed"
        if self.reading is None or self.redirected_to is not None:
            return "redirect"
        if self.status >= 400 or self.reading.verdict == "error":
            return "error"
        return "site" if self.reading.verdict == "clean" else self.reading.verdict

    @property
    def archive(self) -> str:
        """The name of the archive at whose address the capture is shown."""
        return archive_of(self.replay_url)

    @property
    def page(self) -> PageReading:
        """The reading; an empty one where nothing was read."""
        return self.reading or _NOTHING


_NOTHING = PageReading("error", error_kind="empty")


def title_words(title: str | None) -> frozenset[str]:
    """The words of a title that can tell two sites apart; of a script without blanks, pairs of letters."""
    words: set[str] = set()
    for word in _TOKEN.findall((title or "").lower()):
        if word[0] >= "\u0e00" and len(word) > 2:
            words.update(word[at : at + 2] for at in range(len(word) - 1))
        else:
            words.add(word)
    return frozenset(words) - shared_words()


def overlap(ours: frozenset[str], theirs: frozenset[str]) -> float:
    """Jaccard's measure; 0 where either is empty."""
    return len(ours & theirs) / len(ours | theirs) if ours and theirs else 0.0


def name_words(domain: str) -> frozenset[str]:
    """The words a domain name is made of, whole label and name included: a new owner inherits these with the name."""
    label = domain.partition(".")[0]
    return frozenset({domain, label, label.replace("-", ""), *label.split("-")})


def same_site(ours: PageReading, theirs: PageReading, inherited: frozenset[str]) -> bool:
    """Whether two pages look like one site, whatever else they say: a shared contact, a shared word of the brand that
    is more than the domain's own name, titles with most of their words in common, or much of one text: whoever breaks
    into a page changes its head and leaves the rest.
    """
    if (ours.contacts & theirs.contacts) - inherited:
        return True
    brand = (ours.brand_tokens & theirs.brand_tokens) - inherited - shared_words()
    if brand or _same_title(ours, theirs, inherited):
        return True
    alike = likeness(ours.text, theirs.text) if ours.language == theirs.language else None
    return alike is not None and alike >= MUCH


def _same_title(ours: PageReading, theirs: PageReading, inherited: frozenset[str]) -> bool:
    return overlap(title_words(ours.title) - inherited, title_words(theirs.title) - inherited) >= 0.5
