"""V: the description, what may change in it, and that responses match it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from afterdrop.delivery.events import EVENTS
from afterdrop.web.schemas.patterns import MOMENT
from tests.contract.described import Described
from tests.contract.narrowing import narrowed
from tests.contract.routes import beyond, every_call, table
from tests.support import POSTGRES_IS_LONG
from tests.support.published import NAME, STRONG, history, offer, put_metrics, put_offer, reviewed
from tests.support.service import BASE, ENDED, FREED, OPEN, Service, code, row

pytestmark = POSTGRES_IS_LONG

SNAPSHOT = Path(__file__).with_name("openapi.json")


async def document(service: Service) -> dict[str, Any]:
    found: dict[str, Any] = (await service.get("/openapi.json", who="")).json()
    return found


async def test_v_01_the_version(service: Service) -> None:
    found = await document(service)
    assert found["info"]["version"] == "1.0.0"
    assert found["servers"][0]["url"] == "http://127.0.0.1:8000/api/v1"


def operations(found: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in found["paths"].items():
        for method, operation in item.items():
            yield path, method.upper(), operation


STATUSES = {
    ("/alerts", "POST"): {201, 409},
    ("/webhooks", "POST"): {201, 409},
    ("/webhooks/{id}/test", "POST"): {202, 404},
    ("/checks", "POST"): {200, 202, 402},
    ("/watchlist/{domain}", "PUT"): {200, 404, 409},
    ("/watchlist/{domain}", "DELETE"): {204, 404},
    ("/domains/{domain}", "GET"): {200, 304, 404},
    ("/checks/{id}", "GET"): {200, 404},
}


async def test_v_02_every_operation_is_described(service: Service) -> None:
    found = await document(service)
    assert {(path, method) for path, method, _ in operations(found)} == {*table(), *beyond()}
    tags = {tag["name"] for tag in found["tags"]}
    ids = [operation["operationId"] for _, _, operation in operations(found)]
    assert len(set(ids)) == len(ids)
    for path, method, operation in operations(found):
        assert operation["summary"]
        assert operation["description"]
        assert set(operation["tags"]) <= tags
        assert operation["security"] == [{"apiKey": []}]
        statuses = {int(status) for status in operation["responses"]}
        assert statuses >= {400, 401, 403, 405, 422, 429, 431, 500, 503} | STATUSES.get((path, method), set())
        for parameter in operation.get("parameters", []):
            assert parameter["description"], (path, parameter["name"])
            assert parameter["schema"], (path, parameter["name"])


BOUNDS: dict[str, dict[str, Any]] = {
    "q": {"type": "string", "maxLength": 60},
    "min_score": {"type": "integer", "minimum": 0, "maximum": 100},
    "min_dr": {"type": "integer", "minimum": 0, "maximum": 100},
    "min_tf": {"type": "integer", "minimum": 0, "maximum": 100},
    "min_ref_domains": {"type": "integer", "minimum": 0},
    "min_archive_years": {"type": "integer", "minimum": 0, "maximum": 30},
    "max_price": {"type": "integer", "minimum": 0},
    "tld": {"type": "string"},
    "type": {"type": "string"},
    "topic": {"type": "string"},
    "lang": {"type": "string"},
    "clean": {"anyOf": [{"type": "boolean"}, {"type": "integer", "enum": [1, 0]}]},
    "since": {"anyOf": [{"type": "string", "format": "date-time"}, {"type": "string", "pattern": MOMENT}]},
    "ending_within_hours": {"type": "integer", "minimum": 1, "maximum": 720},
    "sort": {"type": "string", "enum": ["score", "dr", "ending", "newest", "price", "ended"]},
    "page": {"type": "integer", "minimum": 1, "default": 1},
    "per_page": {"type": "integer", "minimum": 1, "maximum": 100, "default": 25},
}


# Filters of the lists that the interface does not have.
ADDED: dict[str, dict[str, Any]] = {
    "min_trust_ratio": {"type": "integer", "minimum": 0, "maximum": 1000},
    **{
        name: {"type": "integer", "minimum": 0}
        for name in ("min_valuation", "min_searches", "min_cpc", "min_extensions_taken", "min_live_links")
    },
    "not_adult": BOUNDS["clean"],
    "min_last_owner_links": {"type": "integer", "minimum": 0, "maximum": 100},
    "max_first_year": {"type": "integer", "minimum": 0, "maximum": 2100},
    **{name: {"type": "integer", "minimum": 0, "maximum": 63} for name in ("min_length", "max_length")},
    **{name: {"type": "string", "maxLength": 60} for name in ("starts_with", "ends_with")},
    **{name: {"type": "string"} for name in ("exclude", "exclude_tld")},
    **dict.fromkeys(("no_hyphens", "no_digits", "letters_only"), BOUNDS["clean"]),
}
# Members of alert rules that the interface does not have.
ADDED_TO_RULES = {
    *("min_trust_ratio", "min_length", "max_length", "starts_with", "ends_with"),
    *("exclude_keywords", "exclude_tlds", "no_hyphens", "no_digits", "letters_only"),
    *("min_valuation", "min_searches", "min_cpc", "min_extensions_taken", "not_adult"),
    *("mail", "min_last_owner_links", "min_live_links", "max_first_year", "min_cf", "priced", "min_bids"),
    *("max_bids", "no_serious_risk", "marketplaces", "sources"),
}
_RULE = {
    *("name", "frequency", "active", "min_score", "min_dr", "min_tf", "min_ref_domains", "min_archive_years"),
    *("max_price", "tlds", "listing_types", "topics", "langs", "clean_only", "keywords"),
}
_READ_ONLY = {"id", "match_count", "last_matched_at", "created_at"}


@pytest.mark.parametrize("path", ["/domains", "/domains/available", "/domains/archive"])
async def test_v_02_every_bound_and_default_of_the_lists(service: Service, path: str) -> None:
    operation = (await document(service))["paths"][path]["get"]
    schemas = {item["name"]: item["schema"] for item in operation["parameters"] if item["in"] == "query"}
    assert set(schemas) == set(BOUNDS | ADDED)
    for name, bounds in (BOUNDS | ADDED).items():
        assert {key: schemas[name].get(key) for key in bounds} == bounds, name
    assert schemas["sort"]["default"] == ("ended" if path.endswith("archive") else "score")


async def test_rules_have_the_interfaces_members_and_these_besides(service: Service) -> None:
    schemas = (await document(service))["components"]["schemas"]
    for name in ("NewRule", "RuleChange", "Rule"):
        assert set(schemas[name]["properties"]) == _RULE | _READ_ONLY | ADDED_TO_RULES
    assert set(schemas["Rule"]["required"]) == _RULE | _READ_ONLY


async def test_the_description_is_asked_for_once(service: Service) -> None:
    first = await service.get("/openapi.json", who="")
    tag = first.headers["ETag"]
    again = await service.get("/openapi.json", who="", headers={"If-None-Match": tag})
    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)
    other = await service.get("/openapi.json", who="", headers={"If-None-Match": '"other"'})
    assert (other.status_code, other.content) == (200, first.content)


async def test_every_member_has_a_text(service: Service) -> None:
    schemas = (await service.get("/openapi.json")).json()["components"]["schemas"]
    bare = [
        f"{name}.{member}"
        for name, schema in schemas.items()
        for member, about in schema.get("properties", {}).items()
        if not about.get("description")
    ]
    assert bare == []


async def test_events_have_a_tag_of_their_own(service: Service) -> None:
    """Generators make one file of each tag, and would write events over the operations."""
    document = (await service.get("/openapi.json")).json()
    tags = [
        {tag for item in document[part].values() for each in item.values() for tag in each["tags"]}
        for part in ("paths", "webhooks")
    ]
    assert tags[1] == {"Events"} and not tags[0] & tags[1]
    assert {tag["name"] for tag in document["tags"]} == tags[0] | tags[1]


async def test_every_event_is_described_with_its_data(service: Service) -> None:
    found = await document(service)
    assert set(found["webhooks"]) == {*EVENTS, "ping"}
    for kind, item in found["webhooks"].items():
        [schema] = [each["schema"] for each in item["post"]["requestBody"]["content"].values()]
        event = found["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        named = event["properties"]["type"]
        assert kind in (named.get("const"), *named.get("enum", ()))
        assert set(event["required"]) == {"id", "type", "created_at", "data"}


_OF_REPORTS = {
    *("score_notes", "score_confidence", "score_version", "topic_estimated", "history", "review_notes"),
    *("links", "link_eras", "links_today", "cc_rank"),
    *(
        "standing",
        "score_inputs",
        "spam",
        "attributions",
        "purchase",
        "facts",
        "last_owner_links",
        "live_links",
        "fact_sources",
        "conclusion",
        "flag_levels",
    ),
}
EXTENSIONS = {
    "FullReport": _OF_REPORTS,
    "CheckReport": _OF_REPORTS,
    "ReportMetrics": {"link_rank"},
    "DnsResult": {"status", "errors", "withheld"},
    "Summary": {"purchase", "facts", "last_owner_links", "live_links", "conclusion", "flag_levels"},
    "BasicReport": {"purchase", "conclusion", "flag_levels"},
    "Listing": {"certain", "day", "opens_at", "source_title"},
    "CheckedListing": {"certain", "day", "opens_at", "source_title"},
    "DomainEndingSoon": {"opens_at"},
    "ListMeta": {"filter_note"},
    "Fault": {"request_id"},
    "Era": {"at", "owner", "perhaps_other"},
    "Page": {"era"},
    "Anchor": {"era"},
    "Link": {"era", "page", "rating", "nofollow", "today"},
    "RevivalKit": {"eras"},
    "Finding": {"before", "before_url", "changed", "years"},
    "Me": {"key"},
    "MatchListAnswer": {"meta"},
    **{name: ADDED_TO_RULES for name in ("NewRule", "RuleChange", "Rule")},
}


async def test_members_beyond_the_interface_are_marked_as_extensions(service: Service) -> None:
    schemas = (await document(service))["components"]["schemas"]
    for name, schema in schemas.items():
        marked = {
            member
            for member, each in schema.get("properties", {}).items()
            if each.get("description", "").startswith("Extension: ")
        }
        assert marked == EXTENSIONS.get(name, set()), name


async def test_v_04_other_versions_are_not_found(service: Service) -> None:
    for path in ("/api/v2/me", "/api/v0/me", "/api/me", "/v1/me"):
        answer = await service.get(f"http://127.0.0.1:8000{path}")
        assert answer.status_code == 404
    assert code(await service.get("http://127.0.0.1:8000/api/v2/me")) == (404, "not_found")


async def test_v_06_only_additions_within_a_version(service: Service) -> None:
    """Fails on removal or narrowing. To accept an addition: `python -m tests.contract.narrowing`."""
    before = json.loads(SNAPSHOT.read_text(encoding="utf-8"))
    assert list(narrowed(before, await document(service))) == []


async def world(service: Service) -> dict[str, str]:
    """A domain of each kind, and ids of one's own things."""
    await put_offer(service.database, offer())
    await put_metrics(service.database, STRONG)
    await reviewed(service.database, history())
    await service.show(row("a.com", **OPEN), row("b.com", **ENDED), row("c.com", **FREED))
    await service.ask("PUT", "/watchlist/a.com")
    made = {}
    for name, path, body in (
        ("/alerts/{id}", "/alerts", {"name": "r"}),
        ("/webhooks/{id}", "/webhooks", {"url": "https://h.example.org/"}),
        ("/checks/{id}", "/checks", {"domain": "x.com"}),
        ("/checks/batch/{id}", "/checks/batch", {"domains": ["x.com", "y.com"], "credits": 1}),
    ):
        made[name] = str((await service.ask("POST", path, json=body)).json()["data"]["id"])
    await service.ask("POST", f"/webhooks/{made['/webhooks/{id}']}/test")
    return made


async def test_v_03_answers_are_as_described(service: Service) -> None:
    described = Described(await document(service))
    ids = await world(service)
    for who in ("pro", "free", "unverified", ""):
        for template, method in (*table(), *beyond()):
            if template.startswith("/tools"):
                continue
            path = template
            for prefix, number in ids.items():
                path = path.replace(prefix, prefix.replace("{id}", number))
            for domain in (NAME, "a.com", "b.com", "c.com", "none.com") if "{domain}" in path else ("",):
                body: dict[str, Any] | None = {} if method in ("POST", "PATCH") else None
                if method == "DELETE" and who == "pro" and "{id}" in template:
                    continue
                answer = await service.ask(method, path.replace("{domain}", domain), who, json=body)
                described.check(BASE, answer)
        service.clock.move(minutes=1)


async def test_v_03_errors_are_as_described(service: Service) -> None:
    described = Described(await document(service))
    templates = dict(zip(every_call("999999"), (*table(), *beyond()), strict=True))
    for (method, path), (template, _) in templates.items():
        answer = await service.ask(method, f"{path}?unknown=1", json={})
        assert described.answer_faults(template, method, answer.status_code, answer.json()) == []
