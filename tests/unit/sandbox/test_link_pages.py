"""The sandbox's linking pages are what their scenes say, to the reader that the product has."""

from __future__ import annotations

from datetime import date

import pytest

from afterdrop.review.page.backlink import look_at
from afterdrop.sandbox import link_pages
from afterdrop.sandbox.story import Link

PAGE = "http://www.friends.org/links/page.html"


def link(scene: str) -> Link:
    first, last = date(2012, 1, 1), date(2020, 1, 1)
    return Link(
        "friends.org", "the walk", "http://pennridge.com/walk", first, last, 1, PAGE, 40, False, today=scene
    )


@pytest.mark.parametrize("scene", sorted(link_pages.STATES))
def test_a_scene_is_what_a_look_finds(scene: str) -> None:
    answer = link_pages.page_of(link(scene))
    expected = link_pages.STATES[scene]
    if answer.status == 200:
        kind = answer.headers.get("Content-Type", "text/html; charset=utf-8")
        seen = look_at(
            answer.body.encode(), PAGE, kind, answer.headers.get("X-Robots-Tag", ""), "pennridge.com"
        )
        if scene in link_pages.NOFOLLOW:
            assert seen.link is not None and seen.link.nofollow
        # The whole site of these is gone or keeps us out: their pages would be as good as others.
        assert seen.state == (
            expected if scene not in ("no_name", "host_gone", "forbidden", "robots_fail") else "removed"
        )
    elif answer.status in (404, 410):
        assert expected == "page_gone"
    elif answer.status in (301, 302):
        assert answer.headers["Location"]
        assert expected in ("there", "page_gone", "unread")
    else:
        assert expected == "unread"


def test_a_page_that_moved_has_its_link() -> None:
    seen = look_at(link_pages.moved(link("moved")).body.encode(), PAGE, "text/html", "", "pennridge.com")
    assert seen.state == "there"


def test_sites_keep_robots_out_or_not() -> None:
    answers = {}
    for number in range(200):
        site = f"friends{number}.org"
        answers[link_pages.site_scene(site) or "page"] = link_pages.robots_txt(site)
    assert answers["robots_fail"].status == 503
    assert "Disallow: /links/" in answers["forbidden"].body
    assert link_pages.robots_txt("abc.org").status in (200, 404)
    assert {link_pages.robots_txt(f"{'a' * size}.org").status for size in (1, 2, 3, 4, 5, 6)} >= {200, 404}


def test_every_page_of_a_site_that_is_gone_has_its_scene() -> None:
    sites = [f"friends{number}.org" for number in range(100)]
    for site in sites:
        scenes = {link_pages.scene_of(site, f"http://{site}/{page}") for page in range(20)}
        whole = link_pages.site_scene(site)
        assert scenes == {whole} if whole else len(scenes) > 1
    assert "friends" in link_pages.home("friends.org").body.lower()
