"""Taking a feed file in: one streamed pass, then listings that the file lacks are withdrawn, if it is believed.

Rows are read and filtered in a thread, a batch at a time, so that the event loop stays free. Everything stored for a
row is idempotent, so that a run that was killed is simply read again. Transactions are short: at most 1,000 rows and
50 ms each.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from typing import Any, BinaryIO, NamedTuple

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.core.clock import monotonic
from afterdrop.core.errors import AfterdropError, FeedError
from afterdrop.core.safe_text import storable
from afterdrop.db.engine import Database
from afterdrop.db.outages import outage_text
from afterdrop.feeds import store
from afterdrop.feeds.authority_filter import BatchFilter, JudgedRow, KnownNames, Waiting
from afterdrop.feeds.mapping import Row, key_with_name
from afterdrop.feeds.parse import read_feed
from afterdrop.feeds.plausibility import Lacking, Plausibility, judge_file, sketch_of, suspicion
from afterdrop.feeds.row_batches import Batch
from afterdrop.feeds.row_outcome import (
    CandidateStep,
    KnownCandidate,
    KnownListing,
    RowOutcome,
    StoredRow,
    decide,
)
from afterdrop.feeds.run_context import (
    AuthorityFilter,
    IntakeOptions,
    RunContext,
    ScanMoment,
    SourceRun,
    Tally,
)
from afterdrop.feeds.spec import FeedSpec
from afterdrop.feeds.unread_rows import SparedNames
from afterdrop.sources.metrics.model import Metric, Role, Value
from afterdrop.sources.metrics.store import put_metrics

MAX_ROWS = 1000
MIN_ROWS = 150
# Aim below the promised 50 ms: the next transaction may meet a slower disk.
SLOW, QUICK = 0.025, 0.015


class RowWrite(NamedTuple):
    """The stored listing and candidate of one feed row; `strength` and `soonest_end` are its candidate's."""

    domain: str
    key: str
    outcome: RowOutcome
    metrics: list[Metric]
    strength: float
    soonest_end: datetime | None
    end_moved: bool

    @property
    def table_rows(self) -> int:
        """How many table rows it writes at most."""
        return 1 + bool(self.outcome.candidate) + len(self.metrics)


@dataclass
class BatchWriter:
    """Writes rows in transactions whose size follows how long the last one took."""

    database: Database
    context: RunContext
    rows_at_once: int = 300

    async def write(self, writes: Sequence[RowWrite]) -> None:
        """Store all writes, in as many transactions as it takes."""
        rest = list(writes)
        while rest:
            batch = list(self._next_batch(rest))
            rest = rest[len(batch) :]
            async with self.database.write() as conn:
                started = monotonic()
                await self._store(conn, batch)
            took = monotonic() - started
            if took > SLOW:
                self.rows_at_once = max(MIN_ROWS, self.rows_at_once * 2 // 3)
            elif took < QUICK:
                self.rows_at_once = min(MAX_ROWS, self.rows_at_once * 5 // 4)

    def _next_batch(self, writes: Sequence[RowWrite]) -> Iterator[RowWrite]:
        total = 0
        for write in writes:
            total += write.table_rows
            if total > self.rows_at_once and total > write.table_rows:
                return
            yield write

    async def _store(self, conn: AsyncConnection, writes: Sequence[RowWrite]) -> None:
        context = self.context
        await store.put_listings(conn, [write.outcome.listing for write in writes if write.outcome.listing])
        unchanged = [write.key for write in writes if write.outcome.listing is None]
        await store.touch_listings(conn, context, unchanged)
        by_step: dict[CandidateStep, dict[str, RowWrite]] = {"": {}, "new": {}, "touch": {}, "requeue": {}}
        metrics: dict[tuple[str, str, str], tuple[str, Metric]] = {}
        for write in writes:
            by_step[write.outcome.candidate][write.domain] = write
            for metric in write.metrics:
                metrics[write.domain, metric.role, metric.provider] = (write.domain, metric)
        new = [(write.domain, write.strength, write.soonest_end) for write in by_step["new"].values()]
        await store.new_candidates(conn, context, new)
        waiting = {**by_step["touch"], **by_step["requeue"]}
        moved = [(write.domain, write.soonest_end) for write in waiting.values() if write.end_moved]
        await store.touch_candidates(conn, list(waiting), moved, context.scan_id)
        await store.due_candidates(conn, list(by_step["requeue"]), context.scan_id, context.now)
        await put_metrics(conn, list(metrics.values()))


BATCH = 1000
# So many batches are read at once. After the first of them it is told from memory which names the database may hold;
# smaller files are not worth it.
LOOKED_UP = 5
# Rows to decide on are looked up and stored so many at once, whatever the number of batches they are from.
STORED = 300
WITHDRAW_BATCH = 200
# What a driver raises about a value, and not about the database: it ends this feed's run, not the scan.
_OF_ITS_VALUES = (sa.exc.DataError, sa.exc.IntegrityError, UnicodeEncodeError, OverflowError)
# What the run of such a file says, beside its figures.
PART_OF_A_LIST = "it may be only its first pages (paging), so nothing was withdrawn"
UNNAMED_ROWS = "nothing was withdrawn, because it has unreadable rows of which no domain name can be told"


async def take_in(
    database: Database,
    spec: FeedSpec,
    file: BinaryIO,
    scan: ScanMoment,
    authority_filter: AuthorityFilter,
    options: IntakeOptions,
) -> SourceRun:
    """Take one feed file into the database as part of a scan.

    `file` is seekable and open for bytes. A run of this scan that ended already is not repeated: its result is
    returned. A file that cannot be read, or has a value that cannot be stored, is recorded as a failed run; it ends no
    listing, and nothing is raised.
    """
    async with database.write() as conn:
        begun = await store.begin_run(conn, scan.scan_id, spec, scan.now)
    if begun["state"] in ("done", "suspect"):
        return _result(begun)
    context = RunContext(
        spec, begun["id"], scan.scan_id, scan.started_at, scan.now, options.rates, options.review_valid
    )
    intake = _Intake(database, authority_filter, options, context)
    try:
        await intake.read(file)
        judged = await intake.judge_file(file)
    except FeedError as error:
        return await fail_run(database, begun["id"], spec.name, str(error), scan.now, intake.tally)
    except _OF_ITS_VALUES as error:
        why = f"{spec.name}: has a value that the database does not take ({outage_text(error)})"
        return await fail_run(database, begun["id"], spec.name, why, scan.now, intake.tally)
    if judged.withdraws:
        await intake.withdraw()
    return await intake.finish(judged)


async def fail_run(
    database: Database, run_id: int, feed: str, error: str, now: datetime, tally: Tally | None = None
) -> SourceRun:
    """Record that a feed could not be read, with what was read before the failure."""
    so_far = tally or Tally()
    values = {
        **so_far.columns(),
        "state": "failed",
        "finished_at": now,
        "error": storable(error)[:1000],
        "accepted": False,
    }
    async with database.write() as conn:
        await store.end_run(conn, run_id, **values, sketch=None)
    return _result({"id": run_id, "feed": feed, **values})


def _result(row: Mapping[str, Any]) -> SourceRun:
    names = ("feed", "state", "rows", "good", "passed", "counts", "samples", "accepted", "error")
    return SourceRun(row["id"], **{name: row[name] for name in names})


def _differ(now: Mapping[Role, Value], before: Mapping[str, Value]) -> bool:
    return any(before.get(role) != value for role, value in now.items())


class _Stored(NamedTuple):
    """The stored state of a batch: listings by key; candidates, metrics and soonest ends by domain."""

    listings: dict[str, KnownListing]
    candidates: dict[str, KnownCandidate]
    metrics: dict[str, dict[str, Value]]
    ends: dict[str, datetime]


def _shared_keys(batch: Sequence[JudgedRow], listings: Mapping[str, KnownListing]) -> list[str]:
    """The keys with names of those rows whose own key is another name's, in the batch or in the database."""
    owners = {key: known.values["domain"] for key, known in listings.items()}
    return [
        key_with_name(row.key, row.domain)
        for row, _, _ in batch
        if owners.setdefault(row.key, row.domain) != row.domain
    ]


@dataclass
class _Intake:
    """One run in progress."""

    database: Database
    authority_filter: AuthorityFilter
    options: IntakeOptions
    context: RunContext
    tally: Tally = field(default_factory=Tally)
    # By key and name, so that an offer in two batches waits once.
    unmeasured: dict[tuple[str, str], Row] = field(default_factory=dict)
    closing: dict[tuple[str, str], JudgedRow] = field(default_factory=dict)
    banned: frozenset[str] = frozenset()
    waiting: Waiting = field(default_factory=Waiting)
    sketch: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.writer = BatchWriter(self.database, self.context)
        self.filter = BatchFilter(self.authority_filter, self.context.spec, self.context.at, self.tally)
        self.spared = SparedNames(self.options.zones)

    async def read(self, file: BinaryIO) -> None:
        """Read the file once, as a stream."""
        async with self.database.read() as conn:
            self.banned = await store.banned_names(conn)
        batches = self._batches(file)
        while groups := await asyncio.to_thread(self._next_rows, batches):
            if self.options.progress:
                self.options.progress(self.tally.rows)
            for rows in groups:
                if not self.waiting.apart_from(rows):
                    await self._store(self.waiting.take())
                self.waiting.add(rows)
                if len(self.waiting.rows) >= STORED:
                    await self._store(self.waiting.take())
            if len(self.unmeasured) >= BATCH:
                await self._measure()
            if self.filter.known is None and len(groups) == LOOKED_UP:
                self.filter.known = await self._known_names()
        await self._store(self.waiting.take())
        await self._measure()
        await self._close()
        # FeedError for a file with rows of which none can be used: it is not the list, or not in the feed's
        # format.
        if self.tally.good == 0 < self.tally.rows:
            reasons = ", ".join(f"{number:,} {reason}" for reason, number in self.tally.bad_reasons())
            raise FeedError(
                self.context.spec.name, f"none of its {self.tally.rows:,} rows can be used ({reasons})"
            )

    def _batches(self, file: BinaryIO) -> Iterator[Batch]:
        return read_feed(self.context.spec, file, self.options.bounds, self.options.zones)

    def _next_rows(self, batches: Iterator[Batch]) -> list[list[JudgedRow]]:
        """The rows of the next batches to decide on; none at the end of the file. Runs in a thread."""
        decided: list[list[JudgedRow]] = []
        for batch in islice(batches, LOOKED_UP):
            decided.append(self.filter.rows_to_decide(batch))
            self.spared.add(batch.unread)
        return decided

    async def _known_names(self) -> KnownNames:
        """The names and keys of which the database may hold something."""
        known = KnownNames()
        known.add([*self.banned, *self.waiting.names])
        async with self.database.read() as conn:
            async for names in store.stored_names(conn, self.context.spec.source):
                known.add(names)
        return known

    async def _look_up(self, batch: Sequence[JudgedRow]) -> _Stored:
        """The stored state of the rows of a batch."""
        source, at = self.context.spec.source, self.context.at
        domains = list({row.domain for row, _, known in batch if known})
        keys = [row.key for row, _, known in batch if known]
        found = _Stored({}, {}, {}, {})
        if keys:
            async with self.database.read() as conn:
                candidates = await store.known_candidates(conn, domains)
                listings = await store.known_listings(conn, source, keys)
                if named := _shared_keys(batch, listings):
                    listings |= await store.known_listings(conn, source, named)
                    keys += named
                found = _Stored(
                    listings,
                    candidates,
                    await store.metrics_of(conn, self.context.spec.provider, list(candidates)),
                    await store.soonest_ends(conn, list(candidates), source, keys, at),
                )
        for row, _, _ in batch:
            if row.ends_at is not None and row.ends_at > at:
                found.ends[row.domain] = min(row.ends_at, found.ends.get(row.domain, row.ends_at))
        return found

    async def _store(
        self,
        batch: Sequence[JudgedRow],
        answers: Mapping[str, Sequence[Metric]] | None = None,
        *,
        last: bool = False,
    ) -> None:
        """Decide on each row by what is stored, and store what follows.

        `answers` are the metric providers' answers by domain; None when they were not asked. `last` after the last row
        of the file: before, no listing is closed, because a row further on may say that it runs.
        """
        if not batch:
            return
        stored = await self._look_up(batch)
        writes: list[RowWrite] = []
        counts: Counter[str] = Counter()
        owners: dict[str, str] = {}
        for given, verdict, was_known in batch:
            row = self._keyed_apart(given, stored.listings.get(given.key), owners)
            candidate = stored.candidates.get(row.domain)
            outcome = decide(row, self._known(row, stored), verdict, self.context)
            if outcome.counted_as == "ask":
                self._hold_back(given, answers is not None)
                continue
            if outcome.counted_as == "closed" and not last:
                again = self.closing.pop((row.key, row.domain), None)
                counts["duplicate"] += again is not None
                self.closing[row.key, row.domain] = JudgedRow(row, verdict, was_known)
                continue
            counts[outcome.counted_as] += 1
            if outcome.seen:
                owners[row.key] = row.domain
                answered = list((answers or {}).get(row.domain, ()))
                if verdict == "pass":
                    self.tally.passed += 1
                writes.append(self._write(row, outcome, candidate, answered, stored.ends.get(row.domain)))
        for counted_as, number in (+counts).items():
            self.tally.count(counted_as, number)
        await self.writer.write(writes)

    def _keyed_apart(self, row: Row, known: KnownListing | None, owners: Mapping[str, str]) -> Row:
        """The row, with its name in its key where the key is another name's; `owners` are those of this batch."""
        of_file = owners.get(row.key)
        owner = of_file or (known.values["domain"] if known else row.domain)
        if owner == row.domain:
            return row
        if of_file or (known and known.seen_run == self.context.run_id):
            self.tally.shared(row.key, owner, row.domain)
        return row._replace(key=key_with_name(row.key, row.domain))

    def _known(self, row: Row, stored: _Stored) -> StoredRow:
        candidate = stored.candidates.get(row.domain)
        changed = candidate is None or _differ(row.metrics, stored.metrics.get(row.domain, {}))
        return StoredRow(stored.listings.get(row.key), candidate, row.domain in self.banned, changed)

    async def _close(self) -> None:
        """Close the listings of which only rows with a past end are in the file."""
        rows = list(self.closing.values())
        for begin in range(0, len(rows), STORED):
            await self._store(rows[begin : begin + STORED], last=True)

    def _hold_back(self, row: Row, was_asked: bool) -> None:
        if was_asked or self.authority_filter.ask is None:
            self.tally.count("no_metrics")
        else:
            if self.unmeasured.pop((row.key, row.domain), None):
                self.tally.count("duplicate")
            self.unmeasured[row.key, row.domain] = row

    def _write(
        self,
        row: Row,
        outcome: RowOutcome,
        candidate: KnownCandidate | None,
        answered: list[Metric],
        soonest_end: datetime | None,
    ) -> RowWrite:
        spec = self.context.spec
        credit = spec.attribution.model_dump() if spec.attribution else None
        metrics = answered if outcome.candidate else []
        if outcome.metrics:
            metrics = [
                Metric(role, value, spec.provider, self.context.now, credit)
                for role, value in row.metrics.items()
            ] + answered
        strength = 0.0
        if outcome.candidate == "new":
            strength = self.authority_filter.strength(
                {metric.role: metric.value for metric in reversed(metrics)}
            )
        moved = candidate is not None and candidate.ends_at != soonest_end
        return RowWrite(row.domain, row.key, outcome, metrics, strength, soonest_end, moved)

    async def _measure(self) -> None:
        """Ask the bulk providers about the names without metrics, and judge them again."""
        rows, self.unmeasured = list(self.unmeasured.values()), {}
        if not rows or self.authority_filter.ask is None:
            return
        answers: Mapping[str, Sequence[Metric]] = {}
        try:
            answers = await self.authority_filter.ask(sorted({row.domain for row in rows}))
        except AfterdropError:
            # The provider client logs the failure. These names are not lost: the next scan asks again.
            self.tally.count("providers_failed", len(rows))
        batch: list[JudgedRow] = []
        for row in rows:
            figures = {metric.role: metric.value for metric in reversed(answers.get(row.domain, ()))}
            batch.append(JudgedRow(row, self.authority_filter.judge(figures)))
        await self._store(batch, answers)

    async def judge_file(self, file: BinaryIO) -> Plausibility:
        """Whether the file is to be believed. Of a suspect one a sketch is made, for which it is read once more."""
        spec = self.context.spec
        complete = spec.complete and self.options.whole
        async with self.database.read() as conn:
            ahead, endless = Lacking(), Lacking()
            if complete:
                ahead, endless = await store.count_lacking(conn, self.context)
            previous = await store.previous_suspect(conn, spec.name, self.context.run_id)
        why = suspicion(ahead, endless, self.tally.good)
        if why is not None:
            names = (batch.good_domains() for batch in self._batches(file))
            self.sketch = await asyncio.to_thread(sketch_of, names)
        judged = judge_file(complete, why, self.sketch, previous, self.options.accept)
        if judged.withdraws and self.spared.everything:
            judged = replace(judged, withdraws=False, why=judged.why or UNNAMED_ROWS)
        elif not self.options.whole and not judged.why:
            judged = replace(judged, why=PART_OF_A_LIST)
        remarks = [remark for remark in (judged.why, self.tally.shared_key) if remark]
        return replace(judged, why="; ".join(remarks) or None)

    async def withdraw(self) -> None:
        """Withdraw the listings that a believed, complete file no longer carries, unreadable rows included."""
        spared = sorted(self.spared.names)
        for begin in range(0, len(spared), STORED):
            async with self.database.write() as conn:
                await store.spare_listings(conn, self.context, spared[begin : begin + STORED])
        while True:
            async with self.database.write() as conn:
                withdrawn = await store.withdraw_unseen(conn, self.context, WITHDRAW_BATCH)
            if not withdrawn:
                return
            self.tally.count("withdrawn", withdrawn)

    async def finish(self, judged: Plausibility) -> SourceRun:
        """Write the run's result."""
        values = {
            **self.tally.columns(),
            "state": judged.state,
            "finished_at": self.context.now,
            "accepted": judged.accepted,
            "error": judged.why,
        }
        sketch = self.sketch if judged.state == "suspect" else None
        async with self.database.write() as conn:
            await store.end_run(conn, self.context.run_id, **values, sketch=sketch)
        return _result({"id": self.context.run_id, "feed": self.context.spec.name, **values})
