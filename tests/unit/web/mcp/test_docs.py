"""docs/integrate/mcp.md names every tool, argument and limit."""

from __future__ import annotations

import re
from pathlib import Path

from afterdrop.web.mcp.response_paging import ANSWER_CHARS, ROWS
from afterdrop.web.mcp.tools import TOOLS

TEXT = (Path(__file__).resolve().parents[4] / "docs" / "integrate" / "mcp.md").read_text(encoding="utf-8")


def test_every_tool_with_every_argument() -> None:
    tools = TEXT.split("\n## Tools\n")[1].split("\n## ")[0]
    rows = {
        line.split("|")[1].strip(" `"): line.split("|")[2] for line in tools.splitlines() if line[:3] == "| `"
    }
    assert set(rows) == set(TOOLS)
    for name, tool in TOOLS.items():
        told = set(re.findall(r"`([a-z_]+)`", rows[name])) - {"live", "available", "archive", "create_rule"}
        assert told == set(tool.arguments.model_fields), name
        needed = set(re.findall(r"`([a-z_]+)`\*", rows[name]))
        assert needed == {field for field, info in tool.arguments.model_fields.items() if info.is_required()}


def test_the_bounds() -> None:
    assert f"**{ROWS} rows and {ANSWER_CHARS:,} characters**" in TEXT
