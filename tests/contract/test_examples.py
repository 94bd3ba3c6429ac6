"""The description's examples: each was answered by a service, is valid, and keeps the contract's own rules."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from afterdrop.web.problems import STATUS
from afterdrop.web.schemas.examples import examples
from tests.contract.described import described, readings
from tests.contract.example_rules import broken, moment, placeholders
from tests.contract.record_examples import TODAY

_LATER = TODAY + timedelta(hours=1)


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Template, method and operation of everything in the document."""
    for template, item in described().document["paths"].items():
        for method, operation in item.items():
            yield template, method.upper(), operation


def shown(response: dict[str, Any]) -> dict[str, Any]:
    """The examples of a response by name."""
    content = response.get("content", {}).get("application/json", {})
    assert "example" not in content
    return {name: each["value"] for name, each in content.get("examples", {}).items()}


def test_every_answer_that_is_shown_was_recorded_and_is_valid() -> None:
    recorded = examples()
    for template, method, operation in operations():
        answers = recorded["operations"][operation["operationId"]]["answers"]
        for status, response in operation["responses"].items():
            if "application/json" not in response.get("content", {}):
                continue
            found = shown(response)
            assert found, (template, method, status)
            for name, value in found.items():
                assert described().answer_faults(template, method, int(status), value) == [], (
                    template,
                    status,
                )
                if status.startswith("2"):
                    assert {"status": int(status), "name": name, "body": value} in answers
                else:
                    assert value == recorded["errors"][f"{status} {name}"]


def test_what_is_shown_as_sent_is_valid() -> None:
    for template, _, operation in operations():
        for each in operation.get("parameters", []):
            values = [example["value"] for example in each.get("examples", {}).values()]
            assert values or not each["required"], (template, each["name"])
            for value in values:
                kinds = readings(value) if isinstance(value, str) else [value]
                assert any(described().faults(each["schema"], kind) == [] for kind in kinds), (
                    template,
                    value,
                )
        if "requestBody" in operation:
            content = operation["requestBody"]["content"]["application/json"]
            assert described().faults(content["schema"], content["example"]) == [], template


def test_every_event_is_valid() -> None:
    for kind, item in described().document["webhooks"].items():
        content = item["post"]["requestBody"]["content"]["application/json"]
        [value] = [each["value"] for each in content["examples"].values()]
        assert value == examples()["events"][kind]
        assert described().faults(content["schema"], value) == []
        assert value["type"] == kind


def test_every_example_keeps_the_contracts_rules() -> None:
    recorded = examples()
    for name, operation in recorded["operations"].items():
        for answer in operation["answers"]:
            assert list(broken(answer["body"], _LATER)) == [], name
    for kind, event in recorded["events"].items():
        assert list(broken(event, moment(event["created_at"]))) == [], kind
    for key, error in recorded["errors"].items():
        status, code = key.split()
        assert list(broken(error, _LATER)) == []
        assert error["error"]["code"] == code
        assert int(status) in (STATUS[code], 400, 403, 408, 431, 503)
    assert list(placeholders(dict(recorded))) == []


def test_a_secret_is_shown_only_where_an_endpoint_is_created() -> None:
    for name, operation in examples()["operations"].items():
        bodies = [answer["body"]["data"] for answer in operation["answers"]]
        assert ("secret" in str(bodies)) == (name == "createWebhook")
    assert "whsec_<SIGNING_SECRET>" in str(examples()["operations"]["createWebhook"])


def test_a_free_plan_and_a_locked_list_are_shown() -> None:
    recorded = examples()["operations"]
    live = {answer["name"]: answer["body"]["meta"] for answer in recorded["listLive"]["answers"]}
    assert live["free"]["locked"] > 0
    assert "locked" not in live["pro"]


# Contradictions that the examples once had: operation, answer, where, and the value that does not belong there.
CONTRADICTIONS: tuple[tuple[str, int, tuple[Any, ...], Any], ...] = (
    ("orderCheck", 0, ("data", "finished_at"), "2026-11-20T12:12:30Z"),
    ("getCheck", 1, ("data", "finished_at"), None),
    ("getCheck", 1, ("data", "report", "score"), 12),
    ("getCheck", 1, ("data", "reject_reasons"), ["Spam."]),
    ("getReport", 0, ("data", "registration"), {}),
    ("getReport", 0, ("data", "flags"), ["parked"]),
    ("getReport", 0, ("data", "top_referring_domains"), ["text"]),
    ("getReport", 0, ("data", "anchors", "top"), [{"text": "a", "referring_domains": n} for n in (1, 2)]),
    ("listLive", 0, ("data", 0, "status"), "ended"),
    ("listLive", 0, ("data", 0, "score"), 44),
    ("listLive", 0, ("data", 0, "tld"), "example"),
    ("listLive", 0, ("meta", "pages"), 0),
    ("getMe", 1, ("data", "webhooks", "limit"), 10),
    ("getMe", 0, ("data", "checks", "available"), 99),
    ("whois", 0, ("data", "statuses"), None),
    ("dns", 0, ("data", "has_mail"), False),
    ("listDeliveries", 0, ("data", 0, "delivered_at"), "2026-11-20T12:12:30Z"),
)


@pytest.mark.parametrize(("operation", "number", "where", "value"), CONTRADICTIONS)
def test_the_rules_find_contradictions(
    operation: str, number: int, where: tuple[Any, ...], value: Any
) -> None:
    body = copy.deepcopy(examples()["operations"][operation]["answers"][number]["body"])
    part = body
    for key in where[:-1]:
        part = part[key]
    assert part[where[-1]] != value
    part[where[-1]] = value
    assert list(broken(body, _LATER))


def test_texts_that_nobody_wrote_are_found() -> None:
    assert list(placeholders({"title": "text", "names": ["string"]})) == [
        ".title: 'text'",
        ".names.0: 'string'",
    ]
    assert list(placeholders({"anchors": [{"text": "read more"}]})) == []
