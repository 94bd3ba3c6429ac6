"""Names are sorted by code point whatever language a database was made for: in SQL, in memory, on every page."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import closing

import psycopg
import pytest
import sqlalchemy as sa

from afterdrop.accounts.versions import Versions
from afterdrop.catalogue.lists.asking import ListContext
from afterdrop.catalogue.lists.filters import ListFilter, ListSelection
from afterdrop.catalogue.lists.snapshots import Snapshots
from afterdrop.catalogue.lists.sort_orders import Order
from afterdrop.catalogue.store import live_now
from afterdrop.db import migrate
from afterdrop.db.engine import Database, open_database
from tests.support.rows import LINKS, NOW, PRO, put, row

# Languages sort these otherwise: hyphens do not count, digits come last, and capitals beside small letters.
NAMES = (
    "a-z.com",
    "ab.com",
    "a-a.com",
    "a1.com",
    "xn--a-ega.com",
    "a.com",
    "b-.com",
    "aa-b.com",
    "aab.com",
    "9.com",
)
PLACES = ("anchor", "Zebra", "Öl", "an-chor", "Anchor", "market_a", "market-b", "a1", "zebra", "ol")
COLLATIONS = {
    "a language": "LC_COLLATE 'de_DE.utf8' LC_CTYPE 'de_DE.utf8'",
    "ICU": "LOCALE_PROVIDER icu ICU_LOCALE 'de-DE' LC_COLLATE 'C.utf8' LC_CTYPE 'C.utf8'",
}


@pytest.fixture(params=list(COLLATIONS))
async def collated(request: pytest.FixtureRequest, postgres_url: str) -> AsyncIterator[Database]:
    """A migrated database that sorts by a language."""
    url, name = sa.make_url(postgres_url), f"t_collated_{os.getpid()}"
    server = url.set(drivername="postgresql", database="postgres").render_as_string(hide_password=False)
    own = url.set(database=name).render_as_string(hide_password=False)
    drop = f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'.encode()
    with closing(psycopg.connect(server, autocommit=True)) as conn:
        conn.execute(drop)
        made = f'CREATE DATABASE "{name}" TEMPLATE template0 {COLLATIONS[request.param]}'
        try:
            conn.execute(made.encode())
        except psycopg.errors.WrongObjectType:
            pytest.skip(
                "this machine has no German locale (apt-get install locales; localedef -i de_DE -f UTF-8 de_DE.UTF-8)"
            )
        migrate.upgrade(own)
        database = open_database(own)
        try:
            yield database
        finally:
            await database.close()
            conn.execute(drop)


SORTS: tuple[tuple[Order, ...], ...] = (
    (Order("score", True),),
    (Order("name", False),),
    (Order("name", True),),
    (Order("marketplace", False),),
    (Order("marketplace", True), Order("score", True)),
)


async def test_names_and_marketplaces_are_in_one_order_everywhere(collated: Database) -> None:
    async with collated.write() as conn:
        for name, place in zip(NAMES, PLACES, strict=True):
            await put(conn, row(name, source_title=place))
    place_of = dict(zip(NAMES, PLACES, strict=True))
    async with collated.read() as conn:
        assert await conn.scalar(sa.text("SELECT 'a' < 'Z'")), "the database sorts by a language"
    snapshots = Snapshots(collated, Versions(collated), LINKS)
    snapshots.start()
    await snapshots.made()
    snapshot = await snapshots.current()
    assert snapshot is not None
    for sort in SORTS:
        [first, *_] = sort
        wanted = sorted(NAMES)
        if first.column == "name":
            wanted.sort(reverse=first.descending)
        elif first.column == "marketplace":
            wanted.sort(key=place_of.__getitem__, reverse=first.descending)
        selection = ListSelection(ListContext("live", PRO, NOW), ListFilter(), sort)
        in_memory = snapshot.page(selection, 1, 100)
        assert [each["domain"] for each in snapshot.summaries(in_memory.rows, selection.at)] == wanted, sort
    async with collated.read() as conn:
        best = await live_now(conn, PRO, NOW, LINKS, 50)
    assert [each["domain"] for each in best.rows] == sorted(NAMES)
    await snapshots.close()
