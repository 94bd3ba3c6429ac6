"""RU, AL and AM: alert rules and their matches."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import httpx2
import pytest
import sqlalchemy as sa

from afterdrop.db.tables.watching import alert_matches
from tests.support.service import ENDED, NOW, OPEN, Service, code, fields, row

KEYS = {
    *("id", "name", "active", "frequency", "min_score", "min_dr", "min_tf", "min_ref_domains"),
    *("min_archive_years", "max_price", "tlds", "listing_types", "topics", "langs", "clean_only"),
    *("keywords", "match_count", "last_matched_at", "created_at"),
}
FULL: dict[str, Any] = {
    "name": "Everything",
    "active": False,
    "frequency": "daily",
    "min_score": 50,
    "min_dr": 10,
    "min_tf": 5,
    "min_ref_domains": 20,
    "min_archive_years": 3,
    "max_price": 100,
    "tlds": ["com", "co.uk"],
    "listing_types": ["bid", "auction"],
    "topics": ["Arts", "News"],
    "langs": ["en", "ja"],
    "clean_only": True,
    "keywords": ["hut", "alpine walks"],
}


async def post(service: Service, **body: Any) -> httpx2.Response:
    return await service.ask("POST", "/alerts", json={"name": "a", **body})


async def made(service: Service, **body: Any) -> dict[str, Any]:
    answer = await post(service, **body)
    assert answer.status_code == 201, answer.text
    rule: dict[str, Any] = answer.json()["data"]
    return rule


async def patch(service: Service, rule: dict[str, Any], **body: Any) -> httpx2.Response:
    return await service.ask("PATCH", f"/alerts/{rule['id']}", json=body)


async def test_ru_01_ru_02_ru_04_ru_05_the_keys_and_defaults(service: Service) -> None:
    rule = await made(service)
    assert set(rule) == KEYS
    assert isinstance(rule["id"], int)
    assert rule["id"] > 0
    assert (rule["active"], rule["frequency"], rule["clean_only"]) == (True, "instant", False)
    assert "frequency" in fields(await post(service, frequency="hourly"))


async def test_ru_03_the_name(service: Service) -> None:
    assert (await made(service, name="  " + "ü" * 76 + "  "))["name"] == "ü" * 76
    for name in ("", " ", "a" * 81, "a\x00b", "a\nb", None, 5, ["a"]):
        assert "name" in fields(await post(service, name=name)), name
    assert "name" in fields(await service.ask("POST", "/alerts", json={}))


@pytest.mark.parametrize(
    ("name", "most"),
    [
        *(("min_score", 100), ("min_dr", 100), ("min_tf", 100), ("min_archive_years", 30)),
        *(("min_ref_domains", 2**31 - 1), ("max_price", 2**31 - 1)),
    ],
)
async def test_ru_06_to_ru_09_numbers(service: Service, name: str, most: int) -> None:
    assert (await made(service, **{name: most}))[name] == most
    assert (await made(service, **{name: 5.0}))[name] == 5
    for nothing in (0, None):
        assert (await made(service, **{name: nothing}))[name] is None
    for wrong in (-1, most + 1, 1.5, "5", True, [5], 10**30):
        assert name in fields(await post(service, **{name: wrong})), wrong


async def test_ru_10_arrays_default_to_empty(service: Service) -> None:
    rule = await made(service)
    for name in ("tlds", "listing_types", "topics", "langs", "keywords"):
        assert rule[name] == []
        for wrong in (None, "com", {"a": 1}, [1], [None], [""], ["a"] * 101):
            assert name in fields(await post(service, **{name: wrong})), (name, wrong)


async def test_ru_11_ru_12_ru_13_values_of_arrays(service: Service) -> None:
    assert "listing_types" in fields(await post(service, listing_types=["auctions"]))
    assert (await made(service, topics=["arts", "ARTS"]))["topics"] == ["Arts"]
    assert "topics" in fields(await post(service, topics=["Art"]))
    assert "langs" in fields(await post(service, langs=["pl"]))
    assert (await made(service, keywords=[" hut ", "hut"]))["keywords"] == ["hut"]
    assert "keywords" in fields(await post(service, keywords=["a" * 61]))


async def test_ru_14_clean_only_is_a_boolean(service: Service) -> None:
    for wrong in (1, "true", None):
        assert "clean_only" in fields(await post(service, clean_only=wrong))


async def test_ru_16_read_only_members_are_ignored(service: Service) -> None:
    rule = await made(service, match_count=99, id=1234567, created_at="x", last_matched_at=5)
    assert (rule["match_count"], rule["last_matched_at"]) == (0, None)
    assert rule["created_at"] == "2026-11-20T18:00:00Z"
    back = await patch(service, rule, **rule)
    assert (back.status_code, back.json()["data"]) == (200, rule)


async def test_ru_18_extensions_in_any_spelling(service: Service) -> None:
    assert (await made(service, tlds=[".COM", "com", "co.uk"]))["tlds"] == ["com", "co.uk"]
    assert "tlds" in fields(await post(service, tlds=["c m"]))


async def test_al_01_the_list_is_by_id(service: Service) -> None:
    rules = [await made(service, name=name) for name in "cab"]
    assert (await service.get("/alerts")).json() == {"data": rules}
    assert (await service.get("/alerts", "other")).json() == {"data": []}


async def test_al_02_every_member_round_trips(service: Service) -> None:
    rule = await made(service, **FULL)
    assert {name: rule[name] for name in FULL} == FULL
    assert (await service.get(f"/alerts/{rule['id']}")).json()["data"] == rule


async def test_al_03_al_04_ten_rules_however_many_ask_at_once(service: Service) -> None:
    answers = await asyncio.gather(*(post(service, name=f"n{n}", active=n % 2 == 0) for n in range(14)))
    assert sorted(answer.status_code for answer in answers) == [201] * 10 + [409] * 4
    assert code(await post(service)) == (409, "limit_reached")
    assert len((await service.get("/alerts")).json()["data"]) == 10


async def test_al_05_al_08_reading_and_deleting(service: Service) -> None:
    rule = await made(service)
    path = f"/alerts/{rule['id']}"
    assert (await service.ask("DELETE", path)).status_code == 204
    for method in ("GET", "DELETE", "PATCH"):
        answer = await service.ask(method, path, json={} if method == "PATCH" else None)
        assert code(answer) == (404, "not_found")


async def test_al_06_patch_changes_only_what_is_sent(service: Service) -> None:
    rule = await made(service, **FULL)
    changed = (await patch(service, rule, name="New")).json()["data"]
    assert changed == {**rule, "name": "New"}
    cleared = (await patch(service, rule, min_dr=None, min_tf=0, tlds=[], clean_only=False)).json()["data"]
    assert cleared == {**changed, "min_dr": None, "min_tf": None, "tlds": [], "clean_only": False}
    assert (await patch(service, rule)).json()["data"] == cleared


async def test_al_07_patch_validates_like_post(service: Service) -> None:
    rule = await made(service)
    wrong: dict[str, Any] = {
        "min_dr": 101,
        "name": "",
        "tlds": None,
        "active": None,
        "frequency": None,
        "x": 1,
    }
    found = fields(await patch(service, rule, **wrong))
    assert set(found) == set(wrong)
    assert (await service.get(f"/alerts/{rule['id']}")).json()["data"] == rule


async def test_al_09_another_accounts_rule_is_not_found(service: Service) -> None:
    path = f"/alerts/{(await made(service))['id']}"
    for method in ("GET", "PATCH", "DELETE"):
        answer = await service.ask(method, path, "other", json={} if method == "PATCH" else None)
        assert code(answer) == (404, "not_found")
    assert (await service.get(path)).status_code == 200


async def test_al_10_al_11_after_a_downgrade_rules_stay_and_can_go(service: Service) -> None:
    rule = await made(service)
    await service.plan("pro", None)
    assert (await service.get("/alerts")).json()["data"] == [rule]
    assert (await service.get(f"/alerts/{rule['id']}")).status_code == 200
    assert code(await patch(service, rule, name="x")) == (403, "plan_required")
    assert (await service.ask("DELETE", f"/alerts/{rule['id']}")).status_code == 204


async def test_we_22_what_is_no_id_is_not_found(service: Service) -> None:
    for number in ("abc", "0", "-1", "1.0", "01", str(2**63), str(10**30), "%00", "١"):
        assert code(await service.get(f"/alerts/{number}")) == (404, "not_found"), number


async def put_matches(service: Service, *at: tuple[str, timedelta], rule: dict[str, Any]) -> None:
    rows = [
        {
            "rule_id": rule["id"],
            "account_id": service.accounts["pro"].id,
            "domain": domain,
            "round": number,
            "matched_at": NOW - ago,
        }
        for number, (domain, ago) in enumerate(at)
    ]
    async with service.database.write() as conn:
        await conn.execute(sa.insert(alert_matches), rows)


async def test_am_01_am_02_matches_newest_first(service: Service) -> None:
    await service.show(row("a.com"), row("b.com"))
    rule = await made(service, name="mine")
    await put_matches(service, ("a.com", timedelta(hours=2)), ("b.com", timedelta(hours=1)), rule=rule)
    found = (await service.get("/alerts/matches")).json()["data"]
    assert [item["domain"]["domain"] for item in found] == ["b.com", "a.com"]
    assert set(found[0]) == {"matched_at", "alert", "domain"}
    assert found[0]["alert"] == {"id": rule["id"], "name": "mine"}
    assert found[0]["domain"] == (await service.get("/domains?q=b.com")).json()["data"][0]
    assert (await service.get("/alerts/matches", "other")).json()["data"] == []


async def test_am_03_since_and_before(service: Service) -> None:
    await service.show(row("a.com"))
    rule = await made(service)
    ago = [("a.com", timedelta(hours=hours)) for hours in (1, 2, 3)]
    await put_matches(service, *ago, rule=rule)
    at = f"{NOW - timedelta(hours=2):%Y-%m-%dT%H:%M:%SZ}"
    assert len((await service.get(f"/alerts/matches?since={at}")).json()["data"]) == 2
    assert len((await service.get(f"/alerts/matches?before={at}")).json()["data"]) == 1


async def test_am_04_limit(service: Service) -> None:
    await service.show(row("a.com"))
    await put_matches(
        service, *[("a.com", timedelta(minutes=n)) for n in range(60)], rule=await made(service)
    )
    assert len((await service.get("/alerts/matches")).json()["data"]) == 50
    assert len((await service.get("/alerts/matches?limit=100")).json()["data"]) == 60
    for limit in (0, 101):
        assert "limit" in fields(await service.get(f"/alerts/matches?limit={limit}"))


async def test_am_06_after_a_downgrade_matches_are_basic_unless_open(service: Service) -> None:
    await service.show(row("a.com"), row("b.com", **OPEN), row("c.com", **ENDED))
    ago = [(f"{letter}.com", timedelta(hours=1)) for letter in "abc"]
    await put_matches(service, *ago, rule=await made(service))
    await service.plan("pro", None)
    found = (await service.get("/alerts/matches")).json()["data"]
    details = {item["domain"]["domain"]: item["domain"]["detail"] for item in found}
    assert details == {"a.com": "basic", "b.com": "full", "c.com": "basic"}


async def test_am_07_matches_is_a_path_of_its_own(service: Service) -> None:
    assert (await service.get("/alerts/matches")).status_code == 200
    for method in ("PATCH", "DELETE", "POST"):
        answer = await service.ask(method, "/alerts/matches", json={})
        assert code(answer) == (405, "method_not_allowed")
        assert answer.headers["Allow"] == "GET, HEAD"


async def test_more_than_a_hundred_matches_of_one_second_are_reached_by_cursor(service: Service) -> None:
    """Beyond the interface: `before` and `since` cannot part matches of one second."""
    rule = (await service.ask("POST", "/alerts", json={"name": "all"})).json()["data"]["id"]
    names = [f"name-{number:03}.com" for number in range(130)]
    await service.show(*(row(name) for name in names))
    match = {"rule_id": rule, "account_id": service.accounts["pro"].id, "round": 1, "matched_at": NOW}
    async with service.database.write() as conn:
        await conn.execute(sa.insert(alert_matches), [{**match, "domain": name} for name in names])
    found, cursor = [], ""
    while cursor is not None:
        answer = (await service.get(f"/alerts/matches?limit=50{cursor and f'&cursor={cursor}'}")).json()
        found += [item["domain"]["domain"] for item in answer["data"]]
        cursor = answer["meta"]["next_cursor"]
    assert found == names[::-1]
    assert set(fields(await service.get("/alerts/matches?cursor=x"))) == {"cursor"}
    early = (await service.get("/alerts/matches?cursor=0-0")).json()
    assert early == {"data": [], "meta": {"next_cursor": None}}
    late = (await service.get("/alerts/matches?limit=1&cursor=999999999999-1")).json()
    assert len(late["data"]) == 1
