"""What the service imports is what `make setup` installs: nothing rests on a development tool being there."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
# The package `mcp` is made of two distributions of one project; `uvicorn[standard]` and the like bring their parts.
TOGETHER = {
    "mcp-types": "mcp",
    "starlette": "fastapi",
    "multidict": "aiohttp",
    "lxml": "lxml-html-clean",
    "numpy": "py3langid",
    "markupsafe": "jinja2",
}


def imported() -> set[str]:
    """Top-level modules that any file of the package imports, other than its own and Python's."""
    found = set[str]()
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {name.name.partition(".")[0] for name in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module.partition(".")[0])
    return found - set(sys.stdlib_module_names) - {"afterdrop"}


def test_every_import_is_a_run_time_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {re.split(r"[\[<>=]", line)[0].lower() for line in project["dependencies"]}
    homes = packages_distributions()
    for module in sorted(imported()):
        brought = {name.lower().replace("_", "-") for name in homes.get(module, [module])}
        brought = {TOGETHER.get(name, name) for name in brought}
        assert brought & declared, f"{module} is of {brought}, which pyproject.toml does not name"
