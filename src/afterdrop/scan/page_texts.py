"""The queue of archived pages' texts: they are made after all reviews, and never during a request."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.core.errors import UpstreamError
from afterdrop.db.leases import Claim
from afterdrop.db.tables.review import archived_pages
from afterdrop.http.circuit_breaker import any_paused
from afterdrop.queue.loop import Queue, Row
from afterdrop.queue.retry import Retry, retried
from afterdrop.review.page.main_text import markdown_of
from afterdrop.review.page.reader import read_page
from afterdrop.review.store import WANTED, claim_texts, keep_text, text_failed
from afterdrop.scan import store
from afterdrop.sources.archive.wayback import MissingCapture, Replay
from afterdrop.worker_context import WorkerContext

_RETRY: Final = Retry(timedelta(minutes=10), attempts=4)
# Another capture may show what somebody else made of the name.
_SAME_CAPTURE: Final = timedelta(days=1)
# What `read_page` says of a page whose text is worth reviving.
_HONEST: Final = frozenset({"clean", "suspect"})


def text_queue(context: WorkerContext) -> Queue:
    """The queue of page texts: it claims nothing while a candidate or a check waits."""

    async def claim(conn: AsyncConnection, claim: Claim) -> list[Row]:
        if await store.any_review_due(conn, claim.now):
            return []
        if await any_paused(conn, next(iter(context.archives.hosts.values())), claim.now.timestamp()):
            return []
        return await claim_texts(conn, claim)

    async def work(row: Row) -> None:
        await _make_text(context, row)

    async def give_up(conn: AsyncConnection, row: Row, error: str, _: datetime) -> None:
        await text_failed(conn, row, error)

    waiting = archived_pages.c.content_state == WANTED
    return Queue(
        name="page texts",
        table=archived_pages,
        claim=claim,
        work=work,
        failed=retried(context, archived_pages, _RETRY, give_up),
        at_once=2,
        waiting=waiting,
    )


def text_of(body: bytes, url: str, content_type: str | None) -> tuple[str | None, str | None, int, str]:
    """(title, Markdown, words, verdict) of an archived page, in a page-reading process."""
    markdown, words = markdown_of(body, url, content_type)
    reading = read_page(body, url=url, content_type=content_type)
    return reading.title, markdown, words, reading.verdict


def _unfit(replay: Replay | MissingCapture, at: datetime) -> str | None:
    """Why a replay is not the page of that time, or None."""
    if isinstance(replay, MissingCapture):
        return replay.reason
    if replay.status >= 400 or replay.redirected_to is not None:
        return f"the capture is not a page (status {replay.status})"
    if abs(replay.at - at) > _SAME_CAPTURE:
        return f"the web archive gave another capture, of {replay.at:%Y-%m-%d}"
    return None


async def _make_text(context: WorkerContext, row: Row) -> None:
    at = datetime.strptime(row["timestamp"], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    try:
        replay = await context.archives.page(at, row["url"], row["place"])
    except UpstreamError as error:
        raise await context.archives.blamed(error) from None
    unfit = _unfit(replay, at)
    if isinstance(replay, MissingCapture) or unfit is not None:
        async with context.database.write() as conn:
            await text_failed(conn, row, str(unfit))
        return
    kind = replay.headers.get("Content-Type") or replay.mimetype
    title, markdown, words, verdict = await context.pages.run(
        text_of, replay.body, row["url"], kind, subject=row["url"]
    )
    async with context.database.write() as conn:
        if markdown is None or verdict not in _HONEST:
            why = "the page has hardly any text" if markdown is None else f"the page is {verdict}"
            await text_failed(conn, row, why)
        else:
            await keep_text(conn, row, title=title, words=words, content=markdown)
