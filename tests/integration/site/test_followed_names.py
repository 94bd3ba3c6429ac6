"""Following names that are on no list: the form, what registries say of them, and the news on the desk."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from selectolax.lexbor import LexborHTMLParser

from afterdrop.db.dialects import upsert
from afterdrop.db.tables.review import registry_changes, registry_states
from afterdrop.db.tables.watching import watches
from afterdrop.watching import store
from tests.support.browser import Browser, words
from tests.support.rows import DAY
from tests.support.service import FREED, NOW, OPEN, Service, row

LIST = "/account/watchlist"


async def says(service: Service, name: str, stage: str, **more: Any) -> None:
    """A registry's last answer."""
    values = {"domain": name, "stage": stage, "since": NOW - DAY, "checked_at": NOW, "due_at": NOW, **more}
    async with service.database.write() as conn:
        await upsert(conn, registry_states, [values], ["domain"])


async def changed(service: Service, name: str, change: str, ago: timedelta = DAY) -> None:
    """A change at a registry."""
    values = {"domain": name, "change": change, "stage": "active", "seen_at": NOW - ago}
    async with service.database.write() as conn:
        await conn.execute(sa.insert(registry_changes).values(**values))


async def followed(service: Service, who: str) -> set[str]:
    async with service.database.read() as conn:
        mine = sa.select(watches.c.domain).where(watches.c.account_id == service.accounts[who].id)
        return set(await conn.scalars(mine))


async def test_any_names_can_be_followed_and_show_what_their_registries_say(
    service: Service, browser: Browser
) -> None:
    await browser.sign_in("pro")
    page = await browser.send(LIST, {"names": "https://www.mine.com/shop, other.se\nxn--bcher-kva.de"})
    assert str(page.url).endswith(f"{LIST}?followed=3") and "3 names are followed now." in words(page)
    assert await followed(service, "pro") == {"mine.com", "other.se", "xn--bcher-kva.de"}
    assert words(page).count("Not known yet") == 3
    await says(service, "mine.com", "redemption", expires_at=NOW, earliest="2026-12-24", latest="2026-12-26")
    await says(service, "other.se", "available")
    page = await browser.get(LIST)
    text = words(page)
    assert "mine.com In redemption – 20 Nov 2026 24 Dec 2026 to 26 Dec 2026" in text
    assert text.index("other.se Free to register") < text.index("mine.com In redemption")
    api = await service.get("/watchlist")
    assert api.json()["data"] == []
    me = (await service.get("/me")).json()["data"]
    assert me["watchlist"]["used"] == 3


async def test_unfollowing_can_be_undone(service: Service, browser: Browser) -> None:
    await browser.sign_in("pro")
    await browser.send(LIST, {"names": "mine.com"})
    page = await browser.send("/domains/mine.com/unwatch", {"from": "watchlist"}, page=LIST)
    assert "You no longer follow mine.com" in words(page)
    assert await followed(service, "pro") == set()
    await browser.send("/domains/mine.com/watch", {"back": LIST, "any": "1"}, page=LIST)
    assert await followed(service, "pro") == {"mine.com"}
    refused = await browser.send("/domains/unlisted.com/watch", {}, page=LIST)
    assert refused.status_code == 404, "a page of the lists follows what is on them"


@pytest.mark.parametrize(
    ("names", "status", "said"),
    [
        ("", 422, "write at least one name"),
        ("mine.com, localhost", 422, "“localhost”: "),
        ("a.com b.com c.com d.com", 409, "the plan allows 3 followed domains and you follow 0"),
        ("locked.com mine.com", 403, ""),
    ],
)
async def test_what_cannot_be_followed(
    service: Service, browser: Browser, names: str, status: int, said: str
) -> None:
    await service.show(row("locked.com"))
    await browser.sign_in("free")
    page = await browser.send(LIST, {"names": names})
    assert page.status_code == status
    assert said in words(page)
    assert await followed(service, "free") == set()


async def test_an_account_follows_so_many_names_on_no_list(
    service: Service, browser: Browser, second: Browser
) -> None:
    plans = service.context.settings.plans
    few = plans.model_copy(update={"pro": plans.pro.model_copy(update={"unlisted_names": 2})})
    object.__setattr__(service.context.settings, "plans", few)
    await service.show(row("listed.com"))
    await browser.sign_in("pro")
    assert "up to 2 names on no list" in words(await browser.get(LIST))
    await browser.send(LIST, {"names": "a.com listed.com"})
    page = await browser.send(LIST, {"names": "b.com c.com"})
    assert (page.status_code, "names that are on no list" in words(page)) == (409, True)
    await browser.send(LIST, {"names": "b.com listed.com a.com"[:16]})
    assert await followed(service, "pro") == {"a.com", "b.com", "listed.com"}
    await second.sign_in("operator")
    assert "up to 100,000 names on no list, 2,000 at a time" in words(await second.get(LIST))
    await second.send(LIST, {"names": "a.com b.com c.com"})
    assert await followed(service, "operator") == {"a.com", "b.com", "c.com"}


async def test_names_on_no_list_stand_on_pages(service: Service, browser: Browser) -> None:
    await browser.sign_in("pro")
    await service.show(row("listed.com"))
    await browser.send(LIST, {"names": " ".join(["listed.com", *(f"n{n:03}.com" for n in range(120))])})
    await says(service, "n119.com", "available")
    await says(service, "n118.com", "active")
    first, last = await browser.get(LIST), await browser.get(f"{LIST}?page=3")
    text = words(first)
    assert "120 names on no list, page 1 of 3" in text.replace(" ,", ",")
    assert text.index("n119.com") < text.index("n118.com") < text.index("n000.com") < text.index("n047.com")
    assert ("n048.com" in text, "n098.com" in words(last), "n117.com" in words(last)) == (False, True, True)
    assert ("page=2#others" in first.text, "page=0" in first.text) == (True, False)
    assert ("page=2#others" in last.text, "page=4" in last.text) == (True, False)
    assert "Before" in words(await browser.get(f"{LIST}?page=9")), "leads back from beyond the last"
    assert (await browser.get(f"{LIST}?page=0")).status_code == 422


async def test_an_ended_name_shows_its_stage_where_its_outcome_is_known(
    service: Service, browser: Browser, second: Browser
) -> None:
    await service.show(row("ended.com", ends_at=NOW - DAY, live_until=NOW - DAY))
    for who in ("pro", "free"):
        async with service.database.write() as conn:
            await store.insert_watches(conn, service.accounts[who].id, ["ended.com"], NOW - 2 * DAY)
    await browser.sign_in("pro")
    assert "Pending delete" not in words(await browser.get(LIST))
    await says(service, "ended.com", "pending_delete")
    assert "Pending delete since 19 Nov 2026" in words(await browser.get(LIST))
    await second.sign_in("free")
    assert "Pending delete" not in words(await second.get(LIST)).partition("Names on no list")[0]


async def test_the_desk_tells_what_registries_said_lately(service: Service, browser: Browser) -> None:
    await browser.sign_in("pro")
    async with service.database.write() as conn:
        names = ["mine.com", "gone.com", "old.com"]
        await store.insert_watches(conn, service.accounts["pro"].id, names, NOW - 9 * DAY)
    await changed(service, "mine.com", "redemption", 3 * DAY)
    await changed(service, "mine.com", "renewed")
    await changed(service, "old.com", "renewed", 8 * DAY)
    await changed(service, "gone.com", "dropped", 2 * DAY)
    await changed(service, "theirs.com", "dropped")
    text = words(await browser.get("/desk"))
    assert "From the registries" in text
    news = text.partition("From the registries")[2]
    assert news.index("mine.com Renewed") < news.index("gone.com Free to register")
    assert "In redemption" not in news and "old.com" not in news and "theirs.com" not in news


async def test_of_thirty_names_with_a_wrong_one_the_others_are_followed_in_a_second_step(
    service: Service, browser: Browser
) -> None:
    await browser.sign_in("pro")
    names = [f"n{n}.com" for n in range(29)]
    page = await browser.send(
        LIST, {"names": "\n".join([*names[:20], "bad name here"]), "file": "\n".join(names[20:])}
    )
    text = words(page)
    assert page.status_code == 422 and await followed(service, "pro") == set()
    assert text.count("“bad name here”: ") == 1 and "Follow the other 29" in text
    box = re.search(r'<textarea id="f-names".*?>(.*?)</textarea>', page.text, re.DOTALL)
    assert box and box[1].split() == [*names[:20], "bad", "name", "here", *names[20:]]
    page = await browser.send(LIST, {"names": box[1], "do": "rest"})
    assert "29 names are followed now." in words(page)
    assert await followed(service, "pro") == set(names)


async def test_listed_names_stand_in_the_lists_table(service: Service, browser: Browser) -> None:
    figures = {"a.com": (10, 5), "b.com": (30, None), "c.com": (20, 9), "d.com": (None, 7)}
    await service.show(
        *(row(name, domain_rating=dr, trust_flow=tf, title="Bakery") for name, (dr, tf) in figures.items()),
        row("gone.com", **FREED),
    )
    await browser.sign_in("pro")
    await browser.send(LIST, {"names": " ".join([*figures, "gone.com"])})

    async def shown(query: str) -> list[str]:
        page = await browser.get(f"{LIST}?{query}")
        return [node.text(deep=False) for node in LexborHTMLParser(page.text).css(".hunt .name")]

    assert [name for name in await shown("sort=dr-down") if name != "gone.com"] == [
        "b.com",
        "c.com",
        "a.com",
        "d.com",
    ]
    assert (await shown("sort=tf-up"))[-1] == "b.com"
    assert await shown("q=dr%3E15") == await shown("min_dr=16")
    assert {*await shown("min_tf=7&q=bakery")} == {"c.com", "d.com"}
    assert await shown("outcome=free") == ["gone.com"]
    page = LexborHTMLParser((await browser.get(f"{LIST}?sort=dr-up&outcome=free&followed=3&q=gone")).text)
    kept = {each.attributes["name"]: each.attributes["value"] for each in page.css(".filters [type=hidden]")}
    assert kept == {"sort": "dr-up", "outcome": "free"}
    assert not [each for each in page.css("thead a") if "followed=" in (each.attributes["href"] or "")]
    refused = await browser.get(f"{LIST}?ending_within_hours=24")
    assert (refused.status_code, "cannot be filtered by: ends within 24 h" in words(refused)) == (422, True)
    await browser.get(LIST)
    await browser.post("/tags", {"d": ["a.com", "b.com"], "tag": "mine", "back": LIST})
    assert words(await browser.get(LIST)).count("mine") == 2
    await browser.post("/domains/pick", {"d": ["a.com", "b.com"], "do": "unfollow", "back": LIST})
    assert await followed(service, "pro") == {"c.com", "d.com", "gone.com"}


async def test_filters_tell_nothing_of_figures_that_a_reader_does_not_see(
    service: Service, browser: Browser
) -> None:
    await service.show(row("open.com", trust_flow=9, **OPEN), row("locked.com", trust_flow=9))
    for name in ("open.com", "locked.com"):
        async with service.database.write() as conn:
            await store.insert_watches(conn, service.accounts["free"].id, [name], NOW)
    await browser.sign_in("free")
    for query, names in (("", 2), ("?min_tf=1", 1), ("?min_dr=1", 1)):
        page = await browser.get(LIST + query)
        assert len(LexborHTMLParser(page.text).css(".hunt .name")) == names
