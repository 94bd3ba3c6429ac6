"""Every hostile file of a crawl is read or refused within its memory and time, and no answer without end is read."""

from __future__ import annotations

from pathlib import Path

import pytest
from aiohttp import web

from afterdrop.core.errors import UpstreamError
from afterdrop.db.engine import Database
from afterdrop.sandbox.crawl_server import LIST_PATH
from afterdrop.sources.archive.warc import BODY_BYTES
from afterdrop.sources.archive.zipnum import MOST_ROWS, Place
from tests.hostile.bounded import outcomes
from tests.hostile.crawls import FILE, HOME, NOW, ONE
from tests.support.crawls import client

# What must be read, and how: the others are refused.
READ = {
    "cluster: a million lines of one host": "a table of",
    "cluster: half a million hosts": "a table of",
    "block: 15 million line ends": "0 rows",
    "block: rows without end": f"{MOST_ROWS} rows",
    "block: a row of 15 MB": "0 rows",
    "block: a million keys": "0 rows",
    "block: deep lists": "0 rows",
    "block: numbers without end": "0 rows",
    "block: blanks to be encoded": "2000 rows",
    "block: foreign files": "0 rows",
    "block: 200,000 empty members": "0 rows",
    "record: 1 GB of zeros": f"{BODY_BYTES} bytes",
    "record: 300 MB of a page": f"{BODY_BYTES} bytes",
    "record: a length of 10 EB": "107 bytes",
    "record: a bomb in a record": f"{BODY_BYTES} bytes",
    "record: headers without end": "0 bytes",
    "record: nothing but zeros": "not_archived",
    "record: a page": "not_archived",
}


@pytest.fixture
def database_url(sqlite_empty: str) -> str:
    """What is tested here does not depend on the kind of database."""
    return sqlite_empty


@pytest.mark.long
@pytest.mark.timeout(3_600)
def test_every_hostile_file_of_a_crawl_is_read_or_refused_in_bounds() -> None:
    results = {outcome.case: outcome for outcome in outcomes("crawls")}
    assert {case: (one.died, one.told) for case, one in results.items() if one.died} == {}
    assert {case: one.grown for case, one in results.items() if one.grown > 150} == {}
    assert {case: one.seconds for case, one in results.items() if one.seconds > 10} == {}
    for case, one in results.items():
        words = f"read: {READ[case]}" if case in READ else "refused: "
        assert one.told.startswith(words), (case, one.told)
        assert len(one.told.splitlines()) == 1, (case, one.told)
    assert results.keys() >= READ.keys()


async def test_a_file_of_5_gb_instead_of_its_range_is_not_read(database: Database, tmp_path: Path) -> None:
    sent = 0

    async def answer(request: web.Request) -> web.StreamResponse:
        nonlocal sent
        if request.path == LIST_PATH:
            return web.json_response([{"id": ONE}])
        response = web.StreamResponse(headers={"Content-Length": str(5_000_000_000)})
        await response.prepare(request)
        while True:  # until the client goes
            await response.write(bytes(1_000_000))
            sent += 1_000_000

    app = web.Application()
    app.router.add_get("/{path:.*}", answer)
    runner = web.AppRunner(app, shutdown_timeout=0.2)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        async with client(site.name.rstrip("/"), database, tmp_path / "crawls") as crawl:
            with pytest.raises(UpstreamError) as caught:
                await crawl.fetch_tables(NOW)
            assert caught.value.kind == "too_large"
            with pytest.raises(UpstreamError) as caught:
                await crawl.capture(Place(FILE, 0, 9), NOW, HOME)
            assert caught.value.kind == "too_large"
            assert crawl.tables() == ()
    finally:
        await runner.cleanup()
    assert sent < 50_000_000
