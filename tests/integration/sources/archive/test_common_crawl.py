"""Captures of Common Crawl over HTTP: the index of a name, its records, and hosts that refuse."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from urllib.parse import parse_qs, urlsplit

import pytest
import sqlalchemy as sa

from afterdrop.core import clock
from afterdrop.core.errors import UpstreamError
from afterdrop.db.engine import Database
from afterdrop.db.tables.feeds import host_pace
from afterdrop.sandbox import RunningSandbox
from afterdrop.sandbox.captures import Capture
from afterdrop.sandbox.crawl_server import captures_of, crawls, in_common_crawl
from afterdrop.sources.archive import common_crawl
from afterdrop.sources.archive.cdx import read_index
from afterdrop.sources.archive.common_crawl import CommonCrawl, line_address
from afterdrop.sources.archive.wayback import MissingCapture, Replay
from afterdrop.sources.archive.zipnum import Place, compact
from tests.integration.sources.archive.conftest import NOON, Hosted
from tests.support.warc import PAGE, http, record

ONE = "CC-MAIN-2026-42"
SHARD = f"/cc-index/collections/{ONE}/indexes/cdx-00000.gz"
FILE = f"crawl-data/{ONE}/segments/1.3/warc/{ONE}-00000.warc.gz"
HOME = "https://example.com/"


def of_site(captures: list[Capture], domain: str) -> list[Capture]:
    """A domain's captures without robots.txt."""
    key = ",".join(reversed(domain.split(".")))
    mine = [one for one in captures if one.urlkey.startswith((f"{key})", f"{key},"))]
    return [one for one in mine if not one.original.endswith("/robots.txt")]


def captured(running: RunningSandbox, *crawl_ids: str) -> list[Capture]:
    """All that these crawls of the sandbox captured."""
    chosen = [one for one in crawls(running.world.day) if one.id in crawl_ids]
    return [capture for one in chosen for capture in captures_of(running.world, one)]


def host_one_block(hosted: Hosted, *urls: str) -> None:
    """Let the host have one crawl with a block of rows, and the client its table."""
    lines = [f"com,example)/ 20261010000000 {json.dumps(row(url))}\n" for url in urls]
    block = gzip.compress("".join(lines).encode())
    hosted.host.files[SHARD] = block
    hosted.crawl.folder.mkdir(exist_ok=True)
    cluster = f"com,example)/ 20261010000000\tcdx-00000.gz\t0\t{len(block)}\t1\n".encode()
    (hosted.crawl.folder / f"{ONE}.blocks").write_bytes(b"".join(compact([cluster])))


def row(url: str) -> dict[str, str]:
    return {
        "url": url,
        "mime": "text/html",
        "status": "200",
        "digest": "A",
        "length": "9",
        "offset": "0",
        "filename": FILE,
    }


def host_record(hosted: Hosted, content: bytes) -> Place:
    """Let the host have one record, behind another."""
    before, packed = gzip.compress(record(http(b"another"))), gzip.compress(content)
    hosted.host.files[f"/{FILE}"] = before + packed
    return Place(FILE, len(before), len(packed))


async def test_the_index_has_what_the_crawls_captured(running: RunningSandbox, crawl: CommonCrawl) -> None:
    tables = await crawl.fetch_tables(NOON)
    everything = captured(running, *tables)
    domains = [story.domain for story in running.world.stories]
    neighbours = {one.original.split("/")[2] for one in everything if "-bazaar" in one.original}
    sizes = Counter[bool]()
    for domain in (*domains, *sorted(neighbours)):
        rows = await crawl.index(domain)
        expected = of_site(everything, domain)
        assert rows.crawls == tables
        lines = [line.split(" ") for line in rows.lines.decode().splitlines()]
        assert sorted((line[0], line[1], line[2], line[4], line[5]) for line in lines) == sorted(
            (one.urlkey, one.timestamp, one.original, str(one.page.status), one.page.digest)
            for one in expected
        )
        assert rows.places.keys() == {(one.timestamp, one.original) for one in expected}
        assert rows.lines.splitlines() == sorted(rows.lines.splitlines())
        assert dict(read_index(rows.lines, domain).bad) == {}
        sizes[bool(lines)] += 1
    assert [name for name in domains if not in_common_crawl(name)], "some sites no crawl has"
    assert sizes[True] > 20


async def test_digests_are_those_of_the_other_archive(running: RunningSandbox, crawl: CommonCrawl) -> None:
    await crawl.fetch_tables(NOON, most=12)
    for story in running.world.stories:
        digests = {capture.page.digest for capture in running.world.captures(story)}
        for line in (await crawl.index(story.domain)).lines.splitlines():
            assert line.split(b" ")[5].decode() in digests


async def test_crawls_that_need_not_be_asked(running: RunningSandbox, crawl: CommonCrawl) -> None:
    tables = await crawl.fetch_tables(NOON, most=3)
    domain = running.world.stories[0].domain
    running.state.log.clear()
    assert (await crawl.index(domain, without=tables[:2])).crawls == tables[2:]
    assert all(tables[2] in request["path"] for request in running.state.log)
    assert (await crawl.index(domain, without=tables)).lines == b""


async def test_a_block_serves_neighbours(running: RunningSandbox, crawl: CommonCrawl) -> None:
    await crawl.fetch_tables(NOON, most=2)
    for story in running.world.stories:
        await crawl.index(story.domain)
    asked_for = Counter(row["path"] for row in running.state.log if "cdx-" in row["path"])
    running.state.log.clear()
    for story in running.world.stories:
        await crawl.index(story.domain)
    assert list(running.state.log) == []
    blocks = sum(len((crawl.folder / f"{name}.blocks").read_bytes().splitlines()) for name in crawl.tables())
    assert sum(asked_for.values()) <= blocks


async def test_blocks_are_kept_for_a_day_and_within_bounds(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    host_one_block(hosted, HOME)
    now = [1_000_000.0]
    monkeypatch.setattr(clock, "monotonic", lambda: now[0])

    async def requests() -> int:
        hosted.host.asked_for.clear()
        await hosted.crawl.index("example.com")
        return len(hosted.host.asked_for)

    assert [await requests(), await requests()] == [1, 0]
    now[0] += 86_401
    assert [await requests(), await requests()] == [1, 0]
    now[0] += 86_401
    monkeypatch.setattr(common_crawl, "_BLOCKS_BYTES", 10)
    assert [await requests(), await requests()] == [1, 1]


async def test_rows_are_bounded(hosted: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(common_crawl, "_ROWS_BYTES", 150)
    host_one_block(hosted, *(f"{HOME}{number}" for number in range(9)))
    rows = await hosted.crawl.index("example.com")
    assert len(rows.lines.splitlines()) == len(rows.places) == 2
    assert rows.crawls == (ONE,)


async def test_captures_are_read_from_their_places(running: RunningSandbox, crawl: CommonCrawl) -> None:
    tables = await crawl.fetch_tables(NOON, most=14)
    everything = captured(running, *tables)
    statuses = Counter[int]()
    for domain in [story.domain for story in running.world.stories if in_common_crawl(story.domain)][:8]:
        places = (await crawl.index(domain)).places
        for one in of_site(everything, domain):
            place = places[one.timestamp, one.original]
            replay = await crawl.capture(place, NOON, one.original)
            assert isinstance(replay, Replay)
            assert (replay.body, replay.status) == (one.page.body, one.page.status)
            assert (replay.url, replay.asked) == (one.original, NOON)
            assert replay.at.strftime("%Y%m%d%H%M%S") == one.timestamp
            assert replay.mimetype == one.page.mimetype
            assert replay.redirected_to == (one.page.location or None)
            assert replay.headers["Content-Type"] == one.page.content_type
            statuses[replay.status] += 1
    assert statuses[200] > 10
    assert statuses[301] > 3


async def test_a_capture_has_an_address_for_people() -> None:
    address = urlsplit(line_address(Place(FILE, 1, 2), "https://example.com/ä?b=c"))
    assert (address.netloc, address.path) == ("index.commoncrawl.org", f"/{ONE}-index")
    assert parse_qs(address.query) == {"url": ["https://example.com/ä?b=c"], "output": ["json"]}
    assert line_address(Place("crawl-data/x", 1, 2), HOME).startswith("https://index.commoncrawl.org/?url=")


@pytest.mark.parametrize(
    "headers",
    [
        ("X-Crawler-Content-Encoding: gzip", "X-Crawler-Transfer-Encoding: chunked"),
        ("Content-Encoding: gzip", "Transfer-Encoding: chunked"),
        ("Content-Encoding: br",),
    ],
    ids=["named aside", "named as they were", "brotli"],
)
async def test_a_coding_that_was_undone_is_not_undone_again(hosted: Hosted, headers: tuple[str, ...]) -> None:
    place = host_record(hosted, record(http(PAGE, "Content-Type: text/html", *headers), WARC_Target_URI=HOME))
    replay = await hosted.crawl.capture(place, NOON, HOME)
    assert isinstance(replay, Replay)
    assert replay.body == PAGE


async def test_a_relative_redirect_is_told_whole(hosted: Hosted) -> None:
    answer = http(b"", "Location: /en/#top", status="302 Found")
    place = host_record(hosted, record(answer, WARC_Target_URI=f"{HOME}a"))
    replay = await hosted.crawl.capture(place, NOON, f"{HOME}a")
    assert isinstance(replay, Replay)
    assert replay.redirected_to == f"{HOME}en/"


@pytest.mark.parametrize(
    "content",
    [
        record(http(), WARC_Target_URI="https://other.com/"),
        record(b"", "revisit", WARC_Target_URI=HOME),
        record(b"software: x", "warcinfo", WARC_Target_URI=""),
        b"",
    ],
    ids=["another address", "revisit", "no answer", "nothing"],
)
async def test_what_is_no_record_of_the_address_is_missing(hosted: Hosted, content: bytes) -> None:
    place = host_record(hosted, content)
    missing = MissingCapture(NOON, HOME, "not_archived")
    assert await hosted.crawl.capture(place, NOON, HOME) == missing


async def test_a_place_that_is_none_is_missing(hosted: Hosted) -> None:
    place = host_record(hosted, record(http()))
    for odd in (place._replace(offset=1), place._replace(offset=10**9), place._replace(filename=f"{FILE}x")):
        assert await hosted.crawl.capture(odd, NOON, HOME) == MissingCapture(NOON, HOME, "not_archived"), odd


async def test_a_record_of_another_spelling_is_the_same_page(hosted: Hosted) -> None:
    place = host_record(hosted, record(http(), WARC_Target_URI="http://www.example.com:80/a b"))
    assert isinstance(await hosted.crawl.capture(place, NOON, f"{HOME}a%20b"), Replay)


async def test_a_crawl_that_vanished_is_left_out(
    running: RunningSandbox, crawl: CommonCrawl, caplog: pytest.LogCaptureFixture
) -> None:
    tables = await crawl.fetch_tables(NOON, most=3)
    rule = {"server": "crawl", "path": f"{tables[1]}/.*cdx-", "kind": "status", "status": 404}
    running.state.faults.put([rule])
    domain = next(story.domain for story in running.world.stories if in_common_crawl(story.domain))
    assert (await crawl.index(domain)).crawls == (tables[0], tables[2])
    assert f"{tables[1]} has no files" in caplog.text


async def test_a_missing_file_may_be_a_403(hosted: Hosted) -> None:
    host_one_block(hosted, HOME)
    hosted.host.answers = {SHARD: (403, {}, b"<Error><Code>NoSuchKey</Code></Error>")}
    assert (await hosted.crawl.index("example.com")).crawls == ()
    hosted.host.answers = {}
    assert (await hosted.crawl.index("example.com")).crawls == (ONE,)


@pytest.mark.parametrize(("status", "seconds"), [(403, 3600), (503, 60)])
async def test_a_refusal_blocks_the_host_for_everybody(
    running: RunningSandbox, crawl: CommonCrawl, database: Database, status: int, seconds: int
) -> None:
    await crawl.fetch_tables(NOON, most=1)
    running.state.faults.put([{"server": "crawl", "path": "cdx-", "kind": "status", "status": status}])
    domain = running.world.stories[0].domain
    with pytest.raises(UpstreamError) as caught:
        await crawl.index(domain)
    assert (caught.value.kind, caught.value.http_status, caught.value.retry_after) == (
        "rate_limited", status, seconds
    )  # fmt: skip
    async with database.read() as conn:
        chosen = sa.select(host_pace.c.note).where(host_pace.c.host == crawl.host)
        assert (await conn.execute(chosen)).scalar_one() == f"{status} from {crawl.host}"
    if status == 403:
        running.state.log.clear()
        with pytest.raises(UpstreamError, match="is blocked for another"):
            await crawl.capture(Place(FILE, 0, 9), NOON, HOME)
        assert list(running.state.log) == []


async def test_whole_files_are_no_blocks(running: RunningSandbox, crawl: CommonCrawl) -> None:
    await crawl.fetch_tables(NOON, most=1)
    running.state.faults.put(["whole_files"])
    with pytest.raises(UpstreamError, match="a request for a range") as caught:
        await crawl.index(running.world.stories[0].domain)
    assert caught.value.kind == "bad_content"


async def test_a_broken_block_is_an_error_and_not_kept(hosted: Hosted) -> None:
    host_one_block(hosted, HOME)
    whole = hosted.host.files[SHARD]
    hosted.host.files[SHARD] = whole[:20] + b"\xff" * (len(whole) - 20)
    with pytest.raises(UpstreamError, match="has a broken block at 0: it is no gzip member") as caught:
        await hosted.crawl.index("example.com")
    assert caught.value.kind == "bad_content"
    hosted.host.files[SHARD] = whole
    assert (await hosted.crawl.index("example.com")).lines.count(b"\n") == 1


async def test_another_status_is_an_error(hosted: Hosted) -> None:
    host_one_block(hosted, HOME)
    hosted.host.answers = {SHARD: (500, {}, b"")}
    with pytest.raises(UpstreamError, match="status 500") as caught:
        await hosted.crawl.index("example.com")
    assert (caught.value.kind, caught.value.http_status) == ("status", 500)


async def test_tables_are_opened_anew_when_they_change(hosted: Hosted) -> None:
    host_one_block(hosted, HOME)
    assert (await hosted.crawl.index("example.com")).places.keys() == {("20261010000000", HOME)}
    (hosted.crawl.folder / f"{ONE}.blocks").unlink()
    host_one_block(hosted, HOME, f"{HOME}a")
    assert len((await hosted.crawl.index("example.com")).places) == 2
    (hosted.crawl.folder / f"{ONE}.blocks").write_bytes(b"garbage\n")
    with pytest.raises(UpstreamError, match="remove it, and it is fetched again"):
        await hosted.crawl.index("example.com")
    (hosted.crawl.folder / f"{ONE}.blocks").write_bytes(b"")
    with pytest.raises(UpstreamError, match="is damaged"):
        await hosted.crawl.index("example.com")


async def test_a_table_that_goes_meanwhile_is_left_out(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosted.crawl, "tables", lambda: (ONE,))
    assert await hosted.crawl.index("example.com") == common_crawl.CrawlRows(b"", {}, ())
