"""The pages have enough honest text in every language, and each kind of spam has its marks where they belong."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from afterdrop.sandbox import pages, sites
from afterdrop.sandbox.name_gen import ascii_label
from afterdrop.sandbox.pages import SitePage
from afterdrop.sandbox.story import Brand, Era
from afterdrop.sandbox.texts import Genre, genre, landers, languages, spams
from tests.unit.sandbox.worlds import role, world

OWNER = Brand("Testfield", "Ludlow", "Ann Other", "+44 1", 1950)
ALL_GENRES = [item for language in languages().values() for item in language.genres.values()]


def _era(item: Genre, year: int = 2019, look: int = 0, second: str = "") -> Era:
    start = datetime(year, 3, 1, tzinfo=UTC)
    return Era("site", start, start + timedelta(days=2500), item.language, item.key, OWNER, look, second)


def _page(era: Era, path: str = "/", later: int = 0) -> SitePage:
    story = replace(role("live_bid"), eras=(era,), domain="testfield.com", index=99_999)
    return pages.PageRenderer().of_era(story, 0, path, era.start + timedelta(days=later))


@pytest.mark.parametrize("item", ALL_GENRES, ids=lambda item: f"{item.language}-{item.key}")
def test_every_page_of_every_genre_has_text_and_no_spam(item: Genre) -> None:
    paths = sites.paths("testfield.com", _era(item))
    assert len(set(paths)) == 7
    for path in paths:
        html = _page(_era(item), path).body.decode()
        text = re.sub(r"<[^>]+>", " ", html)
        assert "{" not in html
        assert len(text) > 300 if item.language == "ja" else len(text.split()) > 100, path
        phrases = {phrase.lower() for trade in spams().values() for phrase in trade.phrases}
        assert not [phrase for phrase in phrases if phrase in text.lower()], path


@pytest.mark.parametrize("code", ["ru", "ja", "pl", "tr", "de"])
def test_old_pages_are_in_the_charset_of_their_day_and_say_so(code: str) -> None:
    found = _page(_era(next(iter(languages()[code].genres.values())), 2004))
    assert found.charset == languages()[code].charset
    assert f"charset={found.charset}" in found.body.decode(found.charset)
    assert found.content_type == f"text/html; charset={found.charset}"


@pytest.mark.parametrize(
    ("year", "look", "later", "mark"),
    [
        (2003, 0, 0, "<table"),
        (2003, 0, 3000, "<div id"),
        (2019, 0, 0, "<main>"),
        (2019, 3, 0, 'class="cards"'),
    ],
)
def test_markup_changes_with_the_decade(year: int, look: int, later: int, mark: str) -> None:
    assert mark in _page(_era(genre("en", "birds"), year, look), later=later).body.decode("utf-8", "replace")


@pytest.mark.parametrize(
    "item", [item for item in ALL_GENRES if item.translations], ids=lambda item: item.key
)
def test_both_languages_of_a_bilingual_site_are_of_one_site(item: Genre) -> None:
    """A French tourist office's Dutch pages are the tourist office's, paragraph by paragraph."""
    for code, said in item.translations.items():
        era = _era(item, second=code)
        shown = _page(era), _page(era, later=400)
        for page, own in zip(shown, (item.language, code), strict=True):
            assert f'lang="{own}"' in page.body.decode() and f'hreflang="{code}"' in page.body.decode()
        for part in ("home", "things", "articles"):
            assert len(getattr(said, part)) == len(getattr(item, part)), (code, part)


def test_headlines_become_paths_whatever_their_script() -> None:
    assert sites.slug("Der Zaun – ist weg") == "der-zaun-ist-weg"
    assert re.fullmatch(r"a\d+", sites.slug("紅葉の見頃"))
    assert ascii_label("!!") == "site"


@pytest.mark.parametrize("key", sorted(landers()))
def test_parked_pages_name_the_domain_or_the_provider(key: str) -> None:
    body = _page(replace(_era(genre("en", "news")), scene="parked", key=key)).body.decode()
    assert "testfield.com" in body or landers()[key].provider in body or "default" in body
    assert "{" not in body.replace("{return{", "").split("<script>")[0]


@pytest.mark.parametrize("key", sorted(spams()))
def test_a_hijacked_site_is_about_one_kind_of_spam_only(key: str) -> None:
    era = replace(_era(genre("en", "news")), scene="spam", key=key)
    home, inner = (_page(era, path).body.decode() for path in ("/", spams()[key].paths[0]))
    assert spams()[key].phrases[0] in home.replace("&#x27;", "'")
    assert "Courier" not in home and home != inner


def test_hacked_doorway_and_injected_sites_keep_their_own_pages() -> None:
    site = _era(genre("en", "news"))
    doorway = replace(site, scene="doorway", spam="casino_en")
    hacked = _page(replace(site, scene="hacked", spam="japanese")).body.decode()
    hidden = _page(replace(site, scene="injected", spam="casino_en")).body.decode()
    assert hacked.count("<title>") == 1 and "スーパーコピー" in hacked and "Courier" in hacked
    assert hidden.count(".top/") == 18 and "left:-9999px" in hidden and "Courier" in hidden
    assert b"casino-bonus" not in _page(doorway).body and b"Courier" in _page(doorway).body
    assert b"casino" in _page(doorway, "/casino-bonus/").body


def test_there_is_no_page_between_the_eras() -> None:
    gone = role("flag_gap")
    assert world().pages.at(gone, "/", gone.eras[0].end + timedelta(days=300)) is None
    assert world().pages.at(gone, "/", gone.eras[0].start) is not None
