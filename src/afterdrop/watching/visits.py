"""Visits of names that were registered anew: one page a name and visit, told by what the last owner's site was.

The pages read are kept as WARC records where `live.evidence` says so.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue import visits as visit_store
from afterdrop.catalogue.visits import VisitRow
from afterdrop.core.errors import UpstreamError
from afterdrop.core.safe_text import one_line
from afterdrop.db import leases
from afterdrop.db.leases import Claim
from afterdrop.db.tables.review import archived_pages, visits
from afterdrop.queue.loop import Queue
from afterdrop.queue.retry import Retry, retried
from afterdrop.review.history.after_life import (
    AfterLife,
    FormerPage,
    VisitedPage,
    after_life,
    other_domain,
    was_site,
)
from afterdrop.sources.archive.wayback import Replay
from afterdrop.sources.live.pages import LivePage, NotRead
from afterdrop.sources.live.warc_record import evidence_dir, keep_record, warc_record
from afterdrop.worker_context import WorkerContext

log = logging.getLogger("afterdrop.visits")

_AT_ONCE: Final = 10
_ATTEMPTS: Final = 3
_AGAIN: Final = timedelta(days=1)
# A registration ends so long before its name can be registered anew: what was archived later may be a lander's, and so
# may what was archived then.
_BEFORE: Final = (timedelta(days=90), timedelta(days=2 * 365), timedelta(days=5 * 365))
# What a name without a page is; every other fault leaves it unclear.
_NOTHING: Final = {"no_host": "the name has no public address", "connect": "no server answers"}
_NOT_BY_HTTPS: Final = frozenset({"connect", "certificate", "handshake"})
# More can be known on another day.
_LATER: Final = frozenset({"spared", "rate_limited", "died"})


def visit_queue(context: WorkerContext) -> Queue[VisitRow]:
    """The queue of visits: none without `live.visits` and a contact, and no more in a day than the settings allow."""

    async def claim(conn: AsyncConnection, claim: Claim) -> list[VisitRow]:
        live = context.settings.live
        if not (live.visits and context.settings.contact):
            return []
        left = live.visits_per_day - await visit_store.made_today(conn, claim.now)
        if left <= 0:
            return []
        return await visit_store.claim(conn, replace(claim, limit=min(claim.limit, left)))

    async def work(row: VisitRow) -> None:
        await visit(context, row)

    async def give_up(conn: AsyncConnection, row: VisitRow, error: str, now: datetime) -> None:
        log.error("%s could not be visited: %s", row["domain"], error)
        unclear = AfterLife("unclear", note="the page could not be read or compared")
        await visit_store.settle(conn, row, unclear, _home(row["domain"]), None, now)

    return Queue(
        name="visits",
        table=visits,
        claim=claim,
        work=work,
        failed=retried(context, visits, Retry(_AGAIN, _ATTEMPTS, longest=_AGAIN), give_up),
        at_once=_AT_ONCE,
        waiting=visits.c.visited_at.is_(None),
    )


async def visit(context: WorkerContext, row: VisitRow) -> None:
    """Look at a name's home page once, and write what stands there.

    The archive is asked first: where it wants us to wait, the stranger's page is not read again and again. A name whose
    host or network is to be spared today waits for the next day, as often as need be, one whose server does not answer
    twice. Raises UpstreamError where an archive or its host asks to be left alone or a reading died, and LeaseLost.
    """
    url, evidence, former = _home(row["domain"]), None, await _former(context, row)
    try:
        page = await _read(context, row["domain"])
    except NotRead as error:
        told = await _told_without(context, row, error)
        if told is None:
            return
        life = told
    else:
        url, life = page.url, await _told(context, row, page, former)
        if context.settings.live.evidence:
            evidence = await _evidence(context, page)
    async with context.database.write() as conn:
        await visit_store.settle(conn, row, life, url, evidence, context.now())


async def _told_without(context: WorkerContext, row: VisitRow, error: NotRead) -> AfterLife | None:
    """The after-life of a name whose page was not read; None where it is visited on another day."""
    if error.kind == "died":
        raise error
    if (to := other_domain(row["domain"], error.url)) is not None:
        return AfterLife("redirected", to=to)
    if error.kind == "rate_limited":
        raise error
    if error.kind == "spared":
        await _put_off(context, row, error, attempts=0)
        return None
    if error.kind == "connect" and row["attempts"] < _ATTEMPTS:
        # Servers and name servers that are away for a day are no end of a site.
        await _put_off(context, row, error)
        return None
    note = _NOTHING.get(error.kind)
    return AfterLife("nothing" if note else "unclear", note=note or one_line(error.message))


async def _put_off(context: WorkerContext, row: VisitRow, error: UpstreamError, **more: object) -> None:
    """Visit it on the next day."""
    again, said = context.now() + _AGAIN, error.message[:1000]
    async with context.database.write() as conn:
        await leases.settle(conn, visits, row, due_at=again, error=said, **more)


async def _read(context: WorkerContext, domain: str) -> LivePage:
    """The home page, by https or, where that gives none, by http, as people try it.

    Raises NotRead: of a name without a page by http, too, that its certificate is not valid, or that there is a server.
    """
    try:
        return await context.live.read(f"https://{domain}/")
    except NotRead as error:
        if error.kind not in _NOT_BY_HTTPS or other_domain(domain, error.url):
            raise
        secure = error
    try:
        return await context.live.read(f"http://{domain}/")
    except NotRead as error:
        told = secure.kind == "certificate" or (secure.kind, error.kind) == ("handshake", "connect")
        if not told or error.kind in _LATER or other_domain(domain, error.url):
            raise
    raise secure


async def _evidence(context: WorkerContext, page: LivePage) -> str | None:
    """The name of the page's record; None where it could not be written: the verdict stands without."""
    record = await asyncio.to_thread(warc_record, page, context.now())
    try:
        return await asyncio.to_thread(keep_record, evidence_dir(context.settings), record)
    except OSError as error:
        log.error("the evidence of %s could not be kept: %s", page.url[:200], error)
        return None


async def _told(
    context: WorkerContext, row: VisitRow, page: LivePage, former: FormerPage | None
) -> AfterLife:
    headers = page.headers
    visited = VisitedPage(
        page.url, page.status, page.body, headers.get("Content-Type"), headers.get("Refresh")
    )
    return await context.pages.run(after_life, row["domain"], visited, former, subject=page.url)


async def _former(context: WorkerContext, row: VisitRow) -> FormerPage | None:
    """The home page of the last owner's site, as it was archived; None where no archive has it.

    A review has found it, or it is looked for at three times before the end.
    """
    domain, home = row["domain"], archived_pages.c
    query = sa.select(home.timestamp, home.url, home.place).where(home.domain == domain, home.path == "/")
    async with context.database.read() as conn:
        capture = (await conn.execute(query.order_by(home.era.desc()).limit(1))).one_or_none()
    if capture is not None:
        at = datetime.strptime(capture[0], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        return await _archived(context, at, capture[1], capture[2])
    for back in _BEFORE:
        former = await _archived(context, row["began_at"] - back, _home(domain), None)
        if former is not None and await context.pages.run(was_site, domain, former, subject=former.url):
            return former
    return None


async def _archived(context: WorkerContext, at: datetime, url: str, place: str | None) -> FormerPage | None:
    """An archived page near that time, after at most one redirect."""
    replay = await context.archives.page(at, url, place)
    if isinstance(replay, Replay) and replay.redirected_to is not None:
        replay = await context.archives.page(replay.at, replay.redirected_to, None)
    if not isinstance(replay, Replay) or replay.redirected_to is not None or replay.status >= 400:
        return None
    return FormerPage(replay.url, replay.body, replay.headers.get("Content-Type") or replay.mimetype)


def _home(domain: str) -> str:
    return f"http://{domain}/"
