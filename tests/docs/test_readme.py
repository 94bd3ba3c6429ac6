"""README and docs: their commands with options and their make targets exist, and their links lead somewhere."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.exceptions import TyperException
from typer.main import get_command

from afterdrop.cli.commands import app

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def _named(text: str) -> Iterator[tuple[str, set[str]]]:
    """Each command in a block or between backticks, and the options that its line names beside it."""
    text = text.replace("\\\n", " ")
    blocks = r"```(?:sh|console)?\n(.*?)```"
    for block in re.findall(blocks, text, re.S):
        for words in re.findall(r"^(?:.* |\S*/)?afterdrop +([^#\n]+)", block, re.M):
            yield words, set()
    for line in re.sub(blocks, "", text, flags=re.S).splitlines():
        for words in re.findall(r"`afterdrop ([^`]+)`", line):
            yield words, set(re.findall(r"`(--[a-z-]+)", line))


def _fault(words: str, beside: Iterable[str] = ()) -> str | None:
    """The complaint of the command's own parser, without running the command: None where all is known."""
    command: Any = get_command(app)
    rest = shlex.split(re.sub(r"\[[^]]*\]", "FILE", words.replace("…", "")))
    while True:
        context = typer.Context(command)
        try:
            _, rest, _ = command.make_parser(context).parse_args(rest)
        except TyperException as error:
            return str(error)
        if not rest or not (commands := getattr(command, "commands", None)):
            break
        if rest[0] not in commands:
            return f"no command {rest[0]}"
        command, rest = commands[rest[0]], rest[1:]
    known = {option for each in command.get_params(context) for option in each.opts}
    return f"not taken: {missing}" if (missing := [*rest, *sorted({*beside} - known)]) else None


def test_every_command_that_the_pages_name_exists_with_its_options() -> None:
    named = [(page.name, *each) for page in PAGES for each in _named(page.read_text(encoding="utf-8"))]
    assert len(named) > 50
    faults = [(page, words, _fault(words, beside)) for page, words, beside in named]
    assert [each for each in faults if each[2]] == []


@pytest.mark.parametrize(
    "wrong",
    ["takovers", "takeovers exprot", "takeovers counts --al", "--setings F status", "worker now"],
)
def test_a_command_with_a_misprint_is_a_fault(wrong: str) -> None:
    assert _fault(wrong)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_make_targets_that_the_pages_name_exist(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    text = page.read_text(encoding="utf-8")
    blocks = "".join(re.findall(r"```sh\n(.*?)```", text, re.S))
    for target in re.findall(r"^make ([a-z-]+)", blocks, re.M) + re.findall(r"`make ([a-z-]+)", text):
        assert re.search(rf"^{target}:", makefile, re.M), f"{page.name} names `make {target}`"
