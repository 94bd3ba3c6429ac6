"""What each ability of the product costs in lines: `python -m bench.ledger`.

`ledger.toml` says which modules make an ability. A test file's lines are shared among the abilities of the modules that
it imports, so tests are a rough figure.
"""

from __future__ import annotations

import ast
import tomllib
from collections import Counter
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SRC = ROOT / "src" / "afterdrop"
TABLE: dict[str, list[str]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))[
    "abilities"
]


def ability_of(module: str) -> str:
    """The ability that a module, as its path below the package, is part of."""
    return next(
        name for name, (_, *paths) in TABLE.items() if any(fnmatch(module, pattern) for pattern in paths)
    )


def source_lines() -> tuple[Counter[str], Counter[str]]:
    """The lines and the files of each ability."""
    lines, files = Counter[str](), Counter[str]()
    for path in SRC.rglob("*.py"):
        name = ability_of(str(path.relative_to(SRC)))
        lines[name] += path.read_text(encoding="utf-8").count("\n")
        files[name] += 1
    return lines, files


def test_lines() -> Counter[str]:
    """The lines of tests, shared among the abilities that they import."""
    shared: Counter[str] = Counter()
    for path in (ROOT / "tests").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        abilities = [
            ability_of(f"{node.module.removeprefix('afterdrop.').replace('.', '/')}.py")
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("afterdrop.")
        ]
        # Every test needs the foundation; it counts for one that needs nothing else.
        told = [name for name in abilities if TABLE[name][0] != "R"] or abilities
        for name in told:
            shared[name] += round(text.count("\n") / len(told))
    return shared


def main() -> None:
    """Print the ledger as a Markdown table, the dearest ability first."""
    lines, files = source_lines()
    tests = test_lines()
    print("| ability | class | src | files | tests |\n|---|---|---|---|---|")
    for name, count in lines.most_common():
        print(f"| {name} | {TABLE[name][0]} | {count:,} | {files[name]} | {tests[name]:,} |")
    print(f"| **all** | | {lines.total():,} | {files.total()} | {tests.total():,} |")


if __name__ == "__main__":
    main()
