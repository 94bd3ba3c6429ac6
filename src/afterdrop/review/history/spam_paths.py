"""Spam words in addresses of an archive's index: the doorways of a hacked site show long before a capture is read.

Pure. Addresses cost nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import unquote

from afterdrop.review.page.lexicon import lexicon
from afterdrop.review.page.source import original_url
from afterdrop.review.page.text import QUOTE_CHARS
from afterdrop.review.page.values import Category, Evidence, Hit

_PATH_CHARS = 600
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
