"""Taking a feed file in: one streamed pass, then, if the file is to be believed, withdrawing what it lacks.

Reading and sifting happen in a thread, a batch at a time, so that the event loop stays free. Everything stored for a
row is idempotent, so that a run that was killed is simply read again.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, BinaryIO, NamedTuple

from afterdrop.core.errors import AfterdropError, FeedError
from afterdrop.db.engine import Database
from afterdrop.feeds import store
from afterdrop.feeds.batch_writer import Unit, Writer
from afterdrop.feeds.mapping import Row
from afterdrop.feeds.parse import read_feed
from afterdrop.feeds.plausibility import Plausibility as FileJudgement
from afterdrop.feeds.plausibility import Sketch, judge_file, suspicion
from afterdrop.feeds.row_outcome import (
    Judgement,
    KnownCandidate,
    KnownListing,
    RowOutcome,
    RunContext,
    decide,
)
from afterdrop.feeds.run_context import AuthorityFilter, IntakeOptions, SourceRun
from afterdrop.feeds.spec import FeedSpec
from afterdrop.feeds.tally import Tally
from afterdrop.metrics.model import Metric, Role, Value

BATCH = 1000
WITHDRAW_BATCH = 200


async def take_in(
    database: Database,
    spec: FeedSpec,
    file: BinaryIO,
    scan_id: int,
    scan_started: datetime,
    now: datetime,
    sieve: AuthorityFilter,
    terms: IntakeOptions,
    progress: Callable[[int], None] | None = None,
) -> SourceRun:
    """Take one feed file into the database as part of a scan.

    `file` is seekable and open for bytes. A run of this scan that ended already is not repeated: its outcome is
    returned. A file that cannot be read is recorded as the run's failure, ends nothing, and raises nothing.
    """
    async with database.write() as conn:
        begun = await store.begin_run(conn, scan_id, spec.name, spec.source, now)
    if begun["state"] in ("done", "suspect"):
        return _result(begun)
    occasion = RunContext(spec, begun["id"], scan_started, terms.rates, terms.review_valid)
    intake = _Intake(database, scan_id, now, sieve, terms, occasion, progress or _silent)
    try:
        await intake.read(file)
        judgement = await intake.judge_file()
    except FeedError as error:
        return await fail_run(database, begun["id"], spec.name, str(error), now, intake.tally)
    if judgement.withdraws:
        await intake.withdraw()
    return await intake.finish(judgement)


async def fail_run(
    database: Database, run_id: int, feed: str, error: str, now: datetime, tally: Tally | None = None
) -> SourceRun:
    """Record that a feed could not be read, with what was read before."""
    so_far = tally or Tally()
    values = {
        **so_far.columns(),
        "state": "failed",
        "finished_at": now,
        "error": error[:1000],
        "accepted": False,
    }
    async with database.write() as conn:
        await store.end_run(conn, run_id, **values, sketch=None)
    return _result({"id": run_id, "feed": feed, **values})


def _result(row: Mapping[str, Any]) -> SourceRun:
    names = ("feed", "state", "rows", "good", "passed", "counts", "samples", "accepted", "error")
    return SourceRun(row["id"], **{name: row[name] for name in names})


def _differ(now: Mapping[Role, Value], before: Mapping[str, Any]) -> bool:
    return any(before.get(role) != value for role, value in now.items())


def _silent(_rows: int) -> None:
    return None


class _Stored(NamedTuple):
    """What the database holds about a batch: listings by key; candidates, metrics and soonest ends by domain."""

    listings: dict[str, KnownListing]
    candidates: dict[str, KnownCandidate]
    told: dict[str, dict[str, Any]]
    ends: dict[str, datetime]


@dataclass
class _Intake:
    """One run under way."""

    database: Database
    scan_id: int
    now: datetime
    sieve: AuthorityFilter
    terms: IntakeOptions
    occasion: RunContext
    progress: Callable[[int], None]
    tally: Tally = field(default_factory=Tally)
    sketch: Sketch = field(default_factory=Sketch)
    unmeasured: list[Row] = field(default_factory=list)
    banned: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        self.writer = Writer(self.database, self.occasion, self.scan_id, self.now)

    async def read(self, file: BinaryIO) -> None:
        """The streamed pass."""
        async with self.database.read() as conn:
            self.banned = await store.banned_names(conn)
        rows = read_feed(self.occasion.spec, file, self.terms.bounds, self.terms.zones)
        while True:
            batch = await asyncio.to_thread(self._sift, rows)
            if batch is None:
                break
            self.progress(self.tally.rows)
            await self._settle(batch)
            if len(self.unmeasured) >= BATCH:
                await self._measure()
        await self._measure()

    def _sift(self, rows: Iterator[Any]) -> list[tuple[Row, Judgement]] | None:
        """The next rows with the filter's word on each; None at the file's end. Runs in a thread."""
        batch: list[tuple[Row, Judgement]] = []
        keys: dict[str, int] = {}
        taken = 0
        for row in rows:
            taken += 1
            if not isinstance(row, Row):
                self.tally.bad(row)
            else:
                self.tally.good_row(row)
                self.sketch.add(row.domain)
                place = keys.setdefault(row.key, len(batch))
                entry = (row, self.sieve.judge(row.metrics))
                if place == len(batch):
                    batch.append(entry)
                else:
                    # The same offer twice: the later line counts.
                    self.tally.count("duplicate")
                    batch[place] = entry
            if taken >= BATCH:
                return batch
        return batch if taken else None

    async def _look_up(self, batch: Sequence[tuple[Row, Judgement]]) -> _Stored:
        """What is stored already about the batch's rows."""
        source, at = self.occasion.spec.source, self.occasion.at
        domains, keys = list({row.domain for row, _ in batch}), [row.key for row, _ in batch]
        async with self.database.read() as conn:
            candidates = await store.known_candidates(conn, domains)
            known = list(candidates)
            found = _Stored(
                await store.known_listings(conn, source, keys),
                candidates,
                await store.metrics_of(conn, self.occasion.spec.provider, known),
                await store.soonest_ends(conn, known, source, keys, at),
            )
        for row, _ in batch:
            if row.ends_at is not None and row.ends_at > at:
                found.ends[row.domain] = min(row.ends_at, found.ends.get(row.domain, row.ends_at))
        return found

    async def _settle(
        self, batch: Sequence[tuple[Row, Judgement]], asked: Mapping[str, Sequence[Metric]] | None = None
    ) -> None:
        """Decide each row by what is stored, and store what follows. `asked`: the providers' answers, if asked."""
        stored = await self._look_up(batch)
        units: list[Unit] = []
        fates: Counter[str] = Counter()
        for row, judgement in batch:
            candidate = stored.candidates.get(row.domain)
            decision = decide(
                row,
                stored.listings.get(row.key),
                candidate,
                judgement,
                self.occasion,
                banned=row.domain in self.banned,
                metrics_changed=candidate is None or _differ(row.metrics, stored.told.get(row.domain, {})),
            )
            if decision.fate == "ask":
                self._hold_back(row, asked is not None)
                continue
            fates[decision.fate] += 1
            if decision.seen:
                self.tally.passed += judgement == "pass"
                extra = list((asked or {}).get(row.domain, ()))
                units.append(self._unit(row, decision, candidate, extra, stored.ends.get(row.domain)))
        for fate, number in fates.items():
            self.tally.count(fate, number)
        await self.writer.write(units)

    def _hold_back(self, row: Row, was_asked: bool) -> None:
        if was_asked or self.sieve.ask is None:
            self.tally.count("no_metrics")
        else:
            self.unmeasured.append(row)

    def _unit(
        self,
        row: Row,
        decision: RowOutcome,
        candidate: KnownCandidate | None,
        extra: list[Metric],
        soonest: datetime | None,
    ) -> Unit:
        spec = self.occasion.spec
        credit = spec.attribution.model_dump() if spec.attribution else None
        metrics = extra if decision.candidate else []
        if decision.metrics:
            metrics = [
                Metric(role, value, spec.provider, self.now, spec.gated, credit)
                for role, value in row.metrics.items()
            ] + extra
        strength = 0.0
        if decision.candidate == "new":
            strength = self.sieve.strength({metric.role: metric.value for metric in reversed(metrics)})
        moved = candidate is not None and candidate.ends_at != soonest
        return Unit(row.domain, row.key, decision, metrics, strength, soonest, moved)

    async def _measure(self) -> None:
        """Ask the bulk providers about the names nobody measured, and judge them again."""
        rows, self.unmeasured = self.unmeasured, []
        if not rows or self.sieve.ask is None:
            return
        answers: Mapping[str, Sequence[Metric]] = {}
        try:
            answers = await self.sieve.ask(sorted({row.domain for row in rows}))
        except AfterdropError:
            # The providers' trouble is in their own log; these names are unknown, not lost: the next scan asks again.
            self.tally.count("providers_failed", len(rows))
        batch: list[tuple[Row, Judgement]] = []
        for row in rows:
            figures = {metric.role: metric.value for metric in reversed(answers.get(row.domain, ()))}
            batch.append((row, self.sieve.judge(figures)))
        await self._settle(batch, answers)

    async def judge_file(self) -> FileJudgement:
        """Whether the file is to be believed."""
        spec, occasion = self.occasion.spec, self.occasion
        async with self.database.read() as conn:
            known, missing = 0, 0
            if spec.complete:
                known, missing = await store.count_ahead(
                    conn, spec.name, occasion.run_id, occasion.at, self.now
                )
            previous = await store.previous_suspect(conn, spec.name, occasion.run_id)
        why = suspicion(known, missing, self.tally.good)
        return judge_file(spec.complete, why, self.sketch.hashes(), previous, self.terms.accept)

    async def withdraw(self) -> None:
        """Withdraw what a believed, complete file no longer carries."""
        occasion = self.occasion
        while True:
            async with self.database.write() as conn:
                gone = await store.withdraw_unseen(
                    conn,
                    occasion.spec.name,
                    occasion.run_id,
                    self.scan_id,
                    occasion.at,
                    self.now,
                    WITHDRAW_BATCH,
                )
            if not gone:
                return
            self.tally.count("withdrawn", gone)

    async def finish(self, judgement: FileJudgement) -> SourceRun:
        """Write the run's outcome."""
        values = {
            **self.tally.columns(),
            "state": judgement.state,
            "finished_at": self.now,
            "accepted": judgement.accepted,
            "error": judgement.why,
        }
        sketch = self.sketch.hashes() if judgement.state == "suspect" else None
        async with self.database.write() as conn:
            await store.end_run(conn, self.occasion.run_id, **values, sketch=sketch)
        return _result({"id": self.occasion.run_id, "feed": self.occasion.spec.name, **values})
