"""The results that a correct service must reach for every domain of a world; tests compare with them.

Pure. `expected_document` makes what `truth.json` holds and `/_sandbox/truth` serves. Its format:

`seed`, `size`, `day`; `feeds.<preset>` {url, source, bad_rows}; `canaries`; `registries`; `sick_registries`, which
answer 404 to everything; `graph` {release, ranks, vertices, edges (addresses)}.
`domains.<name>`: `role` (its scenario), `outcome` (published, rejected, below_filter, no_metrics, low_score),
`reasons`, `flags` (must be found), `may` (may be found too), `language`, `topic`, `title_words` (the last site's
brand), `first_year` and `last_year` of captures, `eras` [{scene, language, key, brand, start, end}], `listing`
{feed, source, type, start, end, withdrawn, currency}, `registry` [{from, state, availability, announceable,
registered_at, expires_at}] where `availability` is what a look-up must say and `announceable` whether the name may
be called available, `metrics`, and `known` (the providers that have them).
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from afterdrop.sandbox.feed_files import FEEDS, bad_names
from afterdrop.sandbox.graph import RELEASE, graph_paths
from afterdrop.sandbox.registries import CANARIES, REGISTRIES, registry_of
from afterdrop.sandbox.story import Phase, Story
from afterdrop.sandbox.world import World

_TYPES = {"bid": "bid", "auction": "auction", "buy_now": "buy_now", "drop": "pending_delete"}
_AVAILABILITY = {
    "active": "registered", "auto_renew": "registered", "redemption": "dropping", "pending_restore": "dropping",
    "pending_delete": "dropping", "free": "available", "blocked": "unknown", "registry_404": "unknown",
}  # fmt: skip


def expected_document(world: World, origin: str) -> dict[str, Any]:
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


def describe_story(story: Story) -> dict[str, Any]:
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


def _registry_phase(story: Story, phase: Phase) -> dict[str, Any]:
    known = registry_of(story.domain) is not None
    vetoed = phase.state == "free" and phase.delegated
    return {
        "from": _time(phase.start),
        "state": phase.state,
        "availability": _AVAILABILITY[phase.state] if known else "unknown",
        "announceable": known and phase.state == "free" and not vetoed,
        "registered_at": _time(phase.registered_at),
        "expires_at": _time(phase.expires_at),
    }


def _metrics(story: Story) -> dict[str, Any]:
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
        "anchors": [[anchor.text, anchor.referring_domains] for anchor in found.anchors],
        "topics": [list(topic) for topic in found.topics],
    }


def _time(moment: datetime | None) -> str | None:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ") if moment else None
