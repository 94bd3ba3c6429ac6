"""What a scan knows before it reads a history: when the name was last given up, and the operator's own marks."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest
import sqlalchemy as sa

from afterdrop.checks import worker
from afterdrop.core.settings import Review, Settings
from afterdrop.db.engine import Database
from afterdrop.db.tables.feeds import listings
from afterdrop.review import run
from afterdrop.review.history.domain_history import History
from afterdrop.review.store import Reviewed
from afterdrop.sources.archive.archives import Archives
from afterdrop.sources.archive.cdx_index import Index
from afterdrop.sources.archive.wayback import IndexAnswer, WebArchive
from afterdrop.sources.registry.rdap_answer import Registration, RegistryAnswer
from afterdrop.worker_context import WorkerContext

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
DOMAIN = "oldmill-bakery.com"


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the review was asked with."""
    seen: dict[str, Any] = {}

    async def review_domain(
        archive: object, reader: object, domain: str, now: datetime, **known: Any
    ) -> Reviewed:
        seen.update(known)
        return Reviewed(History(domain, now, "ok"), IndexAnswer(Index(domain)))

    monkeypatch.setattr(run, "review_domain", review_domain)
    return seen


def context(settings: Settings, database: Database) -> WorkerContext:
    pages = SimpleNamespace(read=None)
    archives = Archives(WebArchive(cast(Any, None), settings.archive), None)
    made = SimpleNamespace(
        settings=settings, database=database, now=lambda: NOW, archives=archives, pages=pages
    )
    return cast(WorkerContext, made)


async def offer(database: Database, key: str, kind: str, ends_at: datetime) -> None:
    row = {
        "source": "list", "feed": "list", "external_id": key, "domain": DOMAIN, "type": kind, "ends_at": ends_at,
        "first_seen_at": NOW, "last_seen_at": NOW, "seen_run": 1,
    }  # fmt: skip
    async with database.write() as conn:
        await conn.execute(sa.insert(listings).values(**row))


async def test_the_last_announced_drop_is_known(
    settings: Settings, database: Database, given: dict[str, Any]
) -> None:
    await run.review_stored(context(settings, database), DOMAIN, last_try=True)
    assert (given["drop"], given["marks"]) == (None, None)
    past = NOW - timedelta(days=400)
    for key, kind, ends_at in (
        ("1", "pending_delete", past - timedelta(days=900)),
        ("2", "pending_delete", past),
        ("3", "pending_delete", NOW + timedelta(days=2)),
        ("4", "auction", NOW - timedelta(days=3)),
    ):
        await offer(database, key, kind, ends_at)
    await run.review_stored(context(settings, database), DOMAIN, last_try=True)
    assert given["drop"] == past
    for told, known in (
        (NOW - timedelta(days=30), NOW - timedelta(days=30)),
        (past - timedelta(days=1), past),
    ):
        await run.review_stored(context(settings, database), DOMAIN, told, last_try=True)
        assert given["drop"] == known


async def test_the_operators_marks_go_along(
    settings: Settings, database: Database, given: dict[str, Any]
) -> None:
    own = settings.model_copy(update={"review": Review(marks=("Old Mill",))})
    await run.review_stored(context(own, database), DOMAIN, last_try=True)
    assert {"oldmill", "adidas"} <= given["marks"].distinct


async def test_a_check_takes_the_registrys_word_if_it_comes_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    registered, deleted = NOW - timedelta(days=500), NOW - timedelta(days=3)

    async def told(answer: RegistryAnswer) -> RegistryAnswer:
        return answer

    async def never() -> RegistryAnswer:
        return await asyncio.Future[RegistryAnswer]()

    async def fails() -> RegistryAnswer:
        raise OSError

    async def ask(answer: Any) -> datetime | None:
        task = asyncio.ensure_future(answer)
        try:
            return await worker._last_registration_event(task)
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    record = Registration(DOMAIN, registered_at=registered)
    assert await ask(told(RegistryAnswer("registered", record))) == registered
    assert await ask(told(RegistryAnswer("dropping", record, deleted_at=deleted))) == deleted
    assert await ask(fails()) is None
    monkeypatch.setattr(worker, "_REGISTRY_SECONDS", 0)
    assert await ask(never()) is None
