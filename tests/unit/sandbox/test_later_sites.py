"""What the sandbox's names show after their end; tests/integration/watching/test_visits.py looks at every scene."""

from __future__ import annotations

from afterdrop.sandbox import later_sites
from afterdrop.sandbox.story import Story
from tests.unit.sandbox.worlds import world

ROBOT, BROWSER = "Afterdrop/1.0 (+mailto:a@b.org)", "Mozilla/5.0"


def of_scene(scene: str) -> Story:
    """A name with a site of that scene."""
    return next(
        story
        for story in world(400).stories
        if later_sites.scene_of(story.domain) == scene and later_sites.last_site(story) is not None
    )


def test_a_cloaked_name_shows_people_something_else() -> None:
    story = of_scene("cloaked")
    shown = {
        agent: later_sites.page_of(world(400), story, story.domain, agent).body for agent in (ROBOT, BROWSER)
    }
    assert shown[ROBOT] != shown[BROWSER]
    assert "casino" in shown[BROWSER].lower()
