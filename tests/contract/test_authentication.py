"""A: authentication, and what keys may do."""

from __future__ import annotations

import re
from pathlib import Path

import sqlalchemy as sa

from afterdrop.accounts import members
from afterdrop.db.tables import metadata
from tests.contract.routes import beyond, every_call, table
from tests.support.service import BASE, NOW, OPEN, Service, code, row

ENDED_PATHS = ("/domains/archive", "/domains/available")
DOCS = Path(__file__).parents[2] / "docs"


async def test_a_01_every_endpoint_needs_a_key(service: Service) -> None:
    for method, path in every_call():
        answer = await service.ask(method, path, who="")
        assert code(answer) == (401, "unauthenticated"), (method, path)


async def test_a_02_missing_mistyped_and_revoked_keys_are_refused(service: Service) -> None:
    key = service.keys["pro"]
    mistyped = key[:-1] + ("a" if key[-1] != "a" else "b")
    for wrong in ("", "x", mistyped, key + "x", key.lower()):
        answer = await service.get("/me", headers={"Authorization": f"Bearer {wrong}"})
        assert code(answer) == (401, "unauthenticated"), wrong
    assert code(await service.get("/me", who="")) == (401, "unauthenticated")


async def test_a_03_another_scheme_or_an_empty_token_is_refused(service: Service) -> None:
    key = service.keys["pro"]
    for header in (f"Basic {key}", key, "Bearer", "Bearer ", f"Token {key}"):
        answer = await service.get("/me", headers={"Authorization": header})
        assert code(answer) == (401, "unauthenticated"), header
    assert (await service.get("/me", headers={"Authorization": f"bearer {key}"})).status_code == 200


async def test_a_04_no_path_of_the_interface_makes_or_deletes_keys(service: Service) -> None:
    document = (await service.get("/openapi.json", who="")).json()
    assert not [path for path in document["paths"] if "key" in path or "operator" in path]


async def test_a_05_an_account_has_up_to_five_keys(service: Service) -> None:
    for _ in range(4):
        await service.key("pro")
    try:
        await service.key("pro")
    except members.TooManyKeys as error:
        assert (error.code, error.status) == ("limit_reached", 409)
    else:
        raise AssertionError("a sixth key was made")


async def test_a_06_only_a_hash_of_a_key_is_stored(service: Service) -> None:
    secret = service.keys["pro"].removeprefix("ad_live_")
    async with service.database.read() as conn:
        for stored in metadata.sorted_tables:
            for found in await conn.execute(sa.select(stored)):
                assert secret not in repr(tuple(found))


async def test_a_07_a_deleted_key_stops_at_once(service: Service) -> None:
    account = service.accounts["pro"]
    assert (await service.get("/me")).status_code == 200
    async with service.database.write() as conn:
        (key,) = await members.list_keys(conn, account.id)
        assert await members.revoke_key(conn, account.id, key["id"])
    assert code(await service.get("/me")) == (401, "unauthenticated")


async def test_a_08_two_keys_act_as_one_account(service: Service) -> None:
    second = {"Authorization": f"Bearer {await service.key('pro')}"}
    made = await service.ask("POST", "/alerts", json={"name": "both"})
    path = f"/alerts/{made.json()['data']['id']}"
    assert (await service.get(path, headers=second)).json() == (await service.get(path)).json()
    assert (await service.ask("DELETE", path, headers=second)).status_code == 204
    assert code(await service.get(path)) == (404, "not_found")


async def test_a_09_an_unverified_address_is_told_so_everywhere(service: Service) -> None:
    for method, path in every_call():
        answer = await service.ask(method, path, who="unverified")
        assert code(answer) == (403, "email_unverified"), (method, path)
        assert answer.headers["X-RateLimit-Limit"] == "30"


async def test_a_09_verification_takes_effect_at_once(service: Service) -> None:
    assert (await service.get("/me", who="unverified")).status_code == 403
    async with service.database.write() as conn:
        await members.verify_account(conn, service.accounts["unverified"].id, NOW)
    assert (await service.get("/me", who="unverified")).status_code == 200


async def test_a_11_keys_of_an_account_share_the_counters(service: Service) -> None:
    second = {"Authorization": f"Bearer {await service.key('free')}"}
    first = await service.get("/me", who="free")
    then = await service.get("/me", who="free", headers=second)
    assert [answer.headers["X-RateLimit-Remaining"] for answer in (first, then)] == ["29", "28"]


async def test_a_12_the_archive_is_open_to_the_free_plan(service: Service) -> None:
    for path in ENDED_PATHS:
        assert (await service.get(path, who="free")).status_code == 200


async def test_a_13_rules_and_webhooks_need_pro_to_make_change_and_test(service: Service) -> None:
    for method, path in (
        ("POST", "/alerts"),
        ("PATCH", "/alerts/1"),
        ("POST", "/webhooks"),
        ("PATCH", "/webhooks/1"),
        ("POST", "/webhooks/1/test"),
    ):
        answer = await service.ask(method, path, who="free")
        assert code(answer) == (403, "plan_required"), (method, path)
        assert answer.json()["error"]["upgrade_url"].endswith("/pricing")


async def test_a_14_pro_sees_every_domain_in_full(service: Service) -> None:
    await service.show(row("a.com"), row("b.com", **OPEN))
    assert set(await service.names("/domains")) == {"a.com", "b.com"}
    assert (await service.get("/domains/a.com")).json()["data"]["detail"] == "full"
    assert (await service.get("/domains/a.com/pages")).status_code == 200


async def test_a_15_no_answer_invites_keys_into_web_pages(service: Service) -> None:
    for path in ("/me", "/domains", "/nope"):
        answer = await service.get(path, headers={"Origin": "https://page.example"})
        assert not [name for name in answer.headers if name.lower().startswith("access-control-")]


def test_every_call_covers_the_document() -> None:
    assert len(set(every_call())) == len(every_call())
    assert {path for path, _ in table()} >= {"/me", "/domains/{domain}", "/webhooks/{id}/deliveries"}


async def test_the_calls_are_all_there_are(service: Service) -> None:
    document = (await service.http.get(f"{BASE}/openapi.json")).json()
    documented = {(path, method.upper()) for path, item in document["paths"].items() for method in item}
    assert documented == {*table(), *beyond()}


def test_the_docs_list_what_is_beyond_the_interface() -> None:
    text = (DOCS / "integrate" / "api.md").read_text(encoding="utf-8")
    section = text.partition("## Beyond the interface\n")[2].partition("\n## ")[0]
    named = re.findall(r"`(GET|PUT|POST|PATCH|DELETE) (/[^ `]*)`", section)
    assert {(path, method) for method, path in named} - set(table()) == set(beyond())
