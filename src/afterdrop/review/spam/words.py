"""Spam words where there is no page to read: addresses in an archive's index, and anchor texts of backlinks.

Pure. Addresses cost nothing: the doorways of a hacked site show in its index long before a capture is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import unquote

from afterdrop.review.page.archive_traces import original_url
from afterdrop.review.page.quotes import QUOTE_CHARS
from afterdrop.review.page.reading import Category, Evidence
from afterdrop.review.page.scripts import script_of
from afterdrop.review.spam.lexicon import Hit, lexicon

_ANCHOR_CHARS = 300
_PATH_CHARS = 600
# A medium phrase ("online casino") marks an anchor when it is at least this share of it.
_COVERED = 0.5
_ORIGIN = re.compile(r"^(?:[a-z][a-z0-9+.-]*:)?//[^/]*", re.IGNORECASE)
_BETWEEN = re.compile(r"[-_/+.=&,;:~|!()\[\]{}?#%]+")


@dataclass(frozen=True, slots=True)
class SpamPath:
    """An address whose path speaks of spam, with what it says."""

    path: str
    evidence: Evidence


def spam_paths(paths: Iterable[str]) -> list[SpamPath]:
    """The addresses (URLs or paths) with spam phrases in path or query, most telling first.

    Severity 2 for a strong phrase (`/buy-viagra-online`), 1 for two product words (`/online-casino/slots`).
    """
    found = [hit for path in paths if (hit := _spam_path(path))]
    return sorted(found, key=lambda hit: -hit.evidence.severity)


def _spam_path(path: str) -> SpamPath | None:
    shown = unquote(_ORIGIN.sub("", original_url(path)), errors="ignore")[:_PATH_CHARS]
    text = _BETWEEN.sub(" ", shown)
    hits = sorted((h for h in lexicon().hits(text, None) if h.term.level > 0), key=lambda h: -h.term.level)
    if not hits:
        return None
    best = hits[0]
    if best.term.level < 3 and not _two_products(hits):
        return None
    category = best.term.category
    evidence = Evidence(
        code="spam_path",
        category=category,
        severity=2 if best.term.level == 3 else 1,
        zone="url",
        quote=path[:QUOTE_CHARS],
        rule=f"{category}.{best.term.language}: {best.term.phrase}",
        lexicon=lexicon().version,
    )
    return SpamPath(path, evidence)


def _two_products(hits: list[Hit]) -> bool:
    products: dict[Category, set[str]] = {}
    for hit in hits:
        if hit.term.level == 2:
            products.setdefault(hit.term.category, set()).add(hit.term.phrase)
    return any(len(phrases) >= 2 for phrases in products.values())


def spam_anchor(text: str) -> Category | None:
    """The trade an anchor text sells, or None.

    A strong phrase anywhere in it, or product words over half of it: "online casino" yes, "how the new law changes
    online casino licensing" no.
    """
    shown = " ".join(text[:_ANCHOR_CHARS].split())
    hits = lexicon().hits(shown, None)
    strong = [hit for hit in hits if hit.term.level == 3]
    if strong:
        return strong[0].term.category
    letters = sum(map(str.isalpha, shown))
    covered: dict[Category, int] = {}
    for hit in hits:
        if hit.term.level == 2 or (hit.term.level == 1 and _names_product(hit)):
            size = sum(map(str.isalpha, shown[hit.start : hit.end]))
            covered[hit.term.category] = covered.get(hit.term.category, 0) + size
    best = max(covered, key=lambda category: covered[category], default=None)
    return best if best and covered[best] >= letters * _COVERED else None


def _names_product(hit: Hit) -> bool:
    """Words weak on a page but telling as an anchor: a medicine's or a game house's bare name."""
    return (
        hit.term.language == "any"
        and hit.term.category in {"pharma", "gambling"}
        and script_of(hit.term.phrase[0]) == "Latin"
    )
