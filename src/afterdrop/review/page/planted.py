"""Stage 2, signs: what is no trade of the page's own. Planted links, strange heads, a doorway's sentences, filler.

Pure. Links to the page's own domain are its menu, seen or hidden; without a known site only hidden ones count. A page
stitched from the same few sentences, over and over, is a doorway for any words at all; one of printers' filler ("lorem
ipsum") was never filled, so it sells nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from afterdrop.review.page.lexicon import lexicon
from afterdrop.review.page.text import QUOTE_CHARS, quote, script_of
from afterdrop.review.page.trades import Zoned, evidence_of, evidence_of_trade, tally
from afterdrop.review.page.values import (
    Category,
    Evidence,
    Finding,
    Hit,
    OutLink,
    PageView,
    PageWords,
    Span,
    Zone,
)

# A body of so few characters is no page behind the head. So many product words are a trade's.
_CHARS_BEHIND_A_HEAD, _PHRASES_OF_A_TRADE = 100, 2


def find_strange_head(page: PageView, words: PageWords) -> Finding[Category] | None:
    """A trade in a page's head of which the page itself says nothing, as break-ins leave it.

    One strong phrase and another are enough for suspect, or a strong one in the address of another site that is named
    as the page's own.
    """
    parts = page.parts
    if len(parts.text) < _CHARS_BEHIND_A_HEAD:
        return None
    heads = [Zoned("title", parts.title), *(Zoned("meta", text) for text in parts.heads)]
    elsewhere = [Zoned("url", address) for address in page.elsewhere]
    for category, counted in tally([*heads, *elsewhere], None, lexicon()).trades.items():
        own = words.tallies.get(category)
        if own is not None and (own.found["body", 3] or own.found["body", 2]):
            continue
        strong, others = counted.distinct(3), counted.distinct(2)
        if strong and (strong + others >= _PHRASES_OF_A_TRADE or counted.found["body", 3]):
            told = evidence_of_trade(counted, lexicon().version, False, page.decoded.text)
            return Finding(category, told)
    return None


_END = re.compile(r"[.!?…。！？]")
_SENTENCE_CHARS_LEAST, _SENTENCE_CHARS_MOST = 25, 400
_TEXT_CHARS = 60_000
# A page of so many sentences, most of which are one of a few that stand there three times and more.
_SENTENCES_LEAST, _TIMES_REPEATED, _REPEATED, _REPEATED_SHARE = 40, 3, 6, 0.7
_SENTENCES_SHOWN = 3


def find_repeated_sentences(page: PageView) -> Finding[Category] | None:
    """A doorway's finding, or None."""
    text = page.parts.text
    spans = list(_spans(text[:_TEXT_CHARS]))
    if len(spans) < _SENTENCES_LEAST:
        return None
    found = [(text[start:end].strip().lower(), start, end) for start, end in spans]
    counts = Counter(sentence for sentence, _, _ in found)
    repeated = {sentence: times for sentence, times in counts.items() if times >= _TIMES_REPEATED}
    total = sum(repeated.values())
    if len(repeated) < _REPEATED or total < _REPEATED_SHARE * len(found) or is_filler(" ".join(repeated)):
        return None
    first = {sentence: (start, end) for sentence, start, end in reversed(found)}
    shown = sorted(repeated, key=lambda sentence: -repeated[sentence])[:_SENTENCES_SHOWN]
    evidence = tuple(
        Evidence(
            code="repeated_sentence",
            category="doorway",
            severity=2,
            zone="body",
            quote=quote(text, *first[sentence], page.decoded.text),
            rule=f"the sentence stands {repeated[sentence]} times",
            lexicon=lexicon().version,
        )
        for sentence in shown
    )
    return Finding("doorway", evidence, sure=True)


def _spans(text: str) -> Iterator[Span]:
    """Where sentences stand: of a longer one its end. Searched by their ends, as a text without any has none."""
    start = 0
    for match in _END.finditer(text):
        end = match.start()
        if end - start >= _SENTENCE_CHARS_LEAST:
            yield max(start, end - _SENTENCE_CHARS_MOST), match.end()
        start = match.end()


# The words of the passage of Cicero's that printers took, as it has been set since the 1960s, of its other version, and
# of the Latin that makers of longer filler mix into it.
_PASSAGE = """
lorem ipsum dolor sit amet consectetur adipiscing adipisicing elit sed do eiusmod tempor incididunt ut labore et dolore
magna aliqua enim ad minim veniam quis nostrud exercitation ullamco laboris nisi aliquip ex ea commodo consequat duis
aute irure in reprehenderit voluptate velit esse cillum eu fugiat nulla pariatur excepteur sint occaecat cupidatat non
proident sunt culpa qui officia deserunt mollit anim id est laborum
consetetur sadipscing elitr diam nonumy eirmod invidunt erat voluptua at vero eos accusam justo duo dolores ea rebum
stet clita kasd gubergren no sea takimata sanctus
ac accumsan aenean aliquam ante arcu auctor augue bibendum blandit condimentum congue cras cubilia curabitur curae
dapibus dictum dictumst dignissim donec dui egestas eget eleifend elementum eros etiam eu euismod facilisi facilisis
fames faucibus felis fermentum feugiat fringilla fusce gravida habitant habitasse hac hendrerit iaculis imperdiet
integer interdum lacinia lacus laoreet lectus leo libero ligula lobortis luctus maecenas malesuada massa mattis mauris
metus mollis morbi nam natoque nec neque netus nibh nisl nullam nunc odio orci ornare pellentesque penatibus pharetra
phasellus placerat platea porta porttitor posuere potenti praesent pretium primis proin pulvinar purus quam quisque
rhoncus ridiculus risus rutrum sagittis sapien scelerisque sem semper senectus sodales sollicitudin suscipit
suspendisse tellus tempus tincidunt tortor tristique turpis ultrices ultricies urna varius vehicula vel venenatis
vestibulum vitae vivamus viverra volutpat vulputate
"""
_WORDS = frozenset(_PASSAGE.split())
_BEGINS = "dolor sit amet"
_FILLER_SHARE, _FILLER_CHARS = 0.5, 20_000


def is_filler(text: str) -> bool:
    """Whether half of a text's words or more are filler."""
    low = text[:_FILLER_CHARS].lower()
    if _BEGINS not in low:
        return False
    words = [word.strip(".,") for word in low.split()]
    return sum(word in _WORDS for word in words) >= _FILLER_SHARE * len(words)


VISIBLE_STRONG_LINKS, HIDDEN_STRONG_PHRASES, OWN_LINKS = 3, 4, 3
# A hidden list of links is a menu from so many on, when fewer than one in so many tells of a trade.
MENU_LINKS, MENU_LINKS_PER_TELLING_ONE, MENU_STRONG_PHRASES = 12, 5, 3
_EVIDENCE_MOST = 6
# A whole sentence as a link cites its source; a planted link is a few words.
ANCHOR_WORDS = 8


@dataclass(frozen=True, slots=True)
class _Planted:
    """A link with a spam phrase."""

    link: OutLink
    hit: Hit


def find_injected(page: PageView) -> Finding[Category] | None:
    """Injected links first, hidden text second; None when neither says anything."""
    outside, unseen = _outside(page.links)
    language = page.spoken.language
    planted = [_Planted(link, hits[0]) for link in outside if (hits := _spam_hits(link, language))]
    strong = [item for item in planted if item.hit.term.level == 3]
    secret = [item for item in planted if item.link.hidden]
    seen = [item for item in strong if item.link.external]
    # A drop-down menu is hidden, too: one telling label among many others is a heading of it.
    menu = unseen >= MENU_LINKS and len(secret) * MENU_LINKS_PER_TELLING_ONE < unseen
    strict = (
        len({item.hit.term.phrase for item in secret if item.hit.term.level == 3})
        >= (MENU_STRONG_PHRASES if menu else 1)
        or (_several(secret) and not menu)
        or len({item.link.text.lower() for item in seen}) >= VISIBLE_STRONG_LINKS
    )
    if strict or seen:
        shown = secret + [item for item in seen if item not in secret]
        return Finding("injected", _link_evidence(shown, strict, page.decoded.text), strict)
    return _hidden_text(page)


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


def _spam_hits(link: OutLink, language: str | None) -> list[Hit]:
    """The spam of a link, the strongest first: product words and more, a hidden one's also a medicine's bare name."""
    if not link.text or len(link.text.split()) > ANCHOR_WORDS:
        return []
    least = 1 if link.hidden and spam_anchor(link.text) else 2
    hits = [hit for hit in lexicon().hits(link.text, language) if hit.term.level >= least]
    return sorted(hits, key=lambda hit: -hit.term.level)


def _hidden_text(page: PageView) -> Finding[Category] | None:
    hidden, source, lists = page.parts.hidden, page.decoded.text, lexicon()
    best: Finding[Category] | None = None
    for category, counted in tally([Zoned("hidden", hidden)], page.spoken.language, lists).trades.items():
        if counted.distinct(3) < HIDDEN_STRONG_PHRASES:
            continue
        strong = [shown.hit for shown in counted.shown if shown.level == 3][:_EVIDENCE_MOST]
        evidence = tuple(
            evidence_of(hit.term, "hidden", quote(hidden, hit.start, hit.end, source), 2, lists.version)
            for hit in strong
        )
        best = Finding(category, evidence)
    return best


def _link_evidence(planted: list[_Planted], strict: bool, source: str) -> tuple[Evidence, ...]:
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
                lexicon=lexicon().version,
            )
        )
    return tuple(items)


_ANCHOR_CHARS = 300
# A medium phrase ("online casino") marks an anchor when it is at least this share of it.
_COVERED_SHARE = 0.5


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
    return best if best and covered[best] >= letters * _COVERED_SHARE else None


def _names_product(hit: Hit) -> bool:
    """Words weak on a page but telling as an anchor: a medicine's or a game house's bare name."""
    return (
        hit.term.language == "any"
        and hit.term.category in {"pharma", "gambling"}
        and script_of(hit.term.phrase[0]) == "Latin"
    )
