"""How well the letters of a text fit a charset: mean log-likelihood over the bytes outside ASCII.

Pure. The tables are `data/letters.toml`: letters of each language by falling frequency.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from functools import lru_cache
from importlib import resources

_HIGH_RUN = re.compile(r"[^\x00-\x7f]+")
_HIGH_BYTES = re.compile(rb"[\x80-\xff]+")
_NEUTRAL = frozenset("\xa0«»“”„‘’‚–—•…©®°№§·€™´`、。・「」，：；！？（）　％～【】『』〜々")
_DOUBLE = frozenset({"euc_jp", "cp932", "gb18030", "big5hkscs", "cp949"})
_LATIN = frozenset({"cp1250", "cp1252", "cp1254", "cp1257", "cp1258", "iso8859-2", "mac-roman"})
# Log-likelihoods of what no language's list names; chosen by what each kind of mistake looks like.
_IMPOSSIBLE, _FOREIGN, _PUNCTUATION, _HALFWIDTH = -12.0, -8.0, -4.0, -12.0
_HAN, _HANGUL, _KANA = -9.0, -8.5, -6.0
# How common each was, in favour of the usual one where a handful of letters fit several.
_PRIOR = {
    "cp1252": 4.0,
    "cp1251": 3.0,
    "cp1250": 2.0,
    "iso8859-2": 1.5,
    "mac-roman": -4.0,
    "mac-cyrillic": -6.0,
}
_CAPITAL = math.log(0.12)

Likelihoods = dict[str, float]


@lru_cache(maxsize=1)
def _tables() -> tuple[dict[str, tuple[str, ...]], dict[str, Likelihoods]]:
    table = tomllib.loads(
        resources.files("afterdrop.review").joinpath("data/letters.toml").read_text("utf-8")
    )
    by_codec = {entry["name"]: tuple(entry["languages"]) for entry in table["codec"]}
    return by_codec, {language: _likelihoods(letters) for language, letters in table["letters"].items()}


def _likelihoods(letters: str) -> Likelihoods:
    weights = {letter: 1 / (rank + 2) for rank, letter in enumerate(dict.fromkeys(letters))}
    total = sum(weights.values())
    logs = {letter: math.log(weight / total) for letter, weight in weights.items()}
    capitals = {
        letter.upper(): log + _CAPITAL
        for letter, log in logs.items()
        if len(letter.upper()) == 1 and letter.upper() not in logs
    }
    return logs | capitals


def best_codec(sample: bytes) -> tuple[str, float]:
    """The charset whose letters fit best, and its score (0 is best, -12 impossible)."""
    scored = [(score_codec(sample, codec), codec) for codec in _tables()[0]]
    score, codec = max(scored, key=lambda item: item[0])
    return codec, score


def score_codec(sample: bytes, codec: str) -> float:
    """How well bytes fit one charset, by its best language; _IMPOSSIBLE for a codec without a table."""
    languages = _tables()[0].get(codec)
    if languages is None:
        return _IMPOSSIBLE
    counts, runs = _counted(sample, codec)
    total = sum(counts.values())
    if not total:
        return _IMPOSSIBLE
    width = 2 if codec in _DOUBLE else 1
    best = max(_mean(counts, total, _tables()[1][language]) for language in languages)
    return best / width + _shape(codec, total / runs) + _PRIOR.get(codec, 0.0) / (total * width)


def _counted(sample: bytes, codec: str) -> tuple[Counter[str], int]:
    """How often each letter outside ASCII stands in the text, and in how many runs."""
    if codec in _DOUBLE:
        found = _HIGH_RUN.findall(sample.decode(codec, "replace"))
        return Counter("".join(found)), len(found)
    by_byte, runs = _high_bytes(sample)
    counts: Counter[str] = Counter()
    for letter, count in zip(bytes(by_byte).decode(codec, "replace"), by_byte.values(), strict=True):
        counts[letter] += count
    return counts, runs


@lru_cache(maxsize=1)
def _high_bytes(sample: bytes) -> tuple[Counter[int], int]:
    """The same in bytes, which every codec of one byte a letter reads as one letter outside ASCII each."""
    found = _HIGH_BYTES.findall(sample)
    return Counter(b"".join(found)), len(found)


def _mean(counts: Counter[str], total: int, logs: Likelihoods) -> float:
    said = [logs[letter] if letter in logs else _unlisted(letter) for letter in counts]
    return sum(count * each for count, each in zip(counts.values(), said, strict=True)) / total


@lru_cache(maxsize=8192)
def _unlisted(letter: str) -> float:
    code = ord(letter)
    if letter in _NEUTRAL:
        return _PUNCTUATION
    if letter == "�" or 0x80 <= code < 0xA0 or 0xE000 <= code < 0xF900:
        return _IMPOSSIBLE
    if 0xFF61 <= code <= 0xFF9F:
        return _HALFWIDTH
    if 0x3041 <= code <= 0x30FF:
        return _KANA
    if 0x4E00 <= code <= 0x9FFF:
        return _HAN
    return _HANGUL if 0xAC00 <= code <= 0xD7A3 else _FOREIGN


def _shape(codec: str, run: float) -> float:
    """Accented Latin letters stand alone between plain ones; other scripts come in whole words."""
    if codec in _LATIN:
        return -3.0 if run > 2.2 else 0.0
    return -2.0 if run < 1.6 else 0.0
