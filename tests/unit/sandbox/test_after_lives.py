"""What the sandbox's names are after their end: every scene is played, and stays what it is."""

from __future__ import annotations

from afterdrop.review.history.after_life import VisitedPage, after_life
from afterdrop.sandbox import after_lives
from afterdrop.sandbox.story import Story
from tests.unit.sandbox.worlds import world

ROBOT, BROWSER = "Afterdrop/1.0 (+mailto:a@b.org)", "Mozilla/5.0"


def of_scene(scene: str) -> Story:
    """A name with a site of that scene."""
    return next(
        story
        for story in world(400).stories
        if after_lives.scene_of(story.domain) == scene and after_lives.last_site(story) is not None
    )


def test_every_scene_has_its_page() -> None:
    for scene, kind in after_lives.KINDS.items():
        story = of_scene(scene)
        answer = after_lives.page_of(world(400), story, story.domain, ROBOT)
        if scene in ("missing", "failing", "challenge"):
            assert answer.status >= 400
        elif kind == "redirected" or scene in ("loopback", "sent_to_casino", "sent_to_lander"):
            assert answer.status == 302 or "http-equiv" in answer.body
        else:
            assert answer.status == 200
            assert bool(answer.body) == (scene != "empty")


def test_hosts_that_visitors_are_sent_to_have_pages_of_their_own() -> None:
    story = of_scene("redirected")
    for host, kind in (("casino-of-", "spam"), ("lander-of-", "for_sale"), ("www.new-home-of-", "other")):
        name = f"{host}{story.domain}"
        assert after_lives.other_host(name) == story.domain
        answer = after_lives.page_of(world(400), story, name, ROBOT)
        page = VisitedPage(f"http://{name}/", 200, answer.body.encode(), "text/html")
        assert after_life(name.removeprefix("www."), page, None).kind == kind
    assert after_lives.other_host(story.domain) is None


def test_a_cloaked_name_shows_people_something_else() -> None:
    story = of_scene("cloaked")
    shown = {
        agent: after_lives.page_of(world(400), story, story.domain, agent).body for agent in (ROBOT, BROWSER)
    }
    assert shown[ROBOT] != shown[BROWSER]
    assert "casino" in shown[BROWSER].lower()


def test_robots_txt_of_a_name() -> None:
    told = {
        scene: after_lives.robots_txt(of_scene(scene).domain)
        for scene in ("robots_fail", "forbidden", "parked")
    }
    assert [answer.status for answer in told.values()] == [503, 200, 404]
    assert "Disallow: /" in told["forbidden"].body
