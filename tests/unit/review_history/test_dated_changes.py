"""With eight captures a change of owner is dated within months: where two neighbours differ, the plan bisects."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from statistics import median

import pytest

from afterdrop.review.history.capture_plan import next_captures
from afterdrop.review.history.samples import Sample
from afterdrop.review.history.timeline import stretches
from afterdrop.sources.archive.cdx import read_index
from tests.support.histories import BROT, DOMAIN, page, stranger

OWNERS = (
    page(),
    stranger(),
    page(title="Bäckerei Moser", text=BROT, language="de", brand_tokens=frozenset({"moser"})),
)
LIVES = 80
Captures = dict[datetime, tuple[str, int]]


def a_life(rng: random.Random, changes: int) -> Captures:
    """Captures with digest and owner: 8 to 16 years, 3 to 20 captures a year, pages edited seldom to always."""
    begun, days = datetime(rng.randint(2000, 2010), 1, 1, tzinfo=UTC), rng.uniform(8, 16) * 365
    times = sorted(rng.uniform(0, days) for _ in range(int(days / 365 * rng.choice([3, 6, 12, 20]))))
    turns, edits = [days * rng.uniform(0.1, 0.9) for _ in range(changes)], rng.choice([0.1, 0.5, 1])
    found: Captures = {}
    version, before = 0, 0
    for when in times:
        owner = sum(when >= turn for turn in turns)
        version += owner != before or rng.random() < edits
        before = owner
        found[begun + timedelta(days=int(when))] = f"D{version}", owner
    return found


def intervals(life: Captures) -> list[int]:
    """The days in which each change of owner is known to have come, after at most eight captures were read."""
    rows = [
        f"com,oldmill-bakery)/ {at:%Y%m%d%H%M%S} http://{DOMAIN}/ text/html 200 {digest} 5000"
        for at, (digest, _) in life.items()
    ]
    index, samples = read_index("\n".join(rows).encode(), DOMAIN), list[Sample]()
    while wanted := next_captures(index, samples):
        for capture in wanted:
            digest, owner = life[capture.at]
            samples.append(
                Sample(capture.at, capture.url, "", digest, 200, length=5000, reading=OWNERS[owner])
            )
    assert len(samples) <= 8
    known = [(part.shown, life[part.sample.at][1]) for part in stretches(index, samples) if part.shown]
    return [(new[0] - old[1]).days for (old, was), (new, owner) in pairwise(known) if owner != was]


@pytest.mark.parametrize(("changes", "most"), [(1, 120), (2, 365)])
def test_a_change_is_dated(changes: int, most: int) -> None:
    rng = random.Random(7)
    found = [intervals(a_life(rng, changes)) for _ in range(LIVES)]
    days = [each for life in found for each in life]
    print(f"{changes} changes, {LIVES} lives: {len(days)} found, {median(days):.0f} days at the median")
    assert len(days) >= 0.92 * changes * LIVES
    assert median(days) <= most
