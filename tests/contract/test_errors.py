"""E: the error shape, its codes, and the order of the checks."""

from __future__ import annotations

from typing import Any, cast

import httpx2
import pytest

from afterdrop.checks import store
from afterdrop.web.actions import account as account_actions
from afterdrop.web.problems import CODES, STATUS
from tests.contract.routes import every_call
from tests.support.service import BASE, SITE, Service, code, fields, row

JSON = {"Content-Type": "application/json"}


def shaped(answer: httpx2.Response) -> dict[str, Any]:
    """The error of an answer that has the one shape."""
    body = answer.json()
    assert set(body) == {"error"}
    error = cast(dict[str, Any], body["error"])
    assert set(error) <= {"code", "message", "docs", "fields", "upgrade_url", "request_id"}
    assert STATUS[error["code"]] == answer.status_code
    assert error["message"]
    assert error["docs"] == f"{SITE}/docs/errors#{error['code']}"
    assert ("fields" in error) == (error["code"] == "validation_failed")
    assert ("upgrade_url" in error) == (error["code"] == "plan_required")
    assert answer.headers["Content-Type"] == "application/json"
    return error


async def test_e_01_e_03_e_05_every_error_has_the_shape(service: Service) -> None:
    await service.show(row("a.com"))
    answers = [
        await service.get("/nope"),
        await service.get(f"{SITE}/api/v2/me"),
        await service.get(f"{SITE}/api"),
        await service.get("/me", who=""),
        await service.ask("PUT", "/me"),
        await service.get("/me?x=1"),
        await service.get("/me", who="unverified"),
        await service.get("/domains/a.com", who="free"),
        await service.get("/domains/b.com"),
        await service.ask("POST", "/alerts", content=b"x"),
    ]
    for answer in answers:
        shaped(answer)


async def test_e_02_the_codes_are_the_eleven(service: Service) -> None:
    assert len(CODES) == 11
    document = (await service.get("/openapi.json")).json()
    assert document["components"]["schemas"]["Fault"]["properties"]["code"]["enum"] == list(CODES)


async def test_e_06_fields_are_messages_by_name(service: Service) -> None:
    found = fields(await service.get("/domains?min_score=101&type=x,y"))
    assert found["min_score"] == ["should be less than or equal to 100"]
    assert len(found["type"]) == 1


async def test_e_07_404_for_the_path_comes_before_405_and_401(service: Service) -> None:
    for method in ("GET", "POST", "OPTIONS"):
        answer = await service.ask(method, "/nope", who="")
        assert code(answer) == (404, "not_found")
        assert "X-RateLimit-Limit" not in answer.headers


async def test_e_07_405_comes_before_401(service: Service) -> None:
    answer = await service.ask("PUT", "/alerts/7", who="")
    assert code(answer) == (405, "method_not_allowed")
    assert answer.headers["Allow"] == "DELETE, GET, HEAD, PATCH"


async def test_e_07_401_comes_before_everything_else(service: Service) -> None:
    answer = await service.ask("POST", "/alerts?x=1", who="", content=b"x" * 100_000)
    assert code(answer) == (401, "unauthenticated")
    assert "X-RateLimit-Limit" not in answer.headers
    assert answer.headers["WWW-Authenticate"] == "Bearer"


async def test_e_07_email_comes_before_429_and_plan(service: Service) -> None:
    for _ in range(32):
        answer = await service.ask("POST", "/alerts", who="unverified", content=b"x")
        assert code(answer) == (403, "email_unverified")
    assert answer.headers["X-RateLimit-Remaining"] == "0"


async def test_e_07_429_comes_before_plan(service: Service) -> None:
    seen = {code(await service.ask("POST", "/alerts", who="free", content=b"x")) for _ in range(30)}
    assert seen == {(403, "plan_required")}
    assert code(await service.ask("POST", "/alerts", who="free")) == (429, "rate_limited")


async def test_e_07_plan_of_the_endpoint_comes_before_422_and_404(service: Service) -> None:
    for method, path in (("POST", "/alerts"), ("PATCH", "/alerts/99?x=1"), ("POST", "/webhooks/99/test?x=1")):
        answer = await service.ask(method, path, who="free", content=b"not json")
        assert code(answer) == (403, "plan_required")


async def test_e_07_422_comes_before_404_of_the_resource(service: Service) -> None:
    assert "x" in fields(await service.get("/domains/none.com?x=1"))
    assert "page" in fields(await service.get("/domains/none.com/pages?page=0"))
    assert "name" in fields(await service.ask("PATCH", "/alerts/99", json={"name": 5}))
    assert "x" in fields(await service.ask("DELETE", "/alerts/99?x=1"))


async def test_e_07_422_and_404_come_before_plan_of_the_domain(service: Service) -> None:
    await service.show(row("a.com"))
    assert "x" in fields(await service.get("/domains/a.com?x=1", who="free"))
    assert code(await service.get("/domains/b.com", who="free")) == (404, "not_found")
    assert code(await service.get("/domains/a.com", who="free")) == (403, "plan_required")


async def test_e_07_plan_of_the_domain_comes_before_409(service: Service) -> None:
    open_now = {"open_now": True, "last_open_on": "2026-11-20"}
    await service.show(*(row(f"{letter}.com", **open_now) for letter in "abc"), row("locked.com"))
    for letter in "abc":
        await service.ask("PUT", f"/watchlist/{letter}.com", who="free")
    assert code(await service.ask("PUT", "/watchlist/locked.com", who="free")) == (403, "plan_required")


async def test_e_08_we_23_405_names_every_method_the_path_takes(service: Service) -> None:
    for method, path, allowed in (
        ("PUT", "/webhooks", "GET, HEAD, POST"),
        ("POST", "/me", "GET, HEAD"),
        ("DELETE", "/checks", "GET, HEAD, POST"),
        ("GET", "/watchlist/a.com", "DELETE, PUT"),
        ("HEAD", "/watchlist/a.com", "DELETE, PUT"),
        ("POST", "/domains/available", "GET, HEAD"),
        ("OPTIONS", "/domains", "GET, HEAD"),
        ("PATCH", "/openapi.json", "GET, HEAD"),
    ):
        answer = await service.ask(method, path)
        assert answer.status_code == 405
        assert method == "HEAD" or code(answer) == (405, "method_not_allowed")
        assert answer.headers["Allow"] == allowed
        assert "X-RateLimit-Limit" not in answer.headers


async def test_e_09_head_options_and_trailing_slashes(service: Service) -> None:
    for method, path in every_call():
        assert (await service.ask("OPTIONS", path)).status_code == 405, path
        assert code(await service.get(f"{path}/")) == (404, "not_found"), path
        if method != "GET" and ("GET", path) not in every_call():
            assert (await service.ask("HEAD", path)).status_code == 405, path


DEEP = b'{"name": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
BODIES = {
    "not json": b"{name",
    "empty": b"",
    "an array": b"[]",
    "null": b"null",
    "a string": b'"a"',
    "duplicate members": b'{"name": "a", "name": "b"}',
    "nested duplicates": b'{"name": "a", "tlds": [{"a": 1, "a": 2}]}',
    "bad utf-8": b'{"name": "\xff"}',
    "utf-16": '{"name": "a"}'.encode("utf-16"),
    "a byte order mark": b'\xef\xbb\xbf{"name": "a"}',
    "NaN": b'{"name": "a", "min_dr": NaN}',
    "infinity": b'{"name": "a", "min_dr": 1e999}',
    "a lone surrogate": b'{"name": "\\ud800"}',
    "a surrogate key": b'{"\\ud800": 1, "name": "a"}',
    "too deep": b'{"name": ' + b"[" * 5000 + b"]" * 5000 + b"}",
    "deep and large": DEEP,
    "too large": b'{"name": "a", "keywords": ["' + b"a" * 70_000 + b'"]}',
    "trailing text": b'{"name": "a"} x',
}


@pytest.mark.parametrize("kind", BODIES)
async def test_e_10_bodies_that_are_no_json_object(service: Service, kind: str) -> None:
    answer = await service.ask("POST", "/alerts", content=BODIES[kind], headers=JSON)
    assert set(fields(answer)) == {"body"}
    shaped(answer)
    assert (await service.get("/alerts")).json() == {"data": []}


async def test_e_10_integers_beyond_sixty_four_bits(service: Service) -> None:
    for number in ("9" * 30, "9" * 5000, "-" + "9" * 30, "1e30"):
        content = f'{{"name": "a", "min_ref_domains": {number}}}'.encode()
        assert set(fields(await service.ask("POST", "/alerts", content=content, headers=JSON))) <= {
            "min_ref_domains",
            "body",
        }


async def test_e_10_the_content_type(service: Service) -> None:
    body = b'{"name": "a"}'
    for kind in (
        "text/plain",
        "application/x-www-form-urlencoded",
        "",
        "application/jsonp",
        "application/xml",
    ):
        answer = await service.ask("POST", "/alerts", content=body, headers={"Content-Type": kind})
        assert set(fields(answer)) == {"body"}, kind
    assert set(fields(await service.ask("POST", "/alerts", content=body))) == {"body"}
    for charset in (
        "undefined",
        "punycode",
        "idna",
        "latin-1",
        "utf-16",
        "",
        '"utf-8',
        "utf-8; charset=utf-7",
    ):
        kind = f"application/json; charset={charset}"
        answer = await service.ask("POST", "/alerts", content=body, headers={"Content-Type": kind})
        assert fields(answer) == {"body": ["must be encoded in UTF-8"]}, kind
    for kind in (
        "application/json",
        "application/json; charset=utf-8",
        "Application/JSON",
        'application/json ;Charset="UTF8"',
    ):
        answer = await service.ask("POST", "/alerts", content=body, headers={"Content-Type": kind})
        assert answer.status_code == 201, kind


async def test_e_10_a_body_in_pieces_is_capped_too(service: Service) -> None:
    async def pieces() -> Any:
        for _ in range(100):
            yield b" " * 1000

    answer = await service.ask("POST", "/alerts", content=pieces(), headers=JSON)
    assert set(fields(answer)) == {"body"}


async def test_e_10_query_strings_that_are_no_text(service: Service) -> None:
    assert set(fields(await service.get("/domains?q=%ff"))) == {"query"}
    many = "&".join(f"a{n}=1" for n in range(200))
    assert set(fields(await service.get(f"/domains?{many}"))) == {"query"}
    assert "q" in fields(await service.get("/domains?q=%00"))


async def test_e_11_a_fault_of_ours_has_the_shape_and_tells_nothing(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object, **__: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(account_actions, "account_usage", broken)
    answer = await service.get("/me")
    assert shaped(answer)["code"] == "server_error"
    assert "secret" not in answer.text
    assert answer.headers["X-RateLimit-Remaining"] == "119"


async def test_e_12_e_13_a_fault_leaves_no_partial_change(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object, **__: object) -> None:
        raise RuntimeError("after the credit was taken")

    with monkeypatch.context() as patch:
        patch.setattr(store, "insert_check", broken)
        answer = await service.ask("POST", "/checks", json={"domain": "a.com"})
        assert code(answer) == (500, "server_error")
    assert (await service.get("/me")).json()["data"]["checks"]["available"] == 21
    assert (await service.ask("POST", "/checks", json={"domain": "a.com"})).status_code == 202


async def test_foreign_hosts_are_refused(service: Service) -> None:
    for host in (
        "evil.example",
        "127.0.0.1.evil.example",
        "evil.example:8000",
        "a@127.0.0.1",
        "127.0.0.1/x",
        "",
    ):
        answer = await service.get("/me", headers={"Host": host})
        assert answer.status_code == 400, host
        assert answer.json()["error"]["fields"] == {"Host": ["is not this service's host"]}
    for host in ("127.0.0.1:8000", "localhost:9", "[::1]:8000", "LOCALHOST"):
        assert (await service.get("/me", headers={"Host": host})).status_code == 200, host


@pytest.mark.parametrize("more_settings", [{"site_url": "https://drops.example"}])
async def test_only_the_sites_own_host_is_served_and_linked(service: Service) -> None:
    assert (await service.get("/me")).status_code == 400
    await service.show(row("a.com"))
    answer = await service.get(
        "/domains/a.com", headers={"Host": "drops.example", "X-Forwarded-Host": "evil.example"}
    )
    assert answer.json()["data"]["report_url"] == "https://drops.example/domains/a.com"
    assert (await service.get("/me", headers={"Host": "127.0.0.1:8000"})).status_code == 400
    assert BASE not in answer.text
