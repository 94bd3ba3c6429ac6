"""Deliveries over time: the schedule, what counts, what waits, what is given up, and who is told."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import orjson
import pytest

from afterdrop.accounts.secret_box import SecretBox
from afterdrop.core.settings import Settings
from afterdrop.core.settings_file import load
from afterdrop.db.leases import Claim
from afterdrop.db.tables.delivery import webhook_endpoints
from afterdrop.delivery import events
from afterdrop.delivery.webhooks import endpoint_store, store
from afterdrop.delivery.webhooks.signing import verify
from afterdrop.delivery.webhooks.worker import delivery_queue, delivery_worker
from afterdrop.worker.pruning import expire, prune
from tests.support import receivers
from tests.support.receivers import OK, receiver
from tests.support.rows import DAY
from tests.support.world import World

BAD = b"HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n"
WAITS = (60, 300, 1800, 7200, 21600)


async def record(world: World, account: int, count: int = 1, **more: Any) -> list[str]:
    """Events of an account; their ids."""
    made = []
    for _ in range(count):
        async with world.database.write() as conn:
            number = len(await world.events())
            draft = events.EventDraft(account, {"check": {"n": number}}, f"o{number}", **more)
            event = await events.record(conn, "check.completed", draft, world.now)
            made.append(event or "")
    return made


async def deliver(world: World) -> int:
    """Make every attempt that is due."""
    return await world.work(delivery_queue(delivery_worker(world.context)))


async def endpoint(world: World, endpoint_id: int) -> dict[str, Any]:
    """An endpoint's row."""
    [row] = [row for row in await world.rows(webhook_endpoints) if row["id"] == endpoint_id]
    return row


async def give_up(world: World, count: int = 1) -> None:
    """Fail the pending deliveries by their schedule: all six attempts."""
    for wait in (0, *WAITS):
        world.now += timedelta(seconds=wait * 1.1)
        await deliver(world)


async def test_a_delivery_arrives_signed_and_is_written_down(world: World) -> None:
    account = await world.account()
    async with receiver(OK) as target:
        hook = await world.endpoint(account, target.url)
        [event] = await record(world, account)
        await deliver(world)
    [post] = target.posts
    body = orjson.loads(post.body)
    [row] = await world.deliveries()
    assert row["event_id"] == event == body["id"] == post.headers["service-delivery"], "WD-02"
    assert verify("whsec_test", post.headers["service-signature"], post.body, int(world.now.timestamp()))
    assert (row["status"], row["tries"], row["response_code"], row["error"]) == ("delivered", 1, 200, None)
    assert (row["delivered_at"], row["due_at"], row["claimed_by"]) == (world.now, None, None)
    assert (await endpoint(world, hook))["last_delivered_at"] == world.now
    async with world.database.read() as conn:
        shown = await endpoint_store.list_deliveries(conn, account, hook, world.now)
    assert shown is not None
    assert (shown[0]["status"], shown[0]["attempts"], shown[0]["delivered_at"]) == ("delivered", 1, world.now)


async def test_db_04_db_05_db_06_ev_18_six_attempts_on_the_schedule_with_the_same_body(world: World) -> None:
    account = await world.account()
    async with receiver(BAD) as target:
        hook = await world.endpoint(account, target.url)
        await record(world, account)
        for tries, wait in enumerate((*WAITS, None), start=1):
            assert await deliver(world) == 1
            assert await deliver(world) == 0, "not before its time"
            [row] = await world.deliveries()
            assert (row["tries"], row["response_code"], row["error"]) == (tries, 500, "answered 500")
            if wait is None:
                break
            lasts = (row["due_at"] - world.now).total_seconds()
            assert wait - 1 <= lasts <= wait * 1.1
            world.now = row["due_at"]
    assert (row["status"], row["due_at"], row["delivered_at"]) == ("failed", None, None)
    assert len(target.posts) == 6
    assert len({post.body for post in target.posts}) == 1
    assert len({post.headers["service-signature"] for post in target.posts}) == 6, "SG-05: a new t each time"
    assert (await endpoint(world, hook))["consecutive_failures"] == 1


@pytest.mark.parametrize(
    ("behaviour", "code", "error"),
    [(BAD, 500, "answered 500"), (receivers.hang, None, "no answer within 0.3 seconds")],
)
async def test_wd_05_no_answer_has_no_code(
    world: World, behaviour: Any, code: int | None, error: str
) -> None:
    account = await world.account()
    async with receiver(behaviour) as target:
        await world.endpoint(account, target.url)
        await record(world, account)
        await deliver(world)
    [row] = await world.deliveries()
    assert (row["status"], row["response_code"], row["error"]) == ("pending", code, error)


async def test_a_late_success_clears_the_error(world: World) -> None:
    account = await world.account()
    async with receiver(BAD) as bad, receiver(OK) as good:
        hook = await world.endpoint(account, bad.url)
        await record(world, account)
        await deliver(world)
        async with world.database.write() as conn:
            await endpoint_store.change_endpoint(conn, account, hook, {"url": good.url})
        world.move(minutes=2)
        await deliver(world)
    [row] = await world.deliveries()
    assert (row["status"], row["tries"], row["response_code"], row["error"]) == ("delivered", 2, 200, None)
    assert len(good.posts) == 1, "a changed address takes the pending ones"


async def test_db_07_a_success_ends_a_run_of_failures(world: World) -> None:
    account = await world.account()
    async with receiver(BAD) as bad, receiver(OK) as good:
        hook = await world.endpoint(account, bad.url)
        await record(world, account, 14)
        await give_up(world)
        assert (await endpoint(world, hook))["consecutive_failures"] == 14
        async with world.database.write() as conn:
            await endpoint_store.change_endpoint(conn, account, hook, {"url": good.url})
        await record(world, account)
        await deliver(world)
        assert (await endpoint(world, hook))["consecutive_failures"] == 0


async def test_db_09_the_fifteenth_switches_off_and_mails_the_owner_once(world: World) -> None:
    account = await world.account()
    async with receiver(BAD) as target:
        hook = await world.endpoint(account, target.url)
        await record(world, account, 20)
        await give_up(world)
    row = await endpoint(world, hook)
    assert (row["active"], row["consecutive_failures"] >= 15) == (False, True)
    assert row["disabled_at"] is not None
    [mail] = await world.mails()
    assert (mail["kind"], mail["account_id"]) == ("endpoint_off", account)
    assert target.url in mail["text"]
    assert "answered 500" in mail["text"]
    assert mail["headers"] == {}, "no notification to unsubscribe from"


async def test_db_10_pending_ones_wait_while_off_and_resume(world: World) -> None:
    account = await world.account()
    async with receiver(OK) as target:
        hook = await world.endpoint(account, target.url)
        await record(world, account, 3)
        async with world.database.write() as conn:
            await endpoint_store.change_endpoint(conn, account, hook, {"active": False})
        assert await deliver(world) == 0
        await record(world, account)  # EV-20: not queued
        assert len(await world.deliveries()) == 3
        async with world.database.write() as conn:
            await endpoint_store.change_endpoint(conn, account, hook, {"active": True})
        assert await deliver(world) == 3
        assert len(target.posts) == 3


async def test_db_10_a_downgrade_pauses_and_an_upgrade_resumes(world: World) -> None:
    account = await world.account()
    async with receiver(OK) as target:
        await world.endpoint(account, target.url)
        await record(world, account)
        await world.change(account, plan_until=world.now)
        assert await deliver(world) == 0
        await world.change(account, plan_until=world.now + DAY)
        assert await deliver(world) == 1


async def test_db_08_test_events_reach_an_endpoint_that_is_off_and_count_for_nothing(world: World) -> None:
    account = await world.account()
    async with receiver(BAD) as bad, receiver(OK) as good:
        hook = await world.endpoint(account, bad.url, consecutive_failures=14)
        async with world.database.write() as conn:
            await endpoint_store.test_endpoint(conn, account, hook, world.now)
        await give_up(world)
        assert (await endpoint(world, hook))["consecutive_failures"] == 14
        async with world.database.write() as conn:
            await endpoint_store.change_endpoint(conn, account, hook, {"url": good.url, "active": False})
            await endpoint_store.test_endpoint(conn, account, hook, world.now)
        assert await deliver(world) == 1
        row = await endpoint(world, hook)
        assert (row["consecutive_failures"], row["last_delivered_at"], row["active"]) == (
            14,
            world.now,
            False,
        )
        assert orjson.loads(good.posts[0].body)["data"] == {
            "message": "This is a test event.",
            "webhook": {"id": hook, "url": good.url},
        }, "EV-15"


async def test_db_12_two_endpoints_of_an_account_fail_independently(world: World) -> None:
    account = await world.account()
    async with receiver(BAD) as bad, receiver(OK) as good:
        for target in (bad, good):
            await world.endpoint(account, target.url)
        await record(world, account)
        await deliver(world)
    assert [row["status"] for row in await world.deliveries()] == ["pending", "delivered"]


async def test_ten_lost_leases_are_the_end(world: World) -> None:
    account = await world.account()
    async with receiver(OK) as target:
        hook = await world.endpoint(account, target.url)
        await record(world, account)
        for _ in range(10):
            async with world.database.write() as conn:
                lease = timedelta(seconds=2)
                assert len(await store.claim_due(conn, Claim("dead", world.now, lease, 5))) == 1
            world.move(seconds=2)
        assert await deliver(world) == 1
    [row] = await world.deliveries()
    assert (row["status"], row["error"], row["tries"]) == ("failed", "worker lost", 0)
    assert target.posts == []
    assert (await endpoint(world, hook))["consecutive_failures"] == 0, "our fault, not the receiver's"


async def test_db_13_a_lost_lease_is_sent_again_without_counting(world: World) -> None:
    account = await world.account()
    async with receiver(OK) as target:
        await world.endpoint(account, target.url)
        await record(world, account)
        async with world.database.write() as conn:
            await store.claim_due(conn, Claim("dead", world.now, timedelta(seconds=60), 5))
        assert await deliver(world) == 0
        world.move(seconds=60)
        assert await deliver(world) == 1
    [row] = await world.deliveries()
    assert (row["status"], row["tries"], row["attempts"]) == ("delivered", 1, 2)


async def test_an_expired_one_is_not_sent(world: World) -> None:
    account = await world.account()
    async with receiver(OK) as target:
        await world.endpoint(account, target.url)
        await record(world, account, expires_at=world.now + timedelta(minutes=1))
        world.move(minutes=1)
        await deliver(world)
    [row] = await world.deliveries()
    assert (row["status"], row["error"], target.posts) == ("failed", "expired", [])


async def test_what_waited_for_14_days_expires_without_counting(world: World) -> None:
    account = await world.account()
    hook = await world.endpoint(account)
    await record(world, account)
    async with world.database.write() as conn:
        await endpoint_store.change_endpoint(conn, account, hook, {"active": False})
    world.move(days=14)
    assert await expire(world.context) == {"expired": 1}
    assert (await endpoint(world, hook))["consecutive_failures"] == 0


async def test_pruning_keeps_fifty_an_endpoint_for_14_days_and_whatever_is_pending(world: World) -> None:
    account = await world.account()
    async with receiver(OK) as target:
        await world.endpoint(account, target.url)
        await record(world, account, 60)
        assert await deliver(world) == 60
        waiting = await world.endpoint(await world.account(plan_until=world.now + DAY), target.url)
        await record(world, (await endpoint(world, waiting))["account_id"])
    all_ = await world.deliveries()
    assert (await prune(world.context))["deliveries"] == 10
    kept = await world.deliveries()
    assert len(kept) == 51
    assert sorted(kept, key=lambda row: row["id"]) == [*all_[10:60], all_[-1]]
    world.move(days=14)
    await prune(world.context)
    assert [row["status"] for row in await world.deliveries()] == ["pending"]
    assert len(await world.events()) == 1


async def test_a_secret_that_does_not_open_fails_in_words(world: World) -> None:
    account = await world.account()
    await world.endpoint(account, secret=SecretBox(["another key altogether"]).encrypt("whsec_x"))
    await record(world, account)
    await deliver(world)
    [row] = await world.deliveries()
    assert (row["status"], row["tries"]) == ("pending", 1)
    assert "cannot be decrypted" in row["error"]


async def test_am_05_what_an_endpoint_missed_can_be_read_from_the_matches(world: World) -> None:
    account = await world.account()
    await world.endpoint(account, active=False)
    await world.rule(account)
    await world.publish("one.com")
    await world.match()
    assert await world.deliveries() == []
    assert [domain for _, domain, _ in await world.matches()] == ["one.com"]


async def test_an_endpoint_deleted_while_its_delivery_is_under_way(world: World) -> None:
    account = await world.account()

    async with receiver(receivers.hang) as target:
        hook = await world.endpoint(account, target.url)
        await record(world, account)
        working = asyncio.create_task(deliver(world))
        while not target.posts:
            await asyncio.sleep(0.01)
        async with world.database.write() as conn:
            await endpoint_store.delete_endpoint(conn, account, hook)
        await working
    assert await world.deliveries() == []


def test_the_schedule_of_the_settings(settings: Settings) -> None:
    assert tuple(settings.webhook.retry_waits) == WAITS


async def test_the_schedule_is_the_operators(world: World) -> None:
    chosen = load({"AFTERDROP_WEBHOOK_RETRY_WAITS": "1,2.5"}).webhook.retry_waits
    assert chosen == (1, 2.5)
    worker = delivery_worker(world.context)
    worker.results.settings = world.settings.webhook.model_copy(update={"retry_waits": chosen})
    account = await world.account()
    async with receiver(BAD) as target:
        await world.endpoint(account, target.url)
        await record(world, account)
        for _ in range(5):
            await world.work(delivery_queue(worker))
            world.move(seconds=3)
    [row] = await world.deliveries()
    assert (row["status"], row["tries"], len(target.posts)) == ("failed", 3, 3)
