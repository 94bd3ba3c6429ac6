"""What a licence reserves for the operator's own use reaches operators only, through every door of the API."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa

from afterdrop.accounts.account import Viewer
from afterdrop.accounts.key_cache import KeyOwner
from afterdrop.db.tables.watching import alert_matches, watches
from afterdrop.sources.lookups import domain_rating
from afterdrop.watching.criteria import matches
from afterdrop.watching.matching import load_target
from afterdrop.watching.matching_store import ToMatchRow
from afterdrop.watching.rules import preview
from afterdrop.web.mcp.tools import TOOLS, answer_call
from tests.support.lists import snapshot_of
from tests.support.rows import put_reserved
from tests.support.service import ENDED, FREED, NOW, OPEN, Service, code, row

KINDS: dict[str, dict[str, Any]] = {"live": {}, "open": OPEN, "ended": ENDED, "free": FREED}
DOORS = ("/domains", "/domains/available", "/domains/archive", "/watchlist", "/alerts/matches")


async def reserved(service: Service) -> list[str]:
    """A domain of each kind whose listing only operators may see, watched and matched by everybody."""
    await service.account("operator", pro=True, operator=True)
    await service.account("watcher", operator=True)
    names = [f"{kind}.com" for kind in KINDS]
    await service.show(*(row(f"{kind}.com", gated=True, **values) for kind, values in KINDS.items()))
    await service.show(row("public.com"))
    for who in ("free", "pro", "operator", "watcher"):
        account = service.accounts[who].id
        async with service.database.write() as conn:
            rows = [{"account_id": account, "domain": name, "created_at": NOW} for name in names]
            await conn.execute(sa.insert(watches), rows)
    return names


async def matched(service: Service, who: str, names: list[str]) -> None:
    rule = (await service.ask("POST", "/alerts", who, json={"name": "r"})).json()["data"]["id"]
    rows = [
        {
            "rule_id": rule,
            "account_id": service.accounts[who].id,
            "domain": name,
            "round": 1,
            "matched_at": NOW,
        }
        for name in names
    ]
    async with service.database.write() as conn:
        await conn.execute(sa.insert(alert_matches), rows)


async def test_reserved_domains_reach_operators_only(service: Service) -> None:
    names = await reserved(service)
    for who in ("pro", "operator"):
        await matched(service, who, names)
    for who in ("free", "pro"):
        for door in DOORS:
            text = (await service.get(door, who)).text
            assert not [name for name in names if name in text], (who, door)
        for name in names:
            for path in (f"/domains/{name}", f"/domains/{name}/pages"):
                assert code(await service.get(path, who)) == (404, "not_found"), (who, path)
            assert code(await service.ask("PUT", f"/watchlist/{name}", who)) == (404, "not_found")
    for door in DOORS:
        text = (await service.get(door, "operator")).text
        assert [name for name in names if name in text], door
    for name in names:
        assert (await service.get(f"/domains/{name}", "operator")).status_code == 200
    assert code(await service.get("/domains/live.com", "watcher")) == (403, "plan_required")


async def test_reserved_counts_stay_out_of_totals_and_figures(service: Service) -> None:
    await reserved(service)
    for who, total in (("free", 0), ("pro", 1), ("operator", 3)):
        assert (await service.get("/domains", who)).json()["meta"]["total"] == total
    assert (await service.get("/domains", "free")).json()["meta"]["locked"] == 1
    stats = [(await service.get("/stats", who)).json()["data"] for who in ("free", "pro", "operator")]
    assert stats[0] == stats[1]
    assert (stats[0]["live"]["domains"], stats[0]["archive"]) == (1, 0)
    assert (stats[2]["live"]["domains"], stats[2]["archive"]) == (3, 2)


async def test_reserved_values_of_a_public_domain_reach_operators_only(service: Service) -> None:
    await service.account("operator", pro=True, operator=True)
    public = row("a.com", domain_rating=10, score=50)
    await service.show(public)
    async with service.database.write() as conn:
        await put_reserved(conn, {**public, "domain_rating": 77, "score": 88})
    for who, rated, score in (("pro", 10, 50), ("operator", 77, 88)):
        for found in (
            (await service.get("/domains", who)).json()["data"][0],
            (await service.get("/domains/a.com", who)).json()["data"],
            (await service.ask("PUT", "/watchlist/a.com", who)).json()["data"],
        ):
            assert (found["metrics"]["domain_rating"], found["score"]) == (rated, score)
    assert await service.names("/domains?min_dr=50") == []
    assert await service.names("/domains?min_dr=50", "operator") == ["a.com"]


async def test_reserved_ratings_are_looked_up_for_operators_only(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []

    async def ratings(_: object, domains: list[str], __: object, *, operator: bool) -> list[Any]:
        asked.append(operator)
        return []

    monkeypatch.setattr(domain_rating, "domain_rating", ratings)
    await service.account("operator", operator=True)
    async with service.context.running():
        for who in ("free", "pro", "operator"):
            assert (await service.get("/tools/domain-rating?domains=a.com", who)).status_code == 200
            owner = KeyOwner(1, "full", service.accounts[who])
            wanted = {"domains": ["a.com"]}
            called = await answer_call(service.context, owner, TOOLS["domain_rating"], wanted)
            assert called[1] is False, called
    assert asked == [False, False, False, False, True, True]


async def test_reserved_domains_stay_out_of_agents_answers(service: Service) -> None:
    """Search, report, pages, watching and matches through MCP: the same predicate as the API's."""
    names = await reserved(service)
    await matched(service, "pro", names)
    for who in ("free", "pro"):
        owner = KeyOwner(1, "full", service.accounts[who])
        for which in ("live", "available", "archive"):
            body, fault = await answer_call(service.context, owner, TOOLS["search_domains"], {"list": which})
            assert not fault
            assert not [name for name in names if name in str(body)], (who, which)
        for tool in ("get_report", "list_pages", "watch_domain"):
            for name in names:
                body, fault = await answer_call(service.context, owner, TOOLS[tool], {"domain": name})
                assert (fault, body["error"]["code"]) == (True, "not_found"), (who, tool, name)
        for tool in ("list_watched", "list_matches"):
            body, fault = await answer_call(service.context, owner, TOOLS[tool], {})
            assert not fault, body
            assert not [name for name in names if name in str(body)], (who, tool)


async def test_no_filter_tells_a_fact_that_a_licence_reserves(service: Service) -> None:
    """Whoever may not see a value gets no row by asking for it, and the row without it."""
    unknown: dict[str, Any] = dict.fromkeys(
        (
            "valuation_usd",
            "search_volume",
            "cost_per_click_cents",
            "extensions_taken",
            "adult",
            "last_owner_links",
            "live_links",
        )
    )
    await service.account("operator", pro=True, operator=True)
    await service.show(row("a.com", **unknown))
    stated = {"valuation_usd": 900, "search_volume": 400, "cost_per_click_cents": 125, "extensions_taken": 7}
    async with service.database.write() as conn:
        await put_reserved(conn, row("a.com", **stated, adult=False))
    for filter in (
        "min_valuation=1",
        "min_searches=1",
        "min_cpc=1",
        "min_extensions_taken=1",
        "not_adult=1",
        "min_last_owner_links=1",
        "min_live_links=1",
    ):
        found = {}
        for who in ("pro", "operator"):
            found[who] = (await service.get(f"/domains?{filter}", who)).json()["data"]
        assert (len(found["pro"]), len(found["operator"])) == (0, 1), filter
    [shown] = (await service.get("/domains", "pro")).json()["data"]
    assert set(shown["facts"].values()) == {None}
    [shown] = (await service.get("/domains", "operator")).json()["data"]
    assert shown["facts"] == {
        **{"valuation_usd": 900, "search_volume": 400, "cost_per_click_usd": 1.25},
        **{"extensions_taken": 7, "adult": False},
    }


async def test_no_alert_rule_tells_a_fact_that_a_licence_reserves(service: Service) -> None:
    """Neither the preview of a rule nor its matching knows more than its account may see."""
    stated = {"valuation_usd": 900, "search_volume": 400, "cost_per_click_cents": 125, "extensions_taken": 7}
    await service.show(row("a.com", **dict.fromkeys((*stated, "adult", "last_owner_links", "live_links"))))
    async with service.database.write() as conn:
        await put_reserved(conn, row("a.com", **stated, adult=False))
    links = service.context.links
    rules: tuple[dict[str, Any], ...] = (
        {"min_valuation": 1},
        {"min_searches": 1},
        {"min_cpc": 1},
        {"min_extensions_taken": 1},
        {"not_adult": True},
        {"min_last_owner_links": 1},
        {"min_live_links": 1},
    )
    listed: ToMatchRow = {
        "domain": "a.com", "round": 1, "kind": "listed", "created_at": NOW, "after_account": 0, "due_at": NOW,
        "claimed_by": None, "lease_until": None, "attempts": 0, "error": None,
    }  # fmt: skip
    async with service.database.read() as conn:
        target = await load_target(conn, listed, NOW, links)
        snapshots = {operator: await snapshot_of(conn, operator, links) for operator in (False, True)}
        assert target is not None
        for rule in rules:
            for operator in (False, True):
                viewer = Viewer(service.accounts["pro"].id, "pro", operator)
                assert preview(snapshots[operator], rule, viewer, NOW, links).count == int(operator), rule
                assert matches(rule, target.views[operator].facts) == operator, rule
