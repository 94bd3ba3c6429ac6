"""Tables of Common Crawl's blocks, fetched over HTTP: which, how far, and what is no table."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta

import pytest

from afterdrop.core.errors import UpstreamError
from afterdrop.sandbox import RunningSandbox
from afterdrop.sandbox.crawl_server import LIST_PATH, crawl_files, crawls
from afterdrop.sources.archive import common_crawl
from afterdrop.sources.archive.common_crawl import CommonCrawl
from afterdrop.sources.archive.zipnum import compact
from tests.integration.sources.archive.conftest import NOON, Hosted

ONE = "CC-MAIN-2026-42"
CLUSTER = f"/cc-index/collections/{ONE}/indexes/cluster.idx"
LINES = [f"com,a{at:02})/ 20261010000000\tcdx-00000.gz\t{at * 9}\t9\t{at}\n".encode() for at in range(40)]


def listed(*crawl_ids: object) -> bytes:
    return json.dumps([{"id": name} for name in crawl_ids]).encode()


async def test_the_newest_twelve_and_the_last_of_each_earlier_year(
    running: RunningSandbox, crawl: CommonCrawl
) -> None:
    assert crawl.tables() == ()
    fetched = await crawl.fetch_tables(NOON)
    assert fetched == crawl.tables()
    assert len(fetched) == 12 + 12
    assert [name[8:12] for name in fetched[12:]] == [str(year) for year in range(2024, 2012, -1)]
    assert fetched[:2] == ("CC-MAIN-2026-42", "CC-MAIN-2026-38")
    running.state.log.clear()
    assert await crawl.fetch_tables(NOON) == ()
    assert not running.state.log, "the list is asked for once a day"
    assert await crawl.fetch_tables(NOON + timedelta(days=1)) == ()
    assert [row["path"] for row in running.state.log] == [LIST_PATH]
    named = {file.name.partition(".")[2] for file in crawl.folder.iterdir()}
    assert named == {"blocks", "json", "lock"}


async def test_some_tables_a_call(crawl: CommonCrawl) -> None:
    first = await crawl.fetch_tables(NOON, most=2)
    second = await crawl.fetch_tables(NOON, most=1)
    assert (len(first), len(second)) == (2, 1)
    assert crawl.tables() == (*first, *second)


async def test_an_old_table_goes_when_its_replacement_is_there(
    running: RunningSandbox, crawl: CommonCrawl
) -> None:
    before = await crawl.fetch_tables(NOON)
    removed_by_its_publisher = crawl.folder / "CC-MAIN-2019-99.blocks"
    removed_by_its_publisher.write_bytes((crawl.folder / f"{before[0]}.blocks").read_bytes())
    unwanted = crawl.folder / "CC-MAIN-2014-20.idx.part"
    unwanted.write_bytes(b"com,a)/")
    december = datetime(2026, 12, 5, tzinfo=UTC)
    running.clock.put(december)
    running.state.faults.put([{"server": "crawl", "path": "2026-46/", "kind": "status", "status": 404}])
    assert await crawl.fetch_tables(december) == ()
    assert set(before) < set(crawl.tables())
    running.state.faults.put([])
    assert await crawl.fetch_tables(december) == ("CC-MAIN-2026-46",)
    assert set(before) - set(crawl.tables()) == {"CC-MAIN-2025-46"}
    assert "CC-MAIN-2019-99" in crawl.tables()
    assert not unwanted.exists()


async def test_a_broken_off_download_goes_on(
    running: RunningSandbox, crawl: CommonCrawl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(common_crawl, "PIECE_BYTES", 50)
    rule = {"server": "crawl", "path": "cluster.idx", "kind": "status", "status": 500, "after": 1, "count": 1}
    running.state.faults.put([rule])
    with pytest.raises(UpstreamError, match="status 500"):
        await crawl.fetch_tables(NOON, most=1)
    (part,) = crawl.folder.glob("*.part")
    assert part.stat().st_size == 50
    assert await crawl.fetch_tables(NOON, most=1) == (ONE,)
    (made,) = (one for one in crawls(running.world.day) if one.id == ONE)
    cluster = crawl_files(running.world, made)[CLUSTER.removeprefix("/")]
    whole = b"".join(compact(cluster.splitlines(keepends=True)))
    assert (crawl.folder / f"{ONE}.blocks").read_bytes() == whole
    assert not part.exists()


async def test_pieces_are_asked_for_once(hosted: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(common_crawl, "PIECE_BYTES", 1_000)
    hosted.host.files = {LIST_PATH: listed(ONE), CLUSTER: b"".join(LINES)}
    size = len(hosted.host.files[CLUSTER])
    hosted.crawl.folder.mkdir()
    (hosted.crawl.folder / f"{ONE}.idx.part").write_bytes(hosted.host.files[CLUSTER][:1_200])
    assert await hosted.crawl.fetch_tables(NOON) == (ONE,)
    assert hosted.host.asked_for[1:] == [(CLUSTER, "bytes=1199-2198")]
    assert size <= 2_199


async def test_a_whole_download_that_was_no_table_yet_is_made_one(hosted: Hosted) -> None:
    hosted.host.files = {LIST_PATH: listed(ONE), CLUSTER: b"".join(LINES)}
    hosted.crawl.folder.mkdir()
    (hosted.crawl.folder / f"{ONE}.idx.part").write_bytes(b"".join(LINES))
    assert await hosted.crawl.fetch_tables(NOON) == (ONE,)
    assert len(hosted.host.asked_for) == 2


async def test_a_download_of_another_file_begins_anew(hosted: Hosted) -> None:
    hosted.host.files = {LIST_PATH: listed(ONE), CLUSTER: b"".join(LINES)}
    hosted.crawl.folder.mkdir()
    (hosted.crawl.folder / f"{ONE}.idx.part").write_bytes(b"".join(LINES) * 2)
    assert await hosted.crawl.fetch_tables(NOON) == ()
    assert await hosted.crawl.fetch_tables(NOON) == (ONE,)


async def test_what_is_no_cluster_file_is_refused_and_asked_for_again(hosted: Hosted) -> None:
    hosted.host.files = {LIST_PATH: listed(ONE), CLUSTER: b"".join(reversed(LINES))}
    with pytest.raises(UpstreamError, match="is no cluster file: line 2 is not sorted") as caught:
        await hosted.crawl.fetch_tables(NOON)
    assert caught.value.kind == "bad_content"
    assert hosted.crawl.tables() == ()
    hosted.host.files[CLUSTER] = b"".join(LINES)
    assert await hosted.crawl.fetch_tables(NOON) == (ONE,)


@pytest.mark.parametrize(
    ("status", "content_range"),
    [
        (200, None),
        (206, None),
        (206, "bytes 0-3/4"),
        (206, "bytes 1-9/9"),
        (206, "bytes 0-8/*"),
        (206, "bytes 0-8/99"),
        (206, "bytes 0-8/600000000"),
    ],
    ids=["whole", "no range", "short", "elsewhere", "no size", "less than it has", "600 MB"],
)
async def test_a_range_must_be_what_was_asked_for(
    hosted: Hosted, status: int, content_range: str | None
) -> None:
    headers = {"Content-Range": content_range} if content_range else {}
    hosted.host.files = {LIST_PATH: listed(ONE)}
    hosted.host.answers = {CLUSTER: (status, headers, b"com,a)/ 2")}
    with pytest.raises(UpstreamError) as caught:
        await hosted.crawl.fetch_tables(NOON)
    assert caught.value.kind == "bad_content"
    assert list(hosted.crawl.folder.glob("*.part")) == []


async def test_a_host_that_ignores_ranges_is_not_read_to_the_end(
    running: RunningSandbox, crawl: CommonCrawl
) -> None:
    running.state.faults.put(["whole_files"])
    with pytest.raises(UpstreamError, match="with something else") as caught:
        await crawl.fetch_tables(NOON)
    assert caught.value.kind == "bad_content"


@pytest.mark.parametrize(
    "body",
    [b"<html>", b"{}", b"[]", b'["CC-MAIN-2024-30"]', listed(None, "../CC-MAIN-2024-30", "CC-MAIN-2011-05"),
     listed("CC-MAIN-2099-01")],
    ids=["page", "object", "empty", "texts", "odd ids", "future"],
)  # fmt: skip
async def test_what_is_no_list_of_crawls_is_refused(hosted: Hosted, body: bytes) -> None:
    hosted.host.files = {LIST_PATH: body}
    with pytest.raises(UpstreamError, match="is no list of crawls"):
        await hosted.crawl.fetch_tables(NOON)


async def test_a_list_that_is_away(hosted: Hosted) -> None:
    with pytest.raises(UpstreamError, match="status 404 instead of the list"):
        await hosted.crawl.fetch_tables(NOON)


async def test_one_process_fetches_at_a_time(hosted: Hosted) -> None:
    hosted.host.files = {LIST_PATH: listed(ONE), CLUSTER: b"".join(LINES)}
    other = CommonCrawl(hosted.crawl.web, hosted.crawl.settings, hosted.crawl.folder)
    results = await asyncio.gather(hosted.crawl.fetch_tables(NOON), other.fetch_tables(NOON))
    assert sorted(results) == [(), (ONE,)]
