"""The service imports only what `make setup` installs, no development tool."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import TypeGuard

ROOT = Path(__file__).resolve().parents[3]
# The package `mcp` is made of two distributions of one project; `uvicorn[standard]` and the like bring their parts.
TOGETHER = {
    "mcp-types": "mcp",
    "starlette": "fastapi",
    "multidict": "aiohttp",
    "lxml": "lxml-html-clean",
    "markupsafe": "jinja2",
    "pydantic-core": "pydantic",
    "typing-extensions": "pydantic",
}


def imports(path: Path) -> set[str]:
    """Top-level modules that one file imports (in functions too), other than the package's own and Python's.

    What only a type checker reads is no import.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing_only = {id(each) for node in ast.walk(tree) if _for_typing(node) for each in _walk(node.body)}
    found = set[str]()
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    return found - set(sys.stdlib_module_names) - {"afterdrop"}


def _for_typing(node: ast.AST) -> TypeGuard[ast.If]:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _walk(nodes: Iterable[ast.stmt]) -> Iterator[ast.AST]:
    return (each for node in nodes for each in ast.walk(node))


def declared(lines: list[str]) -> set[str]:
    """Names of the distributions of a list of requirements."""
    return {re.split(r"[\[<>=]", line)[0].lower() for line in lines}


def assert_brought(modules: set[str], named: set[str]) -> None:
    homes = packages_distributions()
    for module in sorted(modules):
        brought = {name.lower().replace("_", "-") for name in homes.get(module, [module])}
        brought |= {TOGETHER[name] for name in brought if name in TOGETHER}
        assert brought & named, f"{module} is of {brought}, which pyproject.toml does not name"


PACKAGE = ROOT / "src/afterdrop"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_every_import_is_a_run_time_dependency() -> None:
    assert_brought(set[str]().union(*map(imports, PACKAGE.rglob("*.py"))), declared(PROJECT["dependencies"]))
