"""WARC and ARC files, whole and broken."""

from __future__ import annotations

import gzip
import io
import zlib
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from afterdrop.sources.archive import warc
from afterdrop.sources.archive.warc import WarcRecord, read_records
from tests.support.warc import PAGE, http, record


def read(data: bytes, step: int | None = None) -> tuple[list[WarcRecord], Counter[str]]:
    faults: Counter[str] = Counter()
    stream = io.BytesIO(data)

    def some(size: int) -> bytes:
        return stream.read(min(size, step) if step else size)

    return list(read_records(some, faults)), faults


@pytest.mark.parametrize("step", [None, 7])
@pytest.mark.parametrize("packed", [False, True])
def test_responses_resources_and_revisits(packed: bool, step: int | None) -> None:
    parts = [
        record(b"software: x\r\n", "warcinfo", WARC_Target_URI=""),
        record(http(), WARC_Payload_Digest="sha1:ABC"),
        record(b"GET / HTTP/1.0\r\n\r\n", "request"),
        record(
            http(b""), "revisit", WARC_Payload_Digest="sha1:ABC", WARC_Target_URI="<http://example.com/b>"
        ),
        record(b"<p>", "resource", Content_Type="text/html; charset=x"),
    ]
    data = b"".join(gzip.compress(part) for part in parts) if packed else b"".join(parts)
    found, faults = read(data, step)
    assert [(one.status, one.mimetype, one.digest, one.body) for one in found] == [
        (200, "text/html", "ABC", PAGE),
        (None, "warc/revisit", "ABC", b""),
        (200, "text/html", "", b"<p>"),
    ]
    assert found[1].url == "http://example.com/b"
    assert found[0].at == datetime(2013, 5, 6, 7, 8, 9, tzinfo=UTC)
    assert not faults


def test_arc_records() -> None:
    block = http(PAGE)
    data = (
        b"filedesc://x.arc 0.0.0.0 20140102000000 text/plain 4\nabcd\n"
        + f"http://example.com/a b 1.2.3.4 20140216050221 text/html {len(block)}\n".encode()
        + block
        + b"\nhttp://example.com/ 1.2.3.4 20149916050221 text/html 3\nabc\n"
        + b"ftp://example.com/ 1.2.3.4 20140216050221 text/html 3\nabc\n"
        + b"http://example.com/ 1.2.3.4 20140216050221 text/plain 3\nabc\n"
        + b"http://example.com/cut 1.2.3.4 20140216050221 text/html 300\nHTTP/1.0 200 OK\n\nabc"
    )
    found, faults = read(data)
    assert [(one.url, one.body) for one in found] == [
        ("http://example.com/a b", PAGE),
        ("http://example.com/cut", b"abc"),
    ]
    assert faults == {
        "record without a time or a web address": 2,
        "record without an HTTP answer": 1,
        "record cut short": 1,
    }


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (record(http(), WARC_Date="2013-99-06"), "record without a time or a web address"),
        (record(http(), WARC_Target_URI="dns:example.com"), "record without a time or a web address"),
        (record(b"no answer at all"), "record without an HTTP answer"),
        (b"some other file\nof two lines\n", "bytes between records"),
        (record(http() , Content_Length="2000"), "record cut short"),
        (record(http(b"zz", "Content-Encoding: gzip")), "broken content coding"),
        (record(http(b"3\r\nabc\r\nzz\r\n", "Transfer-Encoding: chunked")), "broken chunks"),
    ],
)  # fmt: skip
def test_damage_is_counted_by_reason(data: bytes, fault: str) -> None:
    assert read(data)[1] == {fault: 1}


def test_a_record_without_a_length_is_skipped() -> None:
    found, faults = read(record(http(), Content_Length="x") + record(http()))
    assert len(found) == 1
    assert faults == {"record without a length": 1, "bytes between records": 1}


def test_too_many_headers_end() -> None:
    _, faults = read(record(b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 600))
    assert faults["more than 500 headers"] == 1


def test_reading_goes_on_after_damage() -> None:
    good = record(http())
    found, faults = read(good + b"garbage\nmore garbage\n" + good)
    assert len(found) == 2
    assert faults == {"bytes between records": 1}


def test_a_broken_gzip_member_is_skipped() -> None:
    good = gzip.compress(record(http()))
    broken = bytearray(gzip.compress(record(http(b"x" * 500)), mtime=0))
    broken[12:30] = b"\xff" * 18
    found, faults = read(good + bytes(broken) + good)
    assert len(found) == 2
    assert faults["broken gzip member"] >= 1
    assert len(read(good + bytes(broken))[0]) == 1


def test_a_truncated_gzip_file_gives_what_it_has() -> None:
    data = gzip.compress(record(http()) * 3)
    found, _ = read(data[:-8])
    assert len(found) == 3


@pytest.mark.parametrize("coding", ["gzip", "deflate", "raw"])
def test_content_codings_are_undone(coding: str) -> None:
    packed = {
        "gzip": gzip.compress(PAGE),
        "deflate": zlib.compress(PAGE),
        "raw": zlib.compressobj(wbits=-15).compress(PAGE) + b"",
    }
    if coding == "raw":
        squeeze = zlib.compressobj(wbits=-15)
        packed["raw"] = squeeze.compress(PAGE) + squeeze.flush()
    name = "gzip" if coding == "gzip" else "deflate"
    found, faults = read(record(http(packed[coding], f"Content-Encoding: {name}", "Content-Type: text/html")))
    assert found[0].body == PAGE
    assert not faults


def test_chunks_are_joined_and_wrongly_declared_ones_left_alone() -> None:
    chunked = b"5;x=1\r\nHello\r\n6\r\n world\r\n0\r\n\r\n"
    found, faults = read(record(http(chunked, "Transfer-Encoding: chunked")))
    assert found[0].body == b"Hello world"
    assert found[0].mimetype == "unk"
    found, faults = read(record(http(PAGE, "Transfer-Encoding: chunked")))
    assert found[0].body == PAGE
    assert not faults


def test_a_large_body_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warc, "BODY_BYTES", 1000)
    found, _ = read(record(http(b"x" * 5000)))
    assert len(found[0].body) == 1000
    bomb = gzip.compress(b"\0" * 1_000_000)
    found, _ = read(record(http(bomb, "Content-Encoding: gzip")))
    assert len(found[0].body) <= 1000


def test_a_line_without_end_is_bounded() -> None:
    found, faults = read(b"x" * 500_000 + b"\n" + record(http()))
    assert len(found) == 1
    assert faults == {"bytes between records": 1}


def test_a_header_without_a_colon_and_a_body_without_headers() -> None:
    found, _ = read(record(b"HTTP/1.0 200\r\nnonsense\r\n"))
    assert found[0].headers == {}


@pytest.mark.parametrize(
    ("name", "pages"),
    [
        ("pywb_bad.arc", 0),
        ("pywb_dupes.warc.gz", 12),
        ("pywb_example.arc", 1),
        ("pywb_example.arc.gz", 1),
        ("pywb_example-bad.warc.gz.bad", 3),
        ("pywb_iana.warc.gz", 171),
        ("warcio_example-bad-non-chunked.warc.gz", 2),
        ("warcio_example-digest.warc", 0),
        ("warcio_example-iana.org-chunked.warc", 1),
        ("warcio_example-wrong-chunks.warc.gz", 1),
    ],
)
def test_genuine_files(real: Path, name: str, pages: int) -> None:
    found, _ = read((real / "warc" / name).read_bytes())
    assert len(found) == pages
    assert all(one.body.lstrip().lower().startswith((b"<!doctype", b"<html")) for one in found[:1])


@pytest.mark.parametrize(
    "head",
    [
        b"http://a.com/ 1.2.3.4 20140102000000 text/html " + b"9" * 5_000,
        b"http://a.com/ 1.2.3.4 20140102000000 text/html x",
        b"http://a.com/ 1.2.3.4 2014 text/html 4",
        b" 1.2.3.4 20140102000000 text/html 4",
        b"a " * 5_000 + b"4",
    ],
)
def test_lines_that_are_not_the_head_of_an_arc_record(head: bytes) -> None:
    faults: Counter[str] = Counter()
    assert list(read_records(io.BytesIO(head + b"\nabcd\n").read, faults)) == []
    assert faults["bytes between records"] == 1


def arc(mime: str, block: bytes) -> bytes:
    head = f"http://example.com/ 1.2.3.4 19990216050221 {mime} {len(block)}\n"
    return b"filedesc://x.arc 0.0.0.0 19990102000000 text/plain 4\nabcd\n" + head.encode() + block + b"\n"


@pytest.mark.parametrize("mime", ["text/html", "no-type", "-", "Text/HTML"])
def test_an_answer_of_http_0_9_is_its_body(mime: str) -> None:
    [found], faults = read(arc(mime, PAGE))
    assert (found.status, found.mimetype, found.body, found.length) == (200, mime.lower(), PAGE, len(PAGE))
    assert not faults


def test_what_has_no_head_and_is_no_page_is_no_answer() -> None:
    for mime, block in (("image/gif", b"GIF89a\0\1<b"), ("no-type", b"words"), ("text/html", b"")):
        assert read(arc(mime, block)) == ([], {"record without an HTTP answer": 1})
    [found], _ = read(record(PAGE, Content_Type="text/html"))
    assert (found.mimetype, found.body) == ("text/html", PAGE)
    assert read(record(PAGE, Content_Type="application/http; msgtype=response"))[0][0].mimetype == "unk"


@pytest.mark.parametrize(
    "line", ["HTTP 200 OK", "ICY 200 OK", "HTTP/1.1 200", "http/1.0  200 ok", "HTTP/2 200", "HTTP/1.0\t200"]
)
def test_status_lines_as_servers_sent_them(line: str) -> None:
    [found], faults = read(record(f"{line}\r\nContent-Type: text/html\r\n\r\n".encode() + PAGE))
    assert (found.status, found.body) == (200, PAGE)
    assert not faults


def test_fields_go_on_in_the_next_line() -> None:
    head = (
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2014-05-01T10:00:00Z\r\n"
        b"WARC-Target-URI:\r\n http://example.com/\r\nX: a\r\n\tb\r\n"
    )
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html;\r\n charset=koi8-r\r\n\r\n" + PAGE
    [found], faults = read(head + f"Content-Length: {len(block)}\r\n\r\n".encode() + block)
    assert (found.url, found.headers["content-type"]) == ("http://example.com/", "text/html; charset=koi8-r")
    assert not faults
    assert read(b"WARC/1.0\r\n  lost\r\n\r\n")[1] == {"record without a length": 1}


def test_digests_have_one_spelling_and_revisits_say_what_they_repeat() -> None:
    base32, hexadecimal = "5LBVQS44KU3XHJYZDRM2V7A7NBPKOGQ5", "eac3584b9c553773a7191c59aafc1f685ea71a1d"
    for spelling in (f"sha1:{base32}", f"SHA1:{base32.lower()}", f"sha1:{hexadecimal}", hexadecimal.upper()):
        [found], faults = read(record(b"", "revisit", WARC_Payload_Digest=spelling))
        assert found.digest == base32
        assert not faults
    refers = {
        "WARC_Refers_To_Target_URI": "<http://example.com/a>",
        "WARC_Refers_To_Date": "2012-01-02T03:04:05Z",
    }
    [found], _ = read(record(b"", "revisit", **refers))
    assert found.repeats == ("http://example.com/a", datetime(2012, 1, 2, 3, 4, 5, tzinfo=UTC))
    [found], _ = read(record(b"", "revisit"))
    assert found.repeats == ("http://example.com/", None)


@pytest.mark.parametrize(
    ("length", "read_"), [(2_000, True), (7_900, True), (8_000, False), (60_000, False), (300_000, False)]
)
def test_an_address_is_read_at_a_length_that_servers_take(length: int, read_: bool) -> None:
    url = "http://example.com/" + "a" * length
    block = http()
    arc = f"{url} 1.2.3.4 20140216050221 text/html {len(block)}\n".encode() + block + b"\n"
    for data in (record(block, WARC_Target_URI=url), record(b"", "revisit", WARC_Target_URI=url), arc):
        found, faults = read(data)
        assert [one.url for one in found] == [url] * read_
        assert bool(faults) != read_
    [revisit] = read(record(b"", "revisit", WARC_Refers_To_Target_URI=url))[0]
    assert revisit.repeats == (url if read_ else "http://example.com/", None)


def test_what_a_record_says_of_itself_is_cut() -> None:
    long = "b" * 9_000
    block = http(
        PAGE, f"Content-Type: text/html{long}", f"X: {long}", "Y: 1", *[f" {long}"] * 3, f"{long}: 1"
    )
    [found], faults = read(record(block, WARC_Payload_Digest=long))
    assert {name: len(value) for name, value in found.headers.items()} == {
        "content-type": 8_192, "x": 8_192, "y": 8_192, "b" * 128: 1
    }  # fmt: skip
    assert (len(found.mimetype), len(found.digest), found.body, faults) == (128, 128, PAGE, {})
