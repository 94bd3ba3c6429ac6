"""A file of `bench` is there because the table, a page, a comment, a test or another bench names it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def _texts() -> dict[str, str]:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True, timeout=300
    )
    paths = [path for path in listed.stdout.splitlines() if path.endswith((".py", ".md", ".toml"))]
    return {path: (ROOT / path).read_text(encoding="utf-8") for path in paths if (ROOT / path).is_file()}


def test_every_bench_is_named_and_every_named_bench_is_there() -> None:
    texts = {path: text for path, text in _texts().items() if path != "CHANGELOG.md"}
    benches = {path.stem for path in (ROOT / "bench").glob("*.py")}
    named = re.findall(r"(?:-m |`)bench\.(\w+)|\bbench/(\w+)\.py", "\n".join(texts.values()))
    assert {"".join(each) for each in named} - benches == set()
    for bench in sorted(benches):
        naming = rf"\bbench[./]{bench}\b|from bench import .*\b{bench}\b"
        others = [path for path, text in texts.items() if re.search(naming, text)]
        assert {*others} - {f"bench/{bench}.py"}, f"bench/{bench}.py: nothing names it"
