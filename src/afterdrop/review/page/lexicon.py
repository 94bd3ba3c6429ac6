"""Stage 2, signs: the spam lexicon, phrases of eight trades in many languages with how much each says.

Pure. Data: `data/spam/*.toml`, whose heads explain the levels. A hit counts only where its wording allows it: a short
foreign word needs its own language around it, accented words their accents or none at all.

In scripts that write words without blanks between them, short Korean terms begin a word and end before a particle or a
word of the trade; katakana terms are a whole run of katakana. Chinese and Thai words have no such edges: there the
ordinary words that hold a term are listed (`data/spam/ordinary_words.toml`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from itertools import product
from threading import Lock
from typing import Any, cast, get_args

from afterdrop.review.page.text import Phrases, fold, script_of, squeeze
from afterdrop.review.page.values import Category, Hit, Term

_SHORT = 2
_RUN_MOST = 12


class WordEdges:
    """The rule for each script. `follows` lists what may stand behind a short Korean term, and katakana terms that
    count inside a longer run too.
    """

    def __init__(self, follows: Mapping[str, Sequence[str]]) -> None:
        self._trade = tuple(follows.get("ko", ()))
        self._particles = frozenset(follows.get("particles", ("",)))
        self._runs = frozenset(follows.get("runs", ()))

    def stands(self, phrase: str, text: str, start: int, end: int) -> bool:
        """Whether the term found at text[start:end] is a word there, and no piece of one."""
        if _hangul(phrase[0]) and len(phrase) <= _SHORT:
            rest = _run(text, end, _hangul)
            starts = not (start and _hangul(text[start - 1]))
            return starts and (rest in self._particles or rest.startswith(self._trade))
        if all(map(_katakana, phrase)) and phrase not in self._runs:
            return not (start and _katakana(text[start - 1])) and not _run(text, end, _katakana)
        return True


def _run(text: str, start: int, belongs: Callable[[str], bool]) -> str:
    end = start
    while end < min(len(text), start + _RUN_MOST) and belongs(text[end]):
        end += 1
    return text[start:end]


def _hangul(letter: str) -> bool:
    return "\uac00" <= letter <= "\ud7a3"


def _katakana(letter: str) -> bool:
    return "\u30a1" <= letter <= "\u30fa" or letter == "\u30fc"


LEVELS = {
    "strong": 3,
    "medium": 2,
    "weak": 1,
    "ordinary": 0,
    "guard": -1,
    "publisher": -2,
    "other_subjects": -3,
}
_CATEGORIES = frozenset(get_args(Category))
# Languages near enough that a word of one is read in the others.
_FAMILIES = (
    {"ru", "uk", "be", "bg", "sr", "mk"},
    {"da", "no", "sv"},
    {"cs", "sk"},
    {"hr", "sr", "sl"},
    {"ar", "fa"},
    {"zh", "ja"},
)
# A single word this long is no word of another language by accident.
_LONG_WORD = 9


@dataclass(frozen=True)
class Lexicon:
    """All terms with their search, the data's version, and the categories where mediums decide too.

    `stems` are the words of a category that other subjects use, folded as phrases are.
    """

    terms: tuple[Term, ...]
    phrases: Phrases
    version: str
    medium_decides: frozenset[str]
    edges: WordEdges
    stems: Mapping[Category, tuple[str, ...]]

    def hits(self, text: str, language: str | None) -> list[Hit]:
        """The terms a text holds, read as text of `language` (None: unknown), in order of place.

        Of two that share words ("order viagra online") the stronger counts, once.
        """
        spoken = [
            Hit(term, found.start, found.end)
            for found in self.phrases.find(text)
            for term in (self.terms[found.phrase],)
            if term.level and _speaks(term, text[found.start : found.end], language)
            if self.edges.stands(term.phrase, text, found.start, found.end)
        ]
        return sorted(_apart(spoken, len(text)), key=lambda hit: hit.start)


def _apart(hits: list[Hit], length: int) -> list[Hit]:
    """Without hits that share characters with a stronger or longer one of their category."""
    taken: dict[Category, bytearray] = {}
    kept: list[Hit] = []
    for hit in sorted(hits, key=lambda hit: (-abs(hit.term.level), hit.start - hit.end, hit.start)):
        mask = taken.setdefault(hit.term.category, bytearray(length))
        if not any(mask[hit.start : hit.end]):
            mask[hit.start : hit.end] = b"\x01" * (hit.end - hit.start)
            kept.append(hit)
    return kept


def _speaks(term: Term, written: str, language: str | None) -> bool:
    if not term.latin:
        return (
            not term.single or language in {None, term.language} or len(written) > 2 or _near(term, language)
        )
    if term.language == "any":
        return True
    at_home = language == term.language or _near(term, language)
    if not term.phrase.isascii():
        accents, shown = _accents(term.phrase), _accents(written)
        if shown and shown != accents:
            return False
        if not shown and not at_home and len(written) < _LONG_WORD:
            return False
    if not term.single or at_home:
        return True
    return (language is None and term.language == "en") or len(written) >= _LONG_WORD


def _accents(text: str) -> list[str]:
    """The letters outside ASCII; Turkish dotless and dotted i excepted, which upper case mixes up."""
    return [letter for letter in text.lower() if not letter.isascii() and letter.isalpha() and letter != "ı"]


def _near(term: Term, language: str | None) -> bool:
    return any(term.language in family and language in family for family in _FAMILIES)


_building = Lock()


def lexicon() -> Lexicon:
    """The shipped lexicon, read once a process."""
    with _building:  # threads that come at once wait for the first instead of each building their own
        return _shipped()


@lru_cache(maxsize=1)
def _shipped() -> Lexicon:
    tables = [
        tomllib.loads(entry.read_text("utf-8"))
        for entry in sorted(
            resources.files("afterdrop.review").joinpath("data/spam").iterdir(), key=lambda e: e.name
        )
        if entry.name.endswith(".toml")
    ]
    return build(tables)


def build(tables: list[dict[str, Any]]) -> Lexicon:
    """A lexicon from parsed TOML tables; a phrase listed twice in a category keeps its lower level.

    A single word that several languages list is at home in each.
    """
    kept: dict[tuple[str, str], Term] = {}
    homes: dict[tuple[str, str], set[str]] = {}
    deciding: set[str] = set()
    for term in (term for table in tables for term in _shared_guards(table)):
        key = (term.category, squeeze(fold(term.phrase)))
        kept[key] = term
        homes.setdefault(key, set()).add(term.language)
    for table in tables:
        for category, part in _parts(table):
            if part.get("medium_decides"):
                deciding.add(category)
            for term in _terms(category, part):
                key = (category, squeeze(fold(term.phrase)))
                homes.setdefault(key, set()).add(term.language)
                known = kept.get(key)
                if known is None or _rank(term) < _rank(known):
                    kept[key] = term
    terms = tuple(one for key, term in kept.items() for one in _at_home(term, homes[key]))
    terms += tuple(_other_subjects(tables))
    terms += tuple(_untraded(tables, {term.phrase for term in terms if term.level > 0}))
    versions = max(str(table["version"]) for table in tables)
    follows: dict[str, list[str]] = next((table["follows"] for table in tables if "follows" in table), {})
    stems = {
        cast(Category, category): tuple(fold(stem) for stem in listed["stems"])
        for table in tables
        for category, listed in table.get("other_subjects", {}).items()
    }
    phrases = Phrases(term.phrase for term in terms)
    return Lexicon(terms, phrases, versions, frozenset(deciding), WordEdges(follows), stems)


def _other_subjects(tables: list[dict[str, Any]]) -> Iterator[Term]:
    for table in tables:
        for category, listed in table.get("other_subjects", {}).items():
            for language in sorted(listed.keys() - {"stems"}):
                for phrase in listed[language]:
                    yield _term(category, LEVELS["other_subjects"], language, phrase)


def _untraded(tables: list[dict[str, Any]], known: set[str]) -> Iterator[Term]:
    """Words of no trade. One that holds a term keeps it from counting: the search gives the longer alone."""
    for kind in ("ordinary", "publisher"):
        for table in tables:
            for language, listed in table.get(kind, {}).items():
                for phrase in listed:
                    if phrase not in known:
                        known.add(phrase)
                        yield _term("doorway", LEVELS[kind], language, phrase)


def _at_home(term: Term, languages: set[str]) -> list[Term]:
    if not term.single or "any" in languages:
        return [replace(term, language="any") if term.single else term]
    return [replace(term, language=language) for language in sorted(languages)]


def _rank(term: Term) -> tuple[bool, int, bool]:
    return term.level < 0, term.level, term.language != "any"


def _parts(table: dict[str, Any]) -> list[tuple[Category, dict[str, Any]]]:
    if "category" in table:
        return [(cast(Category, table["category"]), table)]
    return [
        (cast(Category, name), {"terms": {k: v for k, v in part.items() if k != "guard"}} | part)
        for name, part in table.items()
        if name in _CATEGORIES
    ]


def _shared_guards(table: dict[str, Any]) -> list[Term]:
    return [
        _term(category, LEVELS["guard"], language, phrase)
        for category in sorted(_CATEGORIES)
        for language, listed in table.get("guards", {}).items()
        for phrase in listed
    ]


def _terms(category: Category, part: dict[str, Any]) -> list[Term]:
    found = [
        _term(category, LEVELS[level], language, phrase)
        for language, levels in part["terms"].items()
        for level, phrases in levels.items()
        for phrase in phrases
    ]
    fill = part.get("fill", {})
    for template in part.get("templates", ()):
        for pattern, (name, words) in product(template["patterns"], fill.items()):
            found += [
                _term(category, LEVELS[template["weight"]], "any", pattern.replace("{" + name + "}", word))
                for word in words
            ]
    found += [
        _term(category, LEVELS["guard"], "any", word) for word in part.get("guard", {}).get("words", ())
    ]
    return found


def _term(category: Category, level: int, language: str, phrase: str) -> Term:
    letters = [script_of(letter) for letter in phrase if letter.isalpha()]
    latin = all(script in {"Latin", None} for script in letters)
    return Term(category, level, language, phrase, " " not in squeeze(fold(phrase.removesuffix("*"))), latin)
