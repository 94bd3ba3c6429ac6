"""README and docs: their commands and make targets exist, and their links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def _commands() -> list[str]:
    found: set[str] = set()
    for page in PAGES:
        for line in re.findall(r"`?(afterdrop [a-z][a-z-]*(?: [a-z]+)?)", page.read_text(encoding="utf-8")):
            found.add(line)
    return sorted(found)


def test_every_command_the_pages_name_exists() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "afterdrop", "--help"], capture_output=True, text=True, check=True, timeout=300
    ).stdout
    for command in {line.split()[1] for line in _commands()}:
        assert re.search(rf"│ {re.escape(command)}\s", shown), (
            f"`afterdrop {command}` is named but does not exist"
        )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_make_targets_that_the_pages_name_exist(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    text = page.read_text(encoding="utf-8")
    blocks = "".join(re.findall(r"```sh\n(.*?)```", text, re.S))
    for target in re.findall(r"^make ([a-z-]+)", blocks, re.M) + re.findall(r"`make ([a-z-]+)", text):
        assert re.search(rf"^{target}:", makefile, re.M), f"{page.name} names `make {target}`"
