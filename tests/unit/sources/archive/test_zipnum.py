"""Common Crawl's index files: tables of blocks, the blocks of a name, and the rows in them."""

from __future__ import annotations

import gzip
import json
import mmap
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from afterdrop.sources.archive.cdx import read_index
from afterdrop.sources.archive.zipnum import MOST_ROWS, Block, Place, blocks_of, compact, rows_in

FILE = "crawl-data/CC-MAIN-2024-30/segments/1720763514387.30/warc/CC-MAIN-20240712094214-00562.warc.gz"
STAMP = "20240722120756"


def cluster(*keys: str) -> list[bytes]:
    """A cluster file whose blocks begin with these keys and are 100 bytes each."""
    return [
        f"{key} {STAMP}\tcdx-00000.gz\t{at * 100}\t100\t{at + 1}\n".encode() for at, key in enumerate(keys)
    ]


def numbers(table: bytes, domain: str) -> list[int]:
    """Which blocks of such a table may hold the domain."""
    return [block.offset // 100 for block in blocks_of(table, domain)]


def line(key: str = "com,example)/", stamp: str = STAMP, **fields: object) -> str:
    known: dict[str, object] = {
        "url": "https://example.com/", "mime": "text/html", "mime-detected": "text/html", "status": "200",
        "digest": "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", "length": "900", "offset": "77", "filename": FILE,
    }  # fmt: skip
    known |= {name.replace("_", "-"): value for name, value in fields.items()}
    members = {name: value for name, value in known.items() if value is not None}
    return f"{key} {stamp} {json.dumps(members)}\n"


def packed(*lines: str) -> bytes:
    return gzip.compress("".join(lines).encode())


def test_a_place_is_a_range_of_a_file() -> None:
    place = Place.of(f"{FILE} 77 900")
    assert place == Place(FILE, 77, 900)
    assert Place.of(Place(FILE, 77, 900).text) == place
    assert Place.of(f"{FILE} 0 50000000") is not None


@pytest.mark.parametrize(
    "text",
    [
        "",
        f"{FILE} 1",
        f"{FILE} 1 2 3",
        f"{FILE} -1 2",
        f"{FILE} 1 0",
        f"{FILE} 1 50000001",
        f"{FILE} x 1",
        f"{FILE} 1 ²",
        f"/{FILE} 1 2",
        "crawl-data/../secret 1 2",
        "cc-index/a 1 2",
        "crawl-data/ä 1 2",
        f"crawl-data/{'a' * 290} 1 2",
        "crawl-data/ 1 2",
    ],
)
def test_nonsense_is_no_place(text: str) -> None:
    assert Place.of(text) is None


def test_a_table_keeps_hosts_and_places() -> None:
    lines = [
        b"com,example)/a b%20c?d 20240722120756\tcdx-00001.gz\t3000000000\t188224\t1\n",
        b"com,example,www)/ 20240722120756\tcdx-00012.gz\t0\t5\n",
        b"mailto:a@example.com 20240722120756\tcdx-00299.gz\t5\t9\t3\n",
    ]
    assert b"".join(compact(lines)) == (
        b"com,example) 1 b2d05e00 2df40\ncom,example,www) c 0 5\nmailto:a@example.com 12b 5 9\n"
    )


def test_a_table_of_real_proportions_is_a_quarter_of_its_file() -> None:
    rng = random.Random(1)
    hosts = sorted(f"com,{rng.randbytes(rng.randrange(3, 8)).hex()}" for _ in range(300))
    paths = [f"/articles/{number:05}/{'a-long-title-of-an-article'}" for number in range(12)]
    keys = [f"{host},www){path}" for host in hosts for path in paths[: 12 if host < "com,9" else 1]]
    lines = [
        f"{key} {STAMP}\tcdx-{at // 40:05}.gz\t{at * 188_224}\t188224\t{at + 1}\n".encode()
        for at, key in enumerate(keys)
    ]
    assert sum(map(len, compact(lines))) * 4 <= sum(map(len, lines))


def test_blocks_that_begin_in_one_host_are_kept_as_far_as_a_look_up_needs_them() -> None:
    keys = ["com,a)/", *(f"com,b)/{number}" for number in range(9)), "com,d)/"]
    table = b"".join(compact(cluster(*keys)))
    assert table.count(b"com,b)") == 4
    assert numbers(table, "b.com") == [0, 1, 2]
    assert numbers(table, "c.com") == [9], "what follows the host stands in its last block"


def test_keys_with_a_port_are_the_names_own() -> None:
    """They sort behind names that go on with `-` or a digit: in another block, perhaps."""
    near = ["com,shop)/", "com,shop-a)/", "com,shop1)/", "com,shop:8080)/b", "com,shopa)/"]
    assert numbers(b"".join(compact(cluster(*near))), "shop.com") == [0, 2, 3]
    assert numbers(b"".join(compact(cluster("com,a)/", "com,z)/"))), "shop.com") == [0]
    many = ["com,shop)/", *(f"com,shop,{host})/" for host in "abc"), "com,shop:81)/"]
    assert numbers(b"".join(compact(cluster(*many))), "shop.com") == [0, 1, 2], "three at most"
    keys = {
        "com,shop)/": "http://shop.com/",
        "com,shop)/c": "http://shop.com:8080/c",
        "com,shop,www:8080)/a": "http://www.shop.com:8080/a",
        "com,shop-a:8080)/": "http://shop-a.com:8080/",
        "com,shop1:8080)/": "http://shop1.com:8080/",
        "com,shop:8080)/": "http://shop.com:8080/",
        "com,shop:8080)/b": "http://shop.com:8080/b",
        "com,shopa:8080)/": "http://shopa.com:8080/",
    }
    rows = rows_in(packed(*(line(key, url=url) for key, url in keys.items())), "shop.com")
    index = read_index(b"\n".join(sorted(row.line for row in rows)), "shop.com")
    assert set(index.paths) == {"/", "/c", "/b", "www/a"}
    assert {capture.url for capture in index.home} <= {"http://shop.com/", "http://shop.com:8080/"}


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([], "line 1 is missing"),
        ([b"<html>\n"], "line 1 is no line"),
        ([b"\x1f\x8b\x08" * 50], "line 1 is no line"),
        ([*cluster("com,a)/"), b"com,b)/ 20240722120756\tcdx-00000.gz\t100\t100\t2"], "line 2 is no line"),
        (cluster("com,b)/", "com,a)/"), "line 2 is not sorted"),
        ([b"com,a)/ 20240722120756\tcdx-1.gz\t0\t100\t1\n"], "line 1 is no line"),
        ([b"com,a)/ 20240722120756\t../cdx-00000.gz\t0\t100\t1\n"], "line 1 is no line"),
        ([b"com,a)/ 20240722120756\tcdx-00000.gz\t-1\t100\t1\n"], "line 1 is no line"),
        ([b"com,a)/ 20240722120756\tcdx-00000.gz\t" + b"9" * 30 + b"\t100\t1\n"], "line 1 is no line"),
        ([b"com,a)/ 20240722120756\tcdx-00000.gz\t0\t0\t1\n"], "line 1 is no line"),
        ([b"com,a)/ 20240722120756\tcdx-00000.gz\t0\t16000001\t1\n"], "line 1 is no line"),
        ([b"com,a)/ 20240722120756\tcdx-00000.gz\t0\tx\t1\n"], "line 1 is no line"),
        ([b"com,a)/ 2024\tcdx-00000.gz\t0\t100\t1\n"], "line 1 is no line"),
        ([b" 20240722120756\tcdx-00000.gz\t0\t100\t1\n"], "line 1 is no line"),
        ([b"com,a)/ 20240722120756\tcdx-00000.gz\t0\t100\t1\t2\t3\n"], "line 1 is no line"),
    ],
    ids=[
        "empty", "page", "gzip", "cut", "unsorted", "short shard", "foreign shard", "negative", "huge", "no length",
        "huge length", "no number", "short time", "no key", "many fields",
    ],
)  # fmt: skip
def test_what_is_no_cluster_file_is_refused_with_its_line(lines: list[bytes], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        b"".join(compact(lines))


def test_a_file_sorted_but_for_equal_keys_is_taken() -> None:
    assert b"".join(compact(cluster("com,a)/", "com,a)/"))).count(b"\n") == 2


def test_the_block_before_the_first_that_begins_in_a_name_counts() -> None:
    table = b"".join(
        compact(cluster("com,a)/", "com,example)/z", "com,example,www)/", "com,example-b)/", "org,z)/"))
    )
    assert numbers(table, "example.com") == [0, 1, 2]
    assert numbers(table, "example-b.com") == [2, 3]
    assert numbers(table, "exampl.com") == [0]
    assert numbers(table, "example0.com") == [3]
    assert numbers(table, "z.org") == [3, 4], "the last block"
    assert numbers(table, "zz.org") == [4]
    assert numbers(table, "a.com") == [0], "the first block"
    assert numbers(table, "0.com") == [], "before the first block"


def test_a_suffix_is_no_part_of_its_neighbour() -> None:
    table = b"".join(
        compact(cluster("uk,ac,a)/", "uk,co)/", "uk,co,example)/", "uk,co,examples)/", "uk,org)/"))
    )
    assert numbers(table, "example.co.uk") == [1, 2]
    assert numbers(table, "co.uk") == [0, 1, 2]
    assert numbers(table, "examples.co.uk") == [2, 3]


def test_every_block_that_holds_a_name_is_among_the_blocks_of_it(tmp_path: Path) -> None:
    rng = random.Random(7)
    names = sorted(
        {rng.choice(("com", "de", "uk,co")) + "," + "".join(rng.choices("ab-0", k=3)) for _ in range(150)}
    )
    keys = sorted(
        f"{name}{rng.choice((')', ',www)', ',a-b)', '-)', '0)'))}/{number}"
        for name in names
        for number in range(3)
    )
    table = b"".join(compact(cluster(*keys[::4])))
    (tmp_path / "table").write_bytes(table)
    with (
        (tmp_path / "table").open("rb") as opened,
        mmap.mmap(opened.fileno(), 0, prot=mmap.PROT_READ) as mapped,
    ):
        for name in names:
            domain = ".".join(reversed(name.split(",")))
            holding = list(_holding(keys, name))
            assert set(holding[:3]) <= {block.offset // 100 for block in blocks_of(mapped, domain)}, domain
            assert blocks_of(mapped, domain) == blocks_of(table, domain)


def _holding(keys: list[str], name: str) -> Iterator[int]:
    """The numbers of the blocks, of four keys each, that hold keys of a name."""
    for number in range(0, len(keys), 4):
        if any(key.startswith((f"{name})", f"{name},")) for key in keys[number : number + 4]):
            yield number // 4


def test_a_table_without_its_last_line_end_is_searched_to_its_end() -> None:
    assert numbers(b"com,a) 0 0 64\ncom,c) 0 64 64", "d.com") == [1]
    assert blocks_of(b"com,a) 1 0 64", "b.com") == (Block("cdx-00001.gz", 0, 100),)
    assert blocks_of(b"", "b.com") == ()


@pytest.mark.parametrize("table", [b"garbage\n", b"com,a) 0 0 64\n\n\n", b"com,a) x y z\n"])
def test_a_damaged_table_is_refused(table: bytes) -> None:
    with pytest.raises(ValueError, match=r"damaged|invalid literal"):
        blocks_of(table, "b.com")


def test_the_rows_of_a_name() -> None:
    block = packed(
        line("com,exampl)/"),
        line(),
        line("com,example,www)/", mime="unk", mime_detected="application/xhtml+xml", status="404"),
        line("com,example-b)/"),
    )
    rows = rows_in(block, "example.com")
    digest = "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"
    assert [row.line.decode() for row in rows] == [
        f"com,example)/ {STAMP} https://example.com/ text/html 200 {digest} 900",
        f"com,example,www)/ {STAMP} https://example.com/ application/xhtml+xml 404 {digest} 900",
    ]
    assert rows[0].place == Place(FILE, 77, 900)


def test_blanks_in_an_address_are_encoded() -> None:
    (row,) = rows_in(packed(line(url="https://example.com/a bä", offset=5, length=8)), "example.com")
    assert row.line.split(b" ")[2] == "https://example.com/a%20bä".encode()
    assert row.place == Place(FILE, 5, 8), "numbers may be numbers"


def test_a_row_of_2015_has_fewer_fields() -> None:
    (row,) = rows_in(packed(line(mime_detected=None, mime="a b", digest=None)), "example.com")
    assert row.line.split(b" ")[3:] == [b"-", b"200", b"-", b"900"]


def test_redirects_stay_and_robots_txt_goes() -> None:
    redirect = FILE.replace("/warc/", "/crawldiagnostics/")
    block = packed(
        line(filename=redirect, status="301", mime="unk", mime_detected=None),
        line("com,example)/robots.txt", filename=FILE.replace("/warc/", "/robotstxt/")),
        line(filename=redirect, status="304", mime="warc/revisit", mime_detected=None),
    )
    assert [row.line.split(b" ")[3:5] for row in rows_in(block, "example.com")] == [[b"unk", b"301"]]


@pytest.mark.parametrize(
    "odd",
    [
        f"com,example)/ {STAMP} {{\n",
        f"com,example)/ {STAMP} []\n",
        f"com,example)/ {STAMP}\n",
        "com,example)/\n",
        line(stamp="2024"),
        line(status="-"),
        line(status=None),
        line(url=None),
        line(url="https://example.com/" + "a" * 8_000),
        line(url="https://example.com/\n"),
        line(key="com,example)/\r"),
        line(more="a" * 66_000),
        line(filename="../../etc/passwd"),
        line(length="99999999999"),
        line(offset=None),
        line(offset=[]),
    ],
    ids=[
        "half", "list", "no object", "key", "time", "no status", "status missing", "no url", "long url",
        "line end in url", "line end in key", "long row", "foreign file", "huge", "no offset", "list as offset",
    ],
)  # fmt: skip
def test_an_odd_row_is_left_out(odd: str) -> None:
    assert len(rows_in(packed(line(), odd), "example.com")) == 1


def test_rows_are_bounded() -> None:
    assert len(rows_in(packed(line() * (MOST_ROWS + 5)), "example.com")) == MOST_ROWS


@pytest.mark.parametrize(
    ("block", "words"),
    [
        (b"", "cut short"),
        (packed(line())[:-9], "cut short"),
        (b"<html>", "no gzip member"),
        (gzip.compress(bytes(16_000_001)), "unpacks to more"),
    ],
    ids=["empty", "cut", "page", "bomb"],
)
def test_a_broken_block_is_refused(block: bytes, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        rows_in(block, "example.com")
