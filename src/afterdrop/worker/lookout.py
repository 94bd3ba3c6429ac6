"""A node without a worker looks whether workers are alive, and tells the operator when none is."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Final

from afterdrop.accounts.secret_box import SecretBox, open_secret_box
from afterdrop.core import clock
from afterdrop.core.errors import AfterdropError
from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.db.outages import is_outage, outage
from afterdrop.http.client import Fetcher, open_fetcher
from afterdrop.queue import job_runs
from afterdrop.queue.timetable import jobs, last_moment
from afterdrop.queue.worker import worker_name
from afterdrop.sources.metrics.provider_files import load_providers
from afterdrop.sources.metrics.provider_spec import ProviderSpec
from afterdrop.worker.alarms import NO_WORKER
from afterdrop.worker.operator_news import JOB, look, tell_operator

log = logging.getLogger("afterdrop.operator")

_EVERY: Final = 60.0


@dataclass(frozen=True, slots=True)
class Lookout:
    """What telling the operator needs, outside of a worker. `worker` is the node's name in the job's run."""

    settings: Settings
    database: Database
    providers: tuple[ProviderSpec, ...]
    secret_box: SecretBox
    fetcher: Fetcher
    worker: str
    now: Callable[[], datetime] = clock.now
    lease: timedelta = timedelta(minutes=2)


@asynccontextmanager
async def open_lookout(settings: Settings, database: Database) -> AsyncIterator[Lookout]:
    """A lookout of this process. Raises SettingsError for a wrong provider file."""
    providers = tuple(load_providers(settings, os.environ))
    name = worker_name(socket.gethostname(), os.getpid(), secrets.token_hex(3))
    async with open_fetcher(settings, database, clock.epoch, clock.rng()) as fetcher:
        yield Lookout(settings, database, providers, open_secret_box(settings), fetcher, name)


async def keep_looking(lookout: Lookout, stop: asyncio.Event, every: float = _EVERY) -> None:
    """Look every minute until `stop` is set. Never raises: the node serves requests whatever happens here."""
    while not stop.is_set():
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), every)
            return
        try:
            await stand_in(lookout)
        except Exception as error:  # the loop's edge
            if is_outage(error):
                outage.failed(error)
            else:
                log.exception("looking for workers failed unexpectedly")


async def stand_in(lookout: Lookout) -> bool:
    """While no worker is alive, do their job of telling the operator; False when there was nothing to do.

    Of several nodes one does it, every five minutes: they take the job's run as workers do.
    """
    now = lookout.now()
    if all(each.key != NO_WORKER for each in await look(lookout)):
        return False
    [job] = [each for each in jobs(time()) if each.name == JOB]
    run = job_runs.JobRun(JOB, last_moment(job, now), lookout.worker)
    async with lookout.database.write() as conn:
        if not await job_runs.take(conn, run, now, lookout.lease):
            return False
    result, error = None, None
    try:
        result = await tell_operator(lookout, by_worker=False)
    except AfterdropError as failure:
        error = str(failure)
        log.error("the operator could not be told: %s", error)
    async with lookout.database.write() as conn:
        await job_runs.finish(conn, run, lookout.now(), result=result, error=error)
    return True
