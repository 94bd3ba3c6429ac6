"""The format of the ranks and vertices files."""

from __future__ import annotations

from collections.abc import Iterable

import duckdb
import pytest

from afterdrop.sources.webgraph.errors import RanksError
from afterdrop.sources.webgraph.file_format import (
    HEADER,
    key_sql,
    keys_of,
    reverse,
    shorten,
    without_blanks,
    without_header,
)


@pytest.mark.parametrize("salt", ["", "1"])
def test_a_name_has_the_same_key_here_and_in_the_table(salt: str) -> None:
    names = ["example.co.uk", "xn--bcher-kva.de", "a.b"]
    with duckdb.connect() as conn:
        rows = conn.execute(
            f"SELECT {key_sql(salt)} FROM (SELECT unnest(?::VARCHAR[]) AS name)", [[*map(reverse, names)]]
        )
        assert [key for (key,) in rows.fetchall()] == keys_of(names, salt).tolist()
    assert len(keys_of([])) == 0


def whole(chunks: Iterable[bytes]) -> bytes:
    return b"".join(without_header(iter(chunks), "f"))


def test_the_header_is_removed_however_the_chunks_are_cut() -> None:
    text = HEADER + b"\n1\trest\n"
    assert (
        whole([text])
        == whole([text[:5], text[5:]])
        == whole([bytes([byte]) for byte in text])
        == b"1\trest\n"
    )
    assert whole([HEADER + b"\n"]) == b""


@pytest.mark.parametrize(
    "text",
    [b"", b"1\t2\t3\n", HEADER.replace(b"\t", b" ") + b"\n", b"\xff\x1b[31m" * 30 + b"\n", HEADER + b"x\n"],
)
def test_another_header_is_refused(text: bytes) -> None:
    with pytest.raises(RanksError, match="f: line 1 is not the header") as caught:
        whole([text] if text else [])
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_text_of_others_is_shown_short_and_printable() -> None:
    assert shorten("a\x1b[0m\x00ü") == "a [0m "
    assert len(shorten("x" * 500)) == 80


@pytest.mark.parametrize("width", [1, 2, 3, 100])
@pytest.mark.parametrize(
    ("text", "line"),
    [(b"", None), (b"a\nb\nc\n", None), (b"\na\n", 2), (b"a\n\nb\n", 3), (b"a\nb\n\n", 4), (b"a\n\n\n", 3)],
)
def test_an_empty_line_is_refused_however_the_chunks_are_cut(
    text: bytes, line: int | None, width: int
) -> None:
    chunks = (text[at : at + width] for at in range(0, len(text), width))
    if line is None:
        assert b"".join(without_blanks(chunks, "f", 1)) == text
        return
    with pytest.raises(RanksError, match=f"^f: line {line} is empty$"):
        b"".join(without_blanks(chunks, "f", 1))
