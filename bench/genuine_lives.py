"""Whole lives made of genuine sites, reviewed from the archive's index to the verdict.

A site's page is its home page, again and again; other pages of the same site, where there are some, stand in the index
under their own addresses.

Bodies are the pages' names: the reading of each page is known by then, and only the rules over whole sites run.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from urllib.parse import quote

from tests.timelines.life import Life, LifeArchive, Shot

from afterdrop.review.flags.risk_flags import found_flags, risk_checks
from afterdrop.review.page.values import Capture, PageReading
from afterdrop.review.run import review_domain
from afterdrop.sources.metrics.model import NOTHING_KNOWN

HONEST_LIVES = 1_500
MOST_BESIDE = 6
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


# The other pages of a page's site, by address.
Deep = Mapping[str, Mapping[str, str]]


def _era(name: str, first: int, last: int, deep: Deep) -> list[Shot]:
    middle = datetime((first + last) // 2, 4, 3, tzinfo=UTC)
    beside = [
        Shot(middle, f"{other}#".encode(), quote(f"/site/{path}"), content_type="text/html")
        for path, other in islice(deep.get(name, {}).items(), MOST_BESIDE)
    ]
    return beside + [
        Shot(
            datetime(year, month, 3, tzinfo=UTC), f"{name}#{year}-{month}".encode(), content_type="text/html"
        )
        for year in range(first, last + 1)
        for month in (1, 7)
    ]


def _life(number: int, kind: str, truth: str, *eras: list[Shot], flags: frozenset[str] = frozenset()) -> Life:
    shots = tuple(shot for shots in eras for shot in shots)
    return Life(f"site{number}.com", kind, truth, shots, flags)


def lives(
    honest: Sequence[str], spam: Sequence[str], parked: Sequence[str], accused: Sequence[str], deep: Deep
) -> Iterator[Life]:
    """The lives of the review's table. `accused` are honest pages that the reader thinks ill of, also of `honest`.

    Honest lives are of two owners, as a second one is where a review may take a stranger for a spammer.
    """
    rng = random.Random(7)
    for number, name in enumerate(accused):
        yield _life(number, "honest: an accused page all along", "honest", _era(name, 2004, 2014, deep))
    for number, name in enumerate(rng.sample(honest, min(HONEST_LIVES, len(honest)))):
        before = rng.choice(honest)
        eras = _era(before, 2003, 2009, deep), _era(name, 2011, 2016, deep)
        yield _life(number, "honest: two owners", "honest", *eras)
    for number, name in enumerate(spam):
        before, after = rng.choice(honest), rng.choice(honest)
        yield _life(
            number,
            "spam: after an honest site",
            "spam",
            _era(before, 2003, 2010, deep),
            _era(name, 2012, 2014, deep),
        )
        yield _life(number, "spam: all along", "spam", _era(name, 2012, 2015, deep))
        yield _life(
            number,
            "spam: before an honest site",
            "spam",
            _era(name, 2006, 2009, deep),
            _era(after, 2011, 2017, deep),
        )
    for number, name in enumerate(parked):
        before = rng.choice(honest)
        middle = (
            _era(before, 2003, 2009, deep),
            _era(name, 2010, 2012, deep),
            _era(before, 2013, 2018, deep),
        )
        yield _life(number, "honest: parked between", "honest", *middle, flags=frozenset({"parked"}))


async def outcome(
    life: Life, readings: Mapping[str, PageReading]
) -> tuple[str, frozenset[str], tuple[str, ...]]:
    """What comes of a life (spam, suspect or ok), its found flags, and the reasons."""

    async def reader(capture: Capture) -> PageReading:
        return readings[capture.body.partition(b"#")[0].decode()]

    reviewed = await review_domain(LifeArchive(life), reader, life.domain, NOW)
    history = reviewed.history
    flags = frozenset(map(str, found_flags(risk_checks(history, NOTHING_KNOWN, life.domain))))
    return history.outcome, flags, history.reasons
