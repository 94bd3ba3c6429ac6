"""Hostile feed files by class, made by code. Run as a program it reads them all, each in bounds."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from afterdrop.core.errors import FeedError
from afterdrop.feeds.containers import Bounds
from afterdrop.feeds.mapping import BadRow
from afterdrop.feeds.parse import read_feed
from afterdrop.feeds.spec import FeedSpec
from tests.hostile.bounded import run
from tests.support.feed_inputs import spec

BOUNDS = Bounds(max_bytes=40_000_000, max_ratio=200)
GOOD = b"name\na.com\nb.com\n"
MB = 1 << 20

Cases = Iterator[tuple[str, bytes]]


def zip_of(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip file with a method."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return target.getvalue()


def bombs() -> Cases:
    """Small files that unpack to far more."""
    zeros = bytes(100 * MB)
    methods = {"deflate": 8, "bzip2": 12, "lzma": 14}
    for name, method in methods.items():
        yield f"zip of zeros, {name}", zip_of({"a.csv": zeros}, method)
        yield f"zip of a header and zeros, {name}", zip_of({"a.csv": GOOD + zeros}, method)
    yield "zip of one long line", zip_of({"a.csv": b"name\n" + b"a" * (100 * MB)})
    yield "zip of short lines", zip_of({"a.csv": b"name\n" + b"a.com\n" * (6 * MB)})
    yield "zip of many bombs", zip_of({f"{n}.csv": bytes(8 * MB) for n in range(40)})
    yield "zip in zip in zip", zip_of({"a.csv": zip_of({"a.csv": zip_of({"a.csv": zeros})})})
    yield "gzip of zeros", gzip.compress(zeros)
    yield "gzip of gzip of gzip", gzip.compress(gzip.compress(gzip.compress(zeros)))
    yield "gzip of many members", gzip.compress(b"") * 500_000
    yield "gzip of a member and padding", gzip.compress(GOOD) + bytes(30 * MB)
    yield "gzip with a name of megabytes", b"\x1f\x8b\x08\x08" + bytes(6) + b"n" * (20 * MB)
    yield "gzip of empty blocks", b"\x1f\x8b\x08\x00" + bytes(6) + b"\x00\x00\x00\xff\xff" * (2 * MB)
    yield "bzip2", bz2.compress(zeros)
    yield "xz", lzma.compress(zeros)
    yield "raw deflate", zlib.compress(zeros)
    yield "a member of 1.3 GB, bzip2", _grown(bz2.compress(bytes(10 * MB)), 12)
    yield "a member that says 4 GB", _says(zip_of({"a.csv": GOOD}), 0xFFFF_FFF0)


def _grown(packed: bytes, method: int) -> bytes:
    """A zip file whose only member is the packed piece many times over (bzip2 streams join)."""
    whole = packed * 130
    name = b"a.csv"
    size = 130 * 10 * MB
    local = struct.pack("<4s5H3L2H", b"PK\x03\x04", 46, 0, method, 0, 33, 0, len(whole), size, len(name), 0)
    entry = struct.pack(
        "<4s6H3L5H2L", b"PK\x01\x02", 46, 46, 0, method, 0, 33, 0, len(whole), size, len(name), 0, 0, 0, 0, 0, 0
    )  # fmt: skip
    begin = len(local) + len(name) + len(whole)
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, len(entry) + len(name), begin, 0)
    return local + name + whole + entry + name + end


def _says(data: bytes, size: int) -> bytes:
    lies = bytearray(data)
    struct.pack_into("<I", lies, lies.rindex(b"PK\x01\x02") + 24, size)
    return bytes(lies)


def quine() -> bytes:
    """A gzip file of itself over and over: what unpacks packings inside packings never comes to an end."""
    inner = gzip.compress(b"name\nq.com\n")
    for _ in range(50):
        inner = gzip.compress(inner * 20)
    return inner


def broken() -> Cases:
    """Containers cut, lied about and damaged."""
    good = zip_of({"a.csv": GOOD * 1_000})
    packed = gzip.compress(GOOD * 1_000)
    yield "quine", quine()
    for cut in (1, 4, 22, 50, 100, len(good) // 2):
        yield f"zip cut by {cut}", good[:-cut]
    for cut in (1, 4, 8, 9, len(packed) // 2, len(packed) - 5):
        yield f"gzip cut by {cut}", packed[:-cut]
    entry, end = good.rindex(b"PK\x01\x02"), good.rindex(b"PK\x05\x06")
    fields = {
        "version": (entry + 6, "<H", 9_999), "flags": (entry + 8, "<H", 0xFFFF), "method": (entry + 10, "<H", 97),
        "sum": (entry + 16, "<I", 1), "packed size": (entry + 20, "<I", 0xFFFF_FFFE),
        "packed size short": (entry + 20, "<I", 3), "size": (entry + 24, "<I", 0x7FFF_FFFF),
        "size short": (entry + 24, "<I", 3), "name": (entry + 28, "<H", 60_000), "extra": (entry + 30, "<H", 60_000),
        "offset": (entry + 42, "<I", 0xFFFF_FFF0), "count": (end + 10, "<H", 0xFFFF),
        "list": (end + 12, "<I", 0x7FFF_FFFF),
        "list offset": (end + 16, "<I", 0x7FFF_FFFF), "local name": (26, "<H", 60_000), "local method": (8, "<H", 12),
    }  # fmt: skip
    for name, (place, form, value) in fields.items():
        lies = bytearray(good)
        struct.pack_into(form, lies, place, value)
        yield f"zip with a wrong {name}", bytes(lies)
    yield "zip of 100,000 empty members", zip_of({f"{n}.csv": b"" for n in range(100_000)})
    yield "zip of 20,000 names of 500 characters", zip_of({f"{n:0500}.csv": b"" for n in range(20_000)})
    rng = random.Random(7)
    for number in range(40):
        data = bytearray(good if number % 2 else packed)
        for _ in range(rng.randint(1, 8)):
            data[rng.randrange(4, len(data))] = rng.randrange(256)
        yield f"{'zip' if number % 2 else 'gzip'} with random damage {number}", bytes(data)


def csv_texts() -> Cases:
    """Lists of lines that are none, or too long."""
    yield "a field of 30 MB", b"name,x\na.com," + b"x" * (30 * MB)
    yield "a quoted field of 30 MB", b'name,x\na.com,"' + b"x" * (30 * MB)
    yield "a field just under a line's limit", b"name,x\n" + (b'a.com,"' + b"x" * 1_000_000 + b'"\n') * 20
    yield "a quote never closed", b'name,x\n"a.com,1\n' + b"b.com,2\n" * 1_000_000
    yield "quotes never closed", b"name,x\n" + b'"b.com,2\n' * 1_000_000
    yield "only quotes", b"name\n" + b'"' * (10 * MB)
    yield "quotes in lines", b"name\n" + (b'"' * 100_001 + b"\n") * 100
    yield "NULs", b"name\n" + b"\0" * (10 * MB)
    yield "NULs in lines", b"name\n" + b"a\0.com\n" * 500_000
    yield (
        "a header of a million columns",
        b"name," + b",".join(b"c%d" % n for n in range(140_000)) + b"\na.com\n",
    )
    yield "a million cells a line", b"name,x\n" + (b"," * 1_000_000 + b"\n") * 10
    yield "blank lines", b"name\n" + b"\n" * 5_000_000
    yield "carriage returns", b"name\n" + b"\r" * (10 * MB)
    yield "no header", b"\n" * 5_000_000
    yield "UTF-16", "name\na.com\n".encode("utf-16") * 100_000
    yield "bytes of no encoding", b"name\n" + b"\xff\xfe\xfd\n" * 500_000
    yield "directions and combining marks", b"name\n" + ("\u202e\u0301" * 100 + ".com\n").encode() * 10_000
    yield "long names", b"name\n" + (b"a." * 400_000 + b"com\n") * 10
    yield "long A-labels", b"name\n" + (b"xn--" + b"a" * 500_000 + b".com\n") * 10
    yield "long names of other letters", b"name\n" + ("ü" * 400_000 + ".com\n").encode() * 10
    yield "nothing", b""


def money_texts() -> Cases:
    """Cells that a price is read from."""
    for name, cell in {
        "blanks": " " * 100_000,
        "signs": "$" * 100_000,
        "groups": "1" + ",111" * 20_000,
    }.items():
        yield f"a price of {name}", b"name;price\n" + f"a.com;{cell}x\n".encode() * 20
    yield "a price of digits", b"name;price\n" + (b"a.com;" + b"9" * 100_000 + b"\n") * 20
    yield "a price with an exponent", b"name;price\n" + b"a.com;1e999999999\n" * 1_000


def json_texts() -> Cases:
    """JSON documents."""
    yield "deep lists", b"[" * (10 * MB)
    yield "deep objects", b'{"a":' * (2 * MB)
    yield "deep inside a row", b'[{"name":"a.com","x":' + b"[" * 400_000 + b"]" * 400_000 + b"}]"
    yield "a row of 30 MB", b'[{"name":"' + b"a" * (30 * MB) + b'"}]'
    yield "a number of 900,000 digits", b'[{"name":"a.com","x":' + b"9" * 900_000 + b"}]"
    yield "numbers of many digits", b"[" + b'{"name":"a.com","x":' + b"9" * 5_000 + b'},{"name":1e99999}]'
    yield "a string never closed", b'[{"name":"a.com","x":"' + b"\\" * (10 * MB)
    yield "scalars", b"[" + b"1," * 5_000_000 + b"1]"
    yield "empty objects", b"[" + b"{}," * 2_000_000 + b"{}]"
    yield "broken objects", b"[" + b'{"name"},' * 500_000 + b"{}]"
    yield "braces in strings", b"[" + b'{"name":"}{}{}{"},' * 300_000 + b"{}]"
    yield "a long way to the list", b'{"a":1,' * (1 * MB) + b'"data":[]}'
    yield "keys before the list", b"{" + b'"a":1,' * (2 * MB) + b'"b":[]}'
    yield "repeated members", b"[{" + b'"name":"a.com",' * 60_000 + b'"x":1}]'
    yield "half a surrogate", b'[{"name":"\\ud800.com"}]'
    yield "no end", b'[{"name":"a.com"},' * 100_000
    yield "no text", bytes(range(1, 256)) * 40_000


def xml_texts() -> Cases:
    """XML documents."""
    laugh = b'<!DOCTYPE a [<!ENTITY b "bbbbbbbbbb">' + b"".join(
        b'<!ENTITY b%d "%s">' % (n, b"&b%d;" % (n - 1) * 10) for n in range(1, 20)
    )
    yield "entities in entities", laugh + b"]><a><item><name>&b19;</name></item></a>"
    yield "a DTD from elsewhere", b'<!DOCTYPE a SYSTEM "http://127.0.0.1/x.dtd"><a/>'
    yield "a DTD without end", b"<!DOCTYPE a [" + b"<!ELEMENT x ANY>" * (1 * MB)
    yield "an attribute of 30 MB", b'<a><item x="' + b"x" * (30 * MB) + b'"/></a>'
    yield "a comment of 30 MB", b"<a><!--" + b"x" * (30 * MB) + b"--></a>"
    yield "an instruction of 30 MB", b"<a><?x " + b"x" * (30 * MB) + b"?></a>"
    yield "a name of 30 MB", b"<a><" + b"x" * (30 * MB) + b"/></a>"
    yield "a tag never closed", b"<a><item " + b"a='1' " * (5 * MB)
    yield "an attribute with line ends", b'<a><item x="' + b"\n" * (30 * MB)
    yield "CDATA of 30 MB", b"<a><item><name><![CDATA[" + b"x" * (30 * MB) + b"]]></name></item></a>"
    yield "text of 30 MB outside of rows", b"<a>" + b"x" * (30 * MB) + b"</a>"
    yield "many attributes", b"<a><item " + b" ".join(b"a%d='1'" % n for n in range(80_000)) + b"/></a>"
    yield (
        "colliding attributes",
        b"<a><item " + b" ".join(b"a%d='1'" % (n * 65_536) for n in range(60_000)) + b"/></a>",
    )
    yield "deep elements", b"<a>" * (5 * MB)
    yield "many comments", b"<a>" + b"<!---->" * (3 * MB) + b"</a>"
    yield "many children", b"<a><item>" + b"<b>1</b>" * (2 * MB) + b"</item></a>"
    yield "rows without anything", b"<a>" + b"<item/>" * (1 * MB) + b"</a>"
    yield "references", b"<a><item><name>" + b"&#65;" * (3 * MB) + b"</name></item></a>"
    yield "an encoding nobody knows", b'<?xml version="1.0" encoding="x-none"?><a/>'
    yield "UTF-16 that is none", b"\xff\xfe" + b"<a>" * 100_000
    yield "no XML", b"x" * (10 * MB)


SPECS: dict[str, FeedSpec] = {
    "csv": spec(),
    "money": spec(
        csv={"delimiter": ";"},
        fields={"domain": "name", "type": {"const": "bid"}, "price": {"from": "price", "convert": ["money"]}},
    ),
    "json": spec(format="json"),
    "xml": spec(format="xml", xml={"row": "item"}),
}
CLASSES = {
    "bombs": (bombs, "csv"), "broken": (broken, "csv"), "csv": (csv_texts, "csv"), "money": (money_texts, "money"),
    "json": (json_texts, "json"), "xml": (xml_texts, "xml"),
}  # fmt: skip


def cases() -> Cases:
    """Every case as `class: what it is`."""
    for name, (made, _) in CLASSES.items():
        for case, data in made():
            yield f"{name}: {case}", data


def read(case: str, path: Path) -> str:
    """What reading said: the error's line, or how many rows were good and bad."""
    feed = SPECS[CLASSES[case.partition(":")[0]][1]]
    good = bad = 0
    try:
        with path.open("rb") as file:
            for batch in read_feed(feed, file, BOUNDS):
                spoilt = sum(isinstance(row, BadRow) for row in batch.alone.values())
                good, bad = good + len(batch) - spoilt, bad + spoilt
    except FeedError as error:
        return f"refused: {error}"
    return f"read: {good} good, {bad} bad"


if __name__ == "__main__":
    run(cases(), read)
