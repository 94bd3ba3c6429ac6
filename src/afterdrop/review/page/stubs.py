"""Stubs told by their shape and a few words: a site that has moved, a shop without goods or name, a launch to come.

Pure. Each says next to nothing else: a shop that has moved to another street gives its number there, or a way to reach
it, and a museum tells the day on which it opens. A page that sends its visitors on by itself is none, for what it
shows is read instead. What stubs say is in `data/parked.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypedDict

from afterdrop.review.page.identity import contacts
from afterdrop.review.page.markup import scripts_of
from afterdrop.review.page.source import script_refresh
from afterdrop.review.page.text import Phrases, fold, squeeze
from afterdrop.review.page.values import ParkedKind, Parts, Zone

Words = Mapping[str, list[str]]

MOVED_WORDS, MOVED_LINKS = 40, 3
SHOP_WORDS, SOON_WORDS, LAUNCH_WORDS, SOON_LINKS = 90, 60, 12, 12
DEFAULT_WORDS = 300

# A number in a street, and none of seconds: "You will be taken there in 5 seconds".
_HOUSE = re.compile(
    r"\d(?!\d{0,3}\W{0,2}(?:s\b|se[ckgu]|сек|δευτ|mp\b|秒|초|giây|detik|saniye|másodperc|ثوان))"
)
_HOST = re.compile(r"\b[\w-]{1,63}(?:\.[\w-]{1,63}){0,2}\.[a-z]{2,12}\b", re.IGNORECASE)
_DAYS = (
    r"(?:days?|tage?|jours?|días?|dias?|giorni|dagen|dni|дн(?:ей|я|ів|і)|gün|dagar|dager|dage|päivää|dní|nap|zile"
    r"|ημέρες|дни|dana|日|天|일|ngày|hari|يوم|أيام|روز)"
)
_HOURS = (
    r"(?:hours?|hrs?|stunden|heures?|horas?|ore|uren|uur|godzin[ay]?|час(?:ов|а)?|годин[аи]?|saat|timmar|timer|tuntia"
    r"|hodin[ay]?|hodín|óra|ώρες|часа|sati|時間|小时|小時|시간|giờ|jam|ساعة|ساعات|ساعت)"
)
_MINUTES = r"(?:min|мин|хв|perc|dakika|分|분|phút|menit|دقيقة|دقائق|دقیقه|λεπτά)"
_COUNTDOWN = re.compile(
    rf"\d{{1,4}}\s?{_DAYS}\W{{1,4}}\d{{1,2}}\s?{_HOURS}\W{{1,4}}\d{{1,2}}\s?{_MINUTES}", re.IGNORECASE
)
# A launch with its year. An opening with its day is an exhibition's.
_LAUNCH = re.compile(
    r"\b(?:launch(?:ing|es)?|going live|go live|lancement|lanzamiento|lancio|lancering|lançamento|запуск"
    r"|запускаемся|lansering|lanseras|lansman|spuštění|spustenie|indulás|lansare|上线|peluncuran)"
    r"(?:[\W_]{1,3}[^\W\d_]{1,10}){0,3}[\W_]{0,3}(?:19|20)\d\d(?!\d)",
    re.IGNORECASE,
)
# A maker's name before it and nothing else; "Setting the default page" is a lesson.
_DEFAULT = re.compile(
    r"^(?!(?:the|a|set|change|edit|reset|new|your|my|no|custom)\b|\w+ing\b)[\w.&'-]{2,30} default (?:web )?page$",
    re.IGNORECASE,
)


class StubTable(TypedDict):
    """What stubs say, by what it says and by language."""

    moved: Words
    left: Words
    web: Words
    shop: Words
    no_goods: Words
    notify: Words


@dataclass(frozen=True, slots=True)
class Stub:
    """A stub's kind, the name of its rule, and the words that say so."""

    kind: ParkedKind
    rule: str
    zone: Zone
    text: str
    start: int
    end: int


class StubPhrases:
    """What stubs say in searchable form."""

    def __init__(self, table: StubTable) -> None:
        self.moved = Phrases(_all(table["moved"]))
        self.left = Phrases(_all(table["left"]))
        self.web = Phrases(_all(table["web"]))
        self.no_goods = Phrases(_all(table["no_goods"]))
        self.notify = Phrases(_all(table["notify"]))
        self.shops = frozenset(_plain(name) for name in _all(table["shop"]))


def _all(words: Words) -> Iterator[str]:
    for listed in words.values():
        yield from listed


def _plain(name: str) -> str:
    return squeeze(fold(name))


def find_stub(parts: Parts, words: int, data: StubPhrases) -> Stub | None:
    """What stub a page is, or None. `words` is the count of visible words."""
    return (
        _moved(parts, words, data)
        or _empty_shop(parts, words, data)
        or _launch(parts, words, data)
        or _default_page(parts, words)
    )


def _moved(parts: Parts, words: int, data: StubPhrases) -> Stub | None:
    if words >= MOVED_WORDS or len(parts.anchors) > MOVED_LINKS:
        return None
    zones = _zones(parts)
    said = _first(zones, data.moved)
    if said is None and _of_sites(parts, data):
        said = _first(zones, data.left)
    if said is None or contacts(parts) or _sends_on(parts):
        return None
    return Stub("hosting_placeholder", "moved", *said)


def _of_sites(parts: Parts, data: StubPhrases) -> bool:
    """Whether who has moved is a site: a word of sites or a host's name, and no number of a house."""
    named = _HOST.search(parts.text) is not None or bool(data.web.find(f"{parts.title} \n {parts.text}"))
    return named and bool(parts.anchors or _HOST.search(parts.text)) and not _HOUSE.search(parts.text)


def _sends_on(parts: Parts) -> bool:
    """Whether a page shows another by itself."""
    scripted = "location" in parts.source and script_refresh(scripts_of(parts.source)) is not None
    return parts.refresh is not None or bool(parts.frames) or scripted


def _empty_shop(parts: Parts, words: int, data: StubPhrases) -> Stub | None:
    named = any(_plain(text) in data.shops for text in (parts.title, *parts.headings[:2]))
    said = _first(_zones(parts)[-1:], data.no_goods) if named and words < SHOP_WORDS else None
    return Stub("hosting_placeholder", "empty_shop", *said) if said else None


def _launch(parts: Parts, words: int, data: StubPhrases) -> Stub | None:
    if words >= SOON_WORDS or len(parts.anchors) > SOON_LINKS:
        return None
    counted = _COUNTDOWN.search(parts.text)
    said: tuple[Zone, str, int, int] | None = None
    if counted and _first(_zones(parts), data.notify):
        said = ("body", parts.text, counted.start(), counted.end())
    elif words < LAUNCH_WORDS:
        heads = ((zone, text, _LAUNCH.search(text)) for zone, text in _zones(parts)[:-1])
        said = next(((zone, text, *match.span()) for zone, text, match in heads if match), None)
    return Stub("coming_soon", "launch", *said) if said and not contacts(parts) else None


def _default_page(parts: Parts, words: int) -> Stub | None:
    title = parts.title.strip()
    if words >= DEFAULT_WORDS or parts.article or not _DEFAULT.match(title):
        return None
    return Stub("hosting_placeholder", "default_page", "title", parts.title, 0, len(parts.title))


def _zones(parts: Parts) -> list[tuple[Zone, str]]:
    """Title, headings and, last, the whole text."""
    return [
        ("title", parts.title),
        *(("body", heading) for heading in parts.headings[:3]),
        ("body", parts.text),
    ]


def _first(zones: list[tuple[Zone, str]], phrases: Phrases) -> tuple[Zone, str, int, int] | None:
    """The first phrase heard, with its zone and place."""
    heard = ((zone, text, found) for zone, text in zones for found in phrases.find(text)[:1])
    return next(((zone, text, found.start, found.end) for zone, text, found in heard), None)
