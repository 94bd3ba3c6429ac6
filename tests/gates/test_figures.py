"""The figures of small trees, counted by hand."""

from __future__ import annotations

from pathlib import Path

from tests.gates.figures import MOST, ROOT, circles, figures, read_modules

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
# Its import of `first` is for type checking only; that of `second` is one half of a circle.
LATE = """from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from afterdrop.first import rows


def rows_of_another() -> list[dict[str, object]]:
    from afterdrop import second

    return second.ROWS
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
    assert found["untyped rows in annotations"] == "1"
    assert found["subscripts by a literal string"] == "1"
    assert found["functions with more than 6 parameters"] == "1"
    assert found["lines of a module"] == "median 7.5, p90 11.1, max 12"
    assert found["the word `Any`"] == "3"
    assert found["functions that return an untyped row"] == "0"
    assert found["files that name `min_ref_domains`"] == "0"
    assert found["circles between files"] == "0"
    assert found["lines of Python"] == "16"


def test_circles_and_filters_are_found(tmp_path: Path) -> None:
    package = tmp_path / "src" / "afterdrop"
    package.mkdir(parents=True)
    (package / "first.py").write_text(
        "from collections.abc import Mapping\n" + FIRST.replace("-> Any", "-> Mapping[str, Any]")
    )
    (package / "second.py").write_text("from afterdrop import late\n" + SECOND)
    (package / "late.py").write_text(LATE)
    (package / "filters.json").write_text('["min_ref_domains"]')
    found = dict(figures(tmp_path))
    assert found["circles between files"] == "1"
    assert circles(read_modules(tmp_path)) == [["afterdrop.late", "afterdrop.second"]]
    assert found["files that name `min_ref_domains`"] == "1"
    assert found["functions that return an untyped row"] == "2"


def test_names_and_untyped_rows_do_not_grow() -> None:
    """A local says what it holds, and a row says what it has. See `MOST`: a figure that fell is lowered there."""
    today = dict(figures(ROOT))
    assert {name: count for name in MOST if (count := int(today[name])) > MOST[name]} == {}
