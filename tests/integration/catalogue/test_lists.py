"""The three lists: who sees which domains, in which order, and how many."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from afterdrop.accounts.account import Viewer
from afterdrop.catalogue.lists.asking import ListContext
from afterdrop.catalogue.lists.filters import ListFilter, ListSelection
from afterdrop.catalogue.lists.sort_orders import Sort
from afterdrop.catalogue.status import ListName
from afterdrop.db.engine import Database
from tests.support.lists import list_page
from tests.support.rows import DAY, FREE, LINKS, NOW, PRO, put, row

ALL = ListFilter()
ENDED = {"ends_at": NOW - DAY, "live_until": NOW - DAY}
FREED = {**ENDED, "announced": True, "availability": "available"}
OPEN = {"open_now": True, "last_open_on": "2026-11-20"}


async def names(
    database: Database,
    which: ListName,
    viewer: Viewer = PRO,
    wanted: ListFilter = ALL,
    sort: Sort | None = None,
) -> list[str]:
    async with database.read() as conn:
        page = await list_page(
            conn,
            ListSelection(ListContext(which, viewer, NOW, LINKS.fees), wanted, sort),
            LINKS,
            per_page=100,
        )
    assert page.total == len(page.rows)
    return [each["domain"] for each in page.rows]


async def fill(database: Database, *rows: dict[str, Any]) -> None:
    async with database.write() as conn:
        await put(conn, *rows)


async def test_each_list_holds_its_own(database: Database) -> None:
    await fill(
        database,
        row("live.com"),
        row("endless.com", ends_at=None, live_until=None),
        row("now.com", ends_at=NOW, live_until=NOW),
        row("free.com", **FREED),
        row("gone.com", removed_at=NOW, removed_reason="spam"),
    )
    assert await names(database, "live") == ["endless.com", "live.com"]
    assert await names(database, "available") == ["free.com"]
    assert await names(database, "archive") == ["now.com", "free.com"]


async def test_a_free_caller_sees_what_is_or_was_open(database: Database) -> None:
    await fill(
        database,
        row("live.com"),
        row("open.com", **OPEN),
        row("free.com", **FREED),
        row("once.com", **FREED, last_open_on="2026-11-01"),
    )
    assert await names(database, "live", FREE) == ["open.com"]
    assert await names(database, "available", FREE) == ["once.com"]
    async with database.read() as conn:
        archive = await list_page(
            conn, ListSelection(ListContext("archive", FREE, NOW, LINKS.fees), ALL), LINKS
        )
        live = await list_page(conn, ListSelection(ListContext("live", FREE, NOW, LINKS.fees), ALL), LINKS)
        free = await list_page(
            conn, ListSelection(ListContext("available", FREE, NOW, LINKS.fees), ALL), LINKS
        )
    shown = {each["domain"]: each for each in archive.rows}
    assert shown["free.com"]["status"] == "ended"
    assert shown["free.com"]["listing"]["price_usd"] == 50
    assert shown["once.com"]["status"] == "available"
    assert shown["once.com"]["listing"]["price_usd"] == 12
    assert (live.locked, free.locked, archive.locked) == (1, 1, None)


async def test_locked_is_left_out_with_q_and_on_pro(database: Database) -> None:
    await fill(database, row("live.com"), row("open.com", **OPEN))
    async with database.read() as conn:
        searched = await list_page(
            conn, ListSelection(ListContext("live", FREE, NOW, LINKS.fees), ListFilter.of(q="o")), LINKS
        )
        pro = await list_page(conn, ListSelection(ListContext("live", PRO, NOW, LINKS.fees), ALL), LINKS)
        none = await list_page(
            conn,
            ListSelection(ListContext("live", FREE, NOW, LINKS.fees), ListFilter.of(min_score=99)),
            LINKS,
        )
    assert (searched.locked, pro.locked, none.locked) == (None, None, 0)


async def test_trust_flow_is_asked_only_of_what_is_seen_in_full(database: Database) -> None:
    await fill(
        database,
        row("open.com", **OPEN, trust_flow=30),
        row("low.com", **OPEN, trust_flow=5),
        row("live.com", trust_flow=30),
        row("other.net", trust_flow=1),
        row("old.com", **ENDED, trust_flow=30),
    )
    wanted = ListFilter.of(min_tf=20)
    assert await names(database, "live", FREE, wanted) == ["open.com"]
    assert await names(database, "archive", FREE, wanted) == []
    assert await names(database, "archive", PRO, wanted) == ["old.com"]
    async with database.read() as conn:
        page = await list_page(
            conn,
            ListSelection(ListContext("live", FREE, NOW, LINKS.fees), ListFilter.of(min_tf=20, tld=["com"])),
            LINKS,
        )
    assert (page.total, page.locked) == (1, 1)


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("score", ["b.com", "c.com", "a.com", "d.com"]),
        ("dr", ["c.com", "b.com", "d.com", "a.com"]),
        ("ending", ["a.com", "b.com", "d.com", "c.com"]),
        ("ended", ["d.com", "b.com", "a.com", "c.com"]),
        ("newest", ["c.com", "a.com", "b.com", "d.com"]),
        ("price", ["d.com", "b.com", "c.com", "a.com"]),
    ],
)
async def test_orders_and_ties(database: Database, sort: Sort, order: list[str]) -> None:
    await fill(
        database,
        row("a.com", score=50, domain_rating=None, price_usd=None, ends_at=NOW + DAY),
        row("b.com", score=90, price_usd=9),
        row("c.com", score=50, domain_rating=30, price_usd=10, ends_at=None, live_until=None, found_at=NOW),
        row("d.com", score=50, price_usd=0, ends_at=NOW + 3 * DAY),
    )
    assert await names(database, "live", sort=sort) == order


async def test_pages_do_not_overlap_and_end(database: Database) -> None:
    await fill(database, *(row(f"n{number:02}.com") for number in range(26)))
    seen: list[str] = []
    async with database.read() as conn:
        for page in (1, 2, 3, 99_999_999):
            found = await list_page(
                conn, ListSelection(ListContext("live", PRO, NOW, LINKS.fees), ALL), LINKS, page=page
            )
            assert found.total == 26
            seen += [each["domain"] for each in found.rows]
    assert seen == [f"n{number:02}.com" for number in range(26)]


@pytest.mark.parametrize("q", ["%", "_", "\\", "a\nb", "\x00", "\ud800", "'"])
async def test_odd_searches_are_plain_and_find_nothing(database: Database, q: str) -> None:
    await fill(database, row("abc.com"))
    assert await names(database, "live", wanted=ListFilter.of(q=q)) == []


async def test_a_search_finds_names_unicode_forms_and_titles(database: Database) -> None:
    await fill(
        database, row("xn--bcher-kva.de", title="Öffentliche Bücherei"), row("plain.de", title="100% Käse")
    )
    for q in ("BÜCHER", "xn--BCHER", "öffentlicHE"):
        assert await names(database, "live", wanted=ListFilter.of(q=q)) == ["xn--bcher-kva.de"]
    assert await names(database, "live", wanted=ListFilter.of(q="0% k")) == ["plain.de"]


async def test_bounds_are_included(database: Database) -> None:
    await fill(
        database,
        row("a.com", ends_at=NOW + DAY, price_usd=10, score=45, found_at=NOW),
        row("b.com", ends_at=NOW + DAY + timedelta(seconds=1), price_usd=11, score=44, found_at=NOW - DAY),
        row("c.com", **ENDED, price_usd=12, score=43, found_at=NOW - 9 * DAY),
    )
    for wanted in (
        ListFilter.of(ending_within_hours=24),
        ListFilter.of(max_price=10),
        ListFilter.of(min_score=45),
        ListFilter.of(since=NOW),
    ):
        assert await names(database, "live", PRO, wanted) == ["a.com"]
    assert await names(database, "archive", PRO, ListFilter.of(ending_within_hours=720)) == []


async def test_very_many_names(database: Database) -> None:
    async with database.write() as conn:
        await put(conn, row("a.com"), row("b.com"))
    names = [f"n{number}.com" for number in range(40_000)]
    async with database.read() as conn:
        for wanted, left in (
            (ListFilter.of(unseen=["a.com", *names]), ["b.com"]),
            (ListFilter.of(tag=["a.com", *names]), ["a.com"]),
            (ListFilter.of(tag=['it\'s "a".com', "a.com'); --"]), []),
        ):
            page = await list_page(conn, ListSelection(ListContext("live", PRO, NOW), wanted), LINKS)
            assert [each["domain"] for each in page.rows] == left
