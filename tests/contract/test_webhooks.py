"""WH, WD and WE: webhook endpoints and their deliveries, as they are managed."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import httpx2
import pytest
import sqlalchemy as sa

from afterdrop.db.tables.delivery import deliveries, webhook_endpoints
from afterdrop.delivery import events
from tests.support.service import NOW, Service, code, fields

KEYS = {
    *("id", "url", "events", "active", "disabled_at", "consecutive_failures"),
    *("last_delivered_at", "created_at"),
}
DELIVERY = {"id", "event", "status", "attempts", "response_code", "error", "created_at", "delivered_at"}
ALL = ["alert.matched", "domain.available", "domain.ending_soon", "check.completed"]
URL = "https://hooks.example.org/in"


async def post(service: Service, who: str = "pro", **body: Any) -> httpx2.Response:
    return await service.ask("POST", "/webhooks", who, json={"url": URL, **body})


async def made(service: Service, **body: Any) -> dict[str, Any]:
    answer = await post(service, **body)
    assert answer.status_code == 201, answer.text
    endpoint: dict[str, Any] = answer.json()["data"]
    return endpoint


async def patch(service: Service, endpoint: dict[str, Any], **body: Any) -> httpx2.Response:
    return await service.ask("PATCH", f"/webhooks/{endpoint['id']}", json=body)


async def test_wh_01_wh_02_wh_05_a_new_endpoint(service: Service) -> None:
    endpoint = await made(service)
    assert set(endpoint) == KEYS | {"secret"}
    assert re.fullmatch(r"whsec_[\w-]{32,}", endpoint["secret"])
    assert (endpoint["disabled_at"], endpoint["last_delivered_at"]) == (None, None)
    assert (endpoint["consecutive_failures"], endpoint["active"]) == (0, True)
    assert endpoint["created_at"] == "2026-11-20T18:00:00Z"


async def test_wh_03_the_secret_appears_nowhere_else(service: Service) -> None:
    endpoint = await made(service)
    path = f"/webhooks/{endpoint['id']}"
    answers = [
        await service.get("/webhooks"),
        await service.get(path),
        await patch(service, endpoint, active=True),
    ]
    answers.append(await service.ask("POST", f"{path}/test"))
    answers.append(await service.get(f"{path}/deliveries"))
    for answer in answers:
        assert endpoint["secret"] not in answer.text
        assert '"secret"' not in answer.text


async def test_wh_04_the_secret_is_stored_encrypted(service: Service) -> None:
    endpoint = await made(service)
    async with service.database.read() as conn:
        (stored,) = await conn.scalars(sa.select(webhook_endpoints.c.secret))
    assert endpoint["secret"].encode() not in bytes(stored)
    assert endpoint["secret"].removeprefix("whsec_").encode() not in bytes(stored)
    assert service.context.secret_box.decrypt(bytes(stored)) == endpoint["secret"]


async def test_wh_06_t_13_pausing_is_not_switching_off(service: Service) -> None:
    endpoint = await made(service)
    paused = (await patch(service, endpoint, active=False)).json()["data"]
    assert (paused["active"], paused["disabled_at"]) == (False, None)


async def test_t_12_switching_on_forgets_past_failures(service: Service) -> None:
    endpoint = await made(service)
    async with service.database.write() as conn:
        values = {"active": False, "disabled_at": NOW, "consecutive_failures": 15}
        await conn.execute(sa.update(webhook_endpoints).values(**values))
    changed = (await patch(service, endpoint, url="https://new.example.org/")).json()["data"]
    assert (changed["active"], changed["consecutive_failures"]) == (False, 15)
    on = (await patch(service, endpoint, active=True)).json()["data"]
    assert (on["active"], on["consecutive_failures"], on["disabled_at"]) == (True, 0, None)


async def test_we_01_the_list_is_by_id(service: Service) -> None:
    made_ = [await made(service, url=f"https://{name}.example.org/") for name in "cab"]
    found = (await service.get("/webhooks")).json()["data"]
    assert found == [{name: value for name, value in each.items() if name != "secret"} for each in made_]
    assert (await service.get("/webhooks", "other")).json() == {"data": []}


async def test_we_02_we_03_we_04_events(service: Service) -> None:
    assert (await made(service))["events"] == ALL
    folded = await made(service, events=["check.completed", "check.completed"])
    assert folded["events"] == ["check.completed"]
    for wrong in ([], ["ping"], ["x"], "check.completed", None, [1]):
        assert "events" in fields(await post(service, events=wrong)), wrong
        assert "events" in fields(await patch(service, folded, events=wrong)), wrong
    assert "url" in fields(await service.ask("POST", "/webhooks", json={}))


async def test_we_05_three_endpoints_however_many_ask_at_once(service: Service) -> None:
    answers = await asyncio.gather(*(post(service) for _ in range(6)))
    assert sorted(answer.status_code for answer in answers) == [201] * 3 + [409] * 3
    assert code(await post(service)) == (409, "limit_reached")


async def test_we_06_we_07_each_member_changes_alone(service: Service) -> None:
    endpoint = await made(service)
    shown = {name: value for name, value in endpoint.items() if name != "secret"}
    for change in (
        {"url": "https://b.example.org:8443/x"},
        {"events": ["alert.matched"]},
        {"active": False},
        {},
    ):
        shown |= change
        assert (await patch(service, endpoint, **change)).json()["data"] == shown
    assert (await service.get(f"/webhooks/{endpoint['id']}")).json()["data"] == shown
    back = await service.ask("PATCH", f"/webhooks/{endpoint['id']}", json={**endpoint, **shown})
    assert back.json()["data"] == shown
    assert (await service.ask("DELETE", f"/webhooks/{endpoint['id']}")).status_code == 204
    for method in ("GET", "DELETE"):
        assert code(await service.ask(method, f"/webhooks/{endpoint['id']}")) == (404, "not_found")


async def test_we_08_we_09_t_14_wd_01_a_test_event(service: Service) -> None:
    endpoint = await made(service, events=["check.completed"])
    await patch(service, endpoint, active=False)
    answer = await service.ask("POST", f"/webhooks/{endpoint['id']}/test")
    delivery = answer.json()["data"]
    assert answer.status_code == 202
    assert set(delivery) == DELIVERY
    assert (delivery["event"], delivery["status"], delivery["attempts"]) == ("ping", "pending", 0)
    assert re.fullmatch(r"evt_[0-9A-HJKMNP-TV-Z]{26}", delivery["id"])
    assert (delivery["response_code"], delivery["error"], delivery["delivered_at"]) == (None, None, None)
    assert (await service.get(f"/webhooks/{endpoint['id']}/deliveries")).json()["data"] == [delivery]


async def test_wd_04_one_event_id_for_all_endpoints(service: Service) -> None:
    pair = [await made(service) for _ in range(2)]
    async with service.database.write() as conn:
        account = service.accounts["pro"].id
        await events.record(conn, "check.completed", events.EventDraft(account, {"check": {}}, "one"), NOW)
    ids = [
        [
            delivery["id"]
            for delivery in (await service.get(f"/webhooks/{each['id']}/deliveries")).json()["data"]
        ]
        for each in pair
    ]
    assert ids[0] == ids[1]
    assert len(ids[0]) == 1


async def test_we_11_we_12_the_last_fifty_of_fourteen_days_newest_first(service: Service) -> None:
    endpoint = await made(service)
    path = f"/webhooks/{endpoint['id']}"
    for _ in range(60):
        service.clock.move(seconds=2)
        assert (await service.ask("POST", f"{path}/test")).status_code == 202
    found = (await service.get(f"{path}/deliveries")).json()["data"]
    assert len(found) == 50
    assert [item["created_at"] for item in found] == sorted((i["created_at"] for i in found), reverse=True)
    service.clock.move(days=14)
    assert (await service.get(f"{path}/deliveries")).json() == {"data": []}


GOOD_URLS = (
    "https://a.example.org",
    "https://a.example.org:443/x?y=1",
    "https://a.example.org:1024/",
    "https://a.example.org:65535/",
    "https://bücher.de/",
    "HTTPS://A.Example.ORG/",
    "https://a.example.org/" + "x" * 2000,
)
BAD_URLS = (
    *("http://a.example.org/", "ftp://a.example.org/", "a.example.org", "//a.example.org/", "", "https://"),
    *("https://1.2.3.4/", "https://[::1]/", "https://2130706433/", "https://0x7f000001/", "https://127.1/"),
    *("https://0177.0.0.1/", "https://1.2.3.0x4/", "https://a.0x7f/", "https://1.2.3.4./"),
    *("https://u:p@a.example.org/", "https://u@a.example.org/", "https://@a.example.org/"),
    *("https://a.example.org:80/", "https://a.example.org:444/", "https://a.example.org:1023/"),
    *("https://a.example.org:0/", "https://a.example.org:65536/", "https://a.example.org:x/"),
    *("https://localhost/", "https://a.localhost/", "https://a.local/", "https://a.internal/", "https://a/"),
    *("https://a.example.org/#f", "https://a.example.org/ x", "https://a.example.org\\@b.com/"),
    *("https://a.example.org/\n", "https://a_b.example.org/", "https://a..example.org/", "https://[x/"),
    *("javascript:alert(1)", "https:a.example.org", "https:///a.example.org", "https://％６１.com%00/"),
    "https://a.example.org/" + "x" * 2048,
)


async def test_we_13_to_we_17_we_19_addresses(service: Service) -> None:
    endpoint = await made(service)
    for url in GOOD_URLS:
        assert (await patch(service, endpoint, url=url)).json()["data"]["url"] == url
    for number, url in enumerate(BAD_URLS):
        if number % 50 == 49:
            service.clock.move(minutes=1)
        assert "url" in fields(await patch(service, endpoint, url=url)), url
        assert "url" in fields(await post(service, url=url)), url
    for wrong in (None, 5, ["https://a.example.org"]):
        assert "url" in fields(await post(service, url=wrong))


async def test_we_20_after_a_downgrade_endpoints_stay_and_can_go(service: Service) -> None:
    endpoint = await made(service)
    path = f"/webhooks/{endpoint['id']}"
    await service.plan("pro", None)
    assert (await service.get(path)).status_code == 200
    assert (await service.get(f"{path}/deliveries")).status_code == 200
    assert code(await patch(service, endpoint, active=False)) == (403, "plan_required")
    assert code(await service.ask("POST", f"{path}/test")) == (403, "plan_required")
    assert (await service.ask("DELETE", path)).status_code == 204


@pytest.mark.parametrize("number", ["abc", "0", "-1", str(2**63), "01"])
async def test_we_22_what_is_no_id_is_not_found(service: Service, number: str) -> None:
    for method, path in (
        ("GET", ""),
        ("DELETE", ""),
        ("PATCH", ""),
        ("POST", "/test"),
        ("GET", "/deliveries"),
    ):
        more: dict[str, Any] = {"json": {}} if method == "PATCH" else {}
        answer = await service.ask(method, f"/webhooks/{number}{path}", **more)
        assert code(answer) == (404, "not_found")


async def test_deleting_an_endpoint_takes_its_deliveries(service: Service) -> None:
    endpoint = await made(service)
    await service.ask("POST", f"/webhooks/{endpoint['id']}/test")
    await service.ask("DELETE", f"/webhooks/{endpoint['id']}")
    async with service.database.read() as conn:
        assert (await conn.execute(sa.select(deliveries))).all() == []


async def test_we_21_ids_of_another_account_are_not_found_anywhere(service: Service) -> None:
    hook = (await made(service))["id"]
    rule = (await service.ask("POST", "/alerts", json={"name": "a"})).json()["data"]["id"]
    check = (await service.ask("POST", "/checks", json={"domain": "a.com"})).json()["data"]["id"]
    owned = (
        *(("GET", f"/alerts/{rule}"), ("PATCH", f"/alerts/{rule}"), ("DELETE", f"/alerts/{rule}")),
        *(("GET", f"/webhooks/{hook}"), ("PATCH", f"/webhooks/{hook}"), ("DELETE", f"/webhooks/{hook}")),
        *(("POST", f"/webhooks/{hook}/test"), ("GET", f"/webhooks/{hook}/deliveries")),
        ("GET", f"/checks/{check}"),
    )
    for method, path in owned:
        more: dict[str, Any] = {"json": {}} if method == "PATCH" else {}
        assert code(await service.ask(method, path, "other", **more)) == (404, "not_found"), path
        if method != "DELETE":
            assert (await service.ask(method, path, **more)).status_code in (200, 202), path
