"""Docstrings open with a thing or a verb, as docs/internals/writing.md asks of every text."""

import ast
import re
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src" / "afterdrop"


def test_no_docstring_opens_with_what_or_who() -> None:
    opened, count = [], 0
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                text = ast.get_docstring(node) or ""
                count += bool(text)
                if re.match(r"(What|Who|Whose|Whoever)\b", text):
                    opened.append(f"{path.relative_to(SOURCE)}: {text.splitlines()[0]}")
    assert count > 3000 and opened == []
