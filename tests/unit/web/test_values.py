"""Values of requests, examples of schemas, pages, hosts."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterdrop.web.request_guards import is_loopback
from afterdrop.web.responses import page_meta
from afterdrop.web.schemas import values as v


@given(st.text(max_size=40))
def test_moment_gives_a_time_or_a_value_error(text: str) -> None:
    with contextlib.suppress(ValueError):
        assert v.moment(text).tzinfo is UTC


@given(st.datetimes(), st.timezones())
def test_every_written_time_is_read_back(moment: datetime, zone: Any) -> None:
    aware = moment.replace(microsecond=0, tzinfo=UTC)
    assert v.moment(aware.isoformat()) == aware
    assert v.moment(aware.isoformat().replace("+", " ")) == aware


@pytest.mark.parametrize("value", [True, "5", 1.5, None, [], float("inf"), float("nan")])
def test_whole_takes_numbers_only(value: Any) -> None:
    with pytest.raises(ValueError, match="whole number"):
        v.whole(value)


def test_numbers_written_and_sent() -> None:
    assert [v.digits(text) for text in ("0", "007", 5)] == [0, 7, 5]
    assert v.digits("9" * 5000) > v.MOST
    assert v.whole(30.0) == 30
    for wrong in ("", "-1", "1.0", "٣", True, None):
        with pytest.raises(ValueError, match="digits"):
            v.digits(wrong)


def test_extensions() -> None:
    assert v.extensions((".COM", "com", "co.uk", "рф")) == ("com", "co.uk", "xn--p1ai")
    for wrong in ("", ".", "c m", "a..b", "-a", "\u2603\u2603.\ud800"):
        with pytest.raises(ValueError, match="extension"):
            v.extension(wrong)


@given(st.integers(0, 10**6), st.integers(1, 100))
def test_pages_hold_everything(total: int, per_page: int) -> None:
    pages = page_meta(total, 1, per_page)["pages"]
    assert (pages - 1) * per_page < total <= pages * per_page if total else pages == 0


def test_loopback_hosts() -> None:
    assert all(is_loopback(host) for host in ("localhost", "127.0.0.1", "127.9.9.9", "::1"))
    assert not any(is_loopback(host) for host in ("a.com", "10.0.0.1", "127.0.0.1.a.com", "", "::2"))
