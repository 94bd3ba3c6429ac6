"""W: the watchlist."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import httpx2

from tests.support.service import ENDED, FREED, NOW, OPEN, Service, code, fields, row


def ends(hours: float) -> dict[str, Any]:
    return {"ends_at": NOW + timedelta(hours=hours), "live_until": NOW + timedelta(hours=hours)}


async def put(service: Service, domain: str, who: str = "pro") -> int:
    return (await service.ask("PUT", f"/watchlist/{domain}", who)).status_code


async def used(service: Service, who: str = "pro") -> int:
    found: int = (await service.get("/me", who)).json()["data"]["watchlist"]["used"]
    return found


async def test_w_01_w_02_soonest_end_first_ended_ones_after(service: Service) -> None:
    endless = {"ends_at": None, "live_until": None}
    await service.show(
        row("a.com", **ends(5)), row("b.com", **ends(2)), row("c.com", **endless), row("d.com", **ends(-9))
    )
    await service.show(row("e.com", **ends(-1)))
    for letter in "abcde":
        assert await put(service, f"{letter}.com") == 200
    assert await service.names("/watchlist") == ["b.com", "a.com", "c.com", "e.com", "d.com"]


async def test_w_03_w_04_watching_twice_is_watching_once(service: Service) -> None:
    await service.show(row("a.com"))
    first = await service.ask("PUT", "/watchlist/a.com")
    again = await service.ask("PUT", "/watchlist/A.com")
    assert first.json() == again.json()
    assert first.json()["data"]["domain"] == "a.com"
    assert await used(service) == 1


async def test_w_05_w_06_three_on_free_and_the_first_again_at_the_limit(service: Service) -> None:
    await service.show(*(row(f"{letter}.com", **OPEN) for letter in "abcd"))
    assert [await put(service, f"{letter}.com", "free") for letter in "abc"] == [200] * 3
    assert code(await service.ask("PUT", "/watchlist/d.com", "free")) == (409, "limit_reached")
    assert await put(service, "a.com", "free") == 200


async def test_w_07_no_limit_on_pro(service: Service) -> None:
    await service.show(*(row(f"n{n}.com") for n in range(50)))
    assert {await put(service, f"n{n}.com") for n in range(50)} == {200}
    assert await used(service) == 50


async def test_w_08_unlisted_and_locked(service: Service) -> None:
    await service.show(row("a.com"), row("gone.com", removed_at=NOW, removed_reason="spam"))
    for domain in ("never.com", "gone.com"):
        assert code(await service.ask("PUT", f"/watchlist/{domain}")) == (404, "not_found")
    assert code(await service.ask("PUT", "/watchlist/a.com", "free")) == (403, "plan_required")


async def test_w_09_w_11_what_was_watched_stays_whatever_became_of_it(service: Service) -> None:
    await service.show(row("a.com"))
    assert await put(service, "a.com") == 200
    await service.plan("pro", None)
    answer = await service.ask("PUT", "/watchlist/a.com")
    assert (answer.status_code, answer.json()["data"]["detail"]) == (200, "basic")
    assert await service.names("/watchlist") == ["a.com"]
    assert (await service.ask("DELETE", "/watchlist/a.com")).status_code == 204
    assert code(await service.ask("PUT", "/watchlist/a.com")) == (403, "plan_required")


async def test_w_10_w_11_deleting(service: Service) -> None:
    await service.show(row("a.com"))
    await put(service, "a.com")
    for _ in range(2):
        assert (await service.ask("DELETE", "/watchlist/a.com")).status_code == 204
    assert await service.names("/watchlist") == []
    assert code(await service.ask("DELETE", "/watchlist/never.com")) == (404, "not_found")


async def test_w_12_a_downgrade_keeps_what_is_watched_and_takes_no_more(service: Service) -> None:
    await service.show(*(row(f"n{n}.com", **OPEN) for n in range(6)))
    for number in range(5):
        await put(service, f"n{number}.com")
    await service.plan("pro", None)
    assert len(await service.names("/watchlist")) == 5
    assert code(await service.ask("PUT", "/watchlist/n5.com")) == (409, "limit_reached")
    assert await put(service, "n0.com") == 200


async def test_w_14_what_cannot_be_a_domain_is_not_found(service: Service) -> None:
    for name in ("co.uk", "1.2.3.4", "localhost", "a..b", "www.a.com"):
        for method in ("PUT", "DELETE"):
            assert code(await service.ask(method, f"/watchlist/{name}")) == (404, "not_found"), name


async def test_w_15_the_limit_holds_when_many_ask_at_once(service: Service) -> None:
    await service.show(*(row(f"n{n}.com", **OPEN) for n in range(8)))
    statuses = await asyncio.gather(*(put(service, f"n{n}.com", "free") for n in range(8)))
    assert sorted(statuses) == [200] * 3 + [409] * 5
    assert await used(service, "free") == 3


async def test_an_available_domain_is_watched_as_the_viewer_sees_it(service: Service) -> None:
    await service.show(row("a.com", **FREED), row("b.com", **ENDED))
    for domain in ("a.com", "b.com"):
        assert await put(service, domain, "free") == 200
    statuses = {item["status"] for item in (await service.get("/watchlist", "free")).json()["data"]}
    assert statuses == {"ended"}


async def follow(service: Service, names: list[str], who: str = "pro") -> httpx2.Response:
    return await service.ask("POST", "/watchlist", who, json={"domains": names})


async def test_many_names_are_followed_on_the_lists_or_not(service: Service) -> None:
    await service.show(row("a.com"))
    answer = await follow(service, ["a.com", "https://www.mine.com/shop", "MINE.com", "bücher.de"])
    assert (answer.status_code, answer.json()) == (200, {"data": {"followed": 3, "watched": 3}})
    assert await service.names("/watchlist") == ["a.com"]
    again = await follow(service, ["mine.com", "new.com"])
    assert again.json()["data"] == {"followed": 1, "watched": 4}


async def test_all_of_many_names_are_followed_or_none(service: Service) -> None:
    await service.show(row("locked.com"), row("open.com", **OPEN))
    assert code(await follow(service, ["locked.com", "x.com"], "free")) == (403, "plan_required")
    assert code(await follow(service, [f"n{n}.com" for n in range(4)], "free")) == (409, "limit_reached")
    assert (await follow(service, [f"n{n}.com" for n in range(1000)])).status_code == 200
    assert code(await follow(service, ["open.com", "one-more.com"])) == (409, "limit_reached")
    assert (await used(service), await used(service, "free")) == (1000, 0)
    assert (await follow(service, ["open.com", "n1.com"])).status_code == 200


async def test_many_names_that_cannot_be_followed(service: Service) -> None:
    refused = await follow(service, ["a.com", "localhost"])
    assert refused.status_code == 422
    assert [text.partition(":")[0] for text in fields(refused)["domains"]] == ["item 2"]
    for names in ([], [f"n{n}.com" for n in range(1001)]):
        assert list(fields(await follow(service, names))) == ["domains"]
    assert await used(service) == 0
