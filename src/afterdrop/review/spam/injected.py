"""Links that somebody else put into a page: spam phrases on links to other registrable domains, or hidden ones.

Pure. Links to the page's own domain are its menu, seen or hidden; without a known site only hidden ones count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from afterdrop.review.page.quotes import QUOTE_CHARS, quote
from afterdrop.review.page.reading import Category, Evidence, OutLink, Zone
from afterdrop.review.spam.lexicon import Hit, Lexicon
from afterdrop.review.spam.page_spam import evidence_of
from afterdrop.review.spam.page_words import Zoned, tally
from afterdrop.review.spam.words import spam_anchor

VISIBLE_STRONG, HIDDEN_TEXT_STRONG, OWN_LINKS = 3, 4, 3
# A hidden list of links is a menu from so many on, when fewer than one in so many tells of a trade.
MENU_LINKS, MENU_SHARE, MENU_STRONG = 12, 5, 3
_EVIDENCE_MOST = 6
# A whole sentence as a link cites its source; a planted link is a few words.
ANCHOR_WORDS = 8


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
    outside, unseen = _outside(tuple(links))
    planted = [_Planted(link, hits[0]) for link in outside if (hits := _spam_hits(link, language, lexicon))]
    strong = [item for item in planted if item.hit.term.level == 3]
    secret = [item for item in planted if item.link.hidden]
    seen = [item for item in strong if item.link.external]
    # A drop-down menu is hidden, too: one telling label among many others is a heading of it.
    menu = unseen >= MENU_LINKS and len(secret) * MENU_SHARE < unseen
    strict = (
        len({item.hit.term.phrase for item in secret if item.hit.term.level == 3})
        >= (MENU_STRONG if menu else 1)
        or (_several(secret) and not menu)
        or len({item.link.text.lower() for item in seen}) >= VISIBLE_STRONG
    )
    if strict or seen:
        shown = secret + [item for item in seen if item not in secret]
        return InjectedFinding("injected", strict, _link_evidence(shown, lexicon.version, strict, source))
    return _hidden_text(hidden, language, lexicon, source)


def _outside(links: Sequence[OutLink]) -> tuple[list[OutLink], int]:
    """The links that lead away from the page's own site, and how many links are hidden.

    Where nothing says which site the page is of, the domain most linked to is taken for it.
    """
    hidden = sum(link.hidden for link in links)
    if any(link.external for link in links):
        return [link for link in links if link.external], hidden
    (most, count), *_ = Counter(link.target_domain for link in links).most_common(1) or [("", 0)]
    own = most if count >= OWN_LINKS else ""
    return [link for link in links if link.hidden and link.target_domain != own], hidden


def _several(secret: Sequence[_Planted]) -> bool:
    """Whether hidden links say two things or, as sellers of one medicine do, lead to two sites with one."""
    return (
        len({item.hit.term.phrase for item in secret}) > 1 or len({i.link.target_domain for i in secret}) > 1
    )


def _spam_hits(link: OutLink, language: str | None, lexicon: Lexicon) -> list[Hit]:
    """What a link sells, the strongest first: product words and more, a hidden one's also a medicine's bare name."""
    if not link.text or len(link.text.split()) > ANCHOR_WORDS:
        return []
    least = 1 if link.hidden and spam_anchor(link.text) else 2
    hits = [hit for hit in lexicon.hits(link.text, language) if hit.term.level >= least]
    return sorted(hits, key=lambda hit: -hit.term.level)


def _hidden_text(hidden: str, language: str | None, lexicon: Lexicon, source: str) -> InjectedFinding | None:
    best: InjectedFinding | None = None
    for category, counted in tally([Zoned("hidden", hidden)], language, lexicon).trades.items():
        if counted.distinct(3) < HIDDEN_TEXT_STRONG:
            continue
        strong = [shown.hit for shown in counted.shown if shown.level == 3][:_EVIDENCE_MOST]
        evidence = tuple(
            evidence_of(hit.term, "hidden", quote(hidden, hit.start, hit.end, source), 2, lexicon.version)
            for hit in strong
        )
        best = InjectedFinding(category, False, evidence)
    return best


def _link_evidence(planted: list[_Planted], version: str, strict: bool, source: str) -> tuple[Evidence, ...]:
    items: list[Evidence] = []
    for item in planted[:_EVIDENCE_MOST]:
        zone: Zone = "hidden" if item.link.hidden else "link"
        quoted = quote(item.link.text, 0, min(len(item.link.text), QUOTE_CHARS), source)
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
