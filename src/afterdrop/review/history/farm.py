"""Farms: sites of pages made by the thousand for search engines, known by their addresses and by two of those pages.

Pure. No page of a farm need look like spam: coloring pages, recipes, biographies. The sign is that thousands of
addresses are built alike, and that the pages behind them are more doubtful than honest pages are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from afterdrop.review.page.text import families, slug_of
from afterdrop.review.page.values import PageReading
from afterdrop.sources.archive.cdx_index import ArchivedPage, Index

# So many addresses of one build are a family: a farm's, or a shop's shelf.
LEAST = 30
FAMILIES, EACH = 2, 2
# A farm by its two pages: chances of spam with which both must be read, alone or where so many addresses are alike.
REJECTED, LIKELY, DOUBTFUL, SHARE = 0.5, 0.3, 0.15, 0.2
# A farm by its addresses: honest sites of such a size have no such share.
LARGE, MOST = 2_000, 0.4
# Characters of an address that are shown, and of its last piece that are looked at.
_SHOWN, _LONGEST = 100, 300
_FRONT = re.compile(r"(?:index|default|home)\.[a-z]{3,5}$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Farm:
    """Addresses of one site that are built alike: `alike` of `total`, such as `example`.

    `pages` are two of each of the largest families, the largest first.
    """

    alike: int
    total: int
    example: str
    pages: tuple[ArchivedPage, ...]

    @property
    def share(self) -> float:
        """The share of all addresses that are built alike, 0 to 1."""
        return self.alike / self.total

    @property
    def note(self) -> str:
        """The index's evidence, as a sentence without its full stop."""
        alike = f"{self.alike:,} of {self.total:,} archived addresses are built alike"
        return f"{alike}, such as {self.example[:_SHOWN]}"


def find_farm(index: Index) -> Farm | None:
    """The families of LEAST addresses and more in a site's index; None where there is none."""
    slugs = {path: _words(slug_of(_FRONT.sub("", path))) for path in index.paths}
    large = [family for family in families(slugs) if len(family) >= LEAST]
    if not large:
        return None
    chosen = dict.fromkeys(path for family in large[:FAMILIES] for path in (family[0], family[-1]))
    pages = tuple(page for page in map(index.page_at, chosen) if page is not None)
    alike = len({path for family in large for path in family})
    return Farm(alike, len(index.paths), large[0][0], pages)


def _words(slug: str) -> str:
    """A slug without the dates and running numbers at its ends: a newspaper's months are no family."""
    words = slug[:_LONGEST].split("-")
    telling = [place for place, word in enumerate(words) if not word.isdigit()]
    return "-".join(words[telling[0] : telling[-1] + 1]) if telling else ""


def farmed(farm: Farm, pages: Sequence[PageReading]) -> Literal["spam", "suspect"] | None:
    """The result of a farm's addresses and the `pages` read of it together; None where they tell nothing.

    Two pages must be doubtful, as one may be read wrongly; addresses alone tell only where a page stands behind them.
    """
    chances = sorted((page.spam_chance for page in pages), reverse=True)
    both = chances[EACH - 1] if len(chances) >= EACH else 0.0
    if both >= REJECTED:
        return "spam"
    many = bool(pages) and farm.total >= LARGE and farm.share >= MOST
    return "suspect" if many or both >= (DOUBTFUL if farm.share >= SHARE else LIKELY) else None
