"""Gate: one file, one subject.

Files stay within 500 lines, functions within 40, and the lines of a template within 200 characters.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILE_LINES = 500
FOLDERS = ("src", "tests", "bench")
FUNCTION_LINES = 40
TEMPLATE_CHARACTERS = 200


def complaints() -> Iterator[str]:
    """One line for every module or function that is too long; docstrings do not count against a function."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "migrations/versions" in str(path):
                continue
            text = path.read_text(encoding="utf-8")
            lines = text.count("\n")
            if lines > FILE_LINES:
                yield f"{path.relative_to(ROOT)}: {lines} lines, at most {FILE_LINES}"
            if folder == "src":
                yield from _long_functions(path, ast.parse(text))


def long_lines() -> Iterator[str]:
    """Each line of a template that is too long to read."""
    for path in sorted((ROOT / "src").rglob("templates/**/*.html")):
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            if len(line) > TEMPLATE_CHARACTERS:
                yield f"{path.relative_to(ROOT)}:{number}: {len(line)} characters, at most {TEMPLATE_CHARACTERS}"


def _long_functions(path: Path, tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            start = node.body[0].end_lineno if ast.get_docstring(node) and len(node.body) > 1 else node.lineno
            length = (node.end_lineno or 0) - (start or 0)
            if length > FUNCTION_LINES:
                yield f"{path.relative_to(ROOT)}:{node.lineno}: {node.name} is {length} lines, at most {FUNCTION_LINES}"


if __name__ == "__main__":
    found = [*complaints(), *long_lines()]
    print("\n".join(found) or "sizes: every module, function and line of a template is within its limit")
    sys.exit(bool(found))
