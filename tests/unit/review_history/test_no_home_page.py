"""Sites whose home page never was a page: what the archive has of `/` is an error or a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from afterdrop.review.history.capture_plan import inner_pages
from afterdrop.review.history.domain_history import History
from afterdrop.review.run import review_domain
from afterdrop.sources.archive.capture_file import open_captures
from afterdrop.sources.archive.cdx import read_index
from afterdrop.sources.archive.cdx_index import Index
from tests.support.histories import DOMAIN, NOW
from tests.support.warc import http, record
from tests.unit.review_history.test_home_redirects import CLUB, HOME, PILLS, YEARS, Row, reader, warc

BELOW = (f"{HOME}~club/", f"http://club.{DOMAIN}/", f"https://www.{DOMAIN}/club/index.html")
KEY = "com,oldmill-bakery)/"


async def reviewed(tmp_path: Path, *rows: Row) -> History:
    found = open_captures(warc(tmp_path, *rows), "https://a.test/web")
    return (await review_domain(found, reader, DOMAIN, NOW)).history


def index_of(*rows: str) -> Index:
    return read_index("\n".join(sorted(rows)).encode(), DOMAIN)


def home(status: str, mime: str = "text/html", digest: str = "E", year: int = 2012) -> str:
    return f"{KEY} {year}0501000000 {HOME} {mime} {status} {digest} 900"


BLOG = [f"{KEY}blog {year}0501000000 {HOME}blog text/html 200 B{year} 900" for year in YEARS]


@pytest.mark.parametrize("status", [404, 403, 410, 500, 503])
@pytest.mark.parametrize("url", BELOW)
async def test_a_site_below_a_home_page_of_errors_is_reviewed_as_if_they_were_not_there(
    tmp_path: Path, url: str, status: int
) -> None:
    rows: list[Row] = [(f"{year}-05", url, 200, CLUB.format(year)) for year in YEARS]
    without, found = [
        await reviewed(tmp_path, *errors, *rows) for errors in ([], [("2012-05", HOME, status, "No")])
    ]
    assert (found.outcome, found.title, found.honest_years) == ("ok", "Lower Tarn Rowing Club", YEARS)
    assert (found.eras, found.pages, found.notes) == (without.eras, without.pages, without.notes)
    spam: list[Row] = [(f"{year}-05", url, 200, PILLS.format(year)) for year in YEARS]
    assert (await reviewed(tmp_path, ("2012-05", HOME, status, "No"), *spam)).spam


async def test_a_home_page_of_nothing_but_errors_stays_one_where_nothing_else_was_archived(
    tmp_path: Path,
) -> None:
    found = await reviewed(tmp_path, ("2012-05", HOME, 404, "No"), ("2012-05", f"{HOME}a", 404, "No"))
    assert (found.honest_years, found.pages, found.archive_years) == ((), (), 1)


@pytest.mark.parametrize(
    "row",
    [home("404"), home("403"), home("500"), home("200", "application/pdf"), home("200", "image/gif")],
)
def test_an_error_or_a_file_is_no_home_page(row: str) -> None:
    found = index_of(row, *BLOG)
    assert (found.home_path, len(found.home), found.years[2012]) == ("/blog", 4, 2)
    assert inner_pages(found) == (), "it is read already"
    assert index_of(row).home_path == "/"


@pytest.mark.parametrize(
    "row",
    [
        home("200"),
        home("-", "warc/revisit", "P"),
        home("301"),
        home("302", "unk"),
        home("206"),
        home("200", "text/plain"),
        home("200", "application/xhtml+xml"),
        home("200", "application/octet-stream"),
        home("-", "unk"),
    ],
)
def test_what_may_be_a_page_or_lead_to_one_is_the_home_page_whatever_else_stands_there(row: str) -> None:
    errors = [home("404", year=2010), home("500", year=2014)]
    assert index_of(*errors, row, *BLOG).home_path == "/"


@pytest.mark.parametrize("kind", ["text/plain", "Text/Plain; charset=iso-8859-1", "application/octet-stream"])
async def test_a_home_page_in_a_file_under_a_vague_type_is_read_as_text(tmp_path: Path, kind: str) -> None:
    async def read(text: str, path: str = "", kind: str = kind) -> History:
        parts = [
            record(
                http(text.format(year).encode(), f"Content-Type: {kind}"),
                WARC_Target_URI=f"http://{DOMAIN}/{path}",
                WARC_Date=f"{year}-05-01T00:00:00Z",
            )
            for year in YEARS
        ]
        about = {"WARC_Target_URI": f"http://{DOMAIN}/about", "WARC_Date": "2014-05-01T00:00:00Z"}
        other = record(http(CLUB.format(2014).encode()), **about)
        file = tmp_path / "plain.warc"
        file.write_bytes(b"".join([*parts, other]))
        return (await review_domain(open_captures(file, "https://a.test/web"), reader, DOMAIN, NOW)).history

    club = "Lower Tarn Rowing Club\n\nOur rowing club meets every Saturday at the boat house. We built it in {0}."
    pills = (
        "Buy Viagra online without prescription. Cheap generic Cialis, lowest price. Order Viagra now, {0}.\n"
        * 5
    )
    found = await read(club)
    assert (found.outcome, found.honest_years, found.language) == ("ok", YEARS, "en")
    assert (await read(pills)).spam
    assert (await read(club, "robots.txt")).honest_years == (2014,), "of no other address"
    assert (await read(club, kind="image/png")).honest_years == (2014,)
