"""The texts of the invented sites, read once from the TOML files in `texts/`.

`languages()` has honest sites by language and genre, `landers()` parked pages, `spams()` spam pages.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from pathlib import Path

from pydantic import TypeAdapter

_FOLDER = Path(__file__).with_name("texts")
_OTHERS = ("spam", "landers")


@dataclass(frozen=True, slots=True)
class Translation:
    """The text of a genre's site in another language, paragraph by paragraph."""

    name: str
    title: str
    lead: str
    home: tuple[str, ...]
    things: tuple[str, ...]
    articles: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Genre(Translation):
    """One kind of honest site in one language: name pattern, paragraphs, offers and articles."""

    language: str
    key: str
    topic: str
    category: str
    word: str
    # The same site in other languages, by their codes.
    translations: Mapping[str, Translation] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Language:
    """The common words of sites in one language: parts of names, navigation, the about and contact pages."""

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
    genres: Mapping[str, Genre]
    charset: str = "iso-8859-1"
    latin: Mapping[str, str] = field(default_factory=dict)


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


_LANDERS = TypeAdapter(Lander)
_SPAM = TypeAdapter(SpamTexts)
_LANGUAGE = TypeAdapter(Language)


@lru_cache(maxsize=1)
def languages() -> Mapping[str, Language]:
    """Every language of honest sites, by its two-letter code."""
    found = {}
    for path in sorted(_FOLDER.glob("*.toml")):
        if path.stem not in _OTHERS:
            table = tomllib.loads(path.read_text(encoding="utf-8"))
            code = table["language"]
            genres = {item["key"]: {**item, "language": code} for item in table["genre"]}
            found[path.stem] = _LANGUAGE.validate_python({**table, "code": code, "genres": genres})
    return found


@lru_cache(maxsize=1)
def landers() -> Mapping[str, Lander]:
    """Every parked page, by key."""
    tables = tomllib.loads((_FOLDER / "landers.toml").read_text(encoding="utf-8"))
    return {key: _LANDERS.validate_python({**table, "key": key}) for key, table in tables.items()}


@lru_cache(maxsize=1)
def spams() -> Mapping[str, SpamTexts]:
    """The texts of every kind of spam, by key."""
    tables = tomllib.loads((_FOLDER / "spam.toml").read_text(encoding="utf-8"))
    return {key: _SPAM.validate_python({**table, "key": key}) for key, table in tables.items()}


def translated(original: Genre, code: str) -> Genre:
    """A genre as its sites stand in another language that it is translated into."""
    said = original.translations[code]
    return replace(original, language=code, **{item.name: getattr(said, item.name) for item in fields(said)})


def genre(language: str, key: str) -> Genre:
    """One genre of one language."""
    return languages()[language].genres[key]
