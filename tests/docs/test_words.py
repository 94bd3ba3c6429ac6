"""What people read keeps to the glossary: site, mails, API description, tools, command line, messages and docs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer.main

from afterdrop.cli.commands import app
from afterdrop.web.mcp.tools import TOOLS

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "afterdrop"
GLOSSARY = ROOT / "docs" / "guide" / "glossary.md"
_ROW = re.compile(r"^\| (?!Word |Write |---)(.+) \|$", re.M)
_UNSEEN = re.compile(r"\{#.*?#\}|\{%.*?%\}|<svg.*?</svg>", re.S)
_SPACED_PERCENT = re.compile(r"(?:\d|\}|^) %(?=[\s<,.;:)]|$)", re.M)


def _banned() -> list[str]:
    """The quoted phrases of each row's last column."""
    rows = _ROW.findall(GLOSSARY.read_text(encoding="utf-8"))
    return sorted({phrase for row in rows for phrase in re.findall(r"“([^”]+)”", row.split(" | ")[-1])})


def _docstrings(tree: ast.AST) -> Iterator[int]:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            yield id(body[0].value)


def _strings(path: Path) -> str:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    left_out = set(_docstrings(tree))
    return "\n".join(
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left_out
    )


def _help(command: Any, name: str) -> Iterator[str]:
    yield f"{name}: {command.help or ''}"
    yield from (str(getattr(parameter, "help", "")) for parameter in command.params)
    for child, each in getattr(command, "commands", {}).items():
        yield from _help(each, f"{name} {child}")


@cache
def _service() -> dict[str, str]:
    """What the service says, by where it is written. Invented texts of the sandbox are nobody's words."""
    templates = [*SOURCE.rglob("templates/**/*.html"), *SOURCE.rglob("templates/**/*.txt")]
    found = {
        str(path.relative_to(ROOT)): _UNSEEN.sub(" ", path.read_text(encoding="utf-8")) for path in templates
    }
    found |= {
        str(path.relative_to(ROOT)): _strings(path)
        for path in SOURCE.rglob("*.py")
        if not {"sandbox", "migrations"} & set(path.parts)
    }
    found["the API's description"] = (ROOT / "tests/contract/openapi.json").read_text(encoding="utf-8")
    found["the command line"] = "\n".join(_help(typer.main.get_command(app), "afterdrop"))
    found["the MCP tools"] = "\n".join(
        f"{tool.description} {tool.arguments.model_json_schema()}" for tool in TOOLS.values()
    )
    return found


@cache
def _pages() -> dict[str, str]:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    return {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in pages if path != GLOSSARY
    }


@pytest.mark.parametrize("phrase", _banned())
def test_nothing_that_people_read_says(phrase: str) -> None:
    pattern = re.compile(rf"(?<![\w-]){re.escape(phrase)}(?![\w-])".replace(r"\ ", r"\s+"), re.I)
    found = sorted(where for where, text in (_service() | _pages()).items() if pattern.search(text))
    assert found == [], f"docs/guide/glossary.md has another word for “{phrase}”"


def test_the_glossary_says_what_each_thing_is_not_called() -> None:
    assert len(_banned()) >= 40
    assert "to the listing" in _banned()


def test_a_percentage_has_no_space() -> None:
    found = sorted(where for where, text in _service().items() if _SPACED_PERCENT.search(text))
    assert found == []


def test_the_glossary_is_linked_where_contributors_look() -> None:
    assert "docs/guide/glossary.md" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
