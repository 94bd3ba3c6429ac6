"""The years before the listing: whose site stood there, in which language, and what became of it.

Pure. `tell` turns the name of a past (see cast) into eras and says what a right review finds in them.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from afterdrop.sandbox import name_gen
from afterdrop.sandbox.story import Brand, Era, Scene
from afterdrop.sandbox.texts import Genre, languages, spams

_PARKED = ("sedo", "parkingcrew", "bodis", "afternic", "dan", "hugedomains")
_HOSTING = ("namecheap", "strato", "apache", "coming_soon")
# Languages that short texts of one are taken for the other.
_ALIKE = (frozenset({"da", "sv", "de"}), frozenset({"es", "pt", "it"}), frozenset({"cs", "pl"}))
_CASINOS = ("casino_en", "casino_id", "casino_tr", "casino_ru", "casino_de")


@dataclass(frozen=True, slots=True)
class Frame:
    """What a past is told within: the first owner and genre, and when it begins and ends."""

    owner: Brand
    genre: Genre
    start: datetime
    until: datetime

    def at(self, share: float) -> datetime:
        """The moment `share` of the way from start to end, at midnight."""
        moment = self.start + (self.until - self.start) * share
        return moment.replace(hour=0, minute=0, second=0, microsecond=0)


@dataclass(frozen=True, slots=True)
class Past:
    """Eras, and what a right review says: `reasons` when it must reject, `flags` that it must and `may` raise."""

    eras: tuple[Era, ...]
    reasons: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    may: tuple[str, ...] = ()


def years(kind: str, rng: random.Random) -> int:
    """How many years a past of this kind spans."""
    if kind == "young":
        return rng.randrange(3, 5)
    if kind == "sparse":
        return 5
    return rng.randrange(12, 20) if kind in _LONG else rng.randrange(8, 18)


def tell(kind: str, rng: random.Random, frame: Frame) -> Past:
    """The past called `kind`."""
    if kind in _CARRIED:
        return _carried(kind, rng, frame)
    if kind in _HIJACKED:
        return _hijacked(kind, rng, frame)
    return _TOLD.get(kind, _honest)(rng, frame)


def _site(frame: Frame, start: float = 0, end: float = 1) -> Era:
    genre = frame.genre
    return Era("site", frame.at(start), frame.at(end), genre.language, genre.key, frame.owner)


def _honest(rng: random.Random, frame: Frame) -> Past:
    site = _site(frame)
    if rng.random() < 0.7:
        return Past((site,))
    opened = frame.start + timedelta(days=75)
    lander = Era("placeholder", frame.start, opened, "en", rng.choice(_HOSTING), frame.owner)
    return Past((lander, replace(site, start=opened)))


def _gap(rng: random.Random, frame: Frame) -> Past:
    first = _site(frame, 0, 0.4)
    back = first.end.replace(year=first.end.year + 3, month=rng.randrange(2, 6), day=10)
    return Past(
        (first, Era("site", back, frame.until, first.language, first.key, frame.owner, look=2)),
        flags=("gap",),
    )


def _sparse(rng: random.Random, frame: Frame) -> Past:
    first = _site(frame, 0, 0.15)
    back = frame.until - timedelta(days=rng.randrange(150, 250))
    return Past((first, replace(_site(frame), start=back)), may=("gap",))


def _parked_late(rng: random.Random, frame: Frame) -> Past:
    lander = Era("parked", frame.at(0.66), frame.until, "en", rng.choice(_PARKED), frame.owner)
    return Past((_site(frame, 0, 0.65), lander), flags=("parked",))


def _parked_always(rng: random.Random, frame: Frame) -> Past:
    one, two = rng.sample(_PARKED, 2)
    return Past(
        (
            Era("parked", frame.start, frame.at(0.5), "en", one, frame.owner),
            Era("parked", frame.at(0.51), frame.until, "en", two, frame.owner),
        ),
        flags=("parked",),
    )


def _lang_change(rng: random.Random, frame: Frame) -> Past:
    own = frame.genre.language
    alike = next((pair for pair in _ALIKE if own in pair), frozenset())
    others = [code for code in sorted(languages()) if code not in alike | {own, "en"}]
    spoken = languages()[rng.choice(others)]
    genre = rng.choice(list(spoken.genres.values()))
    new = Era("site", frame.at(0.37), frame.until, spoken.code, genre.key, name_gen.brand(rng, spoken))
    return Past((_site(frame, 0, 0.35), new), flags=("lang_change",), may=("topic_change",))


def _topic_change(rng: random.Random, frame: Frame) -> Past:
    spoken = languages()[frame.genre.language]
    genre = rng.choice([item for item in spoken.genres.values() if item.topic != frame.genre.topic])
    new = Era("site", frame.at(0.37), frame.until, spoken.code, genre.key, name_gen.brand(rng, spoken))
    return Past((_site(frame, 0, 0.35), new), flags=("topic_change",))


def _redesign(rng: random.Random, frame: Frame) -> Past:
    return Past((_site(frame, 0, 0.5), replace(_site(frame, 0.5, 1), look=3)))


def _bilingual(rng: random.Random, frame: Frame) -> Past:
    others = [code for code in sorted(languages()) if code != frame.genre.language]
    alike = [code for code in others if counterpart(code, frame.genre)]
    return Past((replace(_site(frame), second=rng.choice(alike or others)),))


def counterpart(code: str, genre: Genre) -> Genre | None:
    """The genre of another language that treats the same topic, None when it has none."""
    return next((item for item in languages()[code].genres.values() if item.topic == genre.topic), None)


def _hijacked(kind: str, rng: random.Random, frame: Frame) -> Past:
    key = rng.choice(_CASINOS) if kind.startswith("casino") else kind
    trade = spams()[key]
    spoilt = Era("spam", frame.at(0.75), frame.until, trade.language, key, frame.owner)
    eras: tuple[Era, ...] = (_site(frame, 0, 0.72), spoilt)
    if kind == "casino_between":
        back = replace(_site(frame, 0.75, 1), look=1)
        eras = (_site(frame, 0, 0.52), replace(spoilt, start=frame.at(0.55), end=frame.at(0.72)), back)
    return Past(eras, reasons=(f"spam:{trade.category}",), may=("lang_change", "topic_change"))


def _carried(kind: str, rng: random.Random, frame: Frame) -> Past:
    scene, key = _CARRIED[kind]
    trade = spams()[key or rng.choice(_CASINOS)]
    start = 0.8 if scene == "hacked" else 0.7
    spoilt = replace(_site(frame, start, 1), scene=scene, spam=trade.key)
    reason = "spam:injected" if scene == "injected" else f"spam:{trade.category}"
    return Past((_site(frame, 0, start), spoilt), reasons=(reason,), may=("lang_change", "topic_change"))


def _spam_anchors(rng: random.Random, frame: Frame) -> Past:
    return Past(_honest(rng, frame).eras, reasons=("spam:anchors",), may=("anchor_foreign",))


def _not_indexed(rng: random.Random, frame: Frame) -> Past:
    """No search engine has it, which only a source for indexed pages could tell: found or unknown, never clean."""
    return Past(_honest(rng, frame).eras, may=("not_indexed",))


def _flagged(flag: str) -> Callable[[random.Random, Frame], Past]:
    def told(rng: random.Random, frame: Frame) -> Past:
        return Past(_honest(rng, frame).eras, flags=(flag,))

    return told


_LONG = frozenset(
    {"inflated", "gap", "parked_late", "lang_change", "topic_change", "casino", "casino_between"}
)
_HIJACKED = frozenset(
    {"casino", "casino_between", "pharma", "replica", "payday", "essay", "adult", "warez", "crypto"}
)
_CARRIED: dict[str, tuple[Scene, str]] = {
    "japanese": ("hacked", "japanese"),
    "doorway": ("doorway", ""),
    "injected": ("injected", ""),
}
_TOLD: dict[str, Callable[[random.Random, Frame], Past]] = {
    "gap": _gap,
    "sparse": _sparse,
    "parked_late": _parked_late,
    "parked_always": _parked_always,
    "lang_change": _lang_change,
    "topic_change": _topic_change,
    "redesign": _redesign,
    "bilingual": _bilingual,
    "spam_anchors": _spam_anchors,
    "inflated": _flagged("dr_inflated"),
    "anchor_foreign": _flagged("anchor_foreign"),
    "trademark": _flagged("trademark"),
    "not_indexed": _not_indexed,
}
