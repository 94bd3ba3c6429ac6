"""The invented internet at any moment: stories by domain, and the listings and captures that the servers show.

Pure: it depends on seed, size and day alone. Rendered pages and captures are kept.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime

from afterdrop.sandbox import captures, stories
from afterdrop.sandbox.captures import Capture
from afterdrop.sandbox.pages import PageRenderer
from afterdrop.sandbox.story import Story


@dataclass
class World:
    """A world of `size` domains around `day`, made from `seed`."""

    seed: int
    size: int
    day: date
    stories: tuple[Story, ...] = field(init=False)
    by_domain: dict[str, Story] = field(init=False)
    pages: PageRenderer = field(default_factory=PageRenderer)
    _captures: dict[int, tuple[Capture, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.stories = stories.make_stories(self.seed, self.size, self.day)
        self.by_domain = {story.domain: story for story in self.stories}

    def find(self, host: str) -> Story | None:
        """The story of the domain that `host` is or lies under."""
        name = host.lower().strip(".")
        while name:
            if name in self.by_domain:
                return self.by_domain[name]
            name = name.partition(".")[2]
        return None

    def listed(self, feed: str, moment: datetime) -> list[Story]:
        """The stories whose offer `feed` lists at `moment`, soonest end first."""
        there = [
            story for story in self.stories if story.listing.feed == feed and story.listing.there(moment)
        ]
        return sorted(
            there, key=lambda story: (story.listing.end is None, story.listing.end or story.listing.start)
        )

    def captures(self, story: Story) -> tuple[Capture, ...]:
        """Every capture of a domain, by key and time."""
        if story.index not in self._captures:
            self._captures[story.index] = captures.captures_of(story, self.pages)
        return self._captures[story.index]
