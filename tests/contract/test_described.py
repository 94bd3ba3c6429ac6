"""The tests' own reading of the description: it finds what is not declared."""

from __future__ import annotations

import copy
from typing import Any

import httpx2
import pytest

from afterdrop.web.schemas.examples import examples
from tests.contract.described import described

BASE = "http://127.0.0.1:8000/api/v1"


def recorded(operation: str, number: int = 0) -> Any:
    """A recorded answer, to be changed."""
    return copy.deepcopy(examples()["operations"][operation]["answers"][number]["body"])


PLACES = (
    ("getReport", "/domains/{domain}", ()),
    ("getReport", "/domains/{domain}", ("data",)),
    ("getReport", "/domains/{domain}", ("data", "metrics")),
    ("getReport", "/domains/{domain}", ("data", "history")),
    ("getReport", "/domains/{domain}", ("data", "history", "eras", 0)),
    ("getReport", "/domains/{domain}", ("data", "risk_checks", 0)),
    ("listLive", "/domains", ("data", 0)),
    ("listLive", "/domains", ("data", 0, "listing")),
    ("listLive", "/domains", ("meta",)),
    ("dns", "/tools/dns", ("data",)),
    ("whois", "/tools/whois", ("data", "drop_estimate")),
    ("getMe", "/me", ("data", "limits")),
)


@pytest.mark.parametrize(("operation", "template", "where"), PLACES)
def test_a_member_that_is_not_declared_is_a_fault(
    operation: str, template: str, where: tuple[Any, ...]
) -> None:
    body = recorded(operation)
    assert described().answer_faults(template, "GET", 200, body) == []
    part = body
    for key in where:
        part = part[key]
    part["undeclared"] = 1
    assert described().answer_faults(template, "GET", 200, body)


def test_the_served_document_leaves_room_for_new_members() -> None:
    def closed(value: Any) -> bool:
        if isinstance(value, dict):
            return "unevaluatedProperties" in value or any(map(closed, value.values()))
        return isinstance(value, list) and any(map(closed, value))

    assert not closed(described().document)


def test_a_member_that_is_missing_or_a_status_that_is_not_described_is_a_fault() -> None:
    body = recorded("getReport")
    del body["data"]["score_breakdown"]
    assert described().answer_faults("/domains/{domain}", "GET", 200, body)
    assert described().answer_faults("/domains/{domain}", "GET", 201, recorded("getReport"))
    assert described().answer_faults("/domains/{domain}", "GET", 304, recorded("getReport"))


@pytest.mark.parametrize(
    ("url", "body"),
    [
        ("/domains?min_score=101", None),
        ("/domains?minimum=1", None),
        ("/domains?clean=yes", None),
        ("/checks", {"domain": "a b"}),
        ("/checks", {"domain": "example.org", "more": 1}),
    ],
)
def test_a_request_that_was_taken_must_be_valid(url: str, body: Any) -> None:
    request = httpx2.Request("POST" if body else "GET", BASE + url, json=body)
    template, values = described().operation(request.method, url.partition("?")[0]) or ("", {})
    assert list(described().request_faults(request, template, values))
