"""Histories made of real labelled pages, which only some development machines have."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.timelines.life import Life, Shot


def real_lives(folder: Path) -> Iterator[Life]:
    """Every honest page as a site, every spam page on a dropped name, parking pages and gaps between honest ones."""
    pages = json.loads((folder / "history" / "pages.json").read_text("utf-8"))
    rng = random.Random(7)
    honest, spam, parked = (
        [p for p in pages if p["label"] == label] for label in ("legit", "spam", "parked")
    )

    def body(page: dict[str, Any]) -> bytes:
        return (folder / "history" / str(page["file"])).read_bytes()

    def era(page: dict[str, Any], first: int, last: int) -> list[Shot]:
        return [
            Shot(
                datetime(year, month, 3, tzinfo=UTC),
                body(page) + f"\n<!-- {year}-{month} -->".encode(),
                content_type="text/html",
            )
            for year in range(first, last + 1)
            for month in (1, 7)
        ]

    def life(number: int, kind: str, truth: str, *eras: list[Shot], **given: Any) -> Life:
        return Life(
            f"site{number}.com", kind, truth, tuple(shot for shots in eras for shot in shots), **given
        )

    for number, page in enumerate(honest):
        steady = frozenset({"gap", "parked", "lang_change", "topic_change"})
        yield life(number, f"honest {page['file']}", "honest", era(page, 2004, 2014), never=steady)
    for number, page in enumerate(spam):
        before, after = rng.choice(honest), rng.choice(honest)
        yield life(number, "takeover", "spam", era(before, 2003, 2010), era(page, 2012, 2014))
        yield life(number, "spam all along", "spam", era(page, 2012, 2015))
        middle = (era(before, 2003, 2009), era(page, 2011, 2012), era(after, 2014, 2018))
        yield life(number, "spam in between", "spam", *middle)
    for number, page in enumerate(parked * 3):
        before, after = rng.choice(honest), rng.choice(honest)
        flags = frozenset({"parked"})
        yield life(
            number, "parked at the end", "honest", era(before, 2003, 2010), era(page, 2011, 2012), flags=flags
        )
        middle = (era(before, 2003, 2009), era(page, 2010, 2011), era(after, 2012, 2018))
        yield life(number, "parked in between", "honest", *middle, flags=flags)
    for number in range(40):
        page = rng.choice(honest)
        flags = frozenset({"gap"})
        yield life(
            number, "gap", "honest", era(page, 2003, 2008), era(page, 2011 + number % 3, 2017), flags=flags
        )
