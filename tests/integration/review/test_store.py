"""Reviews, closed years and texts in the database, on each kind."""

from __future__ import annotations

import zlib
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from afterdrop.db.engine import Database
from afterdrop.db.leases import Claim
from afterdrop.db.tables.review import archived_pages, reviews
from afterdrop.review import store
from afterdrop.review.history.domain_history import History
from afterdrop.review.store import Reviewed
from afterdrop.sources.archive.cdx_index import Index
from afterdrop.sources.archive.wayback import IndexAnswer

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
LEASE = timedelta(minutes=2)


def reviewed(domain: str = "oldmill.com", closed: bytes = b"", **given: str) -> Reviewed:
    history = History(domain, NOW, "ok", notes=(given.get("note", ""),))
    return Reviewed(history, IndexAnswer(Index(domain), closed, 2026 if closed else 0))


async def test_a_review_is_valid_for_its_days_and_replaced_by_the_next(database: Database) -> None:
    async with database.write() as conn:
        await store.keep_review(conn, reviewed(note="first"), NOW, 30)
        await store.keep_review(conn, reviewed(note="second"), NOW, 30)
    async with database.read() as conn:
        found = await store.valid_history(conn, "oldmill.com", NOW + timedelta(days=29))
        assert found is not None
        assert found.notes == ("second",)
        assert await store.valid_history(conn, "oldmill.com", NOW + timedelta(days=30)) is None
        assert await store.valid_history(conn, "other.com", NOW) is None
        assert (await conn.execute(sa.select(sa.func.count()).select_from(reviews))).scalar_one() == 1


async def test_closed_years_are_kept_for_good(database: Database) -> None:
    rows = b"com,oldmill)/ 20100101000000 http://oldmill.com/ text/html 200 A 9\n" * 50
    async with database.write() as conn:
        assert await store.closed_rows(conn, "oldmill.com") == (b"", 0, b"")
        await store.keep_review(conn, reviewed(closed=zlib.compress(rows)), NOW, 30)
        await store.keep_review(conn, reviewed(), NOW, 30)  # a cut answer keeps nothing new and loses nothing
    async with database.read() as conn:
        kept, before, _ = await store.closed_rows(conn, "oldmill.com")
        assert (zlib.decompress(kept), before) == (rows, 2026)
        assert await store.closed_rows(conn, "other.com") == (b"", 0, b"")


def page(path: str, captures: int, state: str = "wanted") -> dict[str, object]:
    return {
        "domain": "oldmill.com",
        "era": 1,
        "overall": True,
        "path": path,
        "url": f"http://oldmill.com{path}",
        "captures": captures,
        "last_capture": "2019-01-01",
        "timestamp": "20190101000000",
        "content_state": state,
        "due_at": NOW,
    }


async def test_texts_are_claimed_most_archived_first_and_settled_once(database: Database) -> None:
    async with database.write() as conn:
        await conn.execute(archived_pages.insert(), [page("/", 9), page("/a", 4), page("/b", 7, "stored")])
        first = await store.claim_texts(conn, Claim("w1", NOW, LEASE, 1))
        rest = await store.claim_texts(conn, Claim("w2", NOW, LEASE, 5))
    assert [row["path"] for row in first] == ["/"]
    assert [row["path"] for row in rest] == ["/a"]
    async with database.write() as conn:
        assert await store.keep_text(conn, first[0], title="Bread", words=3, content="# Bread")
        assert not await store.keep_text(conn, first[0], title="Late", words=1, content="late")
        assert await store.claim_texts(conn, Claim("w1", NOW, LEASE, 5)) == []
        again = await store.claim_texts(conn, Claim("w1", NOW + LEASE, LEASE, 5))
        assert await store.text_failed(conn, again[0], "not archived")
        assert await store.claim_texts(conn, Claim("w1", NOW + timedelta(days=9), LEASE, 5)) == []
        rows = (
            (await conn.execute(sa.select(archived_pages).order_by(archived_pages.c.path))).mappings().all()
        )
    assert [(row["path"], row["content_state"], row["title"], row["error"]) for row in rows] == [
        ("/", "stored", "Bread", None),
        ("/a", "failed", None, "not archived"),
        ("/b", "stored", None, None),
    ]
