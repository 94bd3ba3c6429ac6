"""A circuit breaker for each host: one that fails several times in a row is left alone by the whole deployment.

The pause stands in `host_outages`, so that it holds for all processes and over restarts. It is as long as the trouble
so far, which doubles it, up to a bound. When it is over one request is let through; if that is answered, all are.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.core.errors import UpstreamError
from afterdrop.core.settings import Pace
from afterdrop.db.dialects import insert_once
from afterdrop.db.engine import Database
from afterdrop.db.tables.feeds import host_outages
from afterdrop.http.pace import LONGEST_BLOCK

log = logging.getLogger("afterdrop.http")

_ROW = host_outages.c
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


def pause_seconds(trouble: float, pace: Pace) -> float:
    """How long a host is left alone whose trouble has lasted `trouble` seconds."""
    return min(max(trouble, pace.pause_seconds), pace.longest_pause_seconds)


@dataclass(slots=True)
class Attempt:
    """One request to a host. `fault`: why an answer counts as none (a status of 5xx)."""

    fault: str | None = None


@dataclass
class CircuitBreaker:
    """The breakers of this process. `epoch` gives the seconds since 1970."""

    database: Database
    epoch: Callable[[], float]
    pace: Pace
    # Failures in a row by host: when the first was, and how many there were.
    _failing: dict[str, tuple[float, int]] = field(default_factory=dict)
    _known: dict[str, Outage] = field(default_factory=dict)
    _read_at: float = -_FRESH
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)

    @asynccontextmanager
    async def guard(self, host: str, subject: str, seconds: float) -> AsyncIterator[Attempt]:
        """Make one request to `host` in this context; `seconds` is its time-out, `subject` goes into errors.

        An UpstreamError that is raised inside (connect, timeout, truncated, a 503 that asks to wait) is a failure, and
        so is `fault` of what is given; anything else is an answer. Raises UpstreamError `paused` without a request
        while the host is left alone.
        """
        trial = await self._admit(host, subject, seconds)
        attempt = Attempt()
        try:
            yield attempt
        except UpstreamError as error:
            if error.kind in _WORDS or error.http_status == 503:
                await self._failed(host, _WORDS.get(error.kind, "answered 503"), trial)
            elif error.kind != "refused_address":
                await self._answered(host)
            raise
        if attempt.fault is None:
            await self._answered(host)
        else:
            await self._failed(host, attempt.fault, trial)

    async def check(self, host: str, subject: str) -> None:
        """Raise UpstreamError `paused` while `host` is left alone, before anybody waits for its pace."""
        outage = await self._outage(host)
        if outage is not None and outage.paused(self.epoch()):
            raise self._paused(outage, subject)

    async def _outage(self, host: str) -> Outage | None:
        async with self._reading:  # those that wait are served by one read
            if not 0 <= self.epoch() - self._read_at < _FRESH:
                await self._read()
        return self._known.get(host)

    async def _read(self) -> None:
        async with self.database.read() as conn:
            self._known = {outage.host: outage for outage in await outages(conn)}
        self._read_at = self.epoch()

    async def _admit(self, host: str, subject: str, seconds: float) -> Outage | None:
        """None for a host that answers; for the one request that tries a host again, the outage."""
        outage = await self._outage(host)
        if outage is None:
            return None
        now = self.epoch()
        if not outage.paused(now):
            mine = sa.and_(_ROW.host == host, _ROW.next_try_at == outage.next_try_at)
            taken = sa.update(host_outages).where(mine).values(next_try_at=now + seconds + _TRIAL_SECONDS)
            async with self.database.write() as conn:
                won = (await conn.execute(taken)).rowcount == 1
            await self._read()
            if won:
                return outage
            outage = self._known.get(host)
            if outage is None:
                return None
        raise self._paused(outage, subject)

    def _paused(self, outage: Outage, subject: str) -> UpstreamError:
        since = datetime.fromtimestamp(outage.since, UTC)
        wait = max(outage.next_try_at - self.epoch(), 1.0)
        text = f"{outage.host} has not answered since {since:%H:%M}Z ({outage.note}); it is asked again in {wait:.0f} s"
        return UpstreamError(subject, "paused", text, retry_after=wait)

    async def _answered(self, host: str) -> None:
        self._failing.pop(host, None)
        if host in self._known:
            async with self.database.write() as conn:
                ended = await end_outage(conn, host)
            outage = self._known.pop(host)
            if ended:
                log.warning("%s answers again after %.0f s", host, self.epoch() - outage.since)

    async def _failed(self, host: str, note: str, trial: Outage | None) -> None:
        now = self.epoch()
        if trial is not None:
            until = now + pause_seconds(now - trial.since, self.pace)
            later = sa.update(host_outages).where(_ROW.host == host).values(next_try_at=until, note=note)
            async with self.database.write() as conn:
                await conn.execute(later)
            await self._read()
            return
        if host in self._known:
            return  # it was sent before the pause, which knows of the trouble
        first, before = self._failing.get(host, (now, 0))
        self._failing[host] = first, before + 1
        if before + 1 < self.pace.failures_in_a_row:
            return
        del self._failing[host]
        pause = pause_seconds(now - first, self.pace)
        row = {"host": host, "since": first, "next_try_at": now + pause, "note": note}
        async with self.database.write() as conn:
            new = await insert_once(conn, host_outages, row, ["host"])
        await self._read()
        if new:
            log.warning("%s does not answer (%s): it is left alone for %.0f s", host, note, pause)
