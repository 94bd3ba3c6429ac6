"""A local capture file with the interface of the archive."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from afterdrop.sources.archive import capture_file
from afterdrop.sources.archive.capture_file import CaptureFileError, domain_of, open_captures, surt
from afterdrop.sources.archive.wayback import MissingCapture, Replay
from tests.support.warc import PAGE, http, record

NOW = datetime(2026, 11, 20, tzinfo=UTC)
PUBLIC = "https://web.archive.org/web"


def file_of(tmp_path: Path, *records: bytes) -> Path:
    path = tmp_path / "site.warc"
    path.write_bytes(b"".join(records))
    return path


async def test_an_index_and_its_captures(tmp_path: Path) -> None:
    path = file_of(
        tmp_path,
        record(http(), WARC_Date="2010-01-01T00:00:00Z", WARC_Payload_Digest="sha1:A"),
        record(http(b"<p>new"), WARC_Date="2012-01-01T00:00:00Z", WARC_Target_URI="https://www.example.com/"),
        record(http(b""), "revisit", WARC_Date="2013-01-01T00:00:00Z", WARC_Payload_Digest="sha1:A"),
        record(
            http(b"", "Location: http://other.test/", status="302 Found"), WARC_Date="2014-01-01T00:00:00Z"
        ),
        record(http(b"{}", "Content-Type: application/json"), WARC_Target_URI="http://example.com/x.json"),
        record(http(), WARC_Target_URI="http://site.example/a b"),
    )
    found = open_captures(path, PUBLIC)
    assert found.domains == {"example.com": 3, "site.example": 1}
    index = (await found.index("example.com", NOW)).index
    assert index.years == {2010: 1, 2012: 1, 2013: 1, 2014: 1}
    assert index.good_years == {2010: 1, 2012: 1, 2013: 1}
    assert (await found.index("site.example", NOW)).index.paths == ("/a%20b",)
    assert (await found.index("nowhere.test", NOW)).index.captures == 0

    first = await found.capture(index.home[0].at, index.home[0].url)
    assert isinstance(first, Replay)
    assert (first.body, first.status, first.mimetype) == (PAGE, 200, "text/html")
    repeated = await found.capture(datetime(2013, 1, 1, tzinfo=UTC), "http://example.com/")
    assert isinstance(repeated, Replay)
    assert repeated.body == PAGE
    moved = await found.capture(datetime(2014, 1, 1, tzinfo=UTC), "http://example.com/")
    assert isinstance(moved, Replay)
    assert moved.redirected_to == "http://other.test/"
    assert await found.capture(NOW, "http://example.com/none") == MissingCapture(
        NOW, "http://example.com/none", "not_archived"
    )


@pytest.mark.parametrize("content", [b"", b"no capture file", record(b"x", "warcinfo")])
def test_a_file_without_pages_says_so(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(CaptureFileError, match="no archived"):
        open_captures(file_of(tmp_path, content), PUBLIC)
    with pytest.raises(CaptureFileError, match="cannot be read"):
        open_captures(tmp_path / "missing", PUBLIC)


def test_damage_is_named_in_the_error(tmp_path: Path) -> None:
    with pytest.raises(CaptureFileError, match="record without an HTTP answer: 1"):
        open_captures(file_of(tmp_path, record(b"nothing")), PUBLIC)


def test_addresses() -> None:
    assert surt("http://www2.Shop.Example.com:80/A?b=C") == "com,example,shop)/a?b=c"
    assert surt("http://[broken") == "http://[broken"
    assert domain_of("http://a.b.example.co.uk/") == "example.co.uk"
    assert domain_of("http://user@site1.example/") == "site1.example"
    assert domain_of("http://127.0.0.1/") == "127.0.0.1"
    assert domain_of("http:///x") is None


def test_an_address_without_a_host_is_left_out(tmp_path: Path) -> None:
    path = file_of(tmp_path, record(http()), record(http(), WARC_Target_URI="http:///x"))
    assert open_captures(path, PUBLIC).domains == {"example.com": 1}


FIRST = "2010-01-01T00:00:00Z"
HERE = "http://example.com/"


@pytest.mark.parametrize(
    ("block", "fields"),
    [
        (b"", {"WARC_Payload_Digest": "sha1:AAAA"}),
        (b"", {"WARC_Refers_To_Target_URI": HERE, "WARC_Refers_To_Date": FIRST}),
        (b"", {"WARC_Refers_To_Target_URI": HERE, "WARC_Payload_Digest": "md5:another"}),
        (b"", {}),
        (http(b"", "Server: x", status="304 Not Modified"), {"WARC_Refers_To_Date": FIRST}),
    ],
)
async def test_a_revisit_is_what_it_repeats_whoever_wrote_it(
    tmp_path: Path, block: bytes, fields: dict[str, str]
) -> None:
    first = http(PAGE, "Content-Type: text/html; charset=koi8-r")
    other = http(b"<p>later", "Content-Type: text/html")
    path = file_of(
        tmp_path,
        record(first, WARC_Date=FIRST, WARC_Payload_Digest="sha1:AAAA"),
        record(block, "revisit", WARC_Date="2012-01-01T00:00:00Z", **fields),
        record(other, WARC_Date="2013-01-01T00:00:00Z", WARC_Payload_Digest="sha1:BBBB"),
    )
    found = open_captures(path, PUBLIC)
    assert (await found.index("example.com", NOW)).index.good_years == {2010: 1, 2012: 1, 2013: 1}
    replay = await found.capture(datetime(2012, 1, 1, tzinfo=UTC), HERE)
    assert isinstance(replay, Replay)
    assert (replay.body, replay.status, replay.at.year) == (PAGE, 200, 2012)
    assert replay.headers["Content-Type"] == "text/html; charset=koi8-r"


async def test_a_revisit_of_another_address_and_of_nothing_earlier(tmp_path: Path) -> None:
    path = file_of(
        tmp_path,
        record(http(b"<p>a"), WARC_Date="2013-01-01T00:00:00Z", WARC_Target_URI="http://example.com/a"),
        record(b"", "revisit", WARC_Date=FIRST, WARC_Refers_To_Target_URI="http://example.com/a"),
        record(b"", "revisit", WARC_Date=FIRST, WARC_Target_URI="http://example.com/b"),
    )
    found = open_captures(path, PUBLIC)
    replay = await found.capture(NOW, HERE)
    assert isinstance(replay, Replay)
    assert replay.body == b"<p>a"
    assert isinstance(await found.capture(NOW, "http://example.com/b"), MissingCapture)


async def test_revisits_that_name_themselves_or_each_other_end(tmp_path: Path) -> None:
    here, there = HERE, "http://example.com/b"
    path = file_of(
        tmp_path,
        record(
            b"", "revisit", WARC_Target_URI=here, WARC_Refers_To_Target_URI=here, WARC_Payload_Digest="sha1:A"
        ),
        record(b"", "revisit", WARC_Target_URI=there, WARC_Refers_To_Target_URI=here),
        record(b"", "revisit", WARC_Target_URI=here, WARC_Refers_To_Target_URI=there),
    )
    found = open_captures(path, PUBLIC)
    for url in (here, there):
        assert isinstance(await found.capture(NOW, url), MissingCapture)


async def test_bodies_beyond_the_bound_are_listed_not_held_and_so_are_revisits_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture_file, "BODIES_BYTES", 0)
    path = file_of(tmp_path, record(http(), WARC_Date=FIRST), record(b"", "revisit"))
    found = open_captures(path, PUBLIC)
    assert found.faults == {"body beyond what is held in memory": 2}
    assert await found.capture(NOW, HERE) == MissingCapture(NOW, HERE, "too_large")


def test_captures_beyond_what_is_held_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capture_file, "LISTED_BYTES", 4_000)
    records = (record(http(), WARC_Target_URI=f"http://example.com/{number}") for number in range(9))
    found = open_captures(file_of(tmp_path, *records), PUBLIC)
    assert found.domains == {"example.com": 3}
    assert found.faults == {"captures beyond what is held in memory, so that the rest was not read": 1}


async def test_of_an_answers_headers_those_are_held_that_a_review_looks_at(tmp_path: Path) -> None:
    long = "a" * 3_000_000
    moved = http(
        PAGE, "Content-Type: text/html", "Refresh: 3", f"Location: /{long}", f"X: {long}", status="301 x"
    )
    found = open_captures(file_of(tmp_path, *[record(moved)] * 3), PUBLIC)
    replay = await found.capture(NOW, "http://example.com/")
    assert isinstance(replay, Replay)
    assert {name: len(value) for name, value in replay.headers.items()} == {
        "content-type": 9, "location": 8_192, "refresh": 1
    }  # fmt: skip
