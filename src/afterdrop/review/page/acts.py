"""Stage 2, signs: what a page does, told by words that stand together, such as selling forged papers.

Pure. Some spam has no words of its own trade: every word of a false repair line stands on an honest one, too. The
sign is their meeting: a brand and a support line in the title, and below a number to call, again and again. Each
act of `data/acts.toml` lists what stands in the head, what on the page, and how much of that makes spam or a suspicion.
Each word of a report and each phrase that says who stands behind the page, after the first, ask for one thing more:
who warns of an act names much of it.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any, NamedTuple

from afterdrop.review.page.text import UNSPACED, Phrases, fold, pattern_words, quote, script_of
from afterdrop.review.page.values import ACT, Category, Evidence, Finding, PageView, PageWords, Zone

# So much of a page's text is read for an act that its head tells of.
TEXT_CHARS = 4000
_HEADINGS = 3
# So often a text says what its head says where it is written for search engines.
_TIMES_AGAIN = 4

_SAYS = pattern_words("acts")
_MONEY = rf"(?:[$€£₹₽]|\b(?:{_SAYS['money']})\b)"
_SUM = rf"(?:{_MONEY} ?\d[\d.,  ]{{1,8}}|\d[\d.,  ]{{1,8}} ?{_MONEY})"
_EACH = rf"(?:{_SAYS['each']})?[ ]?(?:{_SAYS['span']})\b"
_TIME = rf"(?:{_SAYS['time']})"
_KILOS = rf"(?:{_SAYS['kilos']})"
SHAPES: Mapping[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "PHONE": r"\+?\d[\d ()./-]{7,16}\d|①|☎|📞|\b0?(?:90\d|80\d|118)\b",
        "DOSE": r"\d ?(?:mg|мг|毫克|ملغ|ミリ)\b|\d ?錠",
        "PERCENT": r"\d ?(?:%|процент|percent|per cent|prozent)",
        "HOURS": rf"\d{{1,2}} ?(?:{_SAYS['hours']})",
        "KILOS": rf"\d ?{_KILOS}.{{0,30}}{_TIME}|{_TIME}.{{0,20}}\d ?{_KILOS}",
        "INCOME": rf"{_SUM} ?{_EACH}",
        "SMALL STAKE": _SUM,
        "CHANNELS": rf"\d[\d.,  ]{{2,8}}\+? (?:live )?(?:{_SAYS['channels']})|\bvod\b|ألف قناة",
    }.items()
}
# What is computed of a page: AGAIN, a head's words that the text repeats; a word of the title that it repeats, or a
# brand that the title names; a second brand.
_AGAIN, _REPEATED, _SECOND_BRAND = "AGAIN", "REPEATED NAME", "ABOVE ONE BRAND"
_BRANDS = ("supported brand", "repaired brand")
_WORD = re.compile(r"\w{4,30}")
_TIMES_A_NAME, _SIGNS_OF_A_NAME = 3, 4


@dataclass(frozen=True, slots=True)
class Act:
    """One act: what its head has (`any_head`: one of it), what its page has, and how much makes it one."""

    category: Category
    says: str
    head: tuple[str, ...]
    page: Mapping[str, int]
    suspect: int
    spam: int
    any_head: bool


class _Place(NamedTuple):
    """Words of a list in one piece of the page."""

    zone: Zone
    text: str
    start: int
    end: int

    @property
    def words(self) -> str:
        return fold(self.text[self.start : self.end])


Places = dict[str, list[_Place]]


class _Page(NamedTuple):
    """An act's view of a page: the head's pieces and the text, where words stand in them, and the site's own name."""

    pieces: Sequence[tuple[Zone, str]]
    places: Places
    own: str


class Acts:
    """The acts in searchable form."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self.version: str = table["version"]
        self.acts = tuple(_act(row) for row in table["act"])
        listed = [
            (slot, phrase)
            for slot, languages in table["slots"].items()
            for phrases in languages.values()
            for phrase in phrases
        ]
        self._slots = [slot for slot, _ in listed]
        self._phrases = Phrases(phrase for _, phrase in listed)

    def places(self, pieces: Iterable[tuple[Zone, str]]) -> Places:
        """Where words of each list stand."""
        found: Places = {}
        for zone, text in pieces:
            for hit in self._phrases.find(text):
                found.setdefault(self._slots[hit.phrase], []).append(_Place(zone, text, hit.start, hit.end))
        return found


def _act(row: Mapping[str, Any]) -> Act:
    return Act(
        row["category"],
        row["says"],
        tuple(row["head"]),
        Counter(row["page"]),
        row["suspect"],
        row["spam"],
        row.get("any_head", False),
    )


@lru_cache(maxsize=1)
def acts() -> Acts:
    """The shipped acts, read once a process."""
    text = resources.files("afterdrop.review").joinpath("data/acts.toml").read_text("utf-8")
    return Acts(tomllib.loads(text))


def find_act(page: PageView, words: PageWords) -> Finding[Category] | None:
    """The act a page does, the gravest first; None where it does none."""
    parts, data = page.parts, acts()
    # Words of reports, and phrases that say who stands behind it; its site's own name is no brand of another.
    more = max(0, len(words.reports) + len(words.publisher_phrases) - 1)
    own = (page.told or "").partition(".")[0]
    pieces: list[tuple[Zone, str]] = [
        ("title", parts.title),
        *(("meta", heading) for heading in parts.headings[:_HEADINGS]),
    ]
    head = [(zone, text) for zone, text in pieces if text]
    places = {slot: _others(found, own) for slot, found in data.places(head).items()}
    likely = [act for act in data.acts if _headed(act, _Page(head, places, own))]
    if not likely:
        return None
    body: tuple[Zone, str] = ("body", parts.text[:TEXT_CHARS])
    for slot, found in data.places([body]).items():
        places.setdefault(slot, []).extend(found)
    whole = _Page([*head, body], places, own)
    done = [(act, *_seen(act, whole)) for act in likely]
    judged = [
        _judged(act, heads, seen, more, (data.version, parts.source))
        for act, heads, seen in done
        if len(seen) >= act.suspect + more
    ]
    return max(judged, key=lambda one: (one.sure, one.points), default=None)


def _others(found: Sequence[_Place], own: str) -> list[_Place]:
    return [place for place in found if not own or place.words.replace(" ", "") != own]


def _headed(act: Act, page: _Page) -> bool:
    stand = (bool(_of(slot, page)) for slot in act.head)
    return any(stand) if act.any_head else all(stand)


def _seen(act: Act, page: _Page) -> tuple[list[_Place], list[_Place]]:
    """The words in the head and those on the page; a word of the head is not told twice."""
    heads = [place for slot in act.head for place in _of(slot, page)[:1]]
    seen: list[_Place] = []
    for slot, most in act.page.items():
        seen += [place for place in _on_page(act, slot, page) if place not in heads][:most]
    return heads, seen


def _judged(
    act: Act, heads: Sequence[_Place], page: Sequence[_Place], more: int, origin: tuple[str, str]
) -> Finding[Category]:
    version, source = origin
    strict = len(page) >= act.spam + more
    found = [
        Evidence(
            code="spam_act",
            category=act.category,
            severity=3 if strict else 2,
            zone=place.zone,
            quote=quote(place.text, place.start, place.end, source),
            rule=f"{ACT}{act.says}",
            lexicon=version,
        )
        for place in [*heads, *page]
    ]
    evidence = tuple({item.quote: item for item in found}.values())
    return Finding(act.category, evidence, strict, float(len(found)))


def _of(slot: str, page: _Page) -> list[_Place]:
    """Where a list's words stand, each once; where its shape does."""
    pattern = SHAPES.get(slot)
    if pattern is None:
        return list({place.words: place for place in reversed(page.places.get(slot, ()))}.values())[::-1]
    for zone, text in page.pieces:
        match = pattern.search(text)
        if match:
            return [_Place(zone, text, match.start(), match.end())]
    return []


def _on_page(act: Act, slot: str, page: _Page) -> list[_Place]:
    if slot == _AGAIN:
        # Where the text repeats words of the head's last list: a dealer repeats brands, only a caller his
        # line.
        body = [place for place in page.places.get(act.head[-1], ()) if place.zone == "body"]
        return body[:1] if len(body) >= _TIMES_AGAIN else []
    if slot == _REPEATED:
        return _repeated(act, page)
    if slot == _SECOND_BRAND:
        return _of("repaired brand", page)[1:2]
    return _of(slot, page)


def _repeated(act: Act, page: _Page) -> list[_Place]:
    """A name in the title that is not its owner's: a brand that is known, or a word that the text repeats."""
    named = [place for slot in _BRANDS for place in page.places.get(slot, ()) if place.zone == "title"]
    if named:
        return named[:1]
    (zone, title), body = page.pieces[0], fold(page.pieces[-1][1])
    told = {page.own, *(place.words for slot in act.head for place in page.places.get(slot, ()))}
    for match in _WORD.finditer(title):
        word = fold(match[0])
        start, end = match.span()
        if script_of(word[0]) in UNSPACED:
            word, end = word[:_SIGNS_OF_A_NAME], start + _SIGNS_OF_A_NAME
        if body.count(word) >= _TIMES_A_NAME and not any(word in words for words in told):
            return [_Place(zone, title, start, end)]
    return []
