"""The sandbox's stories as histories; their texts were written independently of those beside this file."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from afterdrop.sandbox.captures import Capture
from afterdrop.sandbox.story import Story
from afterdrop.sandbox.world import World
from afterdrop.sources.archive.cdx_index import instant
from tests.timelines.life import Life, Shot

_OF_HISTORY = frozenset({"gap", "parked", "lang_change", "topic_change"})


def sandbox_lives(size: int, seed: int = 11) -> Iterator[Life]:
    """Every story of a world whose expected result depends on the archive alone."""
    world = World(seed, size, date(2026, 11, 20))
    for story in world.stories:
        if "spam:anchors" in story.reasons or not story.eras:
            continue
        yield life_of(world, story)


def life_of(world: World, story: Story) -> Life:
    """One story of a world as a history."""
    spam = any(reason.startswith("spam:") for reason in story.reasons)
    return Life(
        story.domain,
        story.scenario,
        "spam" if spam else "honest",
        tuple(map(_shot, world.captures(story))),
        flags=frozenset(story.flags) & _OF_HISTORY,
        never=_OF_HISTORY - frozenset(story.flags) - frozenset(story.may) if not spam else frozenset(),
        language=story.language or None,
    )


def _shot(capture: Capture) -> Shot:
    at = instant(capture.timestamp)
    assert at is not None
    host = capture.original.partition("://")[2]
    return Shot(
        at,
        capture.page.body,
        path=host[host.find("/") :] if "/" in host else "/",
        status=capture.page.status,
        content_type=capture.page.content_type,
        location=capture.page.location,
    )
