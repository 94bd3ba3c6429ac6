"""A circuit breaker for each host: one that fails several times in a row is left alone by the whole deployment.

The pause stands in `host_outages`, so that it holds for all processes and over restarts. It is as long as the trouble
so far, which doubles it, up to a bound. When it is over one request is let through; if that is answered, all are.

Strangers choose the names that a host is asked about, and a host may fail at one name and be well. So failures count
once for each name, and a host is asked about something that is known to be good before it is left alone for them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.core.errors import UpstreamError
from afterdrop.db.dialects import insert_once
from afterdrop.db.engine import Database
from afterdrop.db.tables.feeds import host_outages
from afterdrop.http.pace import LONGEST_BLOCK

log = logging.getLogger("afterdrop.http")

_ROW = host_outages.c
# After so many failed connections, time-outs and answers of 5xx in a row, each name counted once, a host is left alone
FAILURES_IN_A_ROW: Final = 3
# for so many seconds at first, and for as long again as it has been away each time it still does not answer,
_FIRST_PAUSE: Final = 60.0
# up to so many.
LONGEST_PAUSE: Final = 1800.0
# For how many seconds a process goes by what it last read of the pauses.
_FRESH: Final = 1.0
# Who may try a host again has this many seconds beyond the time-out of its request; then another may.
_TRIAL_SECONDS: Final = 30.0
# What is kept and shown of a failure: never its own text, which may quote an address with a key.
_WORDS: Final = {
    "connect": "connections fail",
    "timeout": "no answer in time",
    "truncated": "answers break off",
}


class Outage(NamedTuple):
    """A host that does not answer: since when, when it is tried again (seconds since 1970), and what it did last."""

    host: str
    since: float
    next_try_at: float
    note: str

    def paused(self, epoch: float) -> bool:
        """Whether the host is left alone at `epoch`. A time that we never write came from a wrong clock."""
        return epoch < self.next_try_at <= epoch + LONGEST_BLOCK


async def outages(conn: AsyncConnection) -> Sequence[Outage]:
    """Every host that did not answer when it was last asked, by name."""
    chosen = sa.select(_ROW.host, _ROW.since, _ROW.next_try_at, _ROW.note).order_by(_ROW.host)
    return [Outage(*row) for row in await conn.execute(chosen)]


async def any_paused(conn: AsyncConnection, hosts: Collection[str], epoch: float) -> bool:
    """Whether one of `hosts` is left alone at `epoch`."""
    return any(outage.host in hosts and outage.paused(epoch) for outage in await outages(conn))


async def end_outage(conn: AsyncConnection, host: str) -> bool:
    """Let everybody ask `host` again. False when there was no outage of it."""
    return bool((await conn.execute(sa.delete(host_outages).where(_ROW.host == host))).rowcount)


def pause_seconds(trouble: float) -> float:
    """How long a host is left alone whose trouble has lasted `trouble` seconds."""
    return min(max(trouble, _FIRST_PAUSE), LONGEST_PAUSE)


class KnownGood(NamedTuple):
    """A question that a host answers when it is well: about no stranger's name.

    `ask` sends it at the host's pace and gives None, or why the answer counts as none. It raises UpstreamError as any
    request does. `seconds` is its time-out.
    """

    ask: Callable[[], Awaitable[str | None]]
    seconds: float

    async def fault(self) -> str | None:
        """Ask; gives None where the host answers, else what is wrong with it."""
        try:
            return await self.ask()
        except UpstreamError as error:
            return _fault(error)


def _fault(error: UpstreamError) -> str | None:
    """Why an error means that the host did not answer; None where it did."""
    if error.kind == "rate_limited" and error.http_status is None:
        return "could not be asked in time"  # its pace had no place for the question
    return "answered 503" if error.http_status == 503 else _WORDS.get(error.kind)


@dataclass(slots=True)
class Attempt:
    """One request to a host. `subject`: the name it is about, None where no stranger chose what is asked.

    `fault`: why an answer counts as none (a status of 5xx). `archived`: the answer is a page of an archive (RFC 7089),
    which may have been archived broken; if a name's breaks off, that says nothing of the host.
    """

    host: str
    subject: str | None = None
    known_good: KnownGood | None = None
    trial: Outage | None = None
    fault: str | None = None
    archived: bool = False


@dataclass(slots=True)
class _Trouble:
    """The failures of a host since it last answered: the names they are about, and those that no name can cause."""

    since: float
    subjects: set[str] = field(default_factory=set)
    sure: int = 0
    asking: bool = False

    def add(self, subject: str | None, *, unconnected: bool) -> None:
        """Count a failure. Nobody's name keeps a connection from being made."""
        if subject is None or unconnected:
            self.sure += 1
        else:
            self.subjects.add(subject)


@dataclass
class CircuitBreaker:
    """The breakers of this process. `epoch` gives the seconds since 1970."""

    database: Database
    epoch: Callable[[], float]
    _failing: dict[str, _Trouble] = field(default_factory=dict)
    # The names with which a host failed before it was left alone, and in trials since.
    _suspects: dict[str, set[str]] = field(default_factory=dict)
    _known: dict[str, Outage] = field(default_factory=dict)
    _read_at: float = -_FRESH
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)

    @asynccontextmanager
    async def guard(
        self, host: str, subject: str | None, seconds: float, known_good: KnownGood | None = None
    ) -> AsyncIterator[Attempt]:
        """Make one request to `host` in this context; `seconds` is its time-out.

        `subject` is the name that it is about, None where no stranger chose what is asked: then each failure counts.
        Before the host is left alone for failures that names may have caused, `known_good` is asked, if it is given.

        An UpstreamError that is raised inside (connect, timeout, truncated, a 503 that asks to wait) is a failure, and
        so is `fault` of what is given; anything else is an answer. Raises UpstreamError `paused` without a request
        while the host is left alone.
        """
        attempt = Attempt(host, subject, known_good, await self._admit(host, subject, seconds))
        try:
            yield attempt
        except UpstreamError as error:
            fault = _fault(error)
            if fault is None:
                if error.kind != "refused_address":
                    await self._answered(host)
            elif subject is None or not attempt.archived:
                await self._failed(attempt, fault, unconnected=error.kind == "connect")
            raise
        if attempt.fault is None:
            await self._answered(host)
        else:
            await self._failed(attempt, attempt.fault)

    async def check(self, host: str, subject: str | None, known_good: KnownGood | None = None) -> None:
        """Raise UpstreamError `paused` while `host` is left alone, before anybody waits for its pace.

        When the pause is over, `known_good` tries the host for all; without it the first request that comes does,
        unless it is about a name with which the host failed.
        """
        outage = await self._outage(host)
        if outage is None:
            return
        if outage.paused(self.epoch()):
            raise self._paused(outage, subject)
        if known_good is None:
            self._refuse_suspect(outage, subject)
            return
        if await self._take_trial(outage, known_good.seconds):
            fault = await known_good.fault()
            await (self._answered(host) if fault is None else self._prolong(outage, fault))
        if (still := self._known.get(host)) is not None:
            raise self._paused(still, subject)

    async def _outage(self, host: str) -> Outage | None:
        async with self._reading:  # those that wait are served by one read
            if not 0 <= self.epoch() - self._read_at < _FRESH:
                await self._read()
        outage = self._known.get(host)
        if outage is None:
            self._suspects.pop(host, None)
        return outage

    async def _read(self) -> None:
        async with self.database.read() as conn:
            self._known = {outage.host: outage for outage in await outages(conn)}
        self._read_at = self.epoch()

    async def _admit(self, host: str, subject: str | None, seconds: float) -> Outage | None:
        """None for a host that answers; for the one request that tries a host again, the outage."""
        outage = await self._outage(host)
        if outage is None:
            return None
        if not outage.paused(self.epoch()):
            self._refuse_suspect(outage, subject)
            if await self._take_trial(outage, seconds):
                return outage
            outage = self._known.get(host)
            if outage is None:
                return None
        raise self._paused(outage, subject)

    def _refuse_suspect(self, outage: Outage, subject: str | None) -> None:
        """Raise `paused` for a name with which the host failed: somebody else's shall try it.

        Where for as long as the longest pause nobody else came, it may.
        """
        later = outage._replace(next_try_at=outage.next_try_at + LONGEST_PAUSE)
        if subject in self._suspects.get(outage.host, ()) and later.paused(self.epoch()):
            raise self._paused(later, subject)

    async def _take_trial(self, outage: Outage, seconds: float) -> bool:
        """Whether this request, with a time-out of `seconds`, is the one that tries the host for all."""
        mine = sa.and_(_ROW.host == outage.host, _ROW.next_try_at == outage.next_try_at)
        until = self.epoch() + seconds + _TRIAL_SECONDS
        async with self.database.write() as conn:
            done = await conn.execute(sa.update(host_outages).where(mine).values(next_try_at=until))
        await self._read()
        return done.rowcount == 1

    def _paused(self, outage: Outage, subject: str | None) -> UpstreamError:
        since = datetime.fromtimestamp(outage.since, UTC)
        wait = max(outage.next_try_at - self.epoch(), 1.0)
        text = f"{outage.host} has not answered since {since:%H:%M}Z ({outage.note}); it is asked again in {wait:.0f} s"
        return UpstreamError(subject or outage.host, "paused", text, retry_after=wait)

    async def _answered(self, host: str) -> None:
        self._failing.pop(host, None)
        self._suspects.pop(host, None)
        if host in self._known:
            async with self.database.write() as conn:
                ended = await end_outage(conn, host)
            outage = self._known.pop(host, None)
            if ended and outage is not None:
                log.warning("%s answers again after %.0f s", host, self.epoch() - outage.since)

    async def _failed(self, attempt: Attempt, note: str, *, unconnected: bool = False) -> None:
        host, subject = attempt.host, attempt.subject
        if attempt.trial is not None:
            self._suspects.setdefault(host, set()).update(filter(None, [subject]))
            await self._prolong(attempt.trial, note)
            return
        if host in self._known:
            return  # it was sent before the pause, which knows of the trouble
        trouble = self._failing.setdefault(host, _Trouble(self.epoch()))
        trouble.add(subject, unconnected=unconnected)
        if trouble.asking or trouble.sure + len(trouble.subjects) < FAILURES_IN_A_ROW:
            return
        if trouble.sure < FAILURES_IN_A_ROW and attempt.known_good is not None:
            fault = await self._fault_with(trouble, attempt.known_good)
            if fault is None:
                await self._answered(host)
                return
            note = fault
        if self._failing.get(host) is trouble:  # else it answered somebody meanwhile
            await self._pause(host, note)

    async def _fault_with(self, trouble: _Trouble, known_good: KnownGood) -> str | None:
        """The fault of the host, by what is known to be good; it is asked once for all that failed."""
        trouble.asking = True
        try:
            return await known_good.fault()
        finally:
            trouble.asking = False

    async def _pause(self, host: str, note: str) -> None:
        now, trouble = self.epoch(), self._failing.pop(host)
        self._suspects[host] = trouble.subjects
        pause = pause_seconds(now - trouble.since)
        row = {"host": host, "since": trouble.since, "next_try_at": now + pause, "note": note}
        async with self.database.write() as conn:
            new = await insert_once(conn, host_outages, row, ["host"])
        await self._read()
        if new:
            log.warning("%s does not answer (%s): it is left alone for %.0f s", host, note, pause)

    async def _prolong(self, outage: Outage, note: str) -> None:
        """Leave a host alone for longer that was tried and did not answer."""
        now = self.epoch()
        until = now + pause_seconds(now - outage.since)
        later = sa.update(host_outages).where(_ROW.host == outage.host).values(next_try_at=until, note=note)
        async with self.database.write() as conn:
            await conn.execute(later)
        await self._read()
