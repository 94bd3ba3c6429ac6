"""Home pages that redirect within their site: what is asked, and what the index is then read as."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import pytest

from afterdrop.core.errors import UpstreamError
from afterdrop.review.history.capture_plan import CAPTURES, inner_pages, next_captures
from afterdrop.review.history.domain_history import History
from afterdrop.review.history.home_redirects import read_through, redirect_to_ask, unexplained
from afterdrop.review.page.pool import read_capture
from afterdrop.review.page.values import Capture, PageReading
from afterdrop.review.run import review_domain
from afterdrop.sources.archive.capture_file import open_captures, surt
from afterdrop.sources.archive.cdx import captures_of, read_index
from afterdrop.sources.archive.cdx_index import Index, IndexedCapture
from afterdrop.sources.archive.wayback import IndexAnswer, MissingCapture, Replay
from tests.support.histories import DOMAIN, NOW, day, page
from tests.support.histories import sample as sample_of
from tests.support.warc import http, record

HOME = f"http://{DOMAIN}/"
YEARS = (2010, 2012, 2014, 2016)
# A capture: when, address, status, and the address redirected to or the page's text.
Row = tuple[str, str, int, str]
CLUB = (
    "<html lang=en><title>Lower Tarn Rowing Club</title><h1>Lower Tarn Rowing Club</h1><p>Our rowing club meets every"
    " Saturday morning at the boat house. New members are welcome for a trial row after the safety briefing. In {0} the"
    " club ran two regattas and a course for juniors, and the boat house got a new roof.</p>"
)
PILLS = (
    "<title>Pills {0}</title><p>Buy Viagra online without prescription. Cheap generic Cialis, lowest price, overnight"
    " shipping, no prior prescription. Order Viagra now. Discount Levitra pharmacy {0}.</p>"
)


def index_of(*rows: Row) -> Index:
    lines = [
        f"{surt(url)} {day(when):%Y%m%d%H%M%S} {url} text/html {status} {what or 'E'} 900"
        for when, url, status, what in rows
    ]
    return read_index("\n".join(sorted(lines)).encode(), DOMAIN)


def asked(index: Index, *read: str) -> str | None:
    """The month of the redirect to ask for next; `read` are months of others, `-` before those that led elsewhere."""
    samples = [
        sample_of(
            when.lstrip("-"),
            redirected_to="http://x.test/" if when[0] == "-" else None,
            asked=day(when.lstrip("-")),
        )
        for when in read
    ]
    found = redirect_to_ask(index, samples)
    return f"{found.at:%Y-%m}" if found else None


def moved(*when: str, url: str = HOME) -> list[Row]:
    return [(each, url, 301, "") for each in when]


def test_redirects_beside_pages_of_the_home_address_need_no_question() -> None:
    good = [("2010-01", HOME, 200, "A"), ("2016-01", f"https://www.{DOMAIN}/", 200, "B")]
    rows = [
        *moved("2010-01-20", "2015-03", "2016-11"),  # beside one; and to https, as was archived within a year
        *moved("2010-06", "2013-01"),
        *moved("2016-06", url=f"https://www.{DOMAIN}/"),
    ]
    found = [f"{each.at:%Y-%m}" for each in unexplained(index_of(*good, *rows))]
    assert found == ["2010-06", "2013-01", "2016-06"]
    for scheme, port in (("http", 80), ("https", 443)):
        url = f"{scheme}://{DOMAIN}"
        index = index_of(("2010-01", f"{url}:{port}/", 200, "A"), *moved("2010-06", url=f"{url}/"))
        assert len(unexplained(index)) == 1


def test_the_last_redirect_is_asked_and_then_the_first_that_is_unexplained() -> None:
    index = index_of(*moved("2008-01", "2011-01", "2014-01", "2017-01"))
    assert asked(index) == "2017-01"
    assert asked(index, "2017-01") == "2008-01"
    assert asked(index, "2017-01", "-2008-01") == "2011-01"
    assert asked(index, "-2017-01", "-2008-01") is None
    assert asked(index, "2017-01", "2008-01", "2011-01", "2014-01") is None
    assert asked(index_of(("2010-01", HOME, 200, "A"))) is None


def test_each_redirect_is_read_as_the_nearest_capture_of_its_target_within_a_year() -> None:
    index = index_of(
        *moved("2008-01", "2008-03", "2011-01", "2014-01", "2017-01"), ("2003-01", HOME, 200, "A")
    )
    en = [
        IndexedCapture(day(at), f"{HOME}en/", 200, "text/html", at, 900)
        for at in ("2008-02", "2011-09", "2012-12")
    ]
    casino = [IndexedCapture(day("2016-06"), f"{HOME}casino/", 200, "text/html", "C", 900)]
    found = read_through(index, {day("2008-01"): en, day("2017-01"): casino})
    assert [(f"{each.at:%Y-%m}", each.url, each.status) for each in found.home] == [
        ("2003-01", HOME, 200),
        ("2008-02", f"{HOME}en/", 200),
        ("2011-09", f"{HOME}en/", 200),
        ("2014-01", HOME, 301),
        ("2016-06", f"{HOME}casino/", 200),
    ]
    assert found.sent_to == (f"{HOME}en/", f"{HOME}casino/")
    assert read_through(index, {}) == index
    away = read_through(index, {day("2017-01"): (), day("2008-01"): en})
    assert [each.at.year for each in away.home if each.redirect] == [2014, 2017]


@pytest.mark.parametrize(
    ("listed", "wanted"),
    [
        (f"{HOME}en", f"{HOME}en/"),
        (f"{HOME}index.php?b=2&a=1", f"{HOME}index.php?a=1&b=2"),
        (f"{HOME}shop", f"{HOME}shop/?PHPSESSID=0123456789abcdef0123456789abcdef"),
        (f"{HOME}shop/a.jsp", f"{HOME}shop/a.jsp;jsessionid=0123456789ABCDEF0123"),
        (f"https://www.{DOMAIN}/EN/", f"{HOME}en/#top"),
    ],
)
def test_a_target_is_found_under_the_spelling_of_the_index(listed: str, wanted: str) -> None:
    other = ("2010-01", f"{HOME}other?a=1", 200, "B")
    index = index_of(
        ("2010-01", listed, 200, "A"), ("2011-01", listed, 404, "N"), ("2012-01", listed, 200, "C"), other
    )
    assert [each.digest for each in captures_of(index, surt(wanted))] == ["A", "C"]
    assert captures_of(Index(DOMAIN), surt(wanted)) == ()


def test_a_target_that_is_a_file_is_none() -> None:
    kinds = {2010: "application/pdf 200", 2011: "text/html;charset=utf-8 200", 2012: "warc/revisit -"}
    lines = [f"{surt(HOME)}a {year}0101000000 {HOME}a {kind} A 1" for year, kind in kinds.items()]
    found = captures_of(read_index("\n".join(lines).encode(), DOMAIN), f"{surt(HOME)}a")
    assert [each.at.year for each in found] == [2011, 2012]


def test_the_corners_are_looked_for_again_once_redirects_are_followed() -> None:
    rows: list[Row] = [(f"{year}-01", f"{HOME}en/a", 200, str(year)) for year in range(2008, 2016)]
    index = index_of(*moved("2008-01", "2009-01", "2012-01", "2015-01"), *rows)
    through = read_through(index, {day("2015-01"): captures_of(index, surt(f"{HOME}en/a"))})
    read = sample_of("2015-01", digest="2015", followed=True)
    assert {each.at.year for each in next_captures(through, [read])} == {2008, 2012}
    assert [each.path for each in inner_pages(index)] == ["/en/a"]
    assert inner_pages(through) == ()


# Whole reviews, of a file and of archives that follow redirects and that do not


def warc(tmp_path: Path, *rows: Row) -> Path:
    parts = []
    for when, url, status, what in rows:
        moved_to = [f"Location: {what}"] if status in (301, 302) else []
        answer = http(b"" if moved_to else what.encode(), *moved_to, status=f"{status} As it was")
        parts.append(record(answer, WARC_Target_URI=url, WARC_Date=f"{day(when):%Y-%m-%dT00:00:00Z}"))
    path = tmp_path / "life.warc"
    path.write_bytes(b"".join(parts))
    return path


async def reader(capture: Capture) -> PageReading:
    return read_capture(capture)


async def reviewed(tmp_path: Path, *rows: Row) -> History:
    found = open_captures(warc(tmp_path, *rows), "https://a.test/web")
    return (await review_domain(found, reader, DOMAIN, NOW)).history


def behind(target: str, location: str | None = None, text: str = CLUB, status: int = 301) -> list[Row]:
    """A home page that always redirected to a page of this text, archived a minute to a month later."""
    url = target if "//" in target else f"{HOME}{target.lstrip('/')}"
    homes = [(f"{year}-05", HOME, status, location or url) for year in YEARS]
    return homes + [(f"{year}-05-{year - 2005}", url, 200, text.format(year)) for year in YEARS]


@pytest.mark.parametrize("status", [301, 302])
@pytest.mark.parametrize(
    ("target", "location"),
    [
        ("/en/", None),
        ("/en/", "/en/"),
        ("/en/", "en/#top"),
        ("/index.php?lang=en&page=home", None),
        ("/site/home.html", None),
        (f"http://www.{DOMAIN}/de/", None),
        (f"https://{DOMAIN}/shop/", None),
        (f"http://blog.{DOMAIN}/", None),
    ],
)
async def test_a_home_page_that_redirects_within_its_site_is_the_page_that_visitors_saw(
    tmp_path: Path, target: str, location: str | None, status: int
) -> None:
    found = await reviewed(tmp_path, *behind(target, location, status=status))
    assert (found.outcome, found.title, found.honest_years) == ("ok", "Lower Tarn Rowing Club", YEARS)
    assert [(era.kind, era.owner, era.start.year, era.end.year) for era in found.eras] == [
        ("site", 1, 2010, 2016)
    ]
    assert found.pages
    assert any("sent its visitors on" in note for note in found.notes)
    rejected = await reviewed(tmp_path, *behind(target, location, PILLS))
    assert (rejected.spam, rejected.honest_years, rejected.pages) == (True, (), ())


async def test_a_redirect_to_a_redirect_is_followed(tmp_path: Path) -> None:
    rows = behind("/en/", f"https://www.{DOMAIN}/")
    rows += [(f"{year}-05", f"https://www.{DOMAIN}/", 301, f"https://www.{DOMAIN}/en/") for year in YEARS]
    assert (await reviewed(tmp_path, *rows)).honest_years == YEARS
    rows = [
        *behind("/en/", f"{HOME}start"),
        *((f"{year}-05", f"{HOME}start", 302, f"{HOME}en/") for year in YEARS),
    ]
    assert (await reviewed(tmp_path, *rows)).honest_years == YEARS


async def test_the_site_stood_before_under_its_own_address(tmp_path: Path) -> None:
    rows = [(f"{year}-05", HOME, 200, CLUB.format(year)) for year in (2006, 2008)]
    found = await reviewed(tmp_path, *rows, *behind("/en/"))
    assert found.honest_years == (2006, 2008, *YEARS)
    assert found.eras[-1].end.year == 2016
    later = await reviewed(tmp_path, *rows, *behind("/deals/", text=PILLS))
    assert later.spam
    assert later.honest_years == (2006, 2008)


async def test_another_target_for_each_time(tmp_path: Path) -> None:
    rows = [(f"{year}-05", HOME, 301, f"{HOME}club/") for year in (2002, 2004)]
    rows += [(f"{year}-05", f"{HOME}club/", 200, CLUB.format(year)) for year in (2002, 2004)]
    found = await reviewed(tmp_path, *rows, *behind("/deals/", text=PILLS))
    assert found.spam
    assert [(era.kind, era.start.year, era.end.year) for era in found.eras] == [
        ("site", 2002, 2004),
        ("spam", 2010, 2016),
    ]


LOOP = [*moved("2010-01"), ("2010-01", f"{HOME}a", 301, f"{HOME}b"), ("2010-01", f"{HOME}b", 301, f"{HOME}a")]


@pytest.mark.parametrize(
    ("rows", "detail"),
    [
        ([(f"{year}-05", HOME, 301, "http://casino.test/x") for year in YEARS], "http://casino.test/x"),
        ([("2010-05", HOME, 301, f"{HOME}gone/")], f"{HOME}gone/"),  # nobody archived it
        (
            [("2010-05", HOME, 301, f"{HOME}en/"), ("2013-05", f"{HOME}en/", 200, "PDF")],
            f"{HOME}en/",
        ),  # years later
        ([("2010-05", HOME, 301, HOME)], HOME),
        ([("2010-05", HOME, 301, "http://[broken")], "http://[broken"),
        ([("2010-05", HOME, 301, f"{HOME}a"), *LOOP[1:]], f"{HOME}a"),
    ],
)
async def test_what_leads_elsewhere_nowhere_or_in_a_circle_is_a_redirect(
    tmp_path: Path, rows: Sequence[Row], detail: str
) -> None:
    found = await reviewed(
        tmp_path, *((when, url, status, CLUB if what == "PDF" else what) for when, url, status, what in rows)
    )
    assert {(one.kind, one.detail) for one in found.read if one.at.year != 2013} == {("redirect", detail)}
    assert (found.honest_years, found.outcome) == ((), "ok")


async def test_a_site_that_moved_away_is_told_as_before(tmp_path: Path) -> None:
    stood = [(f"{year}-05", HOME, 200, CLUB.format(year)) for year in YEARS]
    found = await reviewed(
        tmp_path, *stood, ("2019-05", HOME, 301, "http://new.test/"), ("2023-05", HOME, 404, "gone")
    )
    assert [(era.kind, era.end.year) for era in found.eras] == [("site", 2016)]
    assert (found.honest_years, found.notes) == (YEARS, ())


async def test_behind_a_redirect_stands_an_error(tmp_path: Path) -> None:
    gone = ("2010-05", f"{HOME}404.html", 404, "<h1>Not found</h1>")
    found = await reviewed(tmp_path, ("2010-05", HOME, 302, f"{HOME}404.html"), gone)
    assert [(one.kind, one.detail) for one in found.read] == [("error", "not_found")]


class Following:
    """An archive of 30 redirects; `follows` them itself, as the web archive does, or not."""

    def __init__(self, *, follows: bool, fails: int = 0, served: int | None = None) -> None:
        self.follows, self.fails, self.served = follows, fails, served
        self.asked: list[str] = []

    async def index(
        self, domain: str, now: datetime, *, closed: bytes = b"", closed_before: int = 0
    ) -> IndexAnswer:
        rows: list[Row] = []
        for year in range(1996, 2026):
            rows += [(f"{year}-05", HOME, 301, ""), (f"{year}-05", f"{HOME}en/", 200, f"D{year}")]
        return IndexAnswer(index_of(*rows))

    async def capture(self, at: datetime, url: str) -> Replay | MissingCapture:
        self.asked.append(url)
        if self.fails:
            self.fails -= 1
            raise UpstreamError(url, "timeout", "did not answer in time")
        to = f"{HOME}en/" if url == HOME else None
        shown = to if to and self.follows else url
        status, to = (301, to) if to and not self.follows else (200, None)
        served = at.replace(year=self.served) if self.served else at
        return Replay(at, served, shown, f"https://a.test/{at:%Y}/{shown}", status, "text/html", b"x", {}, to)


async def harris(capture: Capture) -> PageReading:
    return page(title=f"Harris & Sons {capture.timestamp.year}")


@pytest.mark.parametrize("follows", [True, False])
@pytest.mark.parametrize("most", [1, 2, 3, CAPTURES])
async def test_following_costs_captures_and_no_more_are_asked_for(most: int, follows: bool) -> None:
    archive = Following(follows=follows)
    found = (await review_domain(archive, harris, DOMAIN, NOW, most=most)).history
    assert len(archive.asked) + follows * archive.asked.count(HOME) <= max(most, 1 + follows)
    if most == CAPTURES:
        assert archive.asked.count(HOME) == 1
        assert archive.asked.count(f"{HOME}en/") >= 5
        assert found.honest_years == tuple(range(1996, 2026))
        assert {one.url.partition("/http")[2] for one in found.read} == {HOME.removeprefix("http") + "en/"}


async def test_a_redirect_that_the_archive_failed_to_give_is_asked_once_more() -> None:
    found = (await review_domain(Following(follows=True, fails=1), harris, DOMAIN, NOW, whole=True)).history
    assert len(found.honest_years) == 30
    with pytest.raises(UpstreamError):
        await review_domain(Following(follows=True, fails=9), harris, DOMAIN, NOW, whole=True)


async def test_a_page_served_from_another_year_is_not_what_visitors_saw() -> None:
    found = (await review_domain(Following(follows=True, served=1990), harris, DOMAIN, NOW, most=4)).history
    assert (found.honest_years, {era.kind for era in found.eras}) == ((), {"redirect"})


def by_script(target: str, text: str, years: Sequence[int] = YEARS) -> list[Row]:
    sent = "<title>{0}</title><script>window.location.replace('{1}')</script>"
    rows: list[Row] = [(f"{year}-05", HOME, 200, sent.format(year, target)) for year in years]
    return rows + [(f"{year}-05", f"{HOME}site/", 200, text.format(year)) for year in years]


@pytest.mark.parametrize("target", ["/site/", "site/", f"{HOME}site/#top"])
async def test_a_home_page_that_sends_on_by_script_is_its_target(tmp_path: Path, target: str) -> None:
    """Of eight captures each home page costs two: what there was no capture left for tells nothing."""
    years = range(2005, 2017)
    found = await reviewed(tmp_path, *by_script(target, CLUB, years))
    assert (found.title, found.honest_years) == ("Lower Tarn Rowing Club", tuple(years))
    assert [(era.kind, era.owner) for era in found.eras] == [("site", 1)]
    assert (await reviewed(tmp_path, *by_script(target, PILLS))).spam


@pytest.mark.parametrize("target", ["/gone/", "http://new.test/"])
async def test_a_script_that_leads_where_nobody_archived_anything_is_a_redirect(
    tmp_path: Path, target: str
) -> None:
    found = await reviewed(tmp_path, *by_script(target, CLUB))
    homes = {one.kind for one in found.read if one.url.endswith(HOME)}
    assert (homes, found.honest_years) == ({"redirect"}, ())


async def test_a_target_archived_years_later_is_not_what_visitors_saw(tmp_path: Path) -> None:
    home, *_ = by_script("/site/", CLUB, [2008])
    found = await reviewed(tmp_path, home, ("2012-05", f"{HOME}site/", 200, CLUB.format(2012)))
    assert {era.kind for era in found.eras} == {"redirect"}
