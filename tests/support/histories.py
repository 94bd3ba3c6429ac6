"""Indexes and samples for tests of the rules over a site's history, without an archive or a page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from afterdrop.review.history.samples import Sample
from afterdrop.review.page.values import Evidence, PageReading
from afterdrop.sources.archive.cdx import read_index
from afterdrop.sources.archive.cdx_index import Index

NOW = datetime(2026, 11, 20, 12, 0, 0, tzinfo=UTC)
DOMAIN = "oldmill-bakery.com"
INHERITED = frozenset({DOMAIN, "oldmill-bakery", "oldmillbakery", "oldmill", "bakery"})


def day(text: str) -> datetime:
    """`2010-03` or `2010-03-05` as a time."""
    year, month, *rest = (int(part) for part in text.split("-"))
    return datetime(year, month, rest[0] if rest else 1, tzinfo=UTC)


def index_of(*homes: tuple[str, str] | tuple[str, str, int], deep: Sequence[str] = ()) -> Index:
    """An index of home captures (date, digest, length) and one good capture of each `deep` path."""
    lines = []
    for when, digest, *length in homes:
        stamp = day(when).strftime("%Y%m%d%H%M%S")
        size = length[0] if length else 5000
        lines.append(f"com,oldmill-bakery)/ {stamp} http://{DOMAIN}/ text/html 200 {digest} {size}")
    lines += [
        f"com,oldmill-bakery){path} 20150101000000 http://{DOMAIN}{path} text/html 200 P{number} 900"
        for number, path in enumerate(deep)
    ]
    return read_index("\n".join(lines).encode(), DOMAIN)


BREAD = (
    "Our sourdough loaves rise overnight before baking in the stone oven. The bakery sells rye bread, butter"
    " croissants, seeded rolls, cinnamon pastries and birthday cakes from early morning. Flour comes from the"
    " watermill downstream, where millers grind organic wheat, spelt and barley between granite millstones."
    " Children enjoy the gingerbread workshop before Christmas, adults the sourdough course every autumn."
)
SHIPS = (
    "Charter sailing yachts along the Dalmatian coastline with experienced skippers. Cabins, catamarans and"
    " motorboats depart weekly from the marina towards secluded islands. Insurance, mooring fees and bedding"
    " included; navigation licences required without skipper. Regatta packages, diving excursions and sunset"
    " cruises available between April and October, weather permitting, subject to harbour regulations."
)
BROT = (
    "Unsere Sauerteigbrote gehen über Nacht auf, bevor sie im Steinofen gebacken werden. Die Bäckerei verkauft"
    " Roggenbrot, Buttercroissants, Körnerbrötchen, Zimtschnecken und Geburtstagstorten. Das Mehl kommt aus der"
    " Wassermühle, wo Müller biologischen Weizen, Dinkel und Gerste zwischen Granitsteinen mahlen."
)
SLOTS = (
    "Welcome to the best online casino with thousands of jackpot slots, roulette tables and blackjack dealers."
    " Register today, claim your deposit bonus and spin without wagering requirements. Instant withdrawals, loyalty"
    " rewards and cryptocurrency payments await players everywhere; tournaments start hourly with guaranteed prizes."
    " Download the mobile application wherever you travel: licensed operators, certified random numbers."
)


def page(**given: Any) -> PageReading:
    """A clean English page of the bakery unless told otherwise."""
    text = given.pop("text", BREAD)
    values: dict[str, Any] = {
        "verdict": "clean",
        "language": "en",
        "language_sure": True,
        "title": "Harris & Sons, craft bread since 1911",
        "text": text,
        "words": len(text.split()),
        "brand_tokens": frozenset({"harris"}),
        **given,
    }
    return PageReading(**values)


def stranger(**given: Any) -> PageReading:
    """A clean page of somebody else."""
    values = {"title": "Blue Adriatic yacht charter", "text": SHIPS, "brand_tokens": frozenset({"adriatic"})}
    return page(**{**values, **given})


def evidence(zone: str = "body", severity: int = 3, category: str = "gambling") -> Evidence:
    """One spam phrase."""
    return Evidence("spam_phrase", category, severity, zone, "best online casino", "r", "v")  # type: ignore[arg-type]  # any zone


def spam(zone: str = "title", **given: Any) -> PageReading:
    """A casino page by strangers."""
    values: dict[str, Any] = {
        "verdict": "spam",
        "category": "gambling",
        "title": "Lucky 88 slots",
        "text": SLOTS,
        "brand_tokens": frozenset({"lucky"}),
        "evidence": (evidence(zone),),
    }
    return page(**{**values, **given})


def parked(kind: str = "for_sale", severity: int = 2, **given: Any) -> PageReading:
    """A lander."""
    found = Evidence("parking_phrase", kind, severity, "body", "this domain is for sale", "r", "v")
    values: dict[str, Any] = {
        "verdict": "parked",
        "parked_kind": kind,
        "title": "oldmill-bakery.com is for sale",
        "text": "buy now",
        "brand_tokens": frozenset(),
        "language_sure": False,
        "evidence": (found,),
    }
    return page(**{**values, **given})


def sample(when: str, reading: PageReading | None = None, **given: Any) -> Sample:
    """One capture of the home page; its digest is its date unless told otherwise."""
    at = day(when)
    values: dict[str, Any] = {
        "digest": when,
        "status": 200,
        "reading": page() if reading is None else reading,
        **given,
    }
    return Sample(at, f"http://{DOMAIN}/", f"https://a.test/{when}/http://{DOMAIN}/", **values)
