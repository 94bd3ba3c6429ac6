"""Checks of many names in one order, an addition to the interface: named cost, all or nothing, one batch to follow."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import timedelta
from typing import Any

import httpx2
import sqlalchemy as sa

from afterdrop.checks import store
from afterdrop.db.leases import Claim
from afterdrop.db.tables.accounts import credit_ledger
from afterdrop.db.tables.checks import check_batches, checks
from tests.support.service import ENDED, NOW, OPEN, Service, code, fields, row

NEW = [f"new-{number}.com" for number in range(6)]


async def post(service: Service, names: list[Any], who: str = "pro", **more: Any) -> httpx2.Response:
    return await service.ask("POST", "/checks/batch", who, json={"domains": names, **more})


async def left(service: Service, who: str = "pro") -> int:
    found: int = (await service.get("/me", who)).json()["data"]["checks"]["available"]
    return found


async def rows_in(service: Service, table: sa.Table) -> int:
    async with service.database.read() as conn:
        return int(await conn.scalar(sa.select(sa.func.count()).select_from(table)) or 0)


async def done(service: Service, check_id: str, **values: Any) -> None:
    async with service.database.write() as conn:
        changes = {"status": "done", "slot": None, "finished_at": service.clock.now, **values}
        await conn.execute(sa.update(checks).where(checks.c.id == check_id).values(**changes))


async def ten_names(service: Service) -> list[str]:
    """Three on the live list, one checked two days ago, six new."""
    listed = ["a.com", "b.com", "c.com"]
    await service.show(*(row(name) for name in listed))
    earlier = await service.ask("POST", "/checks", json={"domain": "checked.com"})
    await done(service, earlier.json()["data"]["id"], score=12, verdict="risky")
    service.clock.move(days=2)
    return [*listed, "checked.com", *NEW]


async def test_the_preview_names_the_cost_and_spends_nothing(service: Service) -> None:
    names = await ten_names(service)
    before = await left(service)
    answer = await post(service, [*names, "https://www.a.com/x", "NEW-1.com"])
    assert answer.status_code == 200
    found = answer.json()["data"]
    counts = {name: found[name] for name in ("ordered", "names", "listed", "checked", "new", "cost")}
    assert counts == {"ordered": False, "names": 10, "listed": 3, "checked": 1, "new": 6, "cost": 6}
    assert found["credits_available"] == before == await left(service)
    assert [item["domain"] for item in found["items"]] == names
    listed, checked, new = found["items"][0], found["items"][3], found["items"][4]
    assert (listed["known"], listed["cost"], listed["check"]) == ("listed", 0, None)
    assert listed["report_url"].endswith("/domains/a.com")
    assert (checked["known"], checked["cost"], checked["check"]["score"]) == ("checked", 0, 12)
    assert (new["known"], new["cost"], new["check"], new["report_url"]) == ("new", 1, None, None)
    assert await rows_in(service, check_batches) == 0


async def test_an_order_takes_the_credits_with_the_checks_and_is_followed(service: Service) -> None:
    names = await ten_names(service)
    before = await left(service)
    answer = await post(service, names, credits=6)
    assert answer.status_code == 202, answer.text
    batch = answer.json()["data"]
    assert (batch["ordered"], batch["cost"], batch["new"]) == (True, 6, 6)
    assert batch["progress"] == {"queued": 6, "running": 0, "done": 1, "failed": 0}
    assert await left(service) == before - 6
    assert {item["check"]["status"] for item in batch["items"][4:]} == {"queued"}
    await done(service, batch["items"][4]["check"]["id"], score=70, verdict="ok")
    now = (await service.get(f"/checks/batch/{batch['id']}")).json()["data"]
    assert now["progress"] == {"queued": 5, "running": 0, "done": 2, "failed": 0}
    assert (now["items"][4]["check"]["score"], now["items"][4]["known"]) == (70, "new")
    listed = (await service.get("/checks")).json()
    assert listed["meta"]["total"] == 7
    again = await post(service, names, credits=0)
    assert (again.status_code, again.json()["data"]["cost"]) == (202, 0)
    assert await left(service) == before - 6


async def test_what_costs_more_than_was_agreed_is_not_ordered(service: Service) -> None:
    answer = await post(service, NEW, credits=5)
    assert "6 credits" in fields(answer)["credits"][0]
    assert (await left(service), await rows_in(service, checks)) == (21, 0)


async def test_without_enough_credits_nothing_is_taken(service: Service) -> None:
    answer = await post(service, NEW[:2], "free", credits=2)
    assert code(answer) == (402, "no_checks_left")
    assert (await left(service, "free"), await rows_in(service, checks)) == (1, 0)
    assert (await post(service, NEW[:1], "free", credits=1)).status_code == 202


async def test_credits_of_several_buckets_are_spent_in_their_order(service: Service) -> None:
    names = [f"n{number}.com" for number in range(21)]
    assert (await post(service, names, credits=21)).status_code == 202
    async with service.database.read() as conn:
        spent = await conn.scalars(sa.select(credit_ledger.c.bucket).where(credit_ledger.c.delta < 0))
        assert Counter(spent) == {"plan": 20, "welcome": 1}
    assert await left(service) == 0


async def test_a_failed_check_of_a_batch_returns_its_own_credit(service: Service) -> None:
    batch = (await post(service, NEW[:2], credits=2)).json()["data"]
    found = batch["items"][0]["check"]["id"]
    async with service.database.write() as conn:
        whole = await store.check_row(conn, service.accounts["pro"].id, found)
        assert whole is not None
        await store.fail(conn, whole, "no answer", service.clock.now)
    assert await left(service) == 20
    now = (await service.get(f"/checks/batch/{batch['id']}")).json()["data"]
    assert (now["progress"]["failed"], now["cost"]) == (1, 2)


async def test_bad_names_are_named_and_nothing_is_ordered(service: Service) -> None:
    answer = await post(service, ["a.com", "co.uk", "mailto:a@b.com", "x.zzzznotld"], credits=9)
    assert [message.partition(":")[0] for message in fields(answer)["domains"]] == [
        "item 2",
        "item 3",
        "item 4",
    ]
    for names in ([], [f"n{number}.com" for number in range(101)], "a.com", [1], [""], None):
        assert "domains" in fields(await post(service, names))  # type: ignore[arg-type]
    assert set(fields(await post(service, ["a.com"], credits=-1, max=3))) == {"credits", "max"}
    assert (await post(service, [f"n{number}.com" for number in range(100)])).json()["data"]["cost"] == 100
    assert await rows_in(service, checks) == 0


async def test_only_what_the_caller_sees_in_full_counts_as_listed(service: Service) -> None:
    """One predicate decides here, too: what a list does not show, the preview does not tell."""
    await service.show(
        row("closed.com"),
        row("open.com", **OPEN),
        row("gone.com", **ENDED),
        row("spam.com", removed_at=NOW, removed_reason="Spam."),
    )
    names = ["closed.com", "open.com", "gone.com", "spam.com"]

    async def listed(who: str) -> set[str]:
        items = (await post(service, names, who)).json()["data"]["items"]
        assert all(item["report_url"] is None for item in items if item["known"] == "new")
        return {item["domain"] for item in items if item["known"] == "listed"}

    assert await listed("free") == {"open.com"}
    assert await listed("pro") == {"closed.com", "open.com", "gone.com"}


async def test_a_listed_name_that_leaves_the_list_is_no_longer_linked(service: Service) -> None:
    await service.show(row("a.com"))
    batch = (await post(service, ["a.com"], credits=0)).json()["data"]
    assert batch["items"][0]["report_url"].endswith("/domains/a.com")
    await service.plan("pro", NOW - timedelta(days=1))
    [item] = (await service.get(f"/checks/batch/{batch['id']}")).json()["data"]["items"]
    assert (item["known"], item["report_url"]) == ("listed", None)


async def test_foreign_and_unknown_batches_are_not_found(service: Service) -> None:
    batch = (await post(service, ["a.com"], credits=1)).json()["data"]["id"]
    assert code(await service.get(f"/checks/batch/{batch}", "other")) == (404, "not_found")
    for wrong in ("bat_01M7X67AFG1870J58GQ2EP02DX", "1", batch.lower(), "bat_%00"):
        assert code(await service.get(f"/checks/batch/{wrong}")) == (404, "not_found"), wrong
    for method in ("GET", "PUT"):
        refused = await service.ask(method, "/checks/batch")
        assert (refused.status_code, refused.headers["Allow"]) == (405, "POST")


async def test_simultaneous_orders_pay_for_each_name_once(service: Service) -> None:
    answers = await asyncio.gather(*(post(service, NEW, credits=6) for _ in range(10)))
    assert {answer.status_code for answer in answers} == {202}
    assert sum(answer.json()["data"]["cost"] for answer in answers) == 6
    assert (await left(service), await rows_in(service, checks)) == (15, 6)


async def test_one_order_of_many_does_not_make_others_wait(service: Service) -> None:
    await post(service, [f"n{number}.com" for number in range(20)], credits=20)
    service.clock.move(seconds=1)
    single = await service.ask("POST", "/checks", "other", json={"domain": "single.com"})
    assert single.json()["data"]["queue_position"] == 2
    now = service.clock.now
    async with service.database.write() as conn:
        first = await store.claim(conn, Claim("w", now, timedelta(minutes=1), 2))
        assert {found["domain"] for found in first} == {"n0.com", "single.com"}
        second = await store.claim(conn, Claim("w", now, timedelta(minutes=1), 3))
        assert {found["domain"] for found in second} == {"n1.com", "n2.com", "n3.com"}


async def test_a_check_waits_on_while_others_of_its_batch_are_taken(service: Service) -> None:
    await post(service, ["a.com", "b.com"], credits=2)
    service.clock.move(minutes=20)
    lease = timedelta(minutes=5)
    async with service.database.write() as conn:
        [first] = await store.claim(conn, Claim("w", service.clock.now, lease, 1))
        await conn.execute(
            sa.update(checks).where(checks.c.id == first["id"]).values(status="done", lease_until=None)
        )
    service.clock.move(minutes=20)
    async with service.database.write() as conn:
        assert await store.requeue_lost(conn, service.clock.now) == []
    service.clock.move(minutes=10)
    async with service.database.write() as conn:
        [hopeless] = await store.requeue_lost(conn, service.clock.now)
    assert hopeless["domain"] == "b.com"
