"""The vendors' answers agree with the stories, and each vendor refuses in its own way."""

from __future__ import annotations

import orjson

from afterdrop.sandbox import vendor_server as vendors
from afterdrop.sources.metrics.provider_answer import read_answer
from afterdrop.sources.metrics.provider_files import load_file
from tests.unit.sandbox.worlds import DAY, role, world

GOOD = role("flag_gap")
UNKNOWN = role("no_metrics")
WORLD = world()


def test_ratings_of_many_leave_out_the_unknown() -> None:
    rows = vendors.ahrefs_many(WORLD, [GOOD.domain, UNKNOWN.domain, "nobody.com"])["domain_rating"]["targets"]
    assert rows == [{"target": GOOD.domain, "domain_rating": float(GOOD.metrics.domain_rating)}]
    assert vendors.ahrefs_one(WORLD, UNKNOWN.domain)["domain_rating"]["domain_rating"] is None
    assert (
        vendors.ahrefs_one(WORLD, GOOD.domain)["domain_rating"]["domain_rating"] == GOOD.metrics.domain_rating
    )


def _majestic(**query: str) -> vendors.Answer:
    return vendors.majestic(WORLD, {"app_api_key": "k", **query})


def test_trust_flow_with_topics() -> None:
    answer = _majestic(
        cmd="GetIndexItemInfo", items="3", item0=GOOD.domain, item1=UNKNOWN.domain, DesiredTopics="2"
    )
    assert answer["Code"] == "OK"
    first, second = vendors.majestic(
        WORLD, {"app_api_key": "k", "cmd": "GetIndexItemInfo", "items": "2", "item0": GOOD.domain, "item1": "x.com",
                "DesiredTopics": "2"},
    )["DataTables"]["Results"]["Data"]  # fmt: skip
    assert (first["Status"], first["TrustFlow"]) == ("Found", GOOD.metrics.trust_flow)
    assert first["TopicalTrustFlow_Topic_0"] == GOOD.metrics.topics[0][0]
    assert "TopicalTrustFlow_Topic_2" not in first
    assert (second["Status"], second["TrustFlow"]) == ("NotFound", -1)


def test_errors_are_part_of_the_answer() -> None:
    assert vendors.majestic(WORLD, {"cmd": "GetIndexItemInfo"})["Code"] == "InvalidAPIKey"
    assert _majestic(cmd="Nonsense")["Code"] == "UnknownCommand"
    many = {f"item{number}": "a.com" for number in range(101)}
    assert _majestic(cmd="GetIndexItemInfo", items="101", **many)["Code"] == "TooManyItems"


def test_anchors_referrers_and_topics_of_one_name() -> None:
    for command, table in (
        ("GetAnchorText", "AnchorText"),
        ("GetRefDomains", "Results"),
        ("GetTopics", "Topics"),
    ):
        query = {"app_api_key": "k", "cmd": command, "item": GOOD.domain, "item0": GOOD.domain}
        assert vendors.majestic(WORLD, query)["DataTables"][table]["Data"], command
        query = {"app_api_key": "k", "cmd": command, "item": UNKNOWN.domain}
        assert vendors.majestic(WORLD, query)["DataTables"][table]["Data"] == [], command


def test_link_metrics_are_in_the_requested_order() -> None:
    known = next(story for story in WORLD.stories if "moz" in story.metrics.known)
    first, second = vendors.moz(WORLD, [UNKNOWN.domain, known.domain], DAY)["results"]
    assert first["domain_authority"] is None and first["spam_score"] == -1
    assert second["domain_authority"] == known.metrics.domain_authority
    assert second["page"] == f"{known.domain}/"


def test_semicolon_reports() -> None:
    known = next(
        story for story in WORLD.stories if "semrush" in story.metrics.known and story.metrics.anchors
    )
    query = {
        "key": "k",
        "target": known.domain,
        "type": "backlinks_overview",
        "export_columns": "ascore,total",
    }
    assert vendors.semrush(WORLD, query).split("\r\n") == [
        "ascore;total", f"{known.metrics.authority_score};{known.metrics.backlinks}",
    ]  # fmt: skip
    for report in ("backlinks_anchors", "backlinks_refdomains"):
        assert len(vendors.semrush(WORLD, query | {"type": report, "export_columns": ""}).splitlines()) > 1
    assert vendors.semrush(WORLD, query | {"target": UNKNOWN.domain}) == "ERROR 50 :: NOTHING FOUND"
    assert vendors.semrush(WORLD, query | {"type": "other"}).startswith("ERROR 42")
    assert vendors.semrush(WORLD, query | {"key": ""}).startswith("ERROR 120")


def test_ranks_list_unknown_and_invalid_names() -> None:
    known = next(story for story in WORLD.stories if "openpagerank" in story.metrics.known)
    found = vendors.open_pagerank(WORLD, [known.domain, UNKNOWN.domain, "no name"], DAY)
    assert found["invalid"] == ["no name"] and found["count"] == 2
    assert found["results"][0]["open_page_rank"] == known.metrics.pagerank
    assert found["results"][1]["found"] is False


def test_spam_and_foreign_anchors_occur() -> None:
    spoilt = role("spam_anchors")
    share = sum(anchor.referring_domains for anchor in spoilt.metrics.anchors if "casino" in anchor.text)
    assert share > 0.05 * spoilt.metrics.referring_domains
    foreign = role("flag_anchor_foreign").metrics.anchors
    assert any(not anchor.text.isascii() for anchor in foreign)


def test_a_provider_that_answers_www() -> None:
    known = next(story for story in WORLD.stories if "moz" in story.metrics.known)
    [row] = vendors.moz(WORLD, [known.domain], DAY, "www.")["results"]
    assert row["page"] == f"www.{known.domain}/"
    body = orjson.dumps({"results": [row]})
    answer = read_answer(load_file("moz_links"), body, [known.domain])
    assert answer.values[known.domain]["vendor_b_domain_authority"] == known.metrics.domain_authority
