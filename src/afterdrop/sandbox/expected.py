"""The results that a correct service must reach for every domain of a world; tests compare with them.

Pure. `expected_document` makes what `truth.json` holds and `/_sandbox/truth` serves.
"""

from __future__ import annotations

from datetime import datetime
from typing import TypedDict

from afterdrop.sandbox import link_pages
from afterdrop.sandbox.feed_server import FEEDS, bad_names
from afterdrop.sandbox.graph_server import RELEASE, graph_paths
from afterdrop.sandbox.registry_server import CANARIES, REGISTRIES, registry_of
from afterdrop.sandbox.story import Phase, Story
from afterdrop.sandbox.whois_server import ANSWERED
from afterdrop.sandbox.world import World

_TYPES = {"bid": "bid", "auction": "auction", "buy_now": "buy_now", "drop": "pending_delete"}
AVAILABILITY = {
    "active": "registered", "auto_renew": "registered", "redemption": "dropping", "pending_restore": "dropping",
    "pending_delete": "dropping", "free": "available", "blocked": "unknown", "registry_404": "unknown",
}  # fmt: skip


class ExpectedEra(TypedDict):
    """One era of a site, with the days on which it begins and ends."""

    scene: str
    language: str
    key: str
    brand: str
    start: str
    end: str
    spam: str


class ExpectedListing(TypedDict):
    """The offer of a name."""

    feed: str
    source: str
    type: str
    start: str | None
    end: str | None
    withdrawn: str | None
    currency: str


# `availability` is what a look-up must say, `announceable` whether the name may be called available.
ExpectedPhase = TypedDict("ExpectedPhase", {
    "from": str | None, "state": str, "availability": str, "announceable": bool,
    "registered_at": str | None, "expires_at": str | None,
})  # fmt: skip


class ExpectedLink(TypedDict):
    """One link; `era` is the owner who earned it, from 1. Without dates only its text and target can tell."""

    domain: str
    text: str
    target: str
    dated: bool
    era: int
    page: str
    today: str


class ExpectedMetrics(TypedDict):
    """The figures of the providers that have the name: anchors with referring domains, topics with flows."""

    domain_rating: int
    trust_flow: int
    citation_flow: int
    referring_domains: int
    backlinks: int
    authority_score: int
    domain_authority: int
    pagerank: float
    anchors: list[tuple[str, int]]
    topics: list[tuple[str, int]]
    links: list[ExpectedLink]


class ExpectedDomain(TypedDict):
    """One domain. `role` is its scenario; `flags` must be found, `may` may be found too; years are of captures.

    `outcome` is published, rejected, below_filter, no_metrics or low_score. `title_words` is the last site's brand,
    and `known` the providers that have metrics.
    """

    role: str
    outcome: str
    reasons: list[str]
    flags: list[str]
    may: list[str]
    language: str | None
    topic: str | None
    title_words: list[str]
    first_year: int
    last_year: int
    eras: list[ExpectedEra]
    listing: ExpectedListing
    registry: list[ExpectedPhase]
    metrics: ExpectedMetrics
    known: list[str]


class ExpectedFeed(TypedDict):
    """One feed, by its preset; `bad_rows` are the names in it that are no domain names."""

    url: str
    source: str
    bad_rows: int


class ExpectedWorld(TypedDict):
    """The whole document. `graph` has the release and the addresses of its files; sick registries answer 404 to all."""

    seed: int
    size: int
    day: str
    domains: dict[str, ExpectedDomain]
    feeds: dict[str, ExpectedFeed]
    graph: dict[str, str]
    canaries: dict[str, str]
    registries: dict[str, list[str]]
    sick_registries: list[str]


def expected_document(world: World, origin: str) -> ExpectedWorld:
    """The whole document; `origin` is the address of the main server."""
    return {
        "seed": world.seed,
        "size": world.size,
        "day": world.day.isoformat(),
        "domains": {story.domain: describe_story(story) for story in world.stories},
        "feeds": {
            preset: {
                "url": f"{origin}{feed.path}",
                "source": feed.source,
                "bad_rows": len(bad_names(world)) if preset in _WITH_BAD_ROWS else 0,
            }
            for preset, feed in FEEDS.items()
        },
        "graph": {"release": RELEASE} | {name: f"{origin}{path}" for name, path in graph_paths().items()},
        "canaries": CANARIES,
        "registries": {registry.key: sorted(registry.paths) for registry in REGISTRIES},
        "sick_registries": ["nicbiz"],
    }


_WITH_BAD_ROWS = ("godaddy_auctions", "namecheap_market", "dynadot_auctions", "snapnames_deleting")


def describe_story(story: Story) -> ExpectedDomain:
    """The expected results of one domain."""
    sited = [era for era in story.eras if era.scene != "parked"]
    return {
        "role": story.scenario,
        "outcome": story.outcome,
        "reasons": list(story.reasons),
        "flags": list(story.flags),
        "may": list(story.may),
        "language": story.language or None,
        "topic": story.topic or None,
        "title_words": [sited[-1].brand.name] if sited and sited[-1].scene == "site" else [],
        "first_year": story.eras[0].start.year,
        "last_year": story.eras[-1].end.year,
        "eras": [
            {"scene": era.scene, "language": era.language, "key": era.key, "brand": era.brand.name,
             "start": era.start.date().isoformat(), "end": era.end.date().isoformat(), "spam": era.spam}
            for era in story.eras
        ],
        "listing": {
            "feed": story.listing.feed,
            "source": FEEDS[story.listing.feed].source,
            "type": _TYPES[story.listing.sale],
            "start": _time(story.listing.start),
            "end": _time(story.listing.end),
            "withdrawn": _time(story.listing.withdrawn),
            "currency": story.listing.currency,
        },
        "registry": [_registry_phase(story, phase) for phase in story.phases],
        "metrics": _metrics(story),
        "known": sorted(story.metrics.known),
    }  # fmt: skip


def _registry_phase(story: Story, phase: Phase) -> ExpectedPhase:
    known = registry_of(story.domain) is not None or story.tld in ANSWERED
    vetoed = phase.state == "free" and phase.delegated
    return {
        "from": _time(phase.start),
        "state": phase.state,
        "availability": AVAILABILITY[phase.state] if known else "unknown",
        "announceable": known and phase.state == "free" and not vetoed,
        "registered_at": _time(phase.registered_at),
        "expires_at": _time(phase.expires_at),
    }


def _metrics(story: Story) -> ExpectedMetrics:
    found = story.metrics
    return {
        "domain_rating": found.domain_rating,
        "trust_flow": found.trust_flow,
        "citation_flow": found.citation_flow,
        "referring_domains": found.referring_domains,
        "backlinks": found.backlinks,
        "authority_score": found.authority_score,
        "domain_authority": found.domain_authority,
        "pagerank": found.pagerank,
        "anchors": [(anchor.text, anchor.referring_domains) for anchor in found.anchors],
        "topics": list(found.topics),
        "links": [
            {
                "domain": link.domain,
                "text": link.text,
                "target": link.target,
                "dated": link.first is not None,
                "era": link.era,
                "page": link.page,
                "today": link_pages.STATES[link.today],
            }
            for link in found.links
        ],
    }


def _time(moment: datetime | None) -> str | None:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ") if moment else None
