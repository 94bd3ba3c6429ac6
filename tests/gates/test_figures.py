"""The figures of a tree of two modules, counted by hand."""

from __future__ import annotations

from pathlib import Path

from tests.gates.figures import figures

FIRST = """from typing import Any

import sqlalchemy as sa


def rows(a: int, b: int, c: int, d: int, e: int, f: int, *, g: dict[str, Any]) -> Any:
    return sa.select(g["x"])


class Reader:
    def read(self, a: int, b: int, c: int, d: int, e: int, f: int) -> None:
        return None
"""
SECOND = """from afterdrop.first import rows

ROWS = rows
"""


def test_a_tree_is_counted(tmp_path: Path) -> None:
    package = tmp_path / "src" / "afterdrop"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text('"""Nothing but a docstring: no module."""\n')
    (package / "first.py").write_text(FIRST)
    (package / "second.py").write_text(SECOND)
    found = dict(figures(tmp_path))
    assert found["modules"] == "2"
    assert found["functions"] == "2"
    assert found["modules with exactly one importer"] == "1"
    assert found["modules that hold SQL"] == "1"
    assert found["`Any` in annotations"] == "2"
    assert found["`dict[str, Any]` and `Mapping[str, Any]`"] == "1"
    assert found["subscripts by a literal string"] == "1"
    assert found["functions with more than 6 parameters"] == "1"
    assert found["lines of a module"] == "median 7.5, p90 11.1, max 12"
