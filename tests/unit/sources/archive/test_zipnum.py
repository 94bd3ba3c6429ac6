"""Common Crawl's index: which blocks are read for a name, and which rows of them are the name's."""

from __future__ import annotations

import gzip

import orjson
import pytest

from afterdrop.sources.archive.zipnum import MOST_BLOCKS, MOST_ROWS, Block, Place, blocks_of, compact, rows_in

# The first keys of blocks, as a sorted cluster.idx has them.
KEYS = (
    "com,aaa)/",
    "com,example)/a",
    "com,example)/b",
    "com,example)/c",
    "com,example)/d",
    "com,example,shop)/",
    "com,example-b)/",
    "com,example0)/",
    "de,buch)/",
    "uk,co,example)/",
    "xn--p1ai,xn--e1afmkfd)/",
)
FILE = "crawl-data/CC-MAIN-2024-30/segments/1.1/warc/CC-MAIN-0.warc.gz"


def cluster(*keys: str) -> list[bytes]:
    return [
        f"{key} 20240722120756\tcdx-00001.gz\t{at * 100}\t90\t{at}\n".encode() for at, key in enumerate(keys)
    ]


def offsets(domain: str, *keys: str) -> list[int]:
    """The numbers of the first keys' blocks that are read for a name."""
    return [block.offset // 100 for block in blocks_of(b"".join(compact(cluster(*(keys or KEYS)))), domain)]


@pytest.mark.parametrize(
    ("domain", "numbers"),
    [
        ("example.com", [0, 1, 2]),  # its first captures may stand in the block before
        ("example-b.com", [5, 6]),
        ("example0.com", [6, 7]),
        ("buch.de", [7, 8]),
        ("example.co.uk", [8, 9]),
        ("xn--e1afmkfd.xn--p1ai", [9, 10]),
        ("aaa.com", [0]),
        ("a.com", [0]),  # before the first: then the first block may not hold it, but nothing stands before
        ("zzz.zz", [10]),
        ("nothing.com", [7]),
    ],
)
def test_the_blocks_that_may_hold_a_name(domain: str, numbers: list[int]) -> None:
    if domain == "a.com":
        assert offsets(domain) == []
    else:
        assert offsets(domain) == numbers


def test_a_block_before_a_name_is_found_behind_a_long_run_of_one_host() -> None:
    keys = [f"com,a)/{number:04}" for number in range(1000)]
    assert offsets("b.com", *keys, "com,c)/") == [999]
    assert len(list(compact(cluster(*keys)))) == MOST_BLOCKS + 1


def test_subdomains_are_the_names_own() -> None:
    assert offsets("example.com", "com,aaa)/", "com,example,shop)/x", "com,example,www2)/") == [0, 1, 2]


def test_a_key_without_a_host_is_kept_whole() -> None:
    assert [line.split(b"\t")[0] for line in compact(cluster("101,12,1", "com,a)/"))] == [
        b"101,12,1",
        b"com,a)",
    ]


def test_an_empty_table_has_no_block() -> None:
    assert blocks_of(b"", "example.com") == ()


@pytest.mark.parametrize(
    "lines",
    [
        [b"<html>"],
        [b"\x00\x01\x02"],
        cluster("com,b)/", "com,a)/"),
        [b"com,a)/ 20240722120756\t../../etc/passwd\t0\t1\t1\n"],
        [b"com,a)/ 20240722120756\tcdx-00000.gz\t99999999999999999999\t1\t1\n"],
        [b"com,a)/ 20240722120756\tcdx-00000.gz\t-1\t1\t1\n"],
        [b"a" * 9000 + b" 20240722120756\tcdx-00000.gz\t0\t1\t1\n"],
    ],
    ids=["page", "bytes", "unsorted", "shard", "offset", "sign", "key"],
)
def test_what_is_no_cluster_file_is_refused(lines: list[bytes]) -> None:
    with pytest.raises(ValueError, match=r"line \d is no line"):
        list(compact(lines))


def line(key: str, stamp: str = "20240722120756", **fields: object) -> bytes:
    value = {
        "url": "https://example.com/", "mime": "text/html", "mime-detected": "application/xhtml+xml", "status": "200",
        "digest": "ABC", "length": "700", "offset": "12", "filename": FILE, **fields,
    }  # fmt: skip
    return f"{key} {stamp} ".encode() + orjson.dumps(value)


def block(*lines: bytes) -> bytes:
    return gzip.compress(b"\n".join(lines) + b"\n")


def test_a_row_is_a_line_of_the_index_and_a_place() -> None:
    found = rows_in(block(line("com,example)/")), "example.com")
    told = b"com,example)/ 20240722120756 https://example.com/ application/xhtml+xml 200 ABC 700"
    assert [tuple(row) for row in found] == [(told, Place(FILE, 12, 700))]


def test_blanks_and_missing_fields_leave_seven_words() -> None:
    fields = {"url": "https://example.com/a b", "mime-detected": None, "digest": None}
    (row,) = rows_in(block(line("com,example)/a", **fields)), "example.com")
    assert row.line.split(b" ")[2:] == [b"https://example.com/a%20b", b"text/html", b"200", b"-", b"700"]


def test_neighbours_are_other_names() -> None:
    keys = ("com,example)/", "com,example,shop)/", "com,example-b)/", "com,exampl)/", "com,examples)/")
    assert len(rows_in(block(*map(line, keys)), "example.com")) == 2


@pytest.mark.parametrize(
    "odd",
    [
        b"com,example)/ 20240722120756 {broken",
        b"com,example)/ 20240722120756 []",
        b"com,example)/ yesterday {}",
        b"com,example)/",
        line("com,example)/robots.txt", filename=FILE.replace("/warc/", "/robotstxt/")),
        line("com,example)/", status="304"),
        line("com,example)/", filename="crawl-data/../../etc/passwd"),
        line("com,example)/", filename="/etc/passwd"),
        line("com,example)/", filename="crawl-data/" + "a/" * 200 + "b"),
        line("com,example)/", filename=None),
        line("com,example)/", length="0"),
        line("com,example)/", length="60000000"),
        line("com,example)/", offset="-1"),
        line("com,example)/", offset="1" * 16),
    ],
    ids=[
        "json", "list", "time", "words", "robots", "not modified", "upwards", "absolute", "long", "no file",
        "nothing", "huge", "sign", "digits",
    ],
)  # fmt: skip
def test_odd_lines_are_left_out(odd: bytes) -> None:
    assert len(rows_in(block(odd, line("com,example)/")), "example.com")) == 1


def test_so_many_rows_of_a_name() -> None:
    assert len(rows_in(block(*[line("com,example)/")] * (MOST_ROWS + 5)), "example.com")) == MOST_ROWS


@pytest.mark.parametrize(
    ("packed", "why"),
    [
        (b"<html>", "cannot be unpacked"),
        (block(line("com,example)/"))[:-12], "cut short"),
        (gzip.compress(b"\0" * 20_000_000), "more than 16 MB"),
    ],
    ids=["page", "cut", "bomb"],
)
def test_a_broken_block_is_refused(packed: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        rows_in(packed, "example.com")


def test_a_place_is_one_text() -> None:
    place = Place(FILE, 12, 700)
    assert (Place.of(place.text), place.crawl) == (place, "CC-MAIN-2024-30")
    assert Place.of("") is None
    assert blocks_of(b"com,a)\t1\t2\t3\n", "a.com") == (Block("cdx-00001.gz", 2, 3),)
