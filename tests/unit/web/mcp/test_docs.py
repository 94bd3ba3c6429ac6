"""docs/integrate/mcp.md names every tool and limit."""

from __future__ import annotations

import re
from pathlib import Path

from afterdrop.web.mcp.response_paging import ANSWER_CHARS, ROWS
from afterdrop.web.mcp.tools import TOOLS

TEXT = (Path(__file__).resolve().parents[4] / "docs" / "integrate" / "mcp.md").read_text(encoding="utf-8")


def test_every_tool_is_there() -> None:
    tools = TEXT.split("\n## Tools\n")[1].split("\n## ")[0]
    assert set(re.findall(r"^\| `([a-z_]+)` \|", tools, re.M)) == set(TOOLS)


def test_the_bounds() -> None:
    assert f"**{ROWS} rows and {ANSWER_CHARS:,} characters**" in TEXT
