"""The texts of the invented sites, read once from the TOML files in `texts/`.

`languages()` has honest sites by language and genre, `landers()` parked pages, `spams()` spam pages.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).with_name("texts")
_OTHERS = ("spam", "landers")


@dataclass(frozen=True, slots=True)
class Genre:
    """One kind of honest site in one language: name pattern, paragraphs, offers and articles."""

    language: str
    key: str
    topic: str
    category: str
    word: str
    name: str
    title: str
    lead: str
    home: tuple[str, ...]
    things: tuple[str, ...]
    articles: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Language:
    """What sites of one language share: parts of names, navigation, the about and contact pages."""

    code: str
    stems: tuple[str, ...]
    tails: tuple[str, ...]
    cities: tuple[str, ...]
    people: tuple[str, ...]
    phone: str
    nav: Mapping[str, str]
    slugs: Mapping[str, str]
    rights: str
    updated: str
    seasons: tuple[str, ...]
    contact: str
    about: tuple[str, ...]
    charset: str
    latin: Mapping[str, str]
    genres: Mapping[str, Genre]


@dataclass(frozen=True, slots=True)
class Lander:
    """One provider's parked page, with the nameservers and addresses of a name that shows it."""

    key: str
    provider: str
    kind: str
    nameservers: tuple[str, ...]
    addresses: tuple[str, ...]
    html: str


@dataclass(frozen=True, slots=True)
class SpamTexts:
    """The texts of one kind of spam."""

    key: str
    category: str
    language: str
    title: str
    paragraphs: tuple[str, ...]
    phrases: tuple[str, ...]
    paths: tuple[str, ...]


@lru_cache(maxsize=1)
def languages() -> Mapping[str, Language]:
    """Every language of honest sites, by its two-letter code."""
    return {
        path.stem: _language(_read(path))
        for path in sorted(_FOLDER.glob("*.toml"))
        if path.stem not in _OTHERS
    }


@lru_cache(maxsize=1)
def landers() -> Mapping[str, Lander]:
    """Every parked page, by key."""
    return {key: Lander(key=key, **_tuples(value)) for key, value in _read(_FOLDER / "landers.toml").items()}


@lru_cache(maxsize=1)
def spams() -> Mapping[str, SpamTexts]:
    """The texts of every kind of spam, by key."""
    return {key: SpamTexts(key=key, **_tuples(value)) for key, value in _read(_FOLDER / "spam.toml").items()}


def genre(language: str, key: str) -> Genre:
    """One genre of one language."""
    return languages()[language].genres[key]


def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _tuples(value: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(item) if isinstance(item, list) else item for key, item in value.items()}


def _language(table: dict[str, Any]) -> Language:
    code = table.pop("language")
    genres = {item["key"]: _genre(code, item) for item in table.pop("genre")}
    charset, latin = table.pop("charset", "iso-8859-1"), table.pop("latin", {})
    return Language(code=code, genres=genres, charset=charset, latin=latin, **_tuples(table))


def _genre(code: str, item: dict[str, Any]) -> Genre:
    articles = tuple((title, text) for title, text in item.pop("articles"))
    return Genre(language=code, articles=articles, **_tuples(item))
