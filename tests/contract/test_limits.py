"""LI: requests a minute and a day."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from afterdrop.core.plan_limits import Plans
from tests.support.service import NOW, Service, code

_free = Plans().free


def lowered(**limits: int) -> dict[str, Any]:
    return {"plans": Plans(free=_free.model_copy(update=limits))}


async def use(service: Service, count: int, who: str = "free") -> Counter[int]:
    return Counter([(await service.get("/stats", who)).status_code for _ in range(count)])


async def test_li_01_li_03_requests_a_minute(service: Service) -> None:
    for who, limit in (("free", 30), ("pro", 120)):
        assert await use(service, limit, who) == {200: limit}
        answer = await service.get("/me", who)
        assert code(answer) == (429, "rate_limited")
        assert answer.headers["Retry-After"] == "60"
        assert (answer.headers["X-RateLimit-Limit"], answer.headers["X-RateLimit-Remaining"]) == (
            str(limit),
            "0",
        )


@pytest.mark.parametrize("more_settings", [lowered(requests_per_day=5)])
async def test_li_02_li_06_requests_a_utc_day(service: Service) -> None:
    service.clock.now = datetime(2026, 11, 20, 23, 59, 30, tzinfo=UTC)
    assert await use(service, 6) == {200: 5, 429: 1}
    answer = await service.get("/me", "free")
    assert answer.headers["Retry-After"] == "30"
    assert answer.headers["X-RateLimit-Remaining"] == "25"
    service.clock.move(seconds=30)
    assert (await service.get("/me", "free")).status_code == 200


async def test_li_04_every_authenticated_answer_carries_the_headers(service: Service) -> None:
    rule = (await service.ask("POST", "/alerts", json={"name": "a"})).json()["data"]["id"]
    for method, path, status in (
        ("GET", "/me", 200),
        ("GET", "/domains/none.com", 404),
        ("GET", "/me?x=1", 422),
        ("DELETE", f"/alerts/{rule}", 204),
        ("DELETE", "/alerts/0", 404),
    ):
        answer = await service.ask(method, path)
        assert answer.status_code == status
        assert answer.headers["X-RateLimit-Limit"] == "120"
        assert int(answer.headers["X-RateLimit-Remaining"]) < 120


async def test_li_05_the_minute_is_aligned_to_the_clock(service: Service) -> None:
    service.clock.now = NOW + timedelta(seconds=59)
    assert await use(service, 30) == {200: 30}
    answer = await service.get("/me", "free")
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "1")
    service.clock.move(seconds=1)
    assert (await service.get("/me", "free")).status_code == 200


async def test_li_07_refused_requests_do_not_count(service: Service) -> None:
    await use(service, 40)
    service.clock.move(minutes=1)
    assert (await service.get("/me", "free")).json()["data"]["limits"]["requests_today"] == 31


async def test_li_07_everything_else_that_is_authenticated_counts(service: Service) -> None:
    for method, path in (("GET", "/me?x=1"), ("POST", "/alerts"), ("GET", "/domains/none.com")):
        await service.ask(method, path, "free")
    for method, path in (("GET", "/nope"), ("PUT", "/me")):
        await service.ask(method, path, "free")
    assert (await service.get("/me", "free")).json()["data"]["limits"]["requests_today"] == 4


async def test_li_08_accounts_have_counters_of_their_own(service: Service) -> None:
    await use(service, 10, "pro")
    assert (await service.get("/me", "other")).headers["X-RateLimit-Remaining"] == "119"


async def test_li_09_limits_change_with_the_plan_at_once(service: Service) -> None:
    assert (await service.get("/me", "free")).headers["X-RateLimit-Limit"] == "30"
    await service.plan("free", NOW + timedelta(days=1))
    answer = await service.get("/me", "free")
    assert (answer.headers["X-RateLimit-Limit"], answer.headers["X-RateLimit-Remaining"]) == ("120", "118")
    service.clock.move(days=1)
    assert (await service.get("/me", "free")).headers["X-RateLimit-Limit"] == "30"


async def test_li_10_the_counter_is_exact_when_many_ask_at_once(service: Service) -> None:
    answers = await asyncio.gather(*(service.get("/stats", "free") for _ in range(40)))
    assert Counter(answer.status_code for answer in answers) == {200: 30, 429: 10}
    left = sorted(
        int(answer.headers["X-RateLimit-Remaining"]) for answer in answers if answer.status_code == 200
    )
    assert left == list(range(30))


async def test_li_11_huge_numbers_are_named_never_a_fault(service: Service) -> None:
    for number in (2**31, 2**63, 2**64, 10**400):
        for name in ("min_ref_domains", "max_price", "page"):
            assert (await service.get(f"/domains?{name}={number}")).status_code == 422
