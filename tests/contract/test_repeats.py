"""Requests that are sent again under their Idempotency-Key."""

from __future__ import annotations

import asyncio
import zlib
from typing import Any

import httpx2
import pytest
import sqlalchemy as sa

from afterdrop.db.tables.accounts import answered_requests, credit_ledger
from afterdrop.db.tables.checks import checks
from afterdrop.db.tables.watching import alert_rules
from afterdrop.watching import rules
from tests.support.service import Service, code, fields

RULE = {"name": "huts", "min_score": 60}


async def post(service: Service, path: str, body: Any, key: str = "k-1", who: str = "pro") -> httpx2.Response:
    return await service.ask("POST", path, who, json=body, headers={"Idempotency-Key": key})


async def count(service: Service, table: sa.Table, *where: sa.ColumnElement[bool]) -> int:
    async with service.database.read() as conn:
        return int(await conn.scalar(sa.select(sa.func.count()).select_from(table).where(*where)) or 0)


async def test_a_hundred_orders_with_one_key_take_one_credit(service: Service) -> None:
    wanted = [("/checks", {"domain": "new.com"}), ("/checks/batch", {"domains": ["a.org"], "credits": 1})]
    for number, (path, body) in enumerate(wanted, 1):
        answers = await asyncio.gather(*(post(service, path, body, f"order-{path}") for _ in range(100)))
        executed = [answer for answer in answers if answer.status_code == 202]
        waiting = [answer for answer in answers if answer.status_code != 202]
        assert {answer.content for answer in executed} == {executed[0].content}
        assert sum("Idempotent-Replayed" not in answer.headers for answer in executed) == 1
        for answer in waiting:
            assert code(answer) == (429, "rate_limited")
            assert answer.headers["Retry-After"] == "1"
        assert await count(service, checks) == number
        assert await count(service, credit_ledger, credit_ledger.c.delta < 0) == number
        service.clock.move(minutes=1)


async def test_a_hundred_rules_with_one_key_are_one(service: Service) -> None:
    answers = await asyncio.gather(*(post(service, "/alerts", RULE) for _ in range(100)))
    assert {answer.status_code for answer in answers} <= {201, 429}
    assert await count(service, alert_rules) == 1
    again = await post(service, "/alerts", {"min_score": 60, "name": "huts"})
    assert (again.status_code, again.headers["Idempotent-Replayed"]) == (201, "true")


async def test_the_first_answer_is_given_again_whatever_happened_since(service: Service) -> None:
    first = await post(service, "/alerts", RULE)
    await service.ask("DELETE", f"/alerts/{first.json()['data']['id']}")
    again = await post(service, "/alerts", RULE)
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert again.headers["Content-Type"] == first.headers["Content-Type"]
    service.clock.move(hours=24)
    anew = await post(service, "/alerts", RULE)
    assert anew.status_code == 201
    assert anew.json()["data"]["id"] != first.json()["data"]["id"]
    assert "Idempotent-Replayed" not in anew.headers


async def test_another_request_under_a_used_key_is_refused(service: Service) -> None:
    await post(service, "/alerts", RULE)
    for path, body in (("/alerts", {**RULE, "name": "x"}), ("/checks", {"domain": "a.com"})):
        found = fields(await post(service, path, body))
        assert set(found) == {"Idempotency-Key"}
    assert (await post(service, "/alerts", {**RULE, "name": "x"}, who="other")).status_code == 201


async def test_a_request_that_failed_may_be_sent_again(service: Service) -> None:
    await service.plan("pro", None)
    assert code(await post(service, "/alerts", RULE)) == (403, "plan_required")
    assert (await post(service, "/checks", {"domain": "a.com"}, "x", "free")).status_code == 202
    assert code(await post(service, "/checks", {"domain": "b.com"}, "y", "free")) == (402, "no_checks_left")
    assert await count(service, answered_requests) == 1
    await service.plan("pro", service.clock.now.replace(year=2030))
    assert (await post(service, "/alerts", RULE)).status_code == 201


@pytest.mark.parametrize("key", ["", "a b", "ä", "x" * 256])
async def test_keys_are_visible_ascii(service: Service, key: str) -> None:
    headers = {"Idempotency-Key": key.encode("utf-8")}
    answer = await service.ask("POST", "/alerts", json=RULE, headers=headers)
    assert set(fields(answer)) == {"Idempotency-Key"}
    assert await count(service, alert_rules) == 0


async def test_an_endpoint_is_repeated_without_its_secret(service: Service) -> None:
    body = {"url": "https://hooks.example.org/a"}
    first = await post(service, "/webhooks", body)
    again = await post(service, "/webhooks", body)
    assert (first.status_code, again.status_code) == (201, 200)
    shown = first.json()["data"]
    assert shown.pop("secret").startswith("whsec_")
    assert again.json()["data"] == shown
    async with service.database.read() as conn:
        kept = (await conn.execute(sa.select(answered_requests.c.body))).scalar_one()
    assert b"whsec_" not in zlib.decompress(kept)


async def test_a_test_event_is_queued_once(service: Service) -> None:
    made = (await post(service, "/webhooks", {"url": "https://hooks.example.org/a"})).json()["data"]
    path = f"/webhooks/{made['id']}/test"
    first, again = [await service.ask("POST", path, headers={"Idempotency-Key": "ping"}) for _ in range(2)]
    assert first.json() == again.json()
    listed = (await service.get(f"/webhooks/{made['id']}/deliveries")).json()["data"]
    assert len(listed) == 1


async def test_a_key_of_a_process_that_died_is_taken_over(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request that neither succeeds nor fails keeps its key for a minute."""

    async def dies(*_: Any, **__: Any) -> None:
        raise asyncio.CancelledError

    with monkeypatch.context() as patched:
        patched.setattr(rules, "create_rule", dies)
        with pytest.raises(asyncio.CancelledError):
            await post(service, "/alerts", RULE)
    assert code(await post(service, "/alerts", RULE)) == (429, "rate_limited")
    service.clock.move(seconds=61)
    assert (await post(service, "/alerts", RULE)).status_code == 201


async def test_every_post_of_the_document_takes_a_key(service: Service) -> None:
    for path, item in service.app.state.api_document()["paths"].items():
        for method, operation in item.items():
            named = {each["name"] for each in operation.get("parameters", [])}
            assert ("Idempotency-Key" in named) == (method == "post"), (method, path)
