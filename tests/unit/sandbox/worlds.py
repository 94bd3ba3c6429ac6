"""The worlds of the sandbox's tests, each made once."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from functools import lru_cache

from afterdrop.sandbox.story import Story
from afterdrop.sandbox.world import World

DAY = date(2026, 11, 20)
MIDNIGHT = datetime(2026, 11, 20, tzinfo=UTC)


@lru_cache(maxsize=8)
def world(size: int = 250, seed: int = 1, day: date = DAY) -> World:
    """A world, the same one each time it is asked for."""
    return World(seed, size, day)


def role(name: str, size: int = 250) -> Story:
    """The first story of the scenario `name`."""
    return next(story for story in world(size).stories if story.scenario == name)


def moment(days: float) -> datetime:
    """That many days after the world's midnight."""
    return MIDNIGHT + timedelta(days=days)
