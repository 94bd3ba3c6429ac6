"""HEAD: answered as GET is, without the body; it counts and spends as GET does."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contract.routes import every_call
from tests.support.service import OPEN, SITE, Service, row

CHANGING = ("x-ratelimit-remaining", "date", "x-request-id")


def told(answer: Any) -> dict[str, str]:
    return {name: value for name, value in answer.headers.items() if name not in CHANGING}


async def test_e_09_head_tells_what_get_tells(service: Service) -> None:
    """Every resource, found or not, on both plans, without a verified address and without a key."""
    await service.show(row("a.com", **OPEN), row("locked.com"))
    paths = [path for method, path in every_call() if method == "GET" and not path.startswith("/tools")]
    for who in ("pro", "free", "unverified", ""):
        for path in (*paths, "/domains?page=0", "/domains/locked.com", "/openapi.json", "/nowhere"):
            got, head = await service.get(path, who), await service.ask("HEAD", path, who)
            assert (head.status_code, head.content) == (got.status_code, b""), (who, path)
            assert told(head) == told(got), (who, path)
            left = int(got.headers.get("x-ratelimit-remaining", 0))
            assert int(head.headers.get("x-ratelimit-remaining", 0)) == max(left - 1, 0), (who, path)
        service.clock.move(minutes=1)


async def test_e_09_head_counts_as_a_request_and_is_refused_beyond_the_limit(service: Service) -> None:
    for _ in range(10):
        assert (await service.ask("HEAD", "/stats", "free")).status_code == 200
    limits = (await service.get("/me", "free")).json()["data"]["limits"]
    assert limits["requests_today"] == 11
    for _ in range(limits["requests_per_minute"] - 11):
        await service.ask("HEAD", "/stats", "free")
    refused = await service.ask("HEAD", "/stats", "free")
    assert (refused.status_code, refused.content) == (429, b"")
    assert refused.headers["Retry-After"]


async def test_e_09_head_of_what_the_caller_has_is_not_modified(service: Service) -> None:
    tag = (await service.get("/domains")).headers["ETag"]
    answer = await service.ask("HEAD", "/domains", headers={"If-None-Match": tag})
    assert (answer.status_code, answer.headers["ETag"]) == (304, tag)


@pytest.mark.parametrize("path", ["/", "/sign-in", "/docs", "/docs/api", "/pricing", "/domains", "/nowhere"])
async def test_e_09_pages_answer_head_too(service: Service, path: str) -> None:
    got, head = await service.get(SITE + path, ""), await service.ask("HEAD", SITE + path, "")
    assert (head.status_code, head.content) == (got.status_code, b"")
    assert head.headers["content-type"] == got.headers["content-type"]


async def test_e_08_pages_name_the_methods_they_take(service: Service) -> None:
    for method, path, allowed in (
        ("OPTIONS", "/pricing", "GET, HEAD"),
        ("OPTIONS", "/sign-in", "GET, HEAD, POST"),
        ("HEAD", "/sign-out", "POST"),
    ):
        answer = await service.ask(method, SITE + path, "")
        assert (answer.status_code, answer.headers["Allow"]) == (405, allowed), (method, path)
