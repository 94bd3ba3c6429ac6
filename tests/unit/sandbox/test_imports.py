"""What the sandbox imports: it stands in for the outside world, so it must not lean on the code under test."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.gates.figures import imported
from tests.gates.pure import SOURCE, pure_modules

# The one clock. Tests give the sandbox another one.
CLOCK = "afterdrop.core.clock"


def test_the_sandbox_imports_only_pure_modules_and_the_clock() -> None:
    modules = {_name(path) for path in (SOURCE / "afterdrop").rglob("*.py")}
    allowed = {_name(path) for path in pure_modules()} | {CLOCK}
    for path in sorted((SOURCE / "afterdrop" / "sandbox").glob("*.py")):
        ours = imported(ast.parse(path.read_text(encoding="utf-8"))) & modules
        others = {name for name in ours if name.split(".")[1:2] not in ([], ["sandbox"])}
        impure = {name for name in others - allowed if name.count(".") > 1}  # a folder's `__init__` is empty
        assert impure == set(), path.name


def _name(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
