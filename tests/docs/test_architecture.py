"""docs/internals/architecture.md has every folder and answers questions correctly; paths that any page names exist."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "afterdrop"
PAGE = (ROOT / "docs" / "internals" / "architecture.md").read_text(encoding="utf-8")
PAGES = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md"))]
_PATH = re.compile(r"`((?:[a-z_]+/)+(?:[A-Za-z_]+\.(?:py|toml|md))?)`")


def _section(title: str) -> str:
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def _rows(section: str) -> list[list[str]]:
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def _place(path: str) -> Path:
    beside = path.partition("/")[0] in {"src", "tests", "docs", "bench", "clients", "deploy"}
    return (ROOT if beside else SOURCE) / path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_path_that_a_page_names_exists(page: Path) -> None:
    paths = _PATH.findall(page.read_text(encoding="utf-8"))
    stale = sorted({path for path in paths if path != "dist/" and not _place(path).exists()})
    assert stale == [], f"{page.relative_to(ROOT)} names paths that do not exist"


def test_the_table_of_folders_has_every_folder_in_the_order_of_imports() -> None:
    listed = [row[0].strip("`/").removesuffix(".py") for row in _rows(_section("Folders"))]
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    layers = next(each["layers"] for each in contracts["contracts"] if each["type"] == "layers")
    place = {folder: number for number, layer in enumerate(reversed(layers)) for folder in layer.split(" | ")}
    modules = [path.stem for path in SOURCE.glob("[a-z]*.py")]
    assert sorted(listed) == sorted([path.parent.name for path in SOURCE.glob("*/__init__.py")] + modules)
    assert sorted(listed) == sorted([*place, "sandbox"])
    numbers = [place[folder] for folder in listed if folder in place]
    assert numbers == sorted(numbers)


@pytest.mark.parametrize("row", _rows(_section("Where is …?")), ids=lambda row: row[0])
def test_each_question_is_answered_in_its_file(row: list[str]) -> None:
    question, path, name = row[0], _place(row[1].strip("`")), row[2].strip("`")
    assert path.exists(), f"{question}: {path} does not exist"
    assert name in _defined(path), f"{question}: {path} does not define {name}"


def _defined(path: Path) -> set[str]:
    """The names that a module defines at its top level."""
    names: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names.update(target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return names
