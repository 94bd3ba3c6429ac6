"""Splitting bytes into lines of text."""

from __future__ import annotations

import pytest

from afterdrop.core.errors import FeedError
from afterdrop.feeds.csv_rows import CUT_OFF
from afterdrop.feeds.parse import MAX_LINE, text_lines
from tests.support.feed_inputs import Pieces, in_pieces


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_line_ends_and_marks_however_the_bytes_are_cut(size: int) -> None:
    data = "\ufeffnäme\r\nzwei\n\nlast".encode()
    assert list(text_lines(in_pieces(data, size), "utf-8-sig", "f")) == ["näme", "zwei", "", "last"]


def test_bad_bytes_spoil_their_line_only() -> None:
    assert list(text_lines(Pieces(b"a\xff\nb\n\xe2\x82"), "utf-8", "f")) == ["a\ufffd", "b", "\ufffd"]


def test_a_line_without_end_is_refused() -> None:
    with pytest.raises(FeedError, match="not a list of lines"):
        list(text_lines(in_pieces(b"x" * (2 * MAX_LINE), 1 << 16), "utf-8", "f"))


@pytest.mark.parametrize("size", [1, 2, 1000, 1 << 18])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
@pytest.mark.parametrize(
    "padding", ["\x1a", "\r\n\x1a\r\n", "\0\0\0", "\n\0\n\0", "\x1a" * 3, "\0" * 511 + "\x1a", "\n\n"]
)
def test_the_end_of_file_of_old_programs_is_no_line(padding: str, encoding: str, size: int) -> None:
    data = f"a,1\n\nb,2{padding}".encode(encoding)
    assert list(text_lines(in_pieces(data, size), encoding, "f")) == ["a,1", "", "b,2"]


def test_zeros_of_any_number_are_no_line() -> None:
    zeros = b"\0" * (3 * MAX_LINE)
    assert list(text_lines(in_pieces(b"a\n" + zeros, 1 << 18), "utf-8", "f")) == ["a"]
    with pytest.raises(FeedError, match="not a list of lines"):
        list(text_lines(in_pieces(b"a\n" + zeros + b"b", 1 << 18), "utf-8", "f"))
    assert list(text_lines(Pieces(zeros), "utf-8", "f")) == []


@pytest.mark.parametrize("line", ["a\x1ab", "\x1aa", "a ", "a\t", "\ta"])
def test_what_stands_before_the_last_letter_is_kept(line: str) -> None:
    assert list(text_lines(Pieces(f"{line}\n{line}\nz\n".encode()), "utf-8", "f")) == [line, line, "z"]
    if line != "\x1aa":
        assert list(text_lines(Pieces(line.encode()), "utf-8", "f")) == [line]


def test_zeros_between_others_can_be_stored() -> None:
    assert list(text_lines(in_pieces(b"a\0b\n\0\nc\0", 1), "utf-8", "f")) == ["a\ufffdb", "\ufffd", "c"]


@pytest.mark.parametrize(
    ("data", "whole"),
    [
        ("a.br\nb.br\n", True),
        ("a.br\r\nb.br\r\n", True),
        ("a.br\r\nb.br\r", True),
        ("a.br\nb.br\x1a", True),
        ("b.br", True),  # one line alone
        ("a.br\nb.br", False),
        ("a.br\r\nb.br", False),
        ("a.br\n\nb.br", False),
    ],
)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_last_line_without_its_end_is_cut_off(data: str, whole: bool, size: int) -> None:
    assert list(text_lines(in_pieces(data.encode(), size), "utf-8", "f"))[-1] == "b.br"
    last = list(text_lines(in_pieces(data.encode(), size), "utf-8", "f", ended=True))[-1]
    assert last == ("b.br" if whole else f"b.br{CUT_OFF}")
