"""Links that somebody else put into a page: spam phrases on links to other registrable domains, or hidden ones.

Pure. A shop's own absolute links are no injected links, so without a known site only hidden ones count.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from afterdrop.review.page.quotes import quote
from afterdrop.review.page.reading import Category, Evidence, OutLink, Zone
from afterdrop.review.spam.lexicon import Hit, Lexicon
from afterdrop.review.spam.page_spam import Zoned, evidence_of, tally

VISIBLE_STRONG, HIDDEN_STRONG, HIDDEN_TEXT_STRONG = 3, 1, 4
_EVIDENCE_MOST = 6
_ANCHOR_WORDS = 8


@dataclass(frozen=True, slots=True)
class InjectedFinding:
    """Links or hidden text of a trade in a page that is not of it; `strict` makes the page spam."""

    category: Category
    strict: bool
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class _Planted:
    """A link with a spam phrase."""

    link: OutLink
    hit: Hit


def find_injected(
    links: Iterable[OutLink], hidden: str, language: str | None, lexicon: Lexicon, source: str
) -> InjectedFinding | None:
    """Injected links first, hidden text second; None when neither says anything."""
    planted = [
        _Planted(link, hits[0])
        for link in links
        if (link.external or link.hidden) and (hits := _spam_hits(link.text, language, lexicon))
    ]
    strong = [item for item in planted if item.hit.term.level == 3]
    secret = [item for item in planted if item.link.hidden]
    seen = [item for item in strong if item.link.external]
    strict = (
        any(item.hit.term.level == 3 for item in secret)
        or len({item.hit.term.phrase for item in secret}) >= 2
        or len({item.link.text.lower() for item in seen}) >= VISIBLE_STRONG
    )
    if strict or seen:
        shown = secret + [item for item in seen if item not in secret]
        return InjectedFinding("injected", strict, _link_evidence(shown, lexicon.version, strict, source))
    return _hidden_text(hidden, language, lexicon, source)


def _spam_hits(text: str, language: str | None, lexicon: Lexicon) -> list[Hit]:
    if not text:
        return []
    hits = [hit for hit in lexicon.hits(text, language) if hit.term.level >= 2]
    hits.sort(key=lambda hit: -hit.term.level)
    return hits if len(text.split()) <= _ANCHOR_WORDS or (hits and hits[0].term.level == 3) else []


def _hidden_text(hidden: str, language: str | None, lexicon: Lexicon, source: str) -> InjectedFinding | None:
    best: InjectedFinding | None = None
    for category, counted in tally([Zoned("hidden", hidden)], language, lexicon).items():
        if len(counted.body[3]) < HIDDEN_TEXT_STRONG:
            continue
        shown = [(hit, text) for level, _, hit, text in counted.shown if level == 3][:_EVIDENCE_MOST]
        evidence = tuple(
            evidence_of(hit.term, "hidden", quote(text, hit.start, hit.end, source), 2, lexicon.version)
            for hit, text in shown
        )
        best = InjectedFinding(category, False, evidence)
    return best


def _link_evidence(planted: list[_Planted], version: str, strict: bool, source: str) -> tuple[Evidence, ...]:
    items: list[Evidence] = []
    for item in planted[:_EVIDENCE_MOST]:
        zone: Zone = "hidden" if item.link.hidden else "link"
        quoted = quote(item.link.text, 0, min(len(item.link.text), 160), source)
        items.append(
            Evidence(
                code="hidden_link" if item.link.hidden else "injected_link",
                category=item.hit.term.category,
                severity=3 if strict else 2,
                zone=zone,
                quote=quoted,
                rule=f"link to {item.link.target_domain}: {item.hit.term.phrase}",
                lexicon=version,
            )
        )
    return tuple(items)
