"""Notes, tags, saved filters, seen domains and share links, on both databases."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
import pytest_asyncio
import sqlalchemy as sa

from afterdrop.accounts import members
from afterdrop.accounts.store import delete_account
from afterdrop.db.engine import Database
from afterdrop.db.tables import metadata
from afterdrop.db.tables.watching import seen_domains, share_links
from afterdrop.watching import desk_rules as rules
from afterdrop.watching import desk_store
from afterdrop.watching import desk_store as store
from afterdrop.watching.desk_rules import BadEntry, Marks, PageMemory, TooMany, Visit
from tests.support.rows import NOW

HOUR = timedelta(hours=1)
DAY = 24 * HOUR
OWNED = ("domain_notes", "domain_tags", "saved_filters", "seen_domains", "list_visits", "share_links")


@pytest_asyncio.fixture
async def owner(database: Database) -> AsyncIterator[int]:
    """An account; another one owns the same domains, which must never show."""
    ids = []
    async with database.write() as conn:
        for name in ("owner", "other"):
            new = members.NewAccount(f"{name}@members.example", verified=True)
            ids.append((await members.create_account(conn, new, now=NOW, welcome=0)).id)
        await store.add_tag(conn, ids[1], ["a.com"], "bidding", NOW)
        await store.write_note(conn, ids[1], "a.com", "not yours", NOW)
        await store.save_filter(conn, ids[1], "not yours", ("live", "q=x"), NOW)
        await store.record(conn, ids[1], ["a.com"], NOW - DAY)
        await desk_store.share(conn, ids[1], "theirs", ["a.com"], NOW)
    yield ids[0]


async def test_tags_and_notes(database: Database, owner: int) -> None:
    async with database.write() as conn:
        assert await store.marks(conn, owner) == {}
        await store.add_tag(conn, owner, ["a.com", "b.com"], "shortlist", NOW)
        await store.add_tag(conn, owner, ["a.com"], "shortlist", NOW)
        await store.add_tag(conn, owner, ["a.com"], "for the shop", NOW)
        await store.add_tag(conn, owner, ["b.com"], "rejected", NOW)
        await store.write_note(conn, owner, "c.com", "ask Anna", NOW)
        await store.write_note(conn, owner, "c.com", "asked Anna", NOW)
    async with database.read() as conn:
        assert await store.marks(conn, owner) == {
            "a.com": Marks(("shortlist", "for the shop")),
            "b.com": Marks(("rejected",)),
            "c.com": Marks((), "asked Anna"),
        }
        assert await store.marks(conn, owner, ["c.com", "d.com"]) == {"c.com": Marks((), "asked Anna")}
        assert await store.tag_counts(conn, owner) == {"shortlist": 1, "rejected": 1, "for the shop": 1}
        assert await store.tagged(conn, owner, ["shortlist", "rejected"]) == {"a.com", "b.com"}
        assert await store.rejected(conn, owner) == {"b.com"}
    async with database.write() as conn:
        await store.remove_tag(conn, owner, ["a.com", "b.com"], "shortlist")
        await store.write_note(conn, owner, "c.com", "", NOW)
    async with database.read() as conn:
        assert await store.marks(conn, owner) == {
            "a.com": Marks(("for the shop",)),
            "b.com": Marks(("rejected",)),
        }


async def test_tags_and_notes_are_bounded(
    database: Database, owner: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "TAGS_A_DOMAIN", 2)
    monkeypatch.setattr(store, "MOST_TAGGED", 3)
    monkeypatch.setattr(store, "MOST_NOTES", 1)
    async with database.write() as conn:
        for tag in ("one", "two"):
            await store.add_tag(conn, owner, ["a.com"], tag, NOW)
        await store.write_note(conn, owner, "a.com", "x", NOW)
        await store.write_note(conn, owner, "a.com", "y", NOW)
    for names, tag in ((["b.com", "a.com"], "three"), (["b.com", "c.com"], "one")):
        with pytest.raises(TooMany):
            async with database.write() as conn:
                await store.add_tag(conn, owner, names, tag, NOW)
    with pytest.raises(TooMany):
        async with database.write() as conn:
            await store.write_note(conn, owner, "b.com", "x", NOW)
    async with database.read() as conn:
        assert await store.marks(conn, owner) == {"a.com": Marks(("one", "two"), "y")}


async def test_saved_filters(database: Database, owner: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MOST_FILTERS", 2)
    async with database.write() as conn:
        await store.save_filter(conn, owner, "Crafts", ("live", "q=craft"), NOW)
        await store.save_filter(conn, owner, "Boats", ("archive", "q=boat"), NOW)
        await store.save_filter(conn, owner, "Crafts", ("live", "q=crafts"), NOW + HOUR)
        with pytest.raises(BadEntry):
            await store.save_filter(conn, owner, "Long", ("live", "q=" + "x" * 2000), NOW)
        with pytest.raises(TooMany):
            await store.save_filter(conn, owner, "Third", ("live", ""), NOW)
    async with database.write() as conn:
        boats, crafts = await store.filters_of(conn, owner)
        assert (boats["name"], crafts["name"], crafts["query"]) == ("Boats", "Crafts", "q=crafts")
        assert not await store.delete_filter(conn, owner + 1, boats["id"])
        assert await store.delete_filter(conn, owner, boats["id"])
        assert await store.filters_of(conn, owner) == [crafts]


async def test_a_domain_is_seen_before_only_in_a_later_visit(database: Database, owner: int) -> None:
    async with database.write() as conn:
        assert await store.memory(conn, owner, [], NOW) == PageMemory(Visit(NOW, NOW), frozenset(), [])
        await store.record(conn, owner, ["a.com", "b.com"], NOW)
        assert (await store.memory(conn, owner, ["a.com"], NOW + HOUR / 60)).fresh is None
        assert (await store.memory(conn, owner, ["a.com"], NOW + HOUR / 10)).fresh == []
        assert (await store.memory(conn, owner, ["a.com", "c.com"], NOW)).fresh == ["c.com"]
        await store.record(conn, owner, ["b.com", "c.com"], NOW + HOUR / 2)
        assert await store.seen_before(conn, owner, NOW + HOUR / 2) == set()
        later = NOW + 3 * HOUR
        assert (await store.visit(conn, owner, later)).previous_at == NOW + HOUR / 2
        assert await store.seen_before(conn, owner, later) == {"a.com", "b.com", "c.com"}
        remembered = await store.memory(conn, owner, ["c.com", "d.com"], later)
        assert remembered == PageMemory(Visit(later, later, NOW + HOUR / 2), frozenset({"c.com"}), ["d.com"])


async def test_what_was_seen_is_forgotten_by_age_and_number(
    database: Database, owner: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with database.write() as conn:
        for days, name in ((91, "old.com"), (3, "a.com"), (2, "b.com"), (1, "c.com")):
            await store.record(conn, owner, [name], NOW - days * DAY)
        monkeypatch.setattr(store, "MOST_SEEN", 2)
        assert await store.forget_seen(conn, NOW, 1) == 1
        assert await store.forget_seen(conn, NOW, 10) == 1
        assert await store.forget_seen(conn, NOW, 10) == 0
        mine = seen_domains.c.account_id == owner
        assert set(await conn.scalars(sa.select(seen_domains.c.domain).where(mine))) == {"b.com", "c.com"}


async def test_what_was_seen_is_bounded_as_it_is_written(
    database: Database, owner: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "MOST_SEEN", 2)
    async with database.write() as conn:
        for days, name in ((3, "a.com"), (2, "b.com"), (1, "c.com")):
            await store.record(conn, owner, [name], NOW - days * DAY)
        assert await store.seen_before(conn, owner, NOW) == {"b.com", "c.com"}
        assert await store.seen_before(conn, owner + 1, NOW) == {"a.com"}


async def test_share_links_end_and_can_be_revoked(
    database: Database, owner: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk_store, "MOST_LINKS", 2)
    async with database.write() as conn:
        ends = await desk_store.share(conn, owner, "secret", ["b.com", "a.com"], NOW)
        await desk_store.share(conn, owner, "another", ["c.com"], NOW + HOUR)
        with pytest.raises(TooMany):
            await desk_store.share(conn, owner, "third", ["c.com"], NOW)
    async with database.write() as conn:
        assert ends == NOW + rules.LINK_LASTS
        found = await desk_store.shared_names(conn, "secret", NOW + 29 * DAY)
        assert found == (owner, ["b.com", "a.com"], ends)
        assert await desk_store.shared_names(conn, "secret", ends) is None
        assert await desk_store.shared_names(conn, "guessed", NOW) is None
        newest, oldest = await desk_store.links_of(conn, owner, NOW)
        assert (newest["domains"], oldest["domains"]) == (["c.com"], ["b.com", "a.com"])
        assert [link["id"] for link in await desk_store.links_of(conn, owner, ends)] == [newest["id"]]
        assert not await desk_store.revoke(conn, owner + 1, oldest["id"])
        assert await desk_store.revoke(conn, owner, oldest["id"])
        assert await desk_store.shared_names(conn, "secret", NOW) is None
        assert "another" not in list(await conn.scalars(sa.select(share_links.c.hash)))


async def test_everything_goes_with_its_account(database: Database, owner: int) -> None:
    async with database.write() as conn:
        await delete_account(conn, owner + 1)
        for name in OWNED:
            left = await conn.scalar(sa.select(sa.func.count()).select_from(metadata.tables[name]))
            assert (name, left) == (name, 0)
