"""The pages have enough honest text in every language, and each kind of spam has its marks where they belong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from afterdrop.sandbox import pages, sites
from afterdrop.sandbox.name_gen import ascii_label
from afterdrop.sandbox.story import Brand, Era, Story
from afterdrop.sandbox.texts import Genre, genre, landers, languages, spams
from afterdrop.sandbox.world import make_stories
from tests.unit.sandbox.worlds import role, world

OWNER = Brand("Testfield", "Ludlow", "Ann Other", "+44 1", 1950)
ALL_GENRES = [item for language in languages().values() for item in language.genres.values()]


def _era(item: Genre, year: int = 2019, look: int = 0, second: str = "") -> Era:
    start = datetime(year, 3, 1, tzinfo=UTC)
    return Era("site", start, start + timedelta(days=2500), item.language, item.key, OWNER, look, second)


def _text(html: str) -> str:
    return re.sub(r"<[^>]+>", " ", html)


@pytest.mark.parametrize("item", ALL_GENRES, ids=lambda item: f"{item.language}-{item.key}")
def test_every_page_of_every_genre_has_text(item: Genre) -> None:
    era = _era(item)
    all_paths = sites.paths("testfield.com", era)
    assert len(set(all_paths)) == 7
    for path in all_paths:
        html, charset = sites.render(sites.edition_of("testfield.com", era, 0), path)
        assert charset == "utf-8"
        assert "{" not in html
        text = _text(html)
        assert len(text) > 300 if item.language == "ja" else len(text.split()) > 100, path
    home, _ = sites.render(sites.edition_of("testfield.com", era, 0), "/")
    assert "Testfield" in home
    assert len(_text(home).split()) > 150 or item.language == "ja"


@pytest.mark.parametrize("code", ["ru", "ja", "pl", "tr", "de"])
def test_old_pages_are_in_the_charset_of_their_day_and_say_so(code: str) -> None:
    item = next(iter(languages()[code].genres.values()))
    found = pages.PageRenderer().of_era(_story(_era(item, 2004)), 0, "/", datetime(2004, 4, 1, tzinfo=UTC))
    assert found.charset == languages()[code].charset
    assert f"charset={found.charset}" in found.body.decode(found.charset)
    assert found.content_type == f"text/html; charset={found.charset}"


def _story(*eras: Era) -> Story:
    return replace(role("live_bid"), eras=eras, domain="testfield.com", index=99_999)


def test_text_changes_with_the_edition_and_markup_with_the_decade() -> None:
    item = genre("en", "birds")
    era = _era(item, 2003)
    first, later = (sites.render(sites.edition_of("testfield.com", era, number), "/")[0] for number in (0, 9))
    assert first != later
    assert "<table" in first and "<div id" in later
    assert "<main>" in sites.render(sites.edition_of("testfield.com", _era(item), 0), "/")[0]
    assert 'class="cards"' in sites.render(sites.edition_of("testfield.com", _era(item, look=3), 0), "/")[0]


def test_a_bilingual_site_shows_both_languages_and_says_so() -> None:
    era = _era(genre("fr", "village"), second="nl")
    one, other = (sites.render(sites.edition_of("testfield.com", era, number), "/")[0] for number in (0, 1))
    assert 'lang="fr"' in one and 'lang="nl"' in other
    assert all(f'hreflang="{code}"' in one for code in ("fr", "nl"))


def test_both_languages_of_a_bilingual_site_are_of_one_site() -> None:
    """A French tourist office's Dutch pages are the tourist office's, paragraph by paragraph."""
    village = genre("fr", "village")
    era = _era(village, second="nl")
    one, other = (sites.edition_of("testfield.com", era, number).genre for number in (0, 1))
    assert (one.language, other.language, one.key) == ("fr", "nl", other.key)
    assert one.topic == other.topic and one.home != other.home
    for part in ("home", "things", "articles"):
        assert len(getattr(one, part)) == len(getattr(other, part)), part
    assert other.title.startswith("{brand} – middeleeuws dorp")


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_bilingual_site_of_a_world_is_translated(seed: int) -> None:
    stories = make_stories(seed, 400, date(2026, 11, 23))
    found = [era for story in stories if story.scenario == "honest_bilingual" for era in story.eras]
    assert found
    assert all(era.second in genre(era.language, era.key).translations for era in found)


def test_headlines_become_paths_whatever_their_script() -> None:
    assert sites.slug("Der Zaun – ist weg") == "der-zaun-ist-weg"
    assert re.fullmatch(r"a\d+", sites.slug("紅葉の見頃"))
    assert ascii_label("!!") == "site"


@pytest.mark.parametrize("key", sorted(landers()))
def test_parked_pages_name_the_domain_or_the_provider(key: str) -> None:
    era = replace(_era(genre("en", "news")), scene="parked", key=key)
    body = pages.PageRenderer().of_era(_story(era), 0, "/", era.start).body.decode()
    assert "testfield.com" in body or landers()[key].provider in body or "default" in body
    assert "{" not in body.replace("{return{", "").split("<script>")[0]


@pytest.mark.parametrize("key", sorted(spams()))
def test_a_hijacked_site_is_about_one_kind_of_spam_only(key: str) -> None:
    era = replace(_era(genre("en", "news")), scene="spam", key=key)
    rendered = pages.PageRenderer()
    home = rendered.of_era(_story(era), 0, "/", era.start).body.decode()
    inner = rendered.of_era(_story(era), 0, spams()[key].paths[0], era.start).body.decode()
    assert spams()[key].phrases[0] in home.replace("&#x27;", "'")
    assert "Courier" not in home
    assert home != inner


def test_hacked_doorway_and_injected_sites_keep_their_own_pages() -> None:
    site = _era(genre("en", "news"))
    rendered = pages.PageRenderer()
    hacked = replace(site, scene="hacked", spam="japanese")
    doorway = replace(site, scene="doorway", spam="casino_en")
    injected = replace(site, scene="injected", spam="casino_en")
    bodies = [
        rendered.of_era(_story(era), 0, "/", era.start).body.decode() for era in (hacked, doorway, injected)
    ]
    # one story's eras share a place in the store, so that each needs its own
    assert bodies[0].count("<title>") == 1 and "スーパーコピー" in bodies[0] and "Courier" in bodies[0]
    alone = pages.PageRenderer().of_era(_story(doorway), 0, "/", doorway.start).body.decode()
    assert "casino-bonus" not in alone and "Courier" in alone
    inner = pages.PageRenderer().of_era(_story(doorway), 0, "/casino-bonus/", doorway.start)
    assert inner.status == 200 and b"casino" in inner.body
    hidden = pages.PageRenderer().of_era(_story(injected), 0, "/", injected.start).body.decode()
    assert hidden.count(".top/") == 18 and "left:-9999px" in hidden


def test_only_kinds_of_spam_that_add_pages_have_paths() -> None:
    site = _era(genre("en", "news"))
    assert pages.spam_paths(site) == ()
    assert pages.spam_paths(replace(site, scene="injected", spam="casino_en")) == ()
    assert "/shop/k10483-2.html" in pages.spam_paths(replace(site, scene="hacked", spam="japanese"))
    assert len(pages.spam_paths(replace(site, scene="spam", key="pharma"))) == 10


def test_assets_missing_pages_and_redirects() -> None:
    era = _era(genre("en", "news"))
    rendered = pages.PageRenderer()
    assert rendered.of_era(_story(era), 0, "/logo.png", era.start).content_type == "image/png"
    assert rendered.of_era(_story(era), 0, "/nowhere", era.start).status == 404
    assert pages.redirect("https://x.com/").location == "https://x.com/"


def test_there_is_no_page_between_the_eras() -> None:
    gone = role("flag_gap")
    rendered = world().pages
    hole = gone.eras[0].end + timedelta(days=300)
    assert rendered.at(gone, "/", hole) is None
    found = rendered.at(gone, "/", gone.eras[0].start)
    assert found is not None and found.status == 200


def _words() -> Iterator[str]:
    for item in ALL_GENRES:
        yield " ".join(item.home).lower()


def test_honest_home_pages_have_no_spam() -> None:
    phrases = {phrase.lower() for trade in spams().values() for phrase in trade.phrases}
    for text in _words():
        assert not [phrase for phrase in phrases if phrase in text]
