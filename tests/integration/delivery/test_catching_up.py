"""A receiver that was down reads what it missed, to the byte; no event is skipped whatever order commits come in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import httpx2
import orjson
import pytest
import sqlalchemy as sa

from afterdrop.core.settings import Webhook
from afterdrop.db.tables.delivery import events as event_table
from afterdrop.delivery import events
from afterdrop.delivery.webhooks.send import open_sender
from afterdrop.delivery.webhooks.worker import delivery_queue, delivery_worker
from afterdrop.worker.pruning import prune
from tests.support.ports import free_port
from tests.support.receivers import OK, receiver
from tests.support.service import Clock, Service, clock, code, fields, service
from tests.support.world import World

__all__ = ["clock", "service"]
HOOK = Webhook(allow_loopback=True, answer_seconds=0.3)


@pytest.fixture
def more_settings() -> dict[str, Any]:
    """Receivers on loopback."""
    return {"webhook": HOOK}


@pytest.fixture
async def world(service: Service, clock: Clock) -> AsyncIterator[World]:
    """A worker over the service's database, by the service's clock."""
    made = World(service.database, service.context.settings, clock.now)
    async with open_sender(HOOK, lambda: clock.now.timestamp()) as sender:
        made.context = replace(made.context, sender=sender, now=clock.read)
        yield made


async def happen(service: Service, number: int, kind: str = "check.completed", who: str = "pro") -> None:
    """One event of an account."""
    draft = events.EventDraft(service.accounts[who].id, {"check": {"n": number}}, f"{who}{number}")
    async with service.database.write() as conn:
        await events.record(conn, kind, draft, service.clock.now)


async def caught_up(service: Service, after: str | None, **query: Any) -> tuple[list[bytes], str | None]:
    """Every event after a cursor, as the bytes that stand in the answers, and the cursor to keep."""
    bodies: list[bytes] = []
    while True:
        asked = {**query, **({} if after is None else {"after": after})}
        answer = await service.get("/events", params=asked)
        assert answer.status_code == 200, answer.text
        bodies += split(answer)
        meta = answer.json()["meta"]
        after = meta["next_cursor"]
        if not meta["more"]:
            return bodies, after


def split(answer: httpx2.Response) -> list[bytes]:
    """The items of `data` as they stand in the answer: their JSON has no spaces, as orjson writes none."""
    items = answer.json()["data"]
    texts = [orjson.dumps(item) for item in items]
    assert answer.content.startswith(b'{"data":[' + b",".join(texts) + b"]")
    return texts


async def test_a_receiver_that_was_off_for_an_hour_catches_up_to_the_byte(
    service: Service, clock: Clock, world: World
) -> None:
    async with receiver(OK, port=free_port()) as mine:
        made = await service.ask("POST", "/webhooks", json={"url": mine.url})
        assert made.status_code == 201, made.text
        queue = delivery_queue(delivery_worker(world.context))
        await happen(service, 0)
        await world.work(queue)
        before, cursor = await caught_up(service, None)
        assert before == [post.body for post in mine.posts]
    for number in range(1, 13):
        clock.move(minutes=5)
        await happen(service, number)
        await world.work(queue)
    missed, cursor = await caught_up(service, cursor, limit=5)
    assert len(missed) == 12
    # What the receiver would have got: it listens again, and every delivery is made once more by its schedule.
    async with receiver(OK, port=mine.port) as again:
        clock.move(hours=10)
        await world.work(queue)
        assert sorted(post.body for post in again.posts) == sorted(missed)
    assert [orjson.loads(body)["data"]["check"]["n"] for body in missed] == list(range(1, 13))
    assert await caught_up(service, cursor) == ([], cursor)


async def test_events_are_kept_without_an_endpoint_and_are_the_accounts_own(service: Service) -> None:
    await happen(service, 1)
    await happen(service, 2, who="other")
    found, _ = await caught_up(service, None)
    assert [orjson.loads(body)["data"] for body in found] == [{"check": {"n": 1}}]
    assert code(await service.get("/events", "free")) == (403, "plan_required")
    nothing = (await service.get("/events?after=1", "other")).json()
    assert len(nothing["data"]) == 1


async def test_an_event_that_is_committed_late_is_not_skipped(service: Service) -> None:
    """It began before another that was read already: its id and time are lower, its position is not."""
    account = service.accounts["pro"].id
    late = events.EventDraft(account, {"check": {"n": 1}}, "late")
    service.clock.move(seconds=5)
    await happen(service, 2)
    first, cursor = await caught_up(service, None)
    async with service.database.write() as conn:
        await events.record(conn, "check.completed", late, service.clock.now - timedelta(seconds=5))
    rest, _ = await caught_up(service, cursor)
    assert [orjson.loads(body)["data"]["check"]["n"] for body in first + rest] == [2, 1]


async def test_a_cursor_outlives_every_event_it_was_made_from(
    service: Service, clock: Clock, world: World
) -> None:
    await happen(service, 1)
    _, cursor = await caught_up(service, None)
    clock.move(days=15)
    assert (await prune(world.context))["deliveries"] == 1
    assert await caught_up(service, None) == ([], None)
    await happen(service, 2)
    found, _ = await caught_up(service, cursor)
    assert len(found) == 1


async def test_types_are_chosen_and_pings_are_left_out(service: Service) -> None:
    account = service.accounts["pro"].id
    await happen(service, 1)
    await happen(service, 2, "domain.available")
    made = (await service.ask("POST", "/webhooks", json={"url": "https://hooks.example.org/a"})).json()[
        "data"
    ]
    assert (await service.ask("POST", f"/webhooks/{made['id']}/test")).status_code == 202
    found, _ = await caught_up(service, None, type="domain.available,alert.matched")
    assert [orjson.loads(body)["type"] for body in found] == ["domain.available"]
    assert len((await caught_up(service, None))[0]) == 2
    async with service.database.read() as conn:
        assert not await events.has_new(conn, account)


@pytest.mark.parametrize(
    "query", ["after=x", "after=-1", "type=ping", "type=", "limit=0", "limit=101", "x=1"]
)
async def test_wrong_questions_are_named(service: Service, query: str) -> None:
    assert set(fields(await service.get(f"/events?{query}"))) == {query.partition("=")[0]}


async def test_an_08_a_cursor_beyond_the_newest_event_is_refused(service: Service) -> None:
    """Otherwise a reader with a wrong cursor would miss everything for ever and never be told."""
    ahead = str(10**17)
    assert "there is none" in fields(await service.get(f"/events?after={ahead}"))["after"][0]
    await happen(service, 1)
    _, cursor = await caught_up(service, None)
    assert cursor is not None
    for after in (ahead, str(int(cursor) + 1)):
        assert cursor in fields(await service.get(f"/events?after={after}"))["after"][0]
    assert await caught_up(service, cursor) == ([], cursor)
    await happen(service, 2, who="free")
    assert "after" in fields(await service.get(f"/events?after={int(cursor) + 1}"))


async def test_an_09_after_a_restore_the_cursors_told_since_the_backup_go_on(
    service: Service, clock: Clock
) -> None:
    await happen(service, 1)
    await happen(service, 2)
    kept, _ = await caught_up(service, None)
    clock.move(hours=1)
    await happen(service, 3)
    _, cursor = await caught_up(service, None)
    async with service.database.write() as conn:  # the backup is from before the third
        await conn.execute(sa.delete(event_table).where(event_table.c.occasion == "pro3"))
    assert "after" in fields(await service.get(f"/events?after={cursor}"))
    clock.move(minutes=1)
    async with service.database.write() as conn:
        await conn.exec_driver_sql(events.past_earlier_cursors(clock.now))
    again, cursor = await caught_up(service, cursor)
    assert again == kept[1:]
    assert (await caught_up(service, None))[0] == kept
    await happen(service, 4)
    (later,), _ = await caught_up(service, cursor)
    assert orjson.loads(later)["data"]["check"]["n"] == 4
