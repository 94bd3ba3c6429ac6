"""What people read keeps to words.toml: site, mails, API description, tools, command line, messages and docs."""

from __future__ import annotations

import ast
import re
import tomllib
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
WORDS: dict[str, str] = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))[
    "instead_of"
]
_UNSEEN = re.compile(r"\{#.*?#\}|\{%.*?%\}|<svg.*?</svg>", re.S)
_SPACED_PERCENT = re.compile(r"(?:\d|\}|^) %(?=[\s<,.;:)]|$)", re.M)


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
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in pages}


@pytest.mark.parametrize("phrase", WORDS)
def test_nothing_that_people_read_says(phrase: str) -> None:
    pattern = re.compile(rf"(?<![\w-]){re.escape(phrase)}(?![\w-])".replace(r"\ ", r"\s+"), re.I)
    found = sorted(where for where, text in (_service() | _pages()).items() if pattern.search(text))
    assert found == [], f"“{phrase}”: write {WORDS[phrase]}"


def test_a_percentage_has_no_space() -> None:
    found = sorted(where for where, text in _service().items() if _SPACED_PERCENT.search(text))
    assert found == []
