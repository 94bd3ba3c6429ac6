"""The results that a correct service must reach for every domain of a world; tests compare with them.

Pure. `expected_document` makes what `truth.json` holds and `/_sandbox/truth` serves.
"""

from __future__ import annotations

from typing import TypedDict

from afterdrop.sandbox.graph_server import RELEASE, graph_paths
from afterdrop.sandbox.story import Story
from afterdrop.sandbox.world import World


class ExpectedEra(TypedDict):
    """One era of a site, with the days on which it begins and ends."""

    scene: str
    brand: str
    start: str
    end: str
    spam: str


class ExpectedLink(TypedDict):
    """One link; `era` is the owner who earned it, from 1. Without dates only its text and target can tell."""

    domain: str
    text: str
    dated: bool
    era: int


class ExpectedMetrics(TypedDict):
    """What the providers that have the name say."""

    referring_domains: int
    links: list[ExpectedLink]


class ExpectedDomain(TypedDict):
    """One domain. `role` is its scenario; `flags` must be found, `may` may be found too.

    `outcome` is published, rejected, below_filter, no_metrics or low_score.
    """

    role: str
    outcome: str
    reasons: list[str]
    flags: list[str]
    may: list[str]
    language: str | None
    eras: list[ExpectedEra]
    metrics: ExpectedMetrics


class ExpectedWorld(TypedDict):
    """The whole document. `graph` has the release and the addresses of its files."""

    seed: int
    size: int
    day: str
    domains: dict[str, ExpectedDomain]
    graph: dict[str, str]


def expected_document(world: World, origin: str) -> ExpectedWorld:
    """The whole document; `origin` is the address of the main server."""
    return {
        "seed": world.seed,
        "size": world.size,
        "day": world.day.isoformat(),
        "domains": {story.domain: _domain(story) for story in world.stories},
        "graph": {"release": RELEASE} | {name: f"{origin}{path}" for name, path in graph_paths().items()},
    }


def _domain(story: Story) -> ExpectedDomain:
    return {
        "role": story.scenario,
        "outcome": story.outcome,
        "reasons": list(story.reasons),
        "flags": list(story.flags),
        "may": list(story.may),
        "language": story.language or None,
        "eras": [
            {
                "scene": era.scene,
                "brand": era.brand.name,
                "start": era.start.date().isoformat(),
                "end": era.end.date().isoformat(),
                "spam": era.spam,
            }
            for era in story.eras
        ],
        "metrics": {
            "referring_domains": story.metrics.referring_domains,
            "links": [
                {"domain": link.domain, "text": link.text, "dated": link.first is not None, "era": link.era}
                for link in story.metrics.links
            ],
        },
    }
