"""What people of the trade saw other tools read wrongly: documents that stand beside the project, read right."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from afterdrop.review.history.domain_history import History
from afterdrop.review.page.pool import read_capture
from afterdrop.review.page.reader import read_page
from afterdrop.review.page.values import Capture, PageReading
from afterdrop.review.run import review_domain
from afterdrop.sources.archive.capture_file import open_captures

NOW = datetime(2026, 11, 25, tzinfo=UTC)
PAGES = [
    ("06-capitals/pl-8859-2-declared.html", "clean", "iso8859-2", "pl", "ŚLĄSKI KLUB WIOŚLARSKI"),
    ("06-capitals/ru-1251-declared-30-percent-lower.html", "clean", "cp1251", "ru", "ГРЕБНОЙ КЛУБ"),
    ("06-capitals/ru-1251-declared.html", "clean", "cp1251", "ru", "ГРЕБНОЙ КЛУБ"),
    ("06-capitals/spam-1251-declared.html", "spam", "cp1251", "ru", "КАЗИНО ВУЛКАН"),
    ("07-charset/fr-8859-15.html", "clean", "iso8859-15", "fr", "Au cœur du Périgord - l'œuvre de nos sœurs"),
    ("07-charset/lv-8859-4.html", "clean", "iso8859-4", "lv", "Rīgas airēšanas klubs - mūsu vēsture"),
    ("08-title/svg-after-title.html", "clean", "utf-8", "en", "Lower Tarn Rowing"),
    ("08-title/svg-without-title.html", "clean", "utf-8", "en", None),
    ("19-language/cy-declared.html", "clean", "utf-8", "cy", "Clwb Rhwyfo"),
]
CLUB = "Lower Tarn Rowing Club"
# The file, its outcome, the title, the years with a page, and how many pages the kit has.
LIVES = [
    ("01-coding/br.warc", "ok", CLUB, (2012, 2016, 2020), 1),
    ("01-coding/gzip.warc", "ok", CLUB, (2012, 2016, 2020), 1),
    ("01-coding/spam-br.warc", "spam", None, (2012, 2016, 2020), 0),
    ("01-coding/spam-gzip.warc", "spam", None, (2012, 2016, 2020), 0),
    ("02-revisit/no-block.warc", "ok", CLUB, (2012, 2014, 2016, 2018), 1),
    ("02-revisit/not-modified.warc", "ok", CLUB, (2012, 2014, 2016, 2018), 1),
    ("03-arc/no-head-text-html.arc", "ok", CLUB, (1999, 2001, 2003), 1),
    ("03-arc/with-head.arc", "ok", CLUB, (1999, 2001, 2003), 1),
    ("04-heads/warc-folded.warc", "ok", CLUB, (2014,), 1),
    ("09-noscript/head.warc", "ok", CLUB, (2012, 2016, 2020), 2),
    ("09-noscript/long-page.warc", "ok", CLUB, (2012, 2016, 2020), 2),
    ("10-refresh/with-url.warc", "ok", CLUB, (2012, 2016, 2020), 2),
    ("10-refresh/without-url.warc", "ok", CLUB, (2012, 2016, 2020), 2),
]


# The same of a later round.
REDIRECTED = [
    ("subfolder.warc", "ok", CLUB, (2010, 2012, 2014, 2016)),
    ("script redirect honest.warc", "ok", CLUB, (1999, 2001, 2003, 2005)),
    ("subfolder spam.warc", "spam", None, (2010, 2012, 2014, 2016)),
]


@pytest.mark.parametrize(("name", "verdict", "charset", "language", "title"), PAGES)
def test_pages(real: Path, name: str, verdict: str, charset: str, language: str, title: str | None) -> None:
    found = read_page((real / "field" / name).read_bytes(), url="")
    assert (found.verdict, found.charset, found.language, found.title) == (verdict, charset, language, title)


@pytest.mark.parametrize(("name", "outcome", "title", "years", "pages"), LIVES)
async def test_lives(
    real: Path, name: str, outcome: str, title: str | None, years: tuple[int, ...], pages: int
) -> None:
    found = await _review(real / "field" / name)
    assert (found.outcome, found.title, found.good_years, len(found.pages)) == (outcome, title, years, pages)
    assert not found.unread
    assert found.honest_years == (years if outcome == "ok" else ())


@pytest.mark.parametrize(("name", "outcome", "title", "years"), REDIRECTED)
async def test_redirected_home_pages(
    real: Path, name: str, outcome: str, title: str | None, years: tuple[int, ...]
) -> None:
    found = await _review(real / "field3" / "10-lives" / name)
    assert (found.outcome, found.title, found.good_years) == (outcome, title, years)
    assert found.honest_years == (years if outcome == "ok" else ())
    assert len(found.eras) == 1


async def _review(path: Path) -> History:
    file = open_captures(path, "https://web.archive.org/web")

    async def reader(capture: Capture) -> PageReading:
        return read_capture(capture)

    [domain] = file.domains
    return (await review_domain(file, reader, domain, NOW)).history
