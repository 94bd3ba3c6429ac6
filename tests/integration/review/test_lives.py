"""Composed lives read page by page as a scan would: what the site-level rules must reach on them."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

import pytest

from afterdrop.review.flags.risk_flags import found_flags, risk_checks
from afterdrop.review.history.capture_plan import CAPTURES
from afterdrop.review.history.domain_history import History
from afterdrop.review.page.pool import read_capture
from afterdrop.review.page.values import Capture, PageReading
from afterdrop.review.run import review_domain
from afterdrop.sources.metrics.model import NOTHING_KNOWN
from tests.support.agreement import disagreements
from tests.timelines.life import Life, LifeArchive
from tests.timelines.lives import everything, gaps, hijacked, honest, new_owners, parked
from tests.timelines.sandbox_lives import sandbox_lives

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


_READ: dict[tuple[bytes, str], PageReading] = {}


async def reader(capture: Capture) -> PageReading:
    """Read in this process, the same page once: what is measured is the rules, not the pool."""
    key = capture.body, capture.url
    if key not in _READ:
        _READ[key] = read_capture(capture)
    return _READ[key]


async def reviewed(life: Life) -> History:
    archive = LifeArchive(life)
    found = (await review_domain(archive, reader, life.domain, NOW)).history
    assert len(archive.asked) <= CAPTURES
    for finding in found.findings:
        if finding.quote and finding.zone != "url":
            assert quoted_in(life, finding.quote), finding
    return found


def quoted_in(life: Life, quote: str) -> bool:
    """Whether a person who opens the captures finds the quote, in one piece."""
    return any(quote in shot.body.decode("utf-8", "replace") for shot in life.shots) or any(
        quote in shot.body.decode(shot.content_type.rpartition("=")[2], "replace") for shot in life.shots
    )


def flags_of(history: History) -> set[str]:
    return set(found_flags(risk_checks(history, NOTHING_KNOWN, history.domain)))


@pytest.mark.long
async def test_honest_lives_are_never_rejected_nor_flagged_for_what_they_are_not() -> None:
    lives = list(honest())
    assert len(lives) >= 60
    for life in lives:
        found = await reviewed(life)
        assert not found.spam, (life, found.reasons)
        assert not life.never & flags_of(found), (life, found.findings)
        if life.language and found.outcome == "ok":
            assert found.language == life.language


@pytest.mark.long
async def test_hijacked_lives_are_rejected() -> None:
    told: Counter[bool] = Counter()
    for life in hijacked():
        found = await reviewed(life)
        told[found.spam] += 1
        assert found.outcome != "ok", life
        assert not found.spam or found.reasons
    assert told.total() >= 40
    assert told[True] / told.total() >= 0.9


@pytest.mark.parametrize("composed", [parked, gaps])
async def test_parking_and_gaps_are_flagged(composed: object) -> None:
    lives = list(composed())  # type: ignore[operator]  # one of the two
    hits = [life.flags <= flags_of(await reviewed(life)) for life in lives]
    assert len(lives) >= 20
    assert sum(hits) / len(hits) >= 0.95


async def test_new_owners_are_seen_and_not_rejected() -> None:
    hits = []
    for life in new_owners():
        found = await reviewed(life)
        assert not found.spam, (life, found.reasons)
        hits.append(life.flags <= flags_of(found))
    assert sum(hits) / len(hits) >= 0.9


@pytest.mark.long
async def test_what_a_report_says_of_composed_lives_and_stories_agrees() -> None:
    lives = [*everything(), *sandbox_lives(100)]
    assert len(lives) >= 250
    wrong = {f"{life.domain} ({life.kind})": disagreements(await reviewed(life), NOW) for life in lives}
    assert {life: found for life, found in wrong.items() if found} == {}
