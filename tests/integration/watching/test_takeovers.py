"""What visits found is told once to those who follow the name, and only where it is news."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from afterdrop.catalogue import visits as visit_store
from afterdrop.db.tables.review import visits
from afterdrop.delivery.events import TAKEOVER_SEEN
from afterdrop.watching import notice_store, takeovers
from afterdrop.watching.takeovers import tell_of_visits
from tests.support.rows import DAY, NOW
from tests.support.world import World


async def visited(world: World, domain: str, day: int, kind: str, **more: Any) -> None:
    """A visit that was made now, of a name that got a new holder `day` days ago."""
    began = world.now - day * DAY
    row: dict[str, Any] = {"domain": domain, "began_at": began, "day": day, "visited_at": world.now}
    row |= {"kind": kind, "registrar": "Some Registrar", "attempts": 1, "after_account": 0, **more}
    async with world.database.write() as conn:
        await conn.execute(sa.insert(visits).values(**row))


async def untold(world: World) -> bool:
    async with world.database.read() as conn:
        return await visit_store.next_untold(conn) is not None


async def test_followers_on_pro_hear_what_stands_there(world: World) -> None:
    account, free = await world.account(), await world.account(pro=False)
    endpoint = await world.endpoint(account, events=[TAKEOVER_SEEN])
    await world.endpoint(account, "https://interface.example.org/")
    late = await world.account()
    for one in (account, free):
        await world.watch(one, "a.com")
    world.move(days=1)
    began = NOW - 2 * DAY
    page: dict[str, Any] = {"title": "Casino <b>", "category": "gambling", "quotes": ["welcome bonus"]}
    page |= {"evidence": "ab" * 32, "url": "http://a.com/"}
    await visited(world, "a.com", 0, "spam", registered_at=began, dropped_at=began - 9 * DAY, **page)
    world.move(minutes=1)
    await world.watch(late, "a.com")
    assert await tell_of_visits(world.context) == {"told": 1}
    assert await tell_of_visits(world.context) == {"told": 0}
    [event] = await world.events()
    assert (event["account_id"], event["type"]) == (account, TAKEOVER_SEEN)
    data = event["json"]["data"]
    assert (data["domain"], data["kind"], data["category"]) == ("a.com", "spam", "gambling")
    assert data["quotes"] == ["welcome bonus"]
    assert data["evidence_url"].endswith("/domains/a.com/takeover")
    assert [each["endpoint_id"] for each in await world.deliveries()] == [endpoint]
    [mail] = await world.mails()
    assert mail["subject"] == "a.com: spam (gambling)"
    assert "9 days after it dropped" in mail["text"]


async def test_only_news_is_told(world: World) -> None:
    account = await world.account()
    await world.endpoint(account, events=[TAKEOVER_SEEN])
    for name in ("a.com", "b.com"):
        await world.watch(account, name)
    world.move(hours=1)
    await visited(world, "a.com", 0, "nothing")
    await visited(world, "b.com", 0, "unclear")
    assert await tell_of_visits(world.context) == {"told": 0}
    began = world.now
    for day, kind in ((30, "parked"), (90, "unclear"), (365, "parked")):
        world.move(days=31)
        await visited(world, "a.com", day, kind, began_at=began)
        await tell_of_visits(world.context)
    assert [event["json"]["data"]["kind"] for event in await world.events()] == ["parked"]
    assert not await untold(world)


async def test_many_followers_are_told_in_turns(world: World, monkeypatch: Any) -> None:
    monkeypatch.setattr(notice_store, "TOLD_AT_ONCE", 2)
    accounts = [await world.account() for _ in range(5)]
    for account in accounts:
        await world.watch(account, "a.com")
    world.move(hours=1)
    await visited(world, "a.com", 0, "other")
    assert await tell_of_visits(world.context) == {"told": 5}
    assert sorted(event["account_id"] for event in await world.events()) == accounts


async def test_the_desk_shows_the_newest_visit_of_followed_names(world: World) -> None:
    account = await world.account()
    await world.watch(account, "a.com")
    await visited(world, "a.com", 0, "parked")
    await visited(world, "other.com", 0, "spam")
    world.move(days=30)
    await visited(world, "a.com", 30, "spam")

    async def seen(since: datetime) -> list[tuple[str, str | None]]:
        async with world.database.read() as conn:
            rows = await takeovers.of_followed(conn, account, since, 5)
        return [(row["domain"], row["kind"]) for row in rows]

    assert await seen(NOW - DAY) == [("a.com", "spam")]
    assert await seen(world.now + timedelta(days=1)) == []
