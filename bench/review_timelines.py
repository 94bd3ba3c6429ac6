"""How often the site-level rules are right, from HTML to verdict, over composed histories of invented sites.

    python -m bench.review_timelines [--real FOLDER] [--sandbox SIZE] [--list]

Prints shares with their 95 % interval (Wilson), captures read per site, and every life judged wrongly. `--real`
adds lives made of the labelled pages in FOLDER/history (each honest page a site, each spam page a hijacked one);
`--sandbox` adds the sandbox's own stories.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from bench.shares import interval
from tests.timelines.life import Life, LifeArchive
from tests.timelines.lives import everything

from afterdrop.review.flags.risk_flags import found_flags, risk_checks
from afterdrop.review.history.domain_history import History
from afterdrop.review.page.pool import read_capture
from afterdrop.review.page.values import Capture, PageReading
from afterdrop.review.run import review_domain
from afterdrop.sources.metrics.model import NOTHING_KNOWN

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
Share = list[int]


class Measured:
    """Counts by name, and the lives judged wrongly."""

    def __init__(self) -> None:
        self.shares: dict[str, Share] = defaultdict(lambda: [0, 0])
        self.wrong: list[str] = []
        self.captures = self.lives = 0

    def count(self, name: str, hit: bool) -> None:
        """Count one more of `name`."""
        self.shares[name][0] += hit
        self.shares[name][1] += 1

    def judge(self, life: Life, history: History, asked: int) -> None:
        """Compare one life's truth with its review."""
        self.captures += asked
        self.lives += 1
        flags = set(found_flags(risk_checks(history, NOTHING_KNOWN, life.domain)))
        if life.truth == "spam":
            self.count("spam rejected", history.spam)
            self.count(f"  {life.kind}", history.spam)
        else:
            self.count("honest rejected (want 0)", history.spam)
            self.count("honest called risky by the review", history.outcome == "suspect")
        for flag in sorted(life.flags):
            self.count(f"{flag} found where it is", flag in flags)
        for flag in sorted(life.never):
            self.count(f"{flag} found where it is not", flag in flags)
        if life.language and history.outcome == "ok":
            self.count("language of the honest site", history.language == life.language)
        if history.spam != (life.truth == "spam") or life.flags - flags or life.never & flags:
            read = ", ".join(
                f"{c.at:%Y-%m} {c.kind}{f' {c.detail}' if c.detail else ''}" for c in history.read
            )
            self.wrong.append(
                f"{life.kind} {life.domain}: {history.outcome} {sorted(flags)} want {life.truth}"
                f" {sorted(life.flags)} never {sorted(life.never & flags)}; read {read}; {history.reasons}"
            )


async def measure(lives: Iterable[Life], measured: Measured) -> None:
    """Review every history as a scan would."""
    known: dict[tuple[bytes, str], PageReading] = {}

    async def reader(capture: Capture) -> PageReading:
        key = (capture.body, capture.url)
        if key not in known:
            known[key] = read_capture(capture)
        return known[key]

    for life in lives:
        archive = LifeArchive(life)
        reviewed = await review_domain(archive, reader, life.domain, NOW)
        measured.judge(life, reviewed.history, len(archive.asked))


def show(title: str, measured: Measured, seconds: float, listed: bool) -> None:
    """Print one table."""
    each = measured.captures / max(measured.lives, 1)
    print(f"{title}: {measured.lives} lives, {each:.1f} captures each, {seconds:.1f} s CPU")
    for name in sorted(measured.shares, key=lambda name: (name.startswith(" "), name)):
        print(f"  {name:38} {interval(*measured.shares[name])}")
    for line in measured.wrong if listed else ():
        print(f"  ! {line}")


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--real", type=Path)
    options.add_argument("--sandbox", type=int)
    options.add_argument("--list", action="store_true")
    chosen = options.parse_args()
    sets: list[tuple[str, Iterable[Life]]] = [("composed", everything())]
    if chosen.real:
        from tests.timelines.real_pages import real_lives

        sets.append(("made of real pages", real_lives(chosen.real)))
    if chosen.sandbox:
        from tests.timelines.sandbox_lives import sandbox_lives

        sets.append(("the sandbox's stories", sandbox_lives(chosen.sandbox)))
    for title, lives in sets:
        measured, start = Measured(), time.process_time()
        asyncio.run(measure(lives, measured))
        show(title, measured, time.process_time() - start, chosen.list)


if __name__ == "__main__":
    main()
