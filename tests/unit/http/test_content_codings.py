"""Content codings: each undone, several in a row, what is damaged, and what no header tells."""

from __future__ import annotations

import gzip
import random
import tracemalloc
import zlib
from collections.abc import Callable
from functools import partial

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from afterdrop.http.content_codings import MOST_CODINGS, DecodedBody, codings_of, decode_body, sniff_coding

MOST = 2_000_000
_WORDS = random.Random(7)
PAGE = b"<!doctype html><p>" + " ".join(str(_WORDS.random()) for _ in range(20_000)).encode()


def bare(body: bytes) -> bytes:
    """Deflate without zlib's head."""
    stream = zlib.compressobj(wbits=-15)
    return stream.compress(body) + stream.flush()


CODED: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": partial(brotli.compress, quality=1),  # the best one takes seconds for a bomb
    "zstd": zstandard.ZstdCompressor().compress,
}


@pytest.mark.parametrize("name", CODED)
@pytest.mark.parametrize("body", [PAGE, b"<p>short</p>", b""], ids=["page", "short", "empty"])
def test_each_coding_is_undone(name: str, body: bytes) -> None:
    assert decode_body(CODED[name](body), (name,), MOST) == DecodedBody(body)


def test_deflate_without_its_head_and_several_members_are_read() -> None:
    assert decode_body(bare(PAGE), ("deflate",), MOST) == DecodedBody(PAGE)
    for name in ("gzip", "zstd"):
        parts = CODED[name](PAGE[:900]) + CODED[name](PAGE[900:])
        assert decode_body(parts, (name,), MOST) == DecodedBody(PAGE)


def test_gzip_under_the_name_of_deflate_is_read_as_what_it_is() -> None:
    assert decode_body(gzip.compress(PAGE), ("deflate",), MOST) == DecodedBody(PAGE)


@given(st.lists(st.sampled_from(sorted(CODED)), max_size=MOST_CODINGS))
def test_several_are_undone_in_reverse_order(names: list[str]) -> None:
    body = PAGE[:3_000]
    for name in names:
        body = CODED[name](body)
    assert decode_body(body, codings_of(", ".join(names)), MOST) == DecodedBody(PAGE[:3_000])


@pytest.mark.parametrize("name", CODED)
def test_what_came_out_before_damage_is_kept(name: str) -> None:
    coded = CODED[name](PAGE)
    done = decode_body(coded[: len(coded) * 2 // 3], (name,), MOST)
    assert done.fault == f"the {name} body is damaged or cut off: read as far as it goes"
    assert PAGE.startswith(done.body)
    assert len(done.body) > len(PAGE) // 4


@pytest.mark.parametrize("name", CODED)
def test_a_body_whose_coding_was_undone_stays_as_it_is(name: str) -> None:
    assert decode_body(PAGE, (name,), MOST) == DecodedBody(PAGE, f"the body is not {name}")


def test_codings_nobody_can_undo_are_named() -> None:
    assert decode_body(b"body", ("dcz",), MOST) == DecodedBody(b"body", "unknown content coding 'dcz'")
    assert decode_body(b"body", ("compress",), MOST) == DecodedBody(
        b"body", "unknown content coding 'compress'"
    )
    body, names = PAGE, ("gzip",) * (MOST_CODINGS + 1)
    for _ in names:
        body = gzip.compress(body)
    assert (
        decode_body(body, names, MOST).fault
        == f"{len(names)} content codings in a row, more than {MOST_CODINGS}"
    )


@pytest.mark.parametrize(
    ("header", "names"),
    [
        (None, ()),
        ("", ()),
        ("identity", ()),
        (" GZIP ", ("gzip",)),
        ("x-gzip, identity,br", ("gzip", "br")),
    ],
)
def test_a_header_names_codings(header: str | None, names: tuple[str, ...]) -> None:
    assert codings_of(header) == names


@pytest.mark.parametrize("name", ["gzip", "br", "zstd"])
def test_a_coding_without_its_header_is_told(name: str) -> None:
    assert sniff_coding(CODED[name](PAGE)) == name


@pytest.mark.parametrize(
    "body",
    [b"", PAGE, bytes(range(256)) * 20, "<p>Текст</p>".encode("cp1251"), "<p>Текст".encode("utf-16-le") * 9],
)
def test_what_has_no_coding_is_left_alone(body: bytes) -> None:
    assert sniff_coding(body) is None


@pytest.mark.parametrize("name", CODED)
def test_a_bomb_ends_at_the_bound(name: str) -> None:
    bomb = CODED[name](bytes(300_000_000))
    tracemalloc.start()
    try:
        assert decode_body(bomb, (name,), MOST) == DecodedBody(bytes(MOST))
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_a_window_beyond_what_http_allows_is_not_made() -> None:
    wide = zstandard.ZstdCompressionParameters.from_level(1, window_log=31)
    stream = zstandard.ZstdCompressor(compression_params=wide).compressobj()
    body = stream.compress(PAGE) + stream.flush()
    assert decode_body(body, ("zstd",), MOST) == DecodedBody(body, "nothing of the zstd body can be read")
