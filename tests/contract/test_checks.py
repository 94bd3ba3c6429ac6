"""CK, CE and T: domain checks as they are ordered, reused and read."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from datetime import timedelta
from typing import Any

import httpx2
import pytest
import sqlalchemy as sa

from afterdrop.accounts.store import refund_credit
from afterdrop.checks.store import credit_reference
from afterdrop.db.tables.accounts import credit_ledger
from afterdrop.db.tables.checks import checks
from tests.support.service import NOW, Service, code, fields, row

SUMMARY = {"id", "domain", "status", "created_at", "finished_at", "score", "verdict", "report_url"}


async def order(service: Service, domain: Any = "a.com", who: str = "pro") -> httpx2.Response:
    return await service.ask("POST", "/checks", who, json={"domain": domain})


async def ordered(service: Service, domain: str = "a.com", who: str = "pro") -> dict[str, Any]:
    answer = await order(service, domain, who)
    assert answer.status_code == 202, answer.text
    check: dict[str, Any] = answer.json()["data"]
    return check


async def left(service: Service, who: str = "pro") -> int:
    found: int = (await service.get("/me", who)).json()["data"]["checks"]["available"]
    return found


async def settle(service: Service, check: dict[str, Any], status: str, **values: Any) -> None:
    """What the worker writes at the end of a check."""
    async with service.database.write() as conn:
        await conn.execute(
            sa.update(checks)
            .where(checks.c.id == check["id"])
            .values(status=status, slot=None, finished_at=service.clock.now, **values)
        )
        if status == "failed":
            await refund_credit(conn, reference=credit_reference(check["id"]), now=service.clock.now)


async def test_ck_01_ck_08_t_01_a_new_check(service: Service) -> None:
    check = await ordered(service)
    assert re.fullmatch(r"chk_[0-9A-HJKMNP-TV-Z]{26}", check["id"])
    assert set(check) == SUMMARY | {"queue_position"}
    assert (check["status"], check["queue_position"]) == ("queued", 1)
    assert (check["finished_at"], check["score"], check["verdict"]) == (None, None, None)
    assert (await ordered(service, "b.com"))["queue_position"] == 2
    assert await left(service) == 19


NAMES = (
    ("https://www.a.co.uk/x?y#z", "a.co.uk"),
    ("HTTP://A.com:8080/", "a.com"),
    ("www.a.com", "a.com"),
    ("a.com/path", "a.com"),
    ("Bücher.de", "xn--bcher-kva.de"),
    ("a.com.", "a.com"),
    ("https://www.XN--N3H.net/x", "xn--n3h.net"),
)


@pytest.mark.parametrize(("given", "domain"), NAMES)
async def test_ck_02_ce_02_a_url_or_subdomain_is_reduced(service: Service, given: str, domain: str) -> None:
    assert (await ordered(service, given))["domain"] == domain


async def test_ce_01_ce_03_what_is_not_registrable_is_named(service: Service) -> None:
    assert "domain" in fields(await service.ask("POST", "/checks", json={}))
    wrong: tuple[Any, ...] = (
        "co.uk",
        "1.2.3.4",
        "localhost",
        "",
        " ",
        "https://",
        "a\x00.com",
        None,
        5,
        ["a.com"],
        "a" * 3000,
    )
    wrong += ("mailto:a@b.com", "a@b.com", "foo.zzzznotld", "https://foo.zzzznotld/x")
    for value in (*wrong, "http://[::1]/", "a.test", "😀", "☃.net", "xn---n3h.net", "https://[x"):
        assert "domain" in fields(await order(service, value)), value
    assert await left(service) == 21


async def test_ce_01_read_only_members_sent_back_are_ignored(service: Service) -> None:
    made = await ordered(service)
    (shown,) = (await service.get("/checks")).json()["data"]
    detail = (await service.get(f"/checks/{made['id']}")).json()["data"]
    for sent in (made, shown, detail):
        answer = await service.ask("POST", "/checks", json=sent)
        assert (answer.status_code, answer.json()["data"]) == (200, shown)
    other = await service.ask("POST", "/checks", json={"domain": "b.com", "id": "x", "status": "done"})
    assert (other.status_code, other.json()["data"]["status"]) == (202, "queued")
    assert set(fields(await service.ask("POST", "/checks", json={"domain": "c.com", "price": 1}))) == {
        "price"
    }
    assert set(fields(await service.ask("POST", "/checks", json={"id": "x"}))) == {"domain"}


async def test_ce_04_without_credits_nothing_is_made(service: Service) -> None:
    await ordered(service, "a.com", "free")
    assert code(await order(service, "b.com", "free")) == (402, "no_checks_left")
    assert (await service.get("/checks", "free")).json()["meta"]["total"] == 1


async def test_ce_05_t_02_reuse_within_seven_days_costs_nothing(service: Service) -> None:
    check = await ordered(service, "a.com", "free")
    del check["queue_position"]
    for _ in range(2):
        answer = await order(service, "https://www.a.com/", "free")
        assert (answer.status_code, answer.json()["data"]) == (200, check)
    assert await left(service, "free") == 0


async def test_t_02_the_seven_days_run_from_the_order(service: Service) -> None:
    check = await ordered(service)
    service.clock.move(days=1)
    await settle(service, check, "done", score=70, verdict="ok")
    service.clock.now = NOW + timedelta(days=7, seconds=-1)
    assert (await order(service)).status_code == 200
    service.clock.move(seconds=1)
    assert (await ordered(service))["id"] != check["id"]


async def test_ce_06_ce_11_open_to_both_plans_and_any_domain(service: Service) -> None:
    await service.show(row("listed.com"))
    assert (await order(service, "listed.com", "free")).status_code == 202
    assert (await order(service, "unlisted.com")).status_code == 202


async def test_t_04_t_05_a_failed_check_costs_nothing_and_does_not_block(service: Service) -> None:
    check = await ordered(service)
    assert await left(service) == 20
    await settle(service, check, "failed")
    assert await left(service) == 21
    assert (await ordered(service))["id"] != check["id"]


async def test_a_refund_of_a_past_months_plan_credit_comes_back_as_welcome(service: Service) -> None:
    check = await ordered(service)
    service.clock.move(days=20)
    await settle(service, check, "failed")
    found = (await service.get("/me")).json()["data"]["checks"]
    assert (found["from_plan_this_month"], found["welcome"]) == (20, 2)


async def test_a_refund_happens_once(service: Service) -> None:
    check = await ordered(service)
    async with service.database.write() as conn:
        done = [await refund_credit(conn, reference=credit_reference(check["id"]), now=NOW) for _ in range(3)]
        assert await refund_credit(conn, reference="check:none", now=NOW) is False
    assert done == [True, False, False]
    assert await left(service) == 21


async def test_t_08_simultaneous_orders_make_one_check_and_use_one_credit(service: Service) -> None:
    answers = await asyncio.gather(*(order(service) for _ in range(200)))
    assert Counter(answer.status_code for answer in answers) == {202: 1, 200: 119, 429: 80}
    assert len({a.json()["data"]["id"] for a in answers if a.status_code < 300}) == 1
    account = service.accounts["pro"].id
    async with service.database.read() as conn:
        made = await conn.scalar(sa.select(sa.func.count()).select_from(checks))
        spent = await conn.scalar(
            sa.select(sa.func.count())
            .select_from(credit_ledger)
            .where(credit_ledger.c.account_id == account, credit_ledger.c.delta < 0)
        )
    assert (made, spent) == (1, 1)


async def test_credits_never_go_below_zero_when_many_spend_at_once(service: Service) -> None:
    answers = await asyncio.gather(*(order(service, f"n{n}.com", "free") for n in range(10)))
    assert Counter(answer.status_code for answer in answers) == {202: 1, 402: 9}


async def test_t_09_reuse_is_per_account(service: Service) -> None:
    mine = await ordered(service)
    assert (await ordered(service, "a.com", "other"))["id"] != mine["id"]


async def test_ce_07_ce_08_ce_09_ck_14_the_list(service: Service) -> None:
    made = [await ordered(service, f"n{n}.com") for n in range(4)]
    body = (await service.get("/checks?per_page=3")).json()
    assert [item["id"] for item in body["data"]] == [check["id"] for check in reversed(made)][:3]
    assert body["meta"] == {"total": 4, "page": 1, "per_page": 3, "pages": 2}
    assert set(body["data"][0]) == SUMMARY
    assert (await service.get("/checks")).json()["meta"]["per_page"] == 25
    for query, name in (("page=0", "page"), ("per_page=0", "per_page"), ("per_page=51", "per_page")):
        assert name in fields(await service.get(f"/checks?{query}"))


async def test_orders_by_clocks_that_differ_stand_in_the_order_in_which_they_came(service: Service) -> None:
    """Two machines, one a second behind: no order fails, none is given another's id, and places follow the orders."""
    ids = []
    for number, seconds in enumerate((1, -1, 1, 0, -1, 2, -2, 1, 0)):
        service.clock.move(seconds=seconds)
        check = await ordered(service, f"a{number}.com")
        assert check["queue_position"] == number + 1
        ids.append(check["id"])
    service.clock.move(seconds=-1)
    batch = {"domains": ["b1.com", "b2.com", "a0.com"], "credits": 2}
    made = (await service.ask("POST", "/checks/batch", json=batch)).json()["data"]
    ids += [item["check"]["id"] for item in made["items"][:2]]
    assert ids == sorted(set(ids))
    listed = (await service.get("/checks?per_page=50")).json()["data"]
    assert [check["id"] for check in listed] == ids[::-1]


async def test_ck_07_ck_09_the_detail_before_it_is_done(service: Service) -> None:
    check = await ordered(service)
    detail = (await service.get(f"/checks/{check['id']}")).json()["data"]
    assert set(detail) == SUMMARY | {"would_list", "reject_reasons", "report", "registration"}
    assert (detail["would_list"], detail["reject_reasons"]) == (None, [])
    assert (detail["report"], detail["registration"]) == (None, None)
    assert detail["report_url"].startswith("http://127.0.0.1:8000/")


async def test_ck_03_to_ck_06_ck_10_to_ck_13_the_detail_when_done(service: Service) -> None:
    check = await ordered(service)
    service.clock.move(minutes=1)
    found = {"score": 30, "verdict": "risky", "would_list": False, "reject_reasons": ["Spam."]}
    registration = {"state": "registered", "registrar": "R", "registered_at": None, "expires_at": None}
    await service.show(row("b.com"))
    shown = (await service.get("/domains/b.com")).json()["data"]
    await settle(service, check, "done", **found, report=shown, registration={**registration, "statuses": []})
    detail = (await service.get(f"/checks/{check['id']}")).json()["data"]
    assert detail["status"] == "done"
    assert {name: detail[name] for name in found} == found
    assert (detail["finished_at"], detail["report"]) == ("2026-11-20T18:01:00Z", shown)
    assert set(detail["registration"]) == {*registration, "statuses"}


async def test_ck_05_a_failed_check_has_no_score(service: Service) -> None:
    check = await ordered(service)
    await settle(service, check, "failed")
    detail = (await service.get(f"/checks/{check['id']}")).json()["data"]
    assert (detail["status"], detail["score"], detail["verdict"], detail["report"]) == (
        "failed",
        None,
        None,
        None,
    )


async def test_ce_10_foreign_and_unknown_checks_are_not_found(service: Service) -> None:
    check = await ordered(service)
    assert code(await service.get(f"/checks/{check['id']}", "other")) == (404, "not_found")
    for wrong in (
        "chk_01M7X67AFG1870J58GQ2EP02DX",
        "1",
        "chk_",
        "chk_%00",
        check["id"].lower(),
        "%F0%9F%98%80",
    ):
        assert code(await service.get(f"/checks/{wrong}")) == (404, "not_found"), wrong
