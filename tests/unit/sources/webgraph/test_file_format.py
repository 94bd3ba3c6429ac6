"""The format of the ranks and vertices files."""

from __future__ import annotations

from collections.abc import Iterable

import duckdb
import pytest

from afterdrop.sources.webgraph.errors import RanksError
from afterdrop.sources.webgraph.file_format import (
    HEADER,
    RanksSeen,
    VerticesSeen,
    fault_of_reader,
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


def test_duckdbs_report_becomes_a_sentence() -> None:
    report = "Conversion Error: CSV Error on Line: 12\nOriginal Line: 5\tx\nError when converting"
    assert fault_of_reader(report, 1, 6) == "line 13 is not 6 tab-separated values of this file: '5 x'"
    assert "line 12 is not 3" in fault_of_reader("CSV Error on Line: 12", 0, 3)
    assert fault_of_reader("Something else\nmore", 1, 6) == "Something else"


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


@pytest.mark.parametrize(
    ("seen", "complaint"),
    [
        (RanksSeen(5, sum=15, squares=55), None),
        (RanksSeen(0), "no rows"),
        (RanksSeen(5, unnamed=3), "line 4 has no name"),
        (RanksSeen(5, odd=3), "line 4 has a value"),
        (RanksSeen(5, misplaced=(3, 7)), "line 4 has harmonic position 7, not 3"),
        (RanksSeen(5, misplaced=(3, None)), "position none"),
        (RanksSeen(5, rising=2), "rises at line 3"),
        (RanksSeen(5, beyond=(2, 9)), "line 3 has PageRank position 9, but there are only 5 rows"),
        (RanksSeen(5, sum=14, squares=55), "has a PageRank position twice"),
        (
            RanksSeen(5, sum=14, squares=55, double=(4, 2, 5)),
            "has PageRank position 4 twice, at lines 3 and 6",
        ),
        (RanksSeen(5, sum=15, squares=54), "twice"),
    ],
)
def test_a_ranks_file_must_be_whole_and_sorted(seen: RanksSeen, complaint: str | None) -> None:
    said = seen.complaint()
    assert said is None if complaint is None else complaint in (said or "")


@pytest.mark.parametrize(
    ("seen", "complaint"),
    [
        (VerticesSeen(5, 5), None),
        (VerticesSeen(5, 5, misplaced=(2, 7)), "line 2 has number 7, not 1"),
        (VerticesSeen(5, 5, unsorted=(2, "com.a")), "line 2 (com.a)"),
        (VerticesSeen(5, 5, unranked=(2, "com.a")), "line 2 names com.a, which the ranks file does not have"),
        (VerticesSeen(4, 5), "has 4 names, the ranks file 5"),
    ],
)
def test_vertices_must_be_those_of_the_ranks(seen: VerticesSeen, complaint: str | None) -> None:
    said = seen.complaint()
    assert said is None if complaint is None else complaint in (said or "")
