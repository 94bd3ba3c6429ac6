"""Schemas of tools' answers: made from the API's models, with strangers' text as one free object."""

from __future__ import annotations

import json

from afterdrop.web.mcp import shapes
from afterdrop.web.mcp.tools import TOOLS
from afterdrop.web.mcp.untrusted import SUMMARY


def test_a_summary_has_its_own_members_and_untrusted_text() -> None:
    assert set(shapes.SUMMARY["properties"]) == SUMMARY | {"untrusted_text"}
    assert shapes.SUMMARY["properties"]["score"] == {"type": "integer"}
    assert shapes.SUMMARY["properties"]["listing"]["properties"]["bids"] == {"type": "integer"}
    assert shapes.SUMMARY["properties"]["status"]["enum"][0] == "listed"


def test_nothing_is_required_and_nothing_refers_elsewhere() -> None:
    for tool in TOOLS.values():
        text = json.dumps(tool.gives)
        assert '"required"' not in text, tool.name
        assert "$ref" not in text, tool.name
        assert len(text) < 9_200, tool.name


def test_an_answer_has_meta_where_the_tool_gives_some() -> None:
    assert set(shapes.answer(shapes.RULE)["properties"]) == {"data", "next_cursor", "note"}
    assert shapes.answer(shapes.RULE, shapes.TOTAL)["properties"]["meta"] == shapes.TOTAL
