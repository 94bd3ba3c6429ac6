"""Stage 2, signs: parked pages, by a provider's own markup or by what such pages say, on a short page.

Pure. A provider's markup decides alone on a page under MARKUP_WORDS words that is not the provider's own site;
phrases decide in the title of a page under TITLE_WORDS words, in the first words of one under BODY_WORDS or anywhere
in one under PLAIN_WORDS, "coming soon" only as the heading of a page with next to nothing else, not even a contact,
and what honest pages say too only by twos, beside markup or, of paid links, under a bare domain name as title or
heading. That a name is parked or has expired is a page of paid links only with a word of ads or a list of links.
Text a page cites or says of such names at large ("a parked domain is …") is not said of its own; where its title asks
or explains, prose below it is an article. Stubs that say nothing of names are told in `notices.py`.

Providers with their markup and nameservers, and what parked pages say, are in `data/parked.toml`. Parking
today, by DNS, is told in `sources/dns/parking.py`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from typing import NotRequired, TypedDict, cast

from ahocorasick_rs import AhoCorasick, MatchKind

from afterdrop.review.page.notices import StubPhrases, StubTable, find_stub
from afterdrop.review.page.text import Phrases, cited_spans, fold, pattern_words, quote
from afterdrop.review.page.values import Evidence, Finding, PageView, ParkedKind, Parts, Zone

KINDS: tuple[ParkedKind, ...] = ("for_sale", "pay_per_click", "hosting_placeholder", "coming_soon")


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider of parked pages: markup pieces (`page` ones only beside a phrase) and nameservers."""

    name: str
    kind: ParkedKind
    markup: tuple[str, ...] = ()
    page: tuple[str, ...] = ()
    nameservers: tuple[str, ...] = ()

    def owns(self, site: str | None) -> bool:
        """Whether a site is the provider's own, whose pages are no landers."""
        if site is None:
            return False
        name = re.compile(rf"(?:^|[^a-z0-9-]){re.escape(site)}(?:$|[^a-z0-9-])")
        return any(name.search(piece) for piece in (*self.markup, *self.page, *self.nameservers))


@dataclass(frozen=True, slots=True)
class Said:
    """A phrase of parked pages; `weak` when honest pages say it too, `idle` when it tells of no ads."""

    kind: ParkedKind
    phrase: str
    weak: bool
    idle: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """A provider's markup found in a page's source; `alone` when it decides without a phrase."""

    provider: Provider
    alone: bool
    start: int
    end: int


class _Row(TypedDict):
    """A provider in the parking data."""

    name: str
    kind: ParkedKind
    markup: NotRequired[list[str]]
    page: NotRequired[list[str]]
    nameservers: NotRequired[list[str]]


class _Table(TypedDict):
    """The parking data: providers, phrases by kind (and language, unless weak), what articles' titles and stubs say."""

    version: str
    provider: list[_Row]
    phrases: dict[str, dict[str, list[str]]]
    weak: dict[str, list[str]]
    explains: dict[str, list[str]]
    stub: StubTable


class Fingerprints:
    """The parking data in searchable form."""

    def __init__(self, table: _Table) -> None:
        self.version = table["version"]
        self.providers = tuple(
            Provider(
                row["name"],
                row["kind"],
                tuple(row.get("markup", ())),
                tuple(row.get("page", ())),
                tuple(row.get("nameservers", ())),
            )
            for row in table["provider"]
        )
        self._owners = [(p, piece, True) for p in self.providers for piece in p.markup]
        self._owners += [(p, piece, False) for p in self.providers for piece in p.page]
        self._pieces = AhoCorasick([piece for _, piece, _ in self._owners], matchkind=MatchKind.Standard)
        self.said = tuple(_said(table))
        self.phrases = Phrases(said.phrase for said in self.said)
        self.explains = Phrases(phrase for listed in table["explains"].values() for phrase in listed)
        self.stubs = StubPhrases(table["stub"])

    def marks(self, source: str) -> list[Mark]:
        """Every provider's markup in a page's source, in order of place."""
        return [
            Mark(self._owners[number][0], self._owners[number][2], start, end)
            for number, start, end in self._pieces.find_matches_as_indexes(_lower(source), overlapping=True)
        ]


def _lower(text: str) -> str:
    """A text in lower case, sign for sign."""
    return text.replace("İ", "i").lower()


def _said(table: _Table) -> list[Said]:
    kinds: list[tuple[str, ParkedKind]] = [*((kind, kind) for kind in KINDS), ("idle", "pay_per_click")]
    plain = [
        Said(kind, phrase, False, name == "idle")
        for name, kind in kinds
        for listed in table["phrases"].get(name, {}).values()
        for phrase in listed
    ]
    return plain + [
        Said(kind, phrase, True, name == "idle")
        for name, kind in kinds
        for phrase in table["weak"].get(name, ())
    ]


@lru_cache(maxsize=1)
def fingerprints() -> Fingerprints:
    """The shipped parking data, read once a process."""
    text = resources.files("afterdrop.review").joinpath("data/parked.toml").read_text("utf-8")
    return Fingerprints(cast(_Table, tomllib.loads(text)))


MARKUP_WORDS, TITLE_WORDS, BODY_WORDS = 450, 300, 180
SOON_WORDS, SOON_WORDS_LEAST = 60, 25
PLAIN_WORDS, FIRST_CHARS = 110, 160
WEAK_WORDS, SOON_LINKS = 90, 12
PAID_LINKS = 6
# A page of sale may praise its name at length under a title that says it.
SOLD_WORDS = 700
# From so many words on a page that explains is an article, and one that cites speaks of others.
ARTICLE_WORDS = 20
# A title or text that is nearly all quotation speaks for itself.
CITED_SHARE_MOST = 0.8
SEVERITY: dict[ParkedKind, int] = {
    "for_sale": 3,
    "pay_per_click": 3,
    "hosting_placeholder": 2,
    "coming_soon": 1,
}
# A domain name in the sentence, before or after: "example.com is for sale", "zu verkaufen: example.de". After it
# only where nothing else is for sale: "Used cars for sale | example.com" is a shop's title, and "example.com - cars
# for sale" one, too.
_SAYS = pattern_words("parked")
_SALE = rf"(?:{_SAYS['sale']})"
_NAME = r"(?:[\w-]{1,63}\.)[a-z]{2,12}(?:\.[a-z]{2,3})?"
_DOMAIN = rf"(?:{_SAYS['domain']})"
_SOLD = rf"(?:^\W{{0,3}}|[.!?]\s+|\b{_DOMAIN}\b[\w' ]{{0,20}}\W{{1,3}})"
_NAMED_SALE = re.compile(
    rf"\b{_NAME}(?:\W{{1,4}}|[\"'”»)]?\s(?:[\w']{{1,9}}\s){{1,2}}){_SALE}|{_SOLD}{_SALE}\W{{1,4}}{_NAME}\b",
    re.IGNORECASE,
)

# The word for a domain beside one for sale or for parking, with little between: "Domain available for purchase".
_PARKED = rf"(?:{_SAYS['parked']})"
_OFFERED = rf"(?:{_SALE}|{_SAYS['offered']})"
# Estates are for sale, too: "domaine" and "domein" alone say nothing.
_SAID = _DOMAIN.replace("|domaine|", "|nom de domaine|")
_DOMAIN_SAID: tuple[tuple[ParkedKind, re.Pattern[str]], ...] = (
    ("for_sale", re.compile(rf"\b{_SAID}\b[^.!?:;]{{0,30}}\b{_OFFERED}", re.IGNORECASE)),
    ("hosting_placeholder", re.compile(rf"\b{_SAID}\b[^.!?:;]{{0,30}}\b{_PARKED}\b", re.IGNORECASE)),
)
# An article or a condition before a phrase makes it speak of such names at large, "eine geparkte Domain" of one.
_AT_LARGE = re.compile(
    rf"(?:^|\s)(?:{_SAYS['at_large']}|(?:{_SAYS['if']})(?:\s\w{{1,12}})?)\s$", re.IGNORECASE
)
# "This is a parked domain" is said of its own.
_THIS_IS_ONE = re.compile(
    rf"\b(?:{_SAYS['this_is']})\b\W{{0,3}}(?:\w{{1,4}}\W){{0,2}}\w{{1,5}}\s$", re.IGNORECASE
)
_CHARS_BEFORE = 40
_RELATIVE = re.compile(
    r"\b(?:an? (?:domain |website )?name|a domain|that (?:is|are|was|were))\b", re.IGNORECASE
)
# What a title is of that explains something of names, and what it says of its own.
_NAMES = re.compile(_SAYS["of_names"], re.IGNORECASE)
_THIS = re.compile(rf"\b(?:{_SAYS['this']})\b|{_SAYS['this_anywhere']}", re.IGNORECASE)
_BARE = re.compile(r"^\W*+(?:www\.)?[\w-]{1,63}(?:\.[\w-]{1,63}){1,2}\W*$")


@dataclass(frozen=True, slots=True)
class _Heard:
    """A phrase heard in one zone."""

    said: Said
    zone: Zone
    start: int
    end: int
    text: str
    headed: bool


def find_parked(page: PageView) -> Finding[ParkedKind] | None:
    """The kind of parked page that this is, or None."""
    parts, words, data = page.parts, page.words, fingerprints()
    article = words >= ARTICLE_WORDS and _explains(parts.title, data)
    marks = _marks(parts, words, page.told, article, data)
    own = _without_cited(parts) if ARTICLE_WORDS <= words < SOLD_WORDS else parts
    heard = [] if article else _heard(own, words, data)
    alone = [mark for mark in marks if mark.alone]
    if alone:
        return _by_markup(parts, alone, heard, data)
    if article:
        return None
    chosen = _by_phrases(heard, words, _hinted(parts, bool(marks)), len(parts.anchors))
    # An owner who says how to reach him has begun his site.
    if chosen and not (chosen[0] == "coming_soon" and page.contacts):
        kind, decisive = chosen
        kind = _sober(kind, heard, len(parts.anchors))
        return Finding(kind, _said_evidence(decisive, kind, parts.source, data.version))
    return _by_stub(page, data) or _by_named_sale(own, words, data) or _by_domain_said(own, words, data)


def _explains(title: str, data: Fingerprints) -> bool:
    """Whether a title asks or explains something of names, and none of this one."""
    return bool(data.explains.find(title) and _NAMES.search(title) and not _THIS.search(_uncited(title)))


def _marks(parts: Parts, words: int, site: str | None, article: bool, data: Fingerprints) -> list[Mark]:
    """The providers' markup of a short page; an article shows what landers say."""
    if words >= MARKUP_WORDS:
        return []
    marks = [mark for mark in data.marks(parts.source) if not mark.provider.owns(site)]
    if article:
        lowered, shown = _lower(parts.source), _lower(f"{parts.title} {parts.text}")
        marks = [mark for mark in marks if lowered[mark.start : mark.end] not in shown]
    return marks


def _without_cited(parts: Parts) -> Parts:
    """A page's parts with blanks for what its title and text cite. A name or a whole title in quotes is no citation."""
    return replace(parts, title=_uncited(parts.title), text=_uncited(parts.text))


def _uncited(text: str) -> str:
    pieces, end = [], 0
    for start, stop in cited_spans(text):
        if stop - start < len(text) * CITED_SHARE_MOST and not _BARE.match(text[start:stop]):
            pieces += [text[end:start], " " * (stop - start)]
            end = stop
    return "".join([*pieces, text[end:]])


def _by_stub(page: PageView, data: Fingerprints) -> Finding[ParkedKind] | None:
    stub = find_stub(page, data.stubs)
    if stub is None:
        return None
    shown = quote(stub.text, stub.start, stub.end, page.parts.source)
    rule = f"parking.{stub.rule}"
    item = Evidence("parking_phrase", stub.kind, SEVERITY[stub.kind], stub.zone, shown, rule, data.version)
    return Finding(stub.kind, (item,))


def _by_markup(
    parts: Parts, marks: list[Mark], heard: list[_Heard], data: Fingerprints
) -> Finding[ParkedKind]:
    first = marks[0]
    saying = [h for h in heard if not h.said.weak]
    # One provider's lander may sell, advertise or hold: what it says is nearer than what it usually does.
    kind = saying[0].said.kind if saying and first.provider.kind != "for_sale" else first.provider.kind
    if any(h.said.kind == "for_sale" for h in saying):
        kind = "for_sale"
    if first.provider.kind != "pay_per_click":
        kind = _sober(kind, heard, 0)
    seen: dict[str, Mark] = {}
    for mark in marks:
        seen.setdefault(mark.provider.name, mark)
    evidence = tuple(
        Evidence(
            code="parking_markup",
            category=kind,
            severity=SEVERITY[kind],
            zone="markup",
            # Its source is not what visitors saw.
            quote="",
            rule=f"parking.markup: {mark.provider.name}",
            lexicon=data.version,
        )
        for mark in list(seen.values())[:4]
    )
    evidence += _said_evidence(saying, kind, parts.source, data.version)
    return Finding(kind, evidence, sure=True, provider=first.provider.name)


def _sober(kind: ParkedKind, heard: Sequence[_Heard], links: int) -> ParkedKind:
    """A placeholder instead of paid links, where nothing tells of ads."""
    ads = any(h.said.kind == "pay_per_click" and not h.said.idle for h in heard)
    return "hosting_placeholder" if kind == "pay_per_click" and not ads and links < PAID_LINKS else kind


def _heard(parts: Parts, words: int, data: Fingerprints) -> list[_Heard]:
    zones: list[tuple[Zone, str, bool]] = [("title", parts.title, True)]
    if words < BODY_WORDS:
        zones += [("body", heading, True) for heading in parts.headings[:3]]
        zones.append(("body", parts.text, False))
        zones.append(("meta", parts.metas.get("description", ""), False))
    return [
        _Heard(data.said[found.phrase], zone, found.start, found.end, text, headed)
        for zone, text, headed in zones
        for found in data.phrases.find(text)
        if not (data.said[found.phrase].idle and _at_large(text, found.start))
    ]


def _at_large(text: str, start: int) -> bool:
    """Whether what begins here is said of such names, and not of one."""
    before = text[max(0, start - _CHARS_BEFORE) : start]
    return _AT_LARGE.search(before) is not None and not _THIS_IS_ONE.search(before)


def _hinted(parts: Parts, marked: bool) -> frozenset[ParkedKind]:
    """The kinds for which one weak phrase is enough: all beside markup, paid links under a bare name as heading."""
    if marked:
        return frozenset(KINDS)
    bare = any(_BARE.match(heading) for heading in (parts.title, *parts.headings[:1]))
    return frozenset({"pay_per_click"}) if bare else frozenset()


def _by_phrases(
    heard: Sequence[_Heard], words: int, hinted: frozenset[ParkedKind], links: int
) -> tuple[ParkedKind, list[_Heard]] | None:
    for kind in KINDS:
        plain = [h for h in heard if h.said.kind == kind and not h.said.weak]
        weak = [h for h in heard if h.said.kind == kind and h.said.weak]
        if kind == "coming_soon":
            headed = words < SOON_WORDS and any(h.headed for h in plain)
            if links <= SOON_LINKS and (headed or (plain and words < SOON_WORDS_LEAST)):
                return kind, plain
            continue
        titled = [h for h in plain if h.zone == "title"]
        long = SOLD_WORDS if kind == "for_sale" else TITLE_WORDS
        first = [h for h in plain if h.start < FIRST_CHARS]
        if plain and (words < PLAIN_WORDS or (first and words < BODY_WORDS) or (titled and words < long)):
            return kind, plain
        # One of Spanish is often one of Portuguese, too.
        different = {fold(h.said.phrase) for h in weak}
        if words < WEAK_WORDS and (len(different) >= 2 or (different and kind in hinted)):
            return kind, weak
    return None


def _by_named_sale(parts: Parts, words: int, data: Fingerprints) -> Finding[ParkedKind] | None:
    zones: list[tuple[Zone, str, int]] = [
        ("title", parts.title, TITLE_WORDS),
        ("body", parts.text, BODY_WORDS),
    ]
    for zone, text, most in zones:
        match = _NAMED_SALE.search(text[:4000]) if words < most else None
        if match:
            shown = quote(text, match.start(), match.end(), parts.source)
            item = Evidence("parking_phrase", "for_sale", 3, zone, shown, "parking.named_sale", data.version)
            return Finding("for_sale", (item,))
    return None


def _by_domain_said(parts: Parts, words: int, data: Fingerprints) -> Finding[ParkedKind] | None:
    zones: list[tuple[Zone, str, int]] = [
        ("title", parts.title, SOLD_WORDS),
        *((("body", heading, TITLE_WORDS)) for heading in parts.headings[:3]),
        ("body", parts.text[:1000], PLAIN_WORDS),
    ]
    for zone, text, most in zones:
        for kind, said in _DOMAIN_SAID:
            match = said.search(text) if words < most else None
            if match and not (_at_large(text, match.start()) or _RELATIVE.search(match[0])):
                shown = quote(text, match.start(), match.end(), parts.source)
                rule = f"parking.domain_{kind}"
                item = Evidence("parking_phrase", kind, SEVERITY[kind], zone, shown, rule, data.version)
                return Finding(kind, (item,))
    return None


def _said_evidence(
    heard: Sequence[_Heard], kind: ParkedKind, source: str, version: str
) -> tuple[Evidence, ...]:
    unique = {h.said.phrase: h for h in reversed(heard)}
    kinds = {phrase: kind if h.said.idle else h.said.kind for phrase, h in unique.items()}
    return tuple(
        Evidence(
            code="parking_phrase",
            category=kinds[h.said.phrase],
            severity=SEVERITY[kinds[h.said.phrase]],
            zone=h.zone,
            quote=quote(h.text, h.start, h.end, source),
            rule=f"parking.phrase: {h.said.phrase}",
            lexicon=version,
        )
        for h in reversed(list(unique.values())[-4:])
    )
