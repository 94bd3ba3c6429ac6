"""Keys of an account that may do less than the account."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa

from afterdrop.accounts import members
from afterdrop.accounts.api_keys import Scope
from afterdrop.db.tables.accounts import credit_ledger
from tests.contract.routes import every_call
from tests.support.service import Service, code, row

READING = {"GET", "HEAD"}


def changing(document: dict[str, Any]) -> list[tuple[str, str]]:
    """Method and path of every operation of the document that is not for reading."""
    return [
        (method.upper(), path)
        for path, item in document["paths"].items()
        for method in item
        if method.upper() not in READING and method != "parameters"
    ]


async def test_a_read_only_key_is_refused_at_every_changing_operation(service: Service) -> None:
    await service.scoped("reader", "read_only")
    await service.show(row("a.com"))
    operations = changing(service.app.state.api_document())
    assert len(operations) >= 10
    concrete = {"domain": "a.com", "id": "1"}
    for method, path in operations:
        answer = await service.ask(method, path.format(**concrete), "reader", json={})
        assert code(answer) == (403, "validation_failed"), (method, path, answer.text)
        assert set(answer.json()["error"]["fields"]) == {"Authorization"}
        assert "X-RateLimit-Remaining" in answer.headers
        refusals = service.app.state.api_document()["paths"][path][method.lower()]["responses"]["403"]
        assert "validation_failed" in refusals["description"], (method, path)
    async with service.database.read() as conn:
        found = await members.list_keys(conn, service.accounts["pro"].id)
    assert [key["scope"] for key in found] == ["full", "read_only"]


async def test_a_read_only_key_reads_everything(service: Service) -> None:
    await service.scoped("reader", "read_only")
    await service.show(row("a.com"))
    for method, path in every_call():
        if method in READING and not path.startswith("/tools"):
            full = await service.ask(method, path, "pro")
            limited_to_reading = await service.ask(method, path, "reader")
            assert limited_to_reading.status_code == full.status_code, path


async def test_the_account_shows_the_scope_of_the_key_that_was_sent(service: Service) -> None:
    await service.scoped("reader", "read_only")
    await service.scoped("agent", "no_spending")
    shown = {who: (await service.get("/me", who)).json()["data"]["key"] for who in ("pro", "reader", "agent")}
    unbounded = {"lookup_domains_per_day": None, "lookup_domains_today": None}
    assert shown == {
        "pro": {"scope": "full", **unbounded},
        "reader": {"scope": "read_only", **unbounded},
        "agent": {"scope": "no_spending", "lookup_domains_per_day": 100, "lookup_domains_today": 0},
    }


async def test_a_key_that_may_not_spend_changes_what_costs_nothing(service: Service) -> None:
    await service.scoped("agent", "no_spending")
    await service.show(row("a.com"))
    assert (await service.ask("PUT", "/watchlist/a.com", "agent")).status_code == 200
    assert (await service.ask("POST", "/alerts", "agent", json={"name": "x"})).status_code == 201


async def test_a_key_that_may_not_spend_orders_what_costs_nothing(service: Service) -> None:
    await service.scoped("agent", "no_spending")
    refused = [
        await service.ask("POST", "/checks", "agent", json={"domain": "new.com"}),
        await service.ask("POST", "/checks/batch", "agent", json={"domains": ["new.com"], "credits": 1}),
    ]
    for answer in refused:
        assert code(answer) == (403, "validation_failed"), answer.text
        assert "spend" in answer.json()["error"]["message"]
    preview = await service.ask("POST", "/checks/batch", "agent", json={"domains": ["new.com"]})
    assert preview.status_code == 200
    assert preview.json()["data"]["cost"] == 1
    nothing = await service.ask("POST", "/checks/batch", "agent", json={"domains": ["new.com"], "credits": 0})
    assert nothing.status_code == 422

    ordered = await service.ask("POST", "/checks", json={"domain": "new.com"})
    again = await service.ask("POST", "/checks", "agent", json={"domain": "new.com"})
    assert (ordered.status_code, again.status_code) == (202, 200)
    async with service.database.read() as conn:
        spent = await conn.scalar(sa.select(sa.func.count()).where(credit_ledger.c.delta < 0))
    assert spent == 1


async def test_look_ups_of_keys_that_may_not_spend_are_bounded_by_the_day(service: Service) -> None:
    await service.scoped("agent", "no_spending")
    limits = service.context.settings.plans.pro
    meter = await service.context.rate_limits.limiter(service.accounts["pro"].id, service.clock.now)
    epoch = int(service.clock.now.timestamp())
    assert meter.take_agent_lookups(limits, 100, epoch) == 0
    refused = await service.get("/tools/whois?domain=a.com", "agent")
    assert code(refused) == (429, "lookup_quota_exceeded")
    assert int(refused.headers["Retry-After"]) > 3600
    me = (await service.get("/me", "agent")).json()["data"]["key"]
    assert me["lookup_domains_today"] == 100
    assert meter.take_lookups(limits, 500, epoch) == 0, "the account's own hour goes on"
    service.clock.move(days=1)
    assert meter.take_agent_lookups(limits, 1, int(service.clock.now.timestamp())) == 0


@pytest.mark.parametrize("scope", ["read_only", "no_spending"])
async def test_a_change_of_scope_takes_effect_at_once(service: Service, scope: Scope) -> None:
    await service.scoped("agent", scope)
    assert code(await service.ask("POST", "/checks", "agent", json={"domain": "new.com"}))[0] == 403
    async with service.database.write() as conn:
        (*_, last) = await members.list_keys(conn, service.accounts["pro"].id)
        await members.set_key_scope(conn, service.accounts["pro"].id, last["id"], "full")
    assert (await service.ask("POST", "/checks", "agent", json={"domain": "new.com"})).status_code == 202
