"""Suites stand alone: what two of them need is in `tests/support`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2]
SHARED = ("support", "timelines")  # no tests are in there
NAMED_SUITES = ("integration", "unit")  # every folder in these is a suite


def suite_of(parts: tuple[str, ...]) -> tuple[str, ...]:
    """The suite of a module below `tests`: ("contract",), ("unit", "feeds"), or () for what belongs to none."""
    if not parts or parts[0] in SHARED:
        return ()
    return parts[: 2 if parts[0] in NAMED_SUITES else 1]


def imported(path: Path) -> Iterator[tuple[str, ...]]:
    """The modules below `tests` that a file imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "tests":
            yield tuple(node.module.split(".")[1:])


def test_no_suite_imports_anything_of_another() -> None:
    found = [
        f"{path.relative_to(TESTS)} imports tests.{'.'.join(module)}"
        for path in sorted(TESTS.rglob("*.py"))
        for module in imported(path)
        if suite_of(module) and suite_of(module) != suite_of(path.relative_to(TESTS).parts[:-1])
    ]
    assert found == []
