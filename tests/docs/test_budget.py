"""Pages stay short, as docs/internals/writing.md asks: words, sentences, openings, and no diary."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md"))]
# All pages together, and a page; the settings are a table.
WORDS, PAGE_WORDS, SETTINGS_WORDS = 27_200, 2_000, 2_600
LONG_SENTENCE, LONG_SHARE = 25, 0.1
_NOT_PROSE = re.compile(r"```.*?```|<picture>.*?</picture>", re.S)
_ITEM = re.compile(r"\s*(?:[-*]|\d+\.) ")
_END = re.compile(r"(?<=[.!?:])\s+(?=[A-Z\"“*\[`])")


def prose(page: Path) -> str:
    """A page without code blocks and pictures, its code and links' addresses as one word each."""
    text = _NOT_PROSE.sub("", page.read_text(encoding="utf-8"))
    return re.sub(r"`[^`]*`", "`X`", re.sub(r"\]\([^)]*\)", "]", text))


def sentences(page: Path) -> Iterator[str]:
    """The sentences of paragraphs and list items."""
    block: list[str] = []
    for line in [*prose(page).split("\n"), ""]:
        if not line.strip() or line.startswith(("|", "#")) or _ITEM.match(line):
            yield from filter(None, _END.split(" ".join(block)))
            block = []
        if line.strip() and not line.startswith(("|", "#")):
            block.append(_ITEM.sub("", line, count=1).strip())


def test_all_pages_together_have_so_many_words() -> None:
    assert sum(len(page.read_text(encoding="utf-8").split()) for page in PAGES) <= WORDS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_is_short_and_no_sentence_opens_with_who_or_what(page: Path) -> None:
    most = SETTINGS_WORDS if page.name == "settings.md" else PAGE_WORDS
    assert len(page.read_text(encoding="utf-8").split()) <= most
    opened = [each for each in sentences(page) if re.match(r"(What|Who|Whoever|Whose)\b", each)]
    assert [each for each in opened if "?" not in each] == []


def test_few_sentences_are_long() -> None:
    every = [each for page in PAGES for each in sentences(page)]
    long = [each for each in every if len(each.split()) > LONG_SENTENCE]
    assert len(every) > 500
    assert len(long) <= LONG_SHARE * len(every), long[:10]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_dates_and_loads_stand_in_the_changelog_and_the_decisions_alone(page: Path) -> None:
    if page.name != "CHANGELOG.md" and "decisions" not in page.parts:
        assert re.findall(r"\b20\d\d-\d\d-\d\d\b|\bload \.?\d", prose(page)) == []
