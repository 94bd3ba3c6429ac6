"""The vendors' answers agree with the stories, as the service's own presets read them."""

from __future__ import annotations

import orjson
import pytest

from afterdrop.sandbox import vendor_server as vendors
from afterdrop.sources.metrics.provider_answer import ProviderAnswer, read_answer
from afterdrop.sources.metrics.provider_files import load_file
from tests.unit.sandbox.worlds import DAY, world

WORLD = world()
GOOD = next(story for story in WORLD.stories if {"moz", "semrush", "openpagerank"} <= story.metrics.known)
UNKNOWN = next(story.domain for story in WORLD.stories if not story.metrics.known)


def _answer(preset: str, name: str, host: str = "") -> ProviderAnswer:
    one = {"item": name, "item0": name, "items": "1", "DesiredTopics": "3", "Count": "100", "target": name}
    majestic = {
        "majestic": "GetIndexItemInfo",
        "majestic_anchors": "GetAnchorText",
        "majestic_links": "GetBackLinkData",
        "majestic_ref_domains": "GetRefDomains",
    }
    if preset in majestic:
        body = orjson.dumps(vendors.majestic(WORLD, {**one, "cmd": majestic[preset]}))
    elif preset == "semrush":
        body = vendors.semrush(WORLD, one).encode()
    elif preset == "ahrefs_free":
        body = orjson.dumps(vendors.ahrefs_many(WORLD, [name]))
    elif preset == "moz_links":
        body = orjson.dumps(vendors.moz(WORLD, [name], DAY, host))
    else:
        body = orjson.dumps(vendors.open_pagerank(WORLD, [name], DAY))
    return read_answer(load_file(preset), body, [name])


@pytest.mark.parametrize(
    ("preset", "role", "value"),
    [
        ("ahrefs_free", "domain_rating", GOOD.metrics.domain_rating),
        ("majestic", "trust_flow", GOOD.metrics.trust_flow),
        ("majestic", "referring_domains", GOOD.metrics.referring_domains),
        ("majestic", "topic", GOOD.metrics.topics[0][0].partition("/")[0]),
        ("majestic_ref_domains", "top_referring_domains", list(GOOD.metrics.referrers)),
        ("moz_links", "vendor_b_domain_authority", GOOD.metrics.domain_authority),
        ("semrush", "vendor_a_authority_score", GOOD.metrics.authority_score),
        ("open_pagerank", "vendor_d_pagerank", GOOD.metrics.pagerank),
    ],
)
def test_a_vendor_says_what_the_story_says_and_knows_no_other_name(
    preset: str, role: str, value: object
) -> None:
    found = _answer(preset, GOOD.domain).values[GOOD.domain]
    assert {str(name): told for name, told in found.items()}[role] == value
    other = _answer(preset, UNKNOWN).values.get(UNKNOWN, {})
    assert not any(other.values())


def test_anchors_and_links_are_those_of_the_story() -> None:
    anchors = _answer("majestic_anchors", GOOD.domain).values[GOOD.domain]["anchors"]
    links = _answer("majestic_links", GOOD.domain).values[GOOD.domain]["links"]
    assert isinstance(anchors, list) and isinstance(links, list)
    assert len(anchors) == len(GOOD.metrics.anchors) and len(links) == len(GOOD.metrics.links)
