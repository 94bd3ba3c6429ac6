"""Rows of an index that are no addresses of the web, beside rows that are."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from afterdrop.sources.archive.cdx import captures_of, read_index

ODD = [
    "ftp://a.test/",
    "dns:a.test",
    "http://mailto:info@a.test/",
    "mailto:info@a.test",
    "whois://a.test",
    "HTTP:a.test",
    "",
]


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_an_odd_row_hides_no_page(odd: str, place: int) -> None:
    pages = [f"test,a)/ 20{year}0501100000 http://a.test/ text/html 200 {year} 900" for year in (12, 16)]
    pages.insert(place, f"test,a)/ 20{10 + 3 * place}0501100000 {odd or '-'} text/html 200 ODD 900")
    found = read_index("\n".join(pages).encode() + b"\n", "a.test")
    assert [(one.at.year, one.url) for one in found.home] == [
        (2012, "http://a.test/"),
        (2016, "http://a.test/"),
    ]
    assert (found.captures, found.good_years, found.bad) == (2, {2012: 1, 2016: 1}, {"address": 1})
    assert [one.at.year for one in captures_of(found, "test,a)/")] == [2012, 2016]


@pytest.mark.parametrize("url", ["HTTP://a.test/", "Http://A.test/", "HTTPS://a.test/"])
def test_schemes_are_compared_without_case(url: str) -> None:
    rows = "".join(f"test,a)/ 20{year}0501100000 {url} text/html 200 {year} 900\n" for year in (12, 16))
    found = read_index(rows.encode(), "a.test")
    scheme, _, rest = url.partition("://")
    assert {one.url for one in found.home} == {f"{scheme.lower()}://{rest}"}
    assert {one.url for one in captures_of(found, "test,a)/")} == {f"{scheme.lower()}://{rest}"}
    assert [page.url for page in found.pages] == [f"{scheme.lower()}://{rest}"]
    assert not found.bad


def test_an_odd_row_hides_no_page_that_stands_for_the_home_page() -> None:
    key = "test,a)/club"
    rows = [f"{key} 20080501100000 ftp://a.test/club text/html 200 A 900"]
    rows += [f"{key} 20{year}0501100000 http://a.test/club text/html 200 {year} 900" for year in (12, 16)]
    found = read_index("\n".join(rows).encode(), "a.test")
    assert (found.home_path, [one.at.year for one in found.home]) == ("/club", [2012, 2016])


@pytest.mark.parametrize("stamp", ["20000800241623", "20000008241623"])
def test_a_zero_before_day_or_month_is_taken_out(stamp: str) -> None:
    """As in rows of 1996 to 2001; the seconds are lost."""
    rows = "".join(
        f"test,a)/{path} {stamp} http://a.test/{path} text/html 200 {digest} 900\n"
        for path, digest in (("", "A"), ("x", "B"))
    )
    found = read_index(rows.encode(), "a.test")
    at = datetime(2000, 8, 24, 16, 23, tzinfo=UTC)
    assert [one.at for one in found.home] == [at]
    assert (found.first, found.last, found.bad) == (at, at, {})
    assert [one.at for one in captures_of(found, "test,a)/x")] == [at]
    assert found.pages[0].last == at


def test_no_capture_is_of_the_future() -> None:
    rows = "".join(
        f"test,a)/ {stamp} http://a.test/ text/html 200 {stamp} 900\n"
        for stamp in ("20120501100000", "20261126120000", "20270101000000")
    )
    found = read_index(rows.encode(), "a.test", until=datetime(2026, 11, 27, tzinfo=UTC))
    assert [one.at.year for one in found.home] == [2012, 2026]
    assert found.bad == {"timestamp": 1}
    assert not read_index(rows.encode(), "a.test").bad
