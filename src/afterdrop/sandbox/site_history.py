"""The history of each domain before its listing: whose site it was, in which language, and how that changed.

Pure. `make_history` turns a scenario's `past` into eras and says what a correct review finds in them.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from afterdrop.core.time_zones import midnight
from afterdrop.sandbox import name_gen
from afterdrop.sandbox.story import Brand, Era, EraKind
from afterdrop.sandbox.texts import Genre, languages, spams

_PARKED = ("sedo", "parkingcrew", "bodis", "afternic", "dan", "hugedomains")
_HOSTING = ("namecheap", "strato", "apache", "coming_soon")
# Languages whose short texts are confused with each other.
_ALIKE = (frozenset({"da", "sv", "de"}), frozenset({"es", "pt", "it"}), frozenset({"cs", "pl"}))
_CASINOS = ("casino_en", "casino_id", "casino_tr", "casino_ru", "casino_de")


@dataclass(frozen=True, slots=True)
class HistoryFrame:
    """The given facts of a history: the first owner and genre, and when it starts and ends."""

    owner: Brand
    genre: Genre
    start: datetime
    until: datetime

    def at(self, share: float) -> datetime:
        """The moment `share` of the way from start to end, at midnight."""
        moment = self.start + (self.until - self.start) * share
        return midnight(moment)


@dataclass(frozen=True, slots=True)
class SiteHistory:
    """Eras, and the result of a correct review: `reasons` to reject, `flags` it must raise, flags it `may` raise."""

    eras: tuple[Era, ...]
    reasons: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    may: tuple[str, ...] = ()


def history_years(kind: str, rng: random.Random) -> int:
    """How many years a history of this kind spans."""
    if kind == "young":
        return rng.randrange(3, 5)
    if kind == "sparse":
        return 5
    return rng.randrange(12, 20) if kind in _LONG else rng.randrange(8, 18)


def make_history(kind: str, rng: random.Random, frame: HistoryFrame) -> SiteHistory:
    """The history of the kind `kind`."""
    if kind in _SPAM_ON_SITE:
        return _spam_on_site(kind, rng, frame)
    if kind in _HIJACKED:
        key = rng.choice(_CASINOS) if kind.startswith("casino") else kind
        trade = spams()[key]
        spoilt = Era("spam", frame.at(0.75), frame.until, trade.language, key, frame.owner)
        eras: tuple[Era, ...] = (_site(frame, 0, 0.72), spoilt)
        if kind == "casino_between":
            back = replace(_site(frame, 0.75, 1), look=1)
            eras = (_site(frame, 0, 0.52), replace(spoilt, start=frame.at(0.55), end=frame.at(0.72)), back)
        return SiteHistory(eras, reasons=(f"spam:{trade.category}",), may=("lang_change", "topic_change"))
    return _MAKERS.get(kind, _honest)(rng, frame)


def _site(frame: HistoryFrame, start: float = 0, end: float = 1) -> Era:
    genre = frame.genre
    return Era("site", frame.at(start), frame.at(end), genre.language, genre.key, frame.owner)


def _honest(rng: random.Random, frame: HistoryFrame) -> SiteHistory:
    site = _site(frame)
    if rng.random() < 0.7:
        return SiteHistory((site,))
    opened = frame.start + timedelta(days=75)
    lander = Era("placeholder", frame.start, opened, "en", rng.choice(_HOSTING), frame.owner)
    return SiteHistory((lander, replace(site, start=opened)))


def _gap(rng: random.Random, frame: HistoryFrame) -> SiteHistory:
    first = _site(frame, 0, 0.4)
    back = first.end.replace(year=first.end.year + 3, month=rng.randrange(2, 6), day=10)
    return SiteHistory(
        (first, Era("site", back, frame.until, first.language, first.key, frame.owner, look=2)),
        flags=("gap",),
    )


def _sparse(rng: random.Random, frame: HistoryFrame) -> SiteHistory:
    first = _site(frame, 0, 0.15)
    back = frame.until - timedelta(days=rng.randrange(150, 250))
    return SiteHistory((first, replace(_site(frame), start=back)), may=("gap",))


def _parked_late(rng: random.Random, frame: HistoryFrame) -> SiteHistory:
    lander = Era("parked", frame.at(0.66), frame.until, "en", rng.choice(_PARKED), frame.owner)
    return SiteHistory((_site(frame, 0, 0.65), lander), flags=("parked",))


def _parked_always(rng: random.Random, frame: HistoryFrame) -> SiteHistory:
    one, two = rng.sample(_PARKED, 2)
    return SiteHistory(
        (
            Era("parked", frame.start, frame.at(0.5), "en", one, frame.owner),
            Era("parked", frame.at(0.51), frame.until, "en", two, frame.owner),
        ),
        flags=("parked",),
    )


def _lang_change(rng: random.Random, frame: HistoryFrame) -> SiteHistory:
    own = frame.genre.language
    alike = next((pair for pair in _ALIKE if own in pair), frozenset())
    others = [code for code in sorted(languages()) if code not in alike | {own, "en"}]
    language = languages()[rng.choice(others)]
    genre = rng.choice(list(language.genres.values()))
    new = Era(
        "site", frame.at(0.37), frame.until, language.code, genre.key, name_gen.make_brand(rng, language)
    )
    return SiteHistory((_site(frame, 0, 0.35), new), flags=("lang_change",), may=("topic_change",))


def _topic_change(rng: random.Random, frame: HistoryFrame) -> SiteHistory:
    language = languages()[frame.genre.language]
    genre = rng.choice([item for item in language.genres.values() if item.topic != frame.genre.topic])
    new = Era(
        "site", frame.at(0.37), frame.until, language.code, genre.key, name_gen.make_brand(rng, language)
    )
    return SiteHistory((_site(frame, 0, 0.35), new), flags=("topic_change",))


def _three_owners(rng: random.Random, frame: HistoryFrame) -> SiteHistory:
    """Three owners with three subjects, one after the other."""
    language = languages()[frame.genre.language]
    others = [item for item in language.genres.values() if item.topic != frame.genre.topic]
    second = rng.choice(others)
    third = rng.choice([item for item in others if item.topic != second.topic] or [frame.genre])
    eras = [_site(frame, 0, 0.3)]
    for genre, start, end in ((second, 0.32, 0.6), (third, 0.63, 1)):
        owner = name_gen.make_brand(rng, language)
        eras.append(Era("site", frame.at(start), frame.at(end), language.code, genre.key, owner))
    return SiteHistory(tuple(eras), flags=("topic_change",))


def _redesign(rng: random.Random, frame: HistoryFrame) -> SiteHistory:
    return SiteHistory((_site(frame, 0, 0.5), replace(_site(frame, 0.5, 1), look=3)))


def _bilingual(rng: random.Random, frame: HistoryFrame) -> SiteHistory:
    """One site in two languages: of genres whose texts are translated."""
    return SiteHistory((replace(_site(frame), second=rng.choice(sorted(frame.genre.translations))),))


def _spam_on_site(kind: str, rng: random.Random, frame: HistoryFrame) -> SiteHistory:
    scene, key = _SPAM_ON_SITE[kind]
    trade = spams()[key or rng.choice(_CASINOS)]
    start = 0.8 if scene == "hacked" else 0.7
    spoilt = replace(_site(frame, start, 1), scene=scene, spam=trade.key)
    reason = "spam:injected" if scene == "injected" else f"spam:{trade.category}"
    return SiteHistory(
        (_site(frame, 0, start), spoilt), reasons=(reason,), may=("lang_change", "topic_change")
    )


def _spam_anchors(rng: random.Random, frame: HistoryFrame) -> SiteHistory:
    return SiteHistory(_honest(rng, frame).eras, reasons=("spam:anchors",), may=("anchor_foreign",))


def _not_indexed(rng: random.Random, frame: HistoryFrame) -> SiteHistory:
    """No search engine has the site. Only a source of indexed pages can tell: found or unknown, never clean."""
    return SiteHistory(_honest(rng, frame).eras, may=("not_indexed",))


def _flagged(flag: str) -> Callable[[random.Random, HistoryFrame], SiteHistory]:
    def history(rng: random.Random, frame: HistoryFrame) -> SiteHistory:
        return SiteHistory(_honest(rng, frame).eras, flags=(flag,))

    return history


_LONG = frozenset(
    {
        "inflated",
        "gap",
        "parked_late",
        "lang_change",
        "topic_change",
        "three_owners",
        "casino",
        "casino_between",
    }
)
_HIJACKED = frozenset(
    {"casino", "casino_between", "pharma", "replica", "payday", "essay", "adult", "warez", "crypto"}
)
_SPAM_ON_SITE: dict[str, tuple[EraKind, str]] = {
    "japanese": ("hacked", "japanese"),
    "doorway": ("doorway", ""),
    "injected": ("injected", ""),
}
_MAKERS: dict[str, Callable[[random.Random, HistoryFrame], SiteHistory]] = {
    "gap": _gap,
    "sparse": _sparse,
    "parked_late": _parked_late,
    "parked_always": _parked_always,
    "lang_change": _lang_change,
    "topic_change": _topic_change,
    "three_owners": _three_owners,
    "redesign": _redesign,
    "bilingual": _bilingual,
    "spam_anchors": _spam_anchors,
    "inflated": _flagged("dr_inflated"),
    "anchor_foreign": _flagged("anchor_foreign"),
    "trademark": _flagged("trademark"),
    "not_indexed": _not_indexed,
}
