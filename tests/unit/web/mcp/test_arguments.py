"""Arguments as agents' clients send them: texts for other values, and members that no tool has."""

from __future__ import annotations

from typing import Any

import pytest

from afterdrop.web.mcp.arguments import as_asked_for
from afterdrop.web.mcp.tools import TOOLS
from afterdrop.web.schemas.envelope import RequestModel

SEARCH, CREATE, UPDATE = "search_domains", "create_rule", "update_rule"


def read(tool: str, **arguments: Any) -> dict[str, Any]:
    return as_asked_for(arguments, TOOLS[tool].arguments)


@pytest.mark.parametrize(
    ("tool", "name", "sent", "meant"),
    [
        (SEARCH, "limit", "2", 2),
        (SEARCH, "limit", " 2\n", 2),
        (SEARCH, "min_score", "60.0", 60),
        (SEARCH, "min_dr", "0", 0),
        (SEARCH, "max_price", "null", None),
        (SEARCH, "clean", "false", False),
        (SEARCH, "tld", "[]", []),
        (SEARCH, "tld", '["com", "рф"]', ["com", "рф"]),
        (SEARCH, "exclude", '["\\u0441\\u043f\\u0430\\u043c"]', ["спам"]),
        (CREATE, "mail", "true", True),
        (CREATE, "keywords", '["n8n", "2"]', ["n8n", "2"]),
        (UPDATE, "rule_id", "17", 17),
        ("delete_rule", "rule_id", "9223372036854775807", 2**63 - 1),
        ("order_check", "confirm", "true", True),
        ("order_checks", "credits", "5", 5),
        ("availability", "domains", '["a.com","b.com"]', ["a.com", "b.com"]),
    ],
)
def test_a_text_is_read_as_json_where_the_schema_takes_none(
    tool: str, name: str, sent: str, meant: object
) -> None:
    found = read(tool, **{name: sent})[name]
    assert found == meant and isinstance(found, bool) == isinstance(meant, bool)


@pytest.mark.parametrize(
    ("tool", "name", "sent"),
    [
        (SEARCH, "limit", "two"),
        (SEARCH, "limit", ""),
        (SEARCH, "limit", "26"),
        (SEARCH, "limit", "null"),
        (SEARCH, "limit", "2.5"),
        (SEARCH, "limit", "true"),
        (SEARCH, "limit", '"2"'),
        (SEARCH, "limit", "٢"),
        (SEARCH, "min_score", "NaN"),
        (SEARCH, "min_score", "1" * 400),
        (SEARCH, "min_score", '"\ud800"'),
        (SEARCH, "clean", "True"),
        (SEARCH, "clean", "1"),
        (SEARCH, "clean", "yes"),
        (SEARCH, "tld", "com"),
        (SEARCH, "tld", '"com"'),
        (SEARCH, "tld", "['com']"),
        (SEARCH, "tld", '{"0": "com"}'),
        (SEARCH, "tld", "[" * 5000),
        (SEARCH, "outcome", '["lost"]'),
        (CREATE, "mail", "null"),
        ("order_check", "confirm", "ok"),
    ],
)
def test_what_is_no_value_for_the_member_stays_as_it_was_sent(tool: str, name: str, sent: str) -> None:
    assert read(tool, **{name: sent}) == {name: sent}


@pytest.mark.parametrize(
    ("tool", "name", "sent"),
    [
        (SEARCH, "q", "2"),
        (SEARCH, "q", "null"),
        (SEARCH, "starts_with", "true"),
        (SEARCH, "since", "2026"),
        (SEARCH, "list", '"live"'),
        ("write_note", "note", "[1]"),
        ("tag_domains", "tag", "2026"),
        ("list_drops", "day", "2026-11-20"),
        ("get_check", "id", "17"),
    ],
)
def test_a_text_stays_where_the_schema_takes_one(tool: str, name: str, sent: str) -> None:
    assert read(tool, **{name: sent}) == {name: sent}


def test_each_member_is_judged_by_itself() -> None:
    sent = {"limit": "5", "min_score": "high", "tld": '["com"]', "clean": 1, "cursor": "5"}
    assert read(SEARCH, **sent) == {**sent, "limit": 5, "tld": ["com"]}


def test_members_of_n8n_are_dropped_where_the_tool_has_none_of_that_name() -> None:
    class Acting(RequestModel):
        action: str

    added = {"toolCallId": "1", "sessionId": None, "action": "sendMessage", "chatInput": {"a": 1}}
    assert read("get_me", **added) == {}
    assert as_asked_for(added, Acting) == {"action": "sendMessage"}
    others = {"toolName": "x", "toolcallid": "1", "Action": "a"}
    assert read("get_me", **others) == others
