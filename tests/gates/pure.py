"""Gate: modules that call themselves pure import nothing impure, and the sandbox imports only these and the clock.

The sandbox stands in for the outside world, so it must not lean on the code under test. A module is pure when its
docstring says so ("Pure."). `pure.py coverage.json` prints the branches of pure modules that no test took, and
`pure.py --config` the settings with which `make coverage` measures pure modules only.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
CLOCK = "afterdrop.core.clock"  # the one clock: tests give the sandbox another one
_PURE = re.compile(r"\bPure\b[.:,]")
# Sources of values that are no arguments: network, database, clock, random numbers, settings, logs, processes.
IMPURE = {
    "afterdrop.core.clock", "afterdrop.core.settings", "afterdrop.core.settings_file", "afterdrop.db", "aiohttp",
    "asyncio", "httpx2", "logging", "os", "secrets", "socket", "sqlalchemy", "subprocess", "time", "urllib.request",
}  # fmt: skip


def pure_modules() -> Iterator[Path]:
    """Every module whose docstring says it is pure."""
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if _PURE.search(ast.get_docstring(ast.parse(text)) or ""):
            yield path


def impure_imports(path: Path) -> Iterator[str]:
    """Imports that a pure module may not have. Imports for type checking only do not count."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    unseen = {id(node) for block in ast.walk(tree) if _for_typing(block) for node in ast.walk(block)}
    for node in ast.walk(tree):
        for name in [] if id(node) in unseen else _imported(node):
            if any(name == bad or name.startswith(bad + ".") for bad in IMPURE):
                yield f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}: is pure but imports {name}"


def impure_sandbox(pure: list[Path]) -> Iterator[str]:
    """Imports of the sandbox that lean on the code under test."""
    modules = {_module(path) for path in SOURCE.rglob("*.py")}
    allowed = {*map(_module, pure), CLOCK}
    for path in sorted((SOURCE / "afterdrop" / "sandbox").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for name in sorted({name for node in ast.walk(tree) for name in _imported(node)} & modules - allowed):
            # The `__init__` of a folder is empty.
            if name.count(".") > 1 and not name.startswith("afterdrop.sandbox"):
                yield f"{path.relative_to(ROOT)}: imports {name}, which is not pure"


def _imported(node: ast.AST) -> list[str]:
    """The dotted names that a statement imports: both `a.b` and `a.b.c` for `from a.b import c`."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
    return []


def _module(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


def _for_typing(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def untested(paths: list[Path], report: Path) -> Iterator[str]:
    """Pure modules with lines or branches that no test runs."""
    files = json.loads(report.read_text(encoding="utf-8"))["files"]
    for path in paths:
        name = str(path.relative_to(ROOT))
        summary = files.get(name)
        if summary is None:
            yield f"{name}: no test imports it"
        elif summary["missing_lines"] or summary["missing_branches"]:
            lines, branches = summary["missing_lines"][:10], summary["missing_branches"][:10]
            yield f"{name}: no test runs the lines {lines} and the branches {branches}"


def settings(paths: list[Path]) -> str:
    """Settings of coverage that measure the branches of these modules only."""
    return "\n".join(
        ["[run]", "branch = true", "include =", *(f"  {path.relative_to(ROOT)}" for path in paths), ""]
    )


def main() -> int:
    """Print complaints; exit code 1 when there are any."""
    paths = list(pure_modules())
    if sys.argv[1:] == ["--config"]:
        print(settings(paths), end="")
        return 0
    if sys.argv[1:]:
        print(
            "\n".join(untested(paths, Path(sys.argv[1])))
            or f"pure: {len(paths)} modules, every branch tested"
        )
        return 0
    found = [complaint for path in paths for complaint in impure_imports(path)] + [*impure_sandbox(paths)]
    print("\n".join(found) or f"pure: {len(paths)} modules import nothing impure")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
