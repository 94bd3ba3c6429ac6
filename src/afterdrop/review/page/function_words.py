"""The small words of each language, letters that only it uses, and pieces of words that tell neighbours apart.

Pure. Data: `data/function_words.toml`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class FunctionWords:
    """The table by language (two letters): `words`, `letters` (in one string), `clues`."""

    words: Mapping[str, tuple[str, ...]]
    letters: Mapping[str, str]
    clues: Mapping[str, list[str]]


@lru_cache(maxsize=1)
def function_words() -> FunctionWords:
    """The shipped table, read once a process."""
    text = resources.files("afterdrop.review").joinpath("data/function_words.toml").read_text("utf-8")
    table = tomllib.loads(text)
    words = {code: tuple(dict.fromkeys(listed.split())) for code, listed in table["words"].items()}
    return FunctionWords(words, table["letters"], table["clues"])
