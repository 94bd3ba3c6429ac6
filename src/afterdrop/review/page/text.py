"""Texts, for all stages: scripts, folding, phrases, quotes, notices of cookies, and last pieces of addresses.

Pure. A quote must be found again in the page's own text. Phrases are searched in folded text, all at once. A
wall of cookies has two of three: it stands before the site, it can be accepted and refused, it speaks of cookies and
whom they are for.
"""

from __future__ import annotations

import re
import sys
import tomllib
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from ahocorasick_rs import AhoCorasick, MatchKind

if TYPE_CHECKING:
    from numpy.typing import NDArray


# The longest notice in words, and the words that a wall says of anything else.
NOTICE_WORDS, OTHER_WORDS = 400, 15
_SIGNS = 2
# Of a notice so many words have one that tells; menus and lists run on without a point.
_WORDS_A_SIGN = 20
# A wall has something to press.
_PRESSED = re.compile(r"<(?:button|input)\b|\bbtn\b|role=[\"']?button", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?。！？…]++[.!?。！？…]*+")


class Notices:
    """The data in searchable form."""

    def __init__(self, table: dict[str, dict[str, list[str]]]) -> None:
        self.before, self.accept, self.refuse, self.cookies, self.data = (
            Phrases(phrase for listed in table[name].values() for phrase in listed)
            for name in ("before", "accept", "refuse", "cookies", "data")
        )


@lru_cache(maxsize=1)
def _pattern_words() -> Mapping[str, Mapping[str, list[str]]]:
    return tomllib.loads(
        resources.files("afterdrop.review").joinpath("data/patterns.toml").read_text("utf-8")
    )


def pattern_words(module: str) -> Mapping[str, str]:
    """The words that a module's patterns choose from, by the names of `data/patterns.toml`: `a|b|c`."""
    return {name: "|".join(words) for name, words in _pattern_words()[module].items()}


@lru_cache(maxsize=1)
def notices() -> Notices:
    """The shipped data, read once a process."""
    text = resources.files("afterdrop.review").joinpath("data/consent.toml").read_text("utf-8")
    return Notices({name: listed for name, listed in tomllib.loads(text).items() if name != "version"})


def has_button(source: str) -> bool:
    """Whether a page's source has something to press."""
    return _PRESSED.search(source) is not None


@lru_cache(maxsize=1)  # the language of a page and its errors ask for the same text
def beside_notice(text: str) -> str | None:
    """A text without the sentences and buttons of its notice; None where it has none, by two of the three signs."""
    data = notices()
    asked = bool(data.accept.find(text)) and bool(data.refuse.find(text))
    told = bool(data.cookies.find(text)) and bool(data.data.find(text))
    if asked + told + bool(data.before.find(text)) < _SIGNS:
        return None
    words = (data.before, data.cookies, data.data)
    return " ".join(
        piece.strip()
        for sentence in _SENTENCE.finditer(text)
        for piece in _unpressed(sentence[0], data)
        if sum(len(each.find(piece)) for each in words) * _WORDS_A_SIGN < count_words(piece)
    )


def _unpressed(sentence: str, data: Notices) -> Iterator[str]:
    """The pieces of a sentence that buttons cut it into, without the buttons: a capital follows each, or the end."""
    start = 0
    for hit in sorted([*data.accept.find(sentence), *data.refuse.find(sentence)], key=_place):
        after = sentence[hit.end :].lstrip()[:1]
        if hit.start >= start and (not after or after.isupper()):
            yield sentence[start : hit.start]
            start = hit.end
    yield sentence[start:]


def _place(hit: PhraseHit) -> tuple[int, int]:
    return hit.start, -hit.end


class CodePoints:
    """A whole number for each character, never 0; `of` is asked once for each character that is met."""

    def __init__(self, of: Callable[[str], int], dtype: type[np.uint8 | np.uint32]) -> None:
        self._of = of
        self._known: NDArray[np.unsignedinteger] = np.zeros(sys.maxunicode + 1, dtype)

    def __call__(self, text: str) -> NDArray[np.unsignedinteger]:
        """The number of each character of a text, in order."""
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        found = self._known[codes]
        if not found.all():
            new = np.unique(codes[found == 0])
            self._known[new] = [self._of(chr(code)) for code in new]
            found = self._known[codes]
        return found


# Scripts that one language of the web uses (Devanagari and Arabic are shared: the detectors decide there).
_ONE_LANGUAGE = {
    "Hangul": "ko", "Thai": "th", "Greek": "el", "Hebrew": "he", "Georgian": "ka", "Armenian": "hy",
    "Bengali": "bn", "Tamil": "ta", "Telugu": "te", "Malayalam": "ml", "Kannada": "kn", "Gujarati": "gu",
    "Gurmukhi": "pa", "Khmer": "km", "Lao": "lo", "Myanmar": "my", "Sinhala": "si", "Ethiopic": "am",
}  # fmt: skip
_RANGES = (
    ("Latin", 0x41, 0x5A), ("Latin", 0x61, 0x7A), ("Latin", 0xC0, 0x24F), ("Latin", 0x1E00, 0x1EFF),
    ("Greek", 0x370, 0x3FF), ("Greek", 0x1F00, 0x1FFF), ("Cyrillic", 0x400, 0x52F),
    ("Armenian", 0x530, 0x58F), ("Hebrew", 0x590, 0x5FF), ("Arabic", 0x600, 0x6FF),
    ("Arabic", 0x750, 0x77F), ("Arabic", 0xFB50, 0xFEFE), ("Devanagari", 0x900, 0x97F),
    ("Bengali", 0x980, 0x9FF), ("Gurmukhi", 0xA00, 0xA7F), ("Gujarati", 0xA80, 0xAFF),
    ("Tamil", 0xB80, 0xBFF), ("Telugu", 0xC00, 0xC7F), ("Kannada", 0xC80, 0xCFF),
    ("Malayalam", 0xD00, 0xD7F), ("Sinhala", 0xD80, 0xDFF), ("Thai", 0xE00, 0xE7F), ("Lao", 0xE80, 0xEFF),
    ("Myanmar", 0x1000, 0x109F), ("Georgian", 0x10A0, 0x10FF), ("Ethiopic", 0x1200, 0x137F),
    ("Khmer", 0x1780, 0x17FF), ("Kana", 0x3041, 0x30FF), ("Han", 0x3400, 0x4DBF), ("Han", 0x4E00, 0x9FFF),
    ("Hangul", 0x1100, 0x11FF), ("Hangul", 0xAC00, 0xD7AF), ("Kana", 0xFF66, 0xFF9F),
    ("Han", 0x20000, 0x2FA1F),
)  # fmt: skip
# Written without spaces between words: a letter there says about as much as three elsewhere.
UNSPACED = frozenset({"Han", "Kana", "Thai", "Lao", "Khmer", "Myanmar"})
_DENSE = UNSPACED | {"Hangul"}

# Letters only some Cyrillic alphabets have, with the languages (of those told apart here) that have them.
CYRILLIC_ONLY: tuple[tuple[str, frozenset[str]], ...] = (
    ("ыэё", frozenset({"ru", "be"})),
    ("і", frozenset({"uk", "be"})),
    ("їєґ", frozenset({"uk"})),
    ("ў", frozenset({"be"})),
    ("ђћ", frozenset({"sr"})),
    ("јљњџ", frozenset({"sr", "mk"})),
    ("ѓќѕ", frozenset({"mk"})),
    ("ъ", frozenset({"bg", "ru"})),
    ("йьюя", frozenset({"ru", "uk", "be", "bg"})),
    ("щ", frozenset({"ru", "uk", "bg"})),
)
# Scripts without blanks all lie here.
_FAR = re.compile(r"[\u0e02-\U0010ffff]")
_LETTER = re.compile(r"[^\W\d_]")
_NAMES = tuple(dict.fromkeys(name for name, _, _ in _RANGES))
_NO_LETTER, _UNLISTED, _FIRST = 1, 2, 3


@lru_cache(maxsize=4096)
def script_of(letter: str) -> str | None:
    """The writing system of one character, None for digits, marks and scripts not listed."""
    code = ord(letter)
    for name, first, last in _RANGES:
        if first <= code <= last:
            return name
    return None


def _number(sign: str) -> int:
    """The number of a letter's writing system."""
    if not _LETTER.match(sign):
        return _NO_LETTER
    name = script_of(sign)
    return _FIRST + _NAMES.index(name) if name else _UNLISTED


_SCRIPTS = CodePoints(_number, np.uint8)


def unspaced_letters(text: str) -> int:
    """How many letters of a text are of scripts without blanks between words."""
    return sum(script_of(letter) in UNSPACED for letter in _FAR.findall(text))


def script_counts(text: str) -> dict[str, int]:
    """How many letters of each writing system a text holds (first 5,000 letters)."""
    numbers = _SCRIPTS(text[:20_000])
    letters = numbers[numbers > _NO_LETTER][:5_000]
    counts = np.bincount(letters, minlength=_FIRST + len(_NAMES))[_FIRST:].tolist()
    return {name: count for name, count in zip(_NAMES, counts, strict=True) if count}


def main_script(text: str) -> str | None:
    """The writing system most of a text is in; Han and Kana together count as one for the comparison."""
    counts = script_counts(text)
    weighed = {name: count * (3 if name in _DENSE else 1) for name, count in counts.items()}
    return max(weighed, key=lambda name: weighed[name]) if weighed else None


def script_language(text: str) -> str | None:
    """The language a script decides alone, or None where several languages share it.

    Kana beside Han makes Japanese from one letter in twenty on; Han without it is Chinese.
    """
    counts = script_counts(text)
    weighed = {name: count * (3 if name in _DENSE else 1) for name, count in counts.items()}
    total = sum(weighed.values())
    kana, han = weighed.get("Kana", 0), weighed.get("Han", 0)
    if (kana + han) * 2 > total:
        return "ja" if kana * 20 > kana + han else "zh"
    for name, language in _ONE_LANGUAGE.items():
        if weighed.get(name, 0) * 2 > total:
            return language
    return None


def count_words(text: str) -> int:
    """Words of a text; scripts without blanks count one word for two characters."""
    return len(text.split()) + unspaced_letters(text) // 2


# A page has told all it has to tell by then.
MATCHES_MOST = 15_000
_SINGLE = {"ı": "i", "İ": "i", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "æ": "æ", "ß": "ß", "ё": "е", "ς": "σ"}
_KEEP_MARKS = frozenset("йїў")


class _Folding(dict[int, str]):
    """A translation table that fills itself: one folded character per character, blank for punctuation."""

    def __missing__(self, code: int) -> str:
        folded = _fold_one(chr(code))
        self[code] = folded
        return folded


def _fold_one(character: str) -> str:
    lowered = character.lower()
    if lowered in _KEEP_MARKS:
        return lowered
    single = _SINGLE.get(character) or _SINGLE.get(lowered)
    if single:
        return single
    base = unicodedata.normalize("NFKD", lowered)[:1] or " "
    category = unicodedata.category(character)
    if category[0] in "LM":
        wide = unicodedata.normalize("NFKC", lowered)
        # Kana and Hangul come apart in NFKD; only Latin, Greek and Arabic letters lose their marks.
        return (
            base if script_of(base) not in {"Kana", "Hangul", None} else (wide if len(wide) == 1 else lowered)
        )
    if category[0] == "N":
        return base if len(base) == 1 else " "
    return character if character in "+" else " "


_FOLDING = _Folding()
# `translate` takes ten times as long where text is not all ASCII.
_LONG = 200
_FOLDED = CodePoints(lambda character: ord(_fold_one(character)), np.uint32)


def fold(text: str) -> str:
    """A copy of equal length for comparing: lower case, without accents, punctuation as blanks."""
    if text.isascii() or len(text) < _LONG:
        return text.translate(_FOLDING)
    return _FOLDED(text).tobytes().decode("utf-32-le", "surrogatepass")


def squeeze(text: str) -> str:
    """Every run of white space as one blank."""
    return " ".join(text.split())


class PhraseHit(NamedTuple):
    """One phrase found: its number in the list given, and where in the text."""

    phrase: int
    start: int
    end: int


class Phrases:
    """A fixed list of phrases, searched together. A trailing `*` leaves the last word's ending open.

    Words written with blanks between them match whole words only; Chinese, Japanese, Korean and Thai match anywhere.
    """

    def __init__(self, listed: Iterable[str]) -> None:
        patterns: dict[str, list[int]] = {}
        for number, phrase in enumerate(listed):
            for pattern in dict.fromkeys((_pattern(phrase), _pattern(phrase, spaced=True))):
                patterns.setdefault(pattern, []).append(number)
        self._numbers = list(patterns.values())
        self._edges = [(p.startswith(" "), p.endswith(" ")) for p in patterns]
        self._search = AhoCorasick(list(patterns), matchkind=MatchKind.Standard)

    def find(self, text: str) -> list[PhraseHit]:
        """Every phrase in a text, without those inside a longer one, in order of place."""
        folded = f" {fold(text)} "
        spans: list[tuple[int, int, int]] = []
        matches = self._search.find_matches_as_indexes(folded, overlapping=True)
        for pattern, start, end in matches[:MATCHES_MOST]:
            before, after = self._edges[pattern]
            spans.append((start + before - 1, end - after - 1, pattern))
        spans.sort(key=lambda span: (span[0], -span[1]))
        found: list[PhraseHit] = []
        reach = -1
        for start, end, pattern in spans:
            if end > reach:
                found += [PhraseHit(number, start, end) for number in self._numbers[pattern]]
                reach = end
        return found


def _pattern(phrase: str, *, spaced: bool = False) -> str:
    """A phrase as it is searched for; `spaced` with a blank for each sign, as text is: "Hello, world" has two."""
    folded = fold(phrase.removesuffix("*")).strip()
    if not spaced:
        folded = squeeze(folded)
    if any(script_of(letter) in UNSPACED or script_of(letter) == "Hangul" for letter in folded):
        return folded
    return f" {folded}" if phrase.endswith("*") else f" {folded} "


# What stands in quotation marks, of one language's or another's: some words, no chapters.
_CITED = re.compile(
    r"“[^“”„]{15,400}[”“]|„[^„“”]{15,400}[“”]|«[^«»]{15,400}»|»[^«»]{15,400}«|‹[^‹›]{15,400}›|「[^「」]{6,400}」"
    r"|『[^『』]{6,400}』|\"(?<!\w\")(?=\S)[^\"]{15,400}\"(?!\w)"
)
# A quote is no longer than this; one shorter than the least explains nothing.
QUOTE_CHARS = 160
LEAST_QUOTE = 12
_AROUND = (60, 40, 25, 12, 0)
# A longer run without a blank is an address or a script that has none.
_LONGEST_WORD = 40
# Signs between words, with which no quote begins or ends.
_LOOSE_FIRST = re.compile(r"[^\w\s“„«‹「『\"'(]++\s++")
_LOOSE_LAST = re.compile(r"[^\w\s”“»›」』\"')]++")
# What is left out before "…".
_BEFORE_DOTS = " ,;:.–-、，・。"
_ENDED = frozenset(".!?…:;。！？")


def cited_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Where a text cites others: what stands in a pair of quotation marks, in order of place."""
    return tuple(match.span() for match in _CITED.finditer(text))


def explains(quoted: str) -> bool:
    """Whether a quote is long enough to explain anything; a sign of a script without blanks says more than a letter."""
    return len(quoted) + 3 * unspaced_letters(quoted) >= LEAST_QUOTE


def quote(text: str, start: int, end: int, source: str) -> str:
    """The widest piece of `text` around a match that stands in the page's source word for word.

    Where a tag, an entity or a line break cuts it to less than LEAST_QUOTE characters, the longest words that stand
    there together, of the match or around it. No word is cut.
    """
    start, end = _word_edge(text, start, -1), _word_edge(text, end, 1)
    found = [piece for width in _AROUND if (piece := around(text, start, end, width)) in source][:1]
    if not found or len(found[0]) < LEAST_QUOTE:
        for piece in (_begun(text[start:end]), around(text, start, end, _AROUND[0])):
            found += _standing(piece.split(), source)
            if found and len(max(found, key=len)) >= LEAST_QUOTE:
                break
    return _without_loose(max(found, key=len, default=_begun(text[start:end])))


def _without_loose(text: str) -> str:
    """The text without the signs that stand alone at its ends."""
    begin = 0
    while found := _LOOSE_FIRST.match(text, begin):
        begin = found.end()
    kept = text[begin:]
    while len(words := kept.rsplit(None, 1)) == 2 and _LOOSE_LAST.fullmatch(words[1]):
        kept = words[0]
    return kept


def _standing(words: list[str], source: str) -> Iterator[str]:
    """From each word on, the most words that stand in the source: where a few do not, more do not either."""
    end = 0
    for start in range(len(words)):
        end = max(end, start)
        while end < len(words) and " ".join(words[start : end + 1]) in source:
            end += 1
        if end > start:
            yield " ".join(words[start:end])


def around(text: str, start: int, end: int, width: int) -> str:
    """A match with up to `width` characters each side and the words that they cut; at most QUOTE_CHARS."""
    end = min(end, start + QUOTE_CHARS)
    room = min(width, (QUOTE_CHARS - (end - start)) // 2)
    left, right = max(0, start - room), min(len(text), end + room)
    if left and " " in text[left:start]:
        left = text.index(" ", left) + 1
    if right < len(text) and " " in text[end:right]:
        right = text.rindex(" ", end, right)
    left = _word_edge(text, left, -1)
    return _begun(text[left : _word_edge(text, right, 1)]).strip()


def _begun(text: str) -> str:
    """The whole words of a text that QUOTE_CHARS have room for."""
    return text[: _word_edge(text, min(len(text), QUOTE_CHARS), -1)]


def shortened(text: str, most: int) -> str:
    """A text of at most `most` characters; a longer one is cut after a word, and "…" says so."""
    if len(text) <= most:
        return text
    return text[: _word_edge(text, most - 1, -1)].rstrip(_BEFORE_DOTS) + "…"


def marked(quoted: str, text: str) -> str:
    """A quote with "…" where the text that it is taken from goes on in the same sentence."""
    place = text.find(quoted)
    if place < 0 or not quoted:
        return quoted
    before, after = text[:place].rstrip(" "), text[place + len(quoted) :]
    begun = before and before[-1] not in _ENDED and before[-1] != "\n"
    goes_on = after.strip(" ") and after[0] not in _ENDED and after[0] != "\n" and quoted[-1] not in _ENDED
    return f"{'…' if begun else ''}{quoted.rstrip(_BEFORE_DOTS) + '…' if goes_on else quoted}"


def _word_edge(text: str, place: int, step: int) -> int:
    """Where a word that is cut at `place` begins (step -1) or ends (1); `place` where it cuts none or a giant one."""
    for edge in range(place, place + step * _LONGEST_WORD, step):
        if not _cuts_word(text, edge):
            return edge
    return place


def _cuts_word(text: str, place: int) -> bool:
    """Whether a word goes on at `place`. Scripts without blanks have no words that could be cut."""
    around_it = text[place - 1 : place + 1] if 0 < place < len(text) else ""
    word = bool(around_it) and all(unicodedata.category(sign)[0] in "LMN" for sign in around_it)
    return word and not unspaced_letters(around_it)


# So many words that stand first or last in all slugs of a family.
_SHARED = 2


def slug_of(address: str) -> str:
    """The last piece of an address's path in lower case, without its ending; "" where there is none."""
    path = address.partition("?")[0].partition("#")[0].rstrip("/")
    piece = path.rpartition("/")[2].lower()
    return "" if ":" in piece else piece.rpartition(".")[0] or piece


def families(slugs: Mapping[str, str]) -> list[list[str]]:
    """Addresses whose `slugs` begin or end with the same two words and have another, largest family first.

    An address may be in two families.
    """
    found: dict[tuple[bool, str], list[str]] = defaultdict(list)
    for address, slug in slugs.items():
        if slug.count("-") >= _SHARED:
            words = slug.split("-")
            found[True, "-".join(words[:_SHARED])].append(address)
            found[False, "-".join(words[-_SHARED:])].append(address)
    return sorted(found.values(), key=len, reverse=True)
