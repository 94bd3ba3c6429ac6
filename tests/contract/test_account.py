"""ME and ST: the account and the service's figures."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from afterdrop.accounts.members import Grant, apply_grant
from afterdrop.accounts.store import spend_credits
from afterdrop.db.dialects import bump_version
from afterdrop.db.tables.feeds import scans, source_runs
from tests.support.service import ENDED, FREED, NOW, OPEN, Service, row


async def me(service: Service, who: str = "pro") -> dict[str, Any]:
    found: dict[str, Any] = (await service.get("/me", who)).json()["data"]
    return found


async def order(service: Service, domain: str, who: str = "pro") -> int:
    return (await service.ask("POST", "/checks", who, json={"domain": domain})).status_code


async def test_me_01_me_02_the_account_on_both_plans(service: Service) -> None:
    for who in ("free", "pro"):
        found = await me(service, who)
        assert set(found) == {
            *("email", "plan", "plan_renews_at", "limits", "checks", "alerts", "watchlist", "webhooks"),
            "key",
        }
        assert (found["email"], found["plan"]) == (f"{who}@members.example", who)


async def test_me_03_plan_renews_at(service: Service) -> None:
    assert (await me(service, "free"))["plan_renews_at"] is None
    until = NOW + timedelta(days=3650)
    assert (await me(service))["plan_renews_at"] == f"{until:%Y-%m-%dT%H:%M:%SZ}"


async def test_me_04_limits_by_plan(service: Service) -> None:
    for who, limits in (("free", (30, 1000, 200)), ("pro", (120, 20000, 600))):
        found = (await me(service, who))["limits"]
        assert found == {
            "requests_per_minute": limits[0],
            "requests_per_day": limits[1],
            "requests_today": 1,
            "lookup_domains_per_hour": limits[2],
        }


async def test_me_05_requests_today_counts_the_utc_day(service: Service) -> None:
    assert [(await me(service))["limits"]["requests_today"] for _ in range(3)] == [1, 2, 3]
    service.clock.now = datetime(2026, 11, 20, 23, 59, 59, tzinfo=UTC)
    assert (await me(service))["limits"]["requests_today"] == 4
    service.clock.move(seconds=1)
    assert (await me(service))["limits"]["requests_today"] == 1


async def test_me_06_me_07_me_08_fresh_credits(service: Service) -> None:
    assert (await me(service, "free"))["checks"] == {
        "available": 1,
        "from_plan_this_month": 0,
        "welcome": 1,
        "purchased": 0,
    }
    found = (await me(service))["checks"]
    assert found == {"available": 21, "from_plan_this_month": 20, "welcome": 1, "purchased": 0}


async def test_me_09_credits_are_spent_plan_then_welcome_then_purchased(service: Service) -> None:
    account = service.accounts["free"]
    async with service.database.write() as conn:
        await apply_grant(conn, account.email, Grant("one", credits=1), NOW)
        assert await spend_credits(conn, service.accounts["pro"].id, ["check:a"], allowance=1, now=NOW)
    seen = []
    for number in range(3):
        left = (await me(service, "free"))["checks"]
        seen.append((left["welcome"], left["purchased"]))
        await order(service, f"n{number}.com", "free")
    assert seen == [(1, 1), (0, 1), (0, 0)]
    left = (await me(service))["checks"]
    assert (left["from_plan_this_month"], left["welcome"]) == (19, 1)


async def test_me_10_plan_credits_do_not_carry_over(service: Service) -> None:
    await order(service, "a.com")
    assert (await me(service))["checks"]["from_plan_this_month"] == 19
    service.clock.now = datetime(2026, 12, 1, tzinfo=UTC)
    assert (await me(service))["checks"]["from_plan_this_month"] == 20


async def test_me_11_me_14_rules_and_endpoints_used(service: Service) -> None:
    await service.ask("POST", "/alerts", json={"name": "a", "active": False})
    await service.ask("POST", "/webhooks", json={"url": "https://h.example.org/"})
    found = await me(service)
    assert found["alerts"] == {"used": 1, "limit": 10}
    assert found["webhooks"] == {"used": 1, "limit": 3}


async def test_me_12_after_a_downgrade_the_limit_is_zero_and_used_stays(service: Service) -> None:
    await service.ask("POST", "/alerts", json={"name": "a"})
    await service.plan("pro", NOW)
    found = await me(service)
    assert (found["plan"], found["alerts"]) == ("free", {"used": 1, "limit": 0})
    assert found["webhooks"] == {"used": 0, "limit": 0}


async def test_me_13_watchlist_limits(service: Service) -> None:
    assert (await me(service, "free"))["watchlist"] == {"used": 0, "limit": 3}
    assert (await me(service))["watchlist"] == {"used": 0, "limit": None}


async def put_scan(service: Service, *, finished: datetime | None) -> None:
    values = {"day": "2026-11-20", "started_at": NOW - timedelta(hours=2), "deadline_at": NOW, "counts": {}}
    run: dict[str, Any] = {"feed": "f", "source": "s", "state": "done", "counts": {}, "samples": {}}
    run |= {"good": 1000, "passed": 10}
    async with service.database.write() as conn:
        made = await conn.execute(
            sa.insert(scans).values(**values, finished_at=finished).returning(scans.c.id)
        )
        await conn.execute(sa.insert(source_runs).values(**run, scan_id=made.scalar_one()))
        # The end of a scan raises the version in the same transaction.
        await bump_version(conn, "catalogue")


async def test_st_01_st_02_the_last_finished_scan(service: Service) -> None:
    assert (await service.get("/stats")).json()["data"]["last_scan"] is None
    await put_scan(service, finished=None)
    assert (await service.get("/stats")).json()["data"]["last_scan"] is None
    await put_scan(service, finished=NOW)
    assert (await service.get("/stats")).json()["data"]["last_scan"] == {
        "started_at": "2026-11-20T16:00:00Z",
        "finished_at": "2026-11-20T18:00:00Z",
        "scanned": 1000,
        "passed_authority_filter": 10,
    }


async def test_st_03_st_04_the_live_list_in_figures(service: Service) -> None:
    soon = {"ends_at": NOW + timedelta(hours=1), "live_until": NOW + timedelta(hours=1)}
    await service.show(
        row("a.com", score=61, domain_rating=20, **OPEN),
        row("b.com", score=60, domain_rating=None, type="pending_delete", **soon),
        row("c.com", score=60, domain_rating=21),
    )
    assert (await service.get("/stats")).json()["data"]["live"] == {
        "domains": 3,
        "open_on_free_plan": 1,
        "ending_within_24h": 1,
        "average_score": 60.3,
        "average_domain_rating": 20.5,
    }


async def test_st_04_averages_of_nothing_are_null(service: Service) -> None:
    live = (await service.get("/stats")).json()["data"]["live"]
    assert (live["average_score"], live["average_domain_rating"], live["domains"]) == (None, None, 0)


async def test_st_05_st_06_totals_of_the_pro_lists_on_both_plans(service: Service) -> None:
    await service.show(row("a.com"), row("b.com", **FREED), row("c.com", **ENDED))
    found = (await service.get("/stats")).json()["data"]
    for path, name in (("/domains/available", "available_now"), ("/domains/archive", "archive")):
        assert (await service.get(path)).json()["meta"]["total"] == found[name]
    assert (await service.get("/stats", "free")).json()["data"] == found
