"""Unpacking: every container, every way it can be broken, and bombs."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import zipfile
import zlib

import pytest

from afterdrop.core.errors import FeedError
from afterdrop.feeds.containers import CHUNK, Bounds, Gunzip, members, without_coding
from tests.support.feed_inputs import BOUNDS, Pieces, gzipped, in_pieces, zipped

TEXT = b"name\na.com\nb.com\n"


def unpack(
    data: bytes, container: str = "zip", patterns: tuple[str, ...] = ("*",), bounds: Bounds = BOUNDS
) -> dict[str, bytes]:
    found = {}
    for member in members(io.BytesIO(data), container, patterns, bounds, "sample"):  # type: ignore[arg-type]  # from a parameter
        parts = []
        while part := member.stream.read(CHUNK):
            parts.append(part)
        found[member.name] = b"".join(parts)
    return found


@pytest.mark.parametrize("text", [b"", b" \r\n", b"\xef\xbb\xbf\n"])
def test_a_text_without_anything_is_no_feed(text: bytes) -> None:
    for container, packed in (("plain", text), ("gzip", gzipped(text)), ("zip", zipped({"a.csv": text}))):
        with pytest.raises(FeedError, match="is empty"):
            unpack(packed, container)
    with pytest.raises(FeedError, match="has no member"):
        unpack(zipped({}), "zip")


@pytest.mark.parametrize(
    ("text", "page"),
    [
        (b"<!DOCTYPE html>\n<title>Just a moment", True),
        (b"\xef\xbb\xbf\r\n<HTML lang='de'>", True),
        (b"<!-- cdn -->\n<!-- 2 -->\n<html>", True),
        (b'<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC', True),
        (b"<h1>502 Bad Gateway</h1>", True),
        (b"<?xml version='1.0'?><list><html>x</html></list>", False),
        (b"<!-- a.com,1\n", False),
        (b"<htmlfeed>", False),
        (b"<!---->" * 580, False),  # comments without end must not be tried in every combination
        (b"<?xml" + b" " * 4000, False),
        (b"html.com,1\n", False),
    ],
)
def test_a_page_is_no_feed_and_a_document_is(text: bytes, page: bool) -> None:
    if page:
        with pytest.raises(FeedError, match="is an HTML page"):
            unpack(text, "plain")
    else:
        assert unpack(text, "plain") == {"": text}


def test_gzip_of_several_members_and_padding() -> None:
    assert unpack(gzipped(TEXT), "gzip") == {"": TEXT}
    assert unpack(gzipped(TEXT, b"c.com\n") + b"\0" * 600_000, "gzip") == {"": TEXT + b"c.com\n"}
    assert unpack(gzipped(TEXT) + b"\0" * 600_000 + gzipped(b"c.com\n"), "gzip") == {"": TEXT + b"c.com\n"}


def test_gzip_larger_than_one_chunk() -> None:
    big = b"".join(zlib.crc32(str(number).encode()).to_bytes(4, "big") for number in range(300_000))
    assert unpack(gzipped(big), "gzip")[""] == big


def test_gzip_members_in_separate_reads() -> None:
    source = Gunzip(Pieces(gzipped(TEXT), gzipped(b"more")))
    assert source.read() + source.read() == TEXT + b"more"
    assert source.read() == b""
    assert source.read() == b""


def test_gzip_in_tiny_pieces() -> None:
    source = Gunzip(in_pieces(gzipped(TEXT), 1))
    assert b"".join(iter(source.read, b"")) == TEXT


@pytest.mark.parametrize(("method", "name"), [(zipfile.ZIP_BZIP2, "bzip2"), (zipfile.ZIP_LZMA, "lzma")])
def test_other_compressions_are_refused_unread(method: int, name: str) -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        archive.writestr("a.csv", TEXT * 50)
    with pytest.raises(FeedError, match=rf"a\.csv: cannot be unpacked \(packed with {name}; only stored and"):
        unpack(target.getvalue())


def test_stored_members_are_taken() -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("a.csv", TEXT * 50)
    assert unpack(target.getvalue()) == {"a.csv": TEXT * 50}


def test_a_list_of_members_is_not_read_beyond_its_bound() -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for number in range(10_000):
            archive.writestr(f"{number:0100}.csv", b"")
    with pytest.raises(FeedError, match="its list of members is longer than"):
        unpack(target.getvalue())
    end = zipped({"a.csv": TEXT})
    lies = bytearray(end + b"\0" * 2_000_000 + end[end.rindex(b"PK\x05\x06") :])
    struct.pack_into("<II", lies, lies.rindex(b"PK\x05\x06") + 12, 1_900_000, len(end))
    with pytest.raises(FeedError, match="its list of members is longer than"):
        unpack(bytes(lies))


def test_zip_members_by_pattern_in_order() -> None:
    data = zipped({"readme.txt": "x", "b.csv": TEXT, "a.csv": b"z.com\n", "folder/": b""})
    assert unpack(data, patterns=("*.csv",)) == {"b.csv": TEXT, "a.csv": b"z.com\n"}
    assert list(unpack(data)) == ["readme.txt", "b.csv", "a.csv"]


def test_what_systems_add_to_a_zip_file_is_left_out() -> None:
    fork = b"\0\5\x16\7\0\2\0\0Mac OS X        "
    lists = {
        "lots.csv": TEXT,
        "part 2/._/b.csv": b"c.com\n",
        "MACOSX.csv": b"d.com\n",
        "a.DS_Store": b"e.com\n",
    }
    added = {
        "__MACOSX/._lots.csv": fork, "__MACOSX/part 2/._b.csv": fork, "part 2/._b.csv": fork, "._lots.csv": fork,
        "part 2/": b"", ".DS_Store": fork, "part 2/.DS_Store": fork, "Thumbs.db": fork, "part 2/desktop.ini": fork,
    }  # fmt: skip
    assert unpack(zipped({**added, **lists})) == lists
    with pytest.raises(FeedError, match=r"no member matching \*\.csv among 0"):
        unpack(zipped(added), patterns=("*.csv",))


def test_empty_members_are_left_out_beside_others() -> None:
    assert unpack(zipped({"a.csv": b"", "b.csv": TEXT, "folder": b""})) == {"b.csv": TEXT}
    with pytest.raises(FeedError, match=r"a\.csv: is empty"):
        unpack(zipped({"a.csv": b"", "b.csv": b""}))


def test_the_first_bytes_overrule_what_the_feed_file_expects() -> None:
    assert unpack(TEXT, "zip") == {"": TEXT}
    assert unpack(TEXT, "gzip") == {"": TEXT}
    assert unpack(gzipped(TEXT), "plain") == {"": TEXT}
    assert unpack(zipped({"a.csv": TEXT}), "plain") == {"a.csv": TEXT}
    assert unpack(b"\xef\xbb\xbf" + TEXT, "zip") == {"": b"\xef\xbb\xbf" + TEXT}


@pytest.mark.parametrize("cut", [1, 5, 12, 20])
def test_truncated_gzip(cut: int) -> None:
    with pytest.raises(FeedError, match="damaged or cut off"):
        unpack(gzipped(TEXT)[:-cut], "gzip")


def test_gzip_with_a_wrong_checksum() -> None:
    data = bytearray(gzipped(TEXT))
    data[-5] ^= 1
    with pytest.raises(FeedError, match="damaged"):
        unpack(bytes(data), "gzip")
    with pytest.raises(FeedError, match="damaged"):
        unpack(b"\x01\x02\x03\x04", "gzip")


@pytest.mark.parametrize(
    "behind", [b"rubbish", b"\n", b"\r\n", b"\0\0\n", b"\x1f", b"\0\x1f\x8c", b" " * 5000, b"PK\x03\x04"]
)
@pytest.mark.parametrize("size", [1, 7, 1 << 18])
def test_what_stands_behind_the_last_gzip_member_is_no_part_of_it(behind: bytes, size: int) -> None:
    source = Gunzip(in_pieces(gzipped(TEXT) + b"\0" * 9 + gzipped(b"c.com\n") + behind, size))
    got = b""
    while piece := source.read(100):
        got += piece
    assert got == TEXT + b"c.com\n"


def test_a_gzip_member_that_breaks_off_is_no_rubbish() -> None:
    with pytest.raises(FeedError, match="damaged"):
        unpack(gzipped(TEXT) + gzipped(b"c.com\n" * 99)[:20], "gzip")


def test_truncated_and_damaged_zip() -> None:
    data = zipped({"a.csv": TEXT * 1000})
    with pytest.raises(FeedError, match="not a complete zip"):
        unpack(data[:-30])
    broken = bytearray(data)
    broken[60] ^= 0xFF
    with pytest.raises(FeedError, match=r"a\.csv.*damaged"):
        unpack(bytes(broken))
    with pytest.raises(FeedError, match="not a complete zip"):
        unpack(b"PK\x03\x04" + b"x" * 100)


def test_encrypted_and_unknown_compression() -> None:
    locked = bytearray(zipped({"a.csv": TEXT}))
    locked[6] |= 1
    directory = locked.rindex(b"PK\x01\x02")
    locked[directory + 8] |= 1
    with pytest.raises(FeedError, match="cannot be unpacked"):
        unpack(bytes(locked))
    strange = bytearray(zipped({"a.csv": TEXT}))
    struct.pack_into("<H", strange, 8, 97)
    struct.pack_into("<H", strange, strange.rindex(b"PK\x01\x02") + 10, 97)
    with pytest.raises(FeedError, match="cannot be unpacked"):
        unpack(bytes(strange))


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (bz2.compress(TEXT), "bzip2"),
        (lzma.compress(TEXT), "xz"),
        (b"(\xb5/\xfd" + TEXT, "zstd"),
        (gzipped(gzipped(TEXT)), "gzip"),
        (gzipped(zipped({"a.csv": TEXT})), "zip"),
        (zipped({"a.csv": gzipped(TEXT)}), "gzip"),
    ],
    # Without names of their own the cases are named by their bytes, which hold the time at which they were packed.
    ids=["bzip2", "xz", "zstd", "gzip in gzip", "zip in gzip", "gzip in zip"],
)
def test_another_packing_or_one_inside_another_is_named(data: bytes, name: str) -> None:
    with pytest.raises(FeedError, match=f"holds a {name} file: a feed is plain, gzip or zip"):
        unpack(data, "plain")


def test_a_name_quoted_in_an_error_is_printable() -> None:
    with pytest.raises(FeedError) as caught:
        unpack(zipped({"a\n\x1b[31m\u202e.csv": gzipped(TEXT)}))
    assert str(caught.value).startswith("sample: a??[31m?.csv: holds a gzip file")
    assert str(caught.value).isprintable()


def test_zip_without_a_fitting_member_or_with_far_too_many() -> None:
    with pytest.raises(FeedError, match=r"no member matching \*.csv among 1"):
        unpack(zipped({"a.json": TEXT}), patterns=("*.csv",))
    with pytest.raises(FeedError, match="more than 1000"):
        unpack(zipped({f"{n}.csv": b"" for n in range(1001)}))


def test_bombs_stop_at_the_ratio_and_at_the_size() -> None:
    zeros = b"0" * 30_000_000
    for data, container in ((zipped({"a.csv": zeros}), "zip"), (gzip.compress(zeros), "gzip")):
        with pytest.raises(FeedError, match="200 times its size"):
            unpack(data, container)
        with pytest.raises(FeedError, match="more than 1000000 bytes"):
            unpack(data, container, bounds=Bounds(1_000_000, 10_000))
    with pytest.raises(FeedError, match="more than 10 bytes"):
        unpack(TEXT, "plain", bounds=Bounds(10, 200))


def test_the_size_bound_holds_for_all_members_together() -> None:
    data = zipped({"a.csv": b"x" * 600, "b.csv": b"y" * 600})
    assert len(unpack(data, bounds=Bounds(1200, 200))) == 2
    with pytest.raises(FeedError, match=r"b\.csv"):
        unpack(data, bounds=Bounds(1199, 200))


LIST = b"Domain;Price\n" + b"".join(
    b"n%d.com;%d\n" % (number, number * 7919 % 977) for number in range(90_000)
)
BARE = zlib.compress(LIST, wbits=-15)


def undone(body: bytes, coding: str) -> bytes | None:
    """A body without a coding; None where it has no such coding."""
    pieces = without_coding(io.BytesIO(body), coding)
    return None if pieces is None else b"".join(pieces)


@pytest.mark.parametrize(
    ("body", "coding", "wanted"),
    [
        (gzip.compress(LIST, mtime=0), "gzip", LIST),
        (gzip.compress(gzip.compress(LIST, mtime=0), mtime=0), "gzip", gzip.compress(LIST, mtime=0)),
        (gzip.compress(LIST, mtime=0) + gzip.compress(LIST, mtime=0), "gzip", LIST + LIST),
        (zlib.compress(LIST), "deflate", LIST),
        (BARE, "deflate", LIST),
        (gzip.compress(LIST, mtime=0), "deflate", LIST),
        (zlib.compress(b""), "deflate", b""),
        # A body that does not have the coding stays as it is.
        (LIST, "gzip", None),
        (LIST, "deflate", None),
        (LIST, "br", None),
        (b"", "deflate", None),
        (b"PK\x03\x04\x01\x02", "deflate", None),
        (gzip.compress(LIST, mtime=0), "br", None),
        (gzip.compress(LIST, mtime=0), "utf-8", None),
        (b"\x01\x02", "binary", None),
    ],
)
def test_a_body_is_undone_of_a_content_coding(body: bytes, coding: str, wanted: bytes | None) -> None:
    assert undone(body, coding) == wanted


@pytest.mark.parametrize(
    ("body", "coding"),
    [
        (gzip.compress(LIST, mtime=0)[:-9], "gzip"),
        (zlib.compress(LIST)[:-9], "deflate"),
        (zlib.compress(LIST)[:-1] + b"?", "deflate"),
        (BARE[:-1], "deflate"),
        (BARE[:1000] + b"\xff" * 1000, "deflate"),
        (b"\x1b\x02\x00\xf8", "br"),
        (b"\x28\xb5\x2f\xfd\x00", "zstd"),
        (b"\x1f\x9d\x90\x01", "compress"),
    ],
)
def test_a_damaged_body_or_one_in_a_coding_that_nobody_asked_for(body: bytes, coding: str) -> None:
    with pytest.raises((zlib.error, EOFError, ValueError)):
        undone(body, coding)
