"""The queue of archived pages' texts: they are made after all reviews, and never during a request."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.archive.wayback import MissingCapture
from afterdrop.db.tables.review import archived_pages
from afterdrop.queue.loop import Queue, Row
from afterdrop.review.page.main_text import markdown_of
from afterdrop.review.page.reader import read_page
from afterdrop.review.run import ReviewContext
from afterdrop.review.store import claim_texts, keep_text, text_failed
from afterdrop.scan import store

_ATTEMPTS: Final = 4
_RETRY_AFTER: Final = timedelta(minutes=10)


def text_queue(context: ReviewContext) -> Queue:
    """The queue of page texts: it claims nothing while a candidate or a check waits."""

    async def claim(conn: AsyncConnection, now: datetime, limit: int) -> list[Row]:
        if await store.any_review_due(conn, now):
            return []
        return await claim_texts(conn, context.worker, now, context.lease, limit)

    async def work(row: Row) -> None:
        await _make_text(context, row)

    async def failed(row: Row, error: str) -> None:
        retry_at = context.now() + _RETRY_AFTER * 2 ** (row["attempts"] - 1)
        async with context.database.write() as conn:
            await text_failed(conn, row, error, None if row["attempts"] >= _ATTEMPTS else retry_at)

    return Queue("page texts", archived_pages, claim, work, failed, at_once=2, lease=context.lease, idle=2.0)


def text_of(body: bytes, url: str, content_type: str | None) -> tuple[str | None, str | None, int]:
    """(title, Markdown, words) of an archived page, in a page-reading process."""
    markdown, words = markdown_of(body, url, content_type)
    return read_page(body, url=url, content_type=content_type).title, markdown, words


async def _make_text(context: ReviewContext, row: Row) -> None:
    at = datetime.strptime(row["timestamp"], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    replay = await context.archive.capture(at, row["url"])
    if isinstance(replay, MissingCapture) or replay.status >= 400 or replay.redirected_to is not None:
        why = (
            replay.reason
            if isinstance(replay, MissingCapture)
            else f"the capture is no page (status {replay.status})"
        )
        async with context.database.write() as conn:
            await text_failed(conn, row, why, None)
        return
    kind = replay.headers.get("Content-Type") or replay.mimetype
    title, markdown, words = await context.pages.run(
        text_of, replay.body, row["url"], kind, subject=row["url"]
    )
    async with context.database.write() as conn:
        if markdown is None:
            await text_failed(conn, row, "the page has no text to speak of", None)
        else:
            await keep_text(conn, row, title=title, words=words, content=markdown)
