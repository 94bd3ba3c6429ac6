"""Gate: one file, one subject, and suites of tests that stand alone.

Files of `src` and `bench` stay within 500 lines, functions within 60, and the lines of a template within 200
characters. No suite of tests imports anything of another: what two of them need is in `tests/support`.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILE_LINES = 500
FOLDERS = ("src", "tests", "bench")
FUNCTION_LINES = 60
TEMPLATE_CHARACTERS = 200
SHARED = ("support", "timelines", "gates")  # no tests are in there
NAMED_SUITES = ("integration", "unit")  # every folder in these is a suite


def complaints() -> Iterator[str]:
    """One line for every module or function that is too long, and for every import that may not be."""
    tests: dict[str, ast.Module] = {}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "migrations/versions" in str(path):
                continue
            text = path.read_text(encoding="utf-8")
            lines = text.count("\n")
            if lines > FILE_LINES and folder != "tests":
                yield f"{path.relative_to(ROOT)}: {lines} lines, at most {FILE_LINES}"
            tree = ast.parse(text)
            if folder == "src":
                yield from _long_functions(path, tree)
            elif folder == "tests":
                tests[_module(path.relative_to(ROOT / folder))] = tree
    yield from foreign_suites(tests)


def foreign_suites(tests: Mapping[str, ast.Module]) -> Iterator[str]:
    """Each module of one suite that imports anything of another."""
    for name, tree in tests.items():
        suites = {_suite(each.split(".")[1:]) for each in _imported(tree) if each.startswith("tests.")}
        for suite in sorted(suites - {_suite(name.split(".")), ()}):
            yield f"tests.{name} imports from tests.{'.'.join(suite)}"


def long_lines() -> Iterator[str]:
    """Each line of a template that is too long to read."""
    for path in sorted((ROOT / "src").rglob("templates/**/*.html")):
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            if len(line) > TEMPLATE_CHARACTERS:
                yield f"{path.relative_to(ROOT)}:{number}: {len(line)} characters, at most {TEMPLATE_CHARACTERS}"


def _module(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def _imported(tree: ast.Module) -> Iterator[str]:
    """Every dotted name that is imported: both `a.b` and `a.b.c` for `from a.b import c`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _suite(parts: Iterable[str]) -> tuple[str, ...]:
    """The suite of a module below `tests`: ("contract",), ("unit", "feeds"), or () for what belongs to none."""
    first, *rest = parts
    if first in SHARED:
        return ()
    return (first, *rest[:1]) if first in NAMED_SUITES else (first,)


def _long_functions(path: Path, tree: ast.Module) -> Iterator[str]:
    """Functions that are too long; docstrings do not count."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            start = node.body[0].end_lineno if ast.get_docstring(node) and len(node.body) > 1 else node.lineno
            length = (node.end_lineno or 0) - (start or 0)
            if length > FUNCTION_LINES:
                yield f"{path.relative_to(ROOT)}:{node.lineno}: {node.name} is {length} lines, at most {FUNCTION_LINES}"


if __name__ == "__main__":
    found = [*complaints(), *long_lines()]
    print("\n".join(found) or "sizes: every module, function, import and line of a template is as it may be")
    sys.exit(bool(found))
