"""Splitting bytes into lines of text."""

from __future__ import annotations

import pytest

from afterdrop.core.errors import FeedError
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


def test_nothing() -> None:
    assert list(text_lines(Pieces(), "utf-8", "f")) == []
