"""Every pattern of the description compiles in the languages of those who check by it."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from typing import Any

import pytest

from afterdrop.web.schemas import patterns
from tests.contract.narrowing import present

code, sre = (importlib.import_module(f"re.{name}") for name in ("_constants", "_parser"))
# What RE2 does not know (https://github.com/google/re2/wiki/Syntax): lookarounds, atomic groups, conditions,
# backreferences, possessive quantifiers, and other escapes than those that ECMA-262 and Python know too.
UNKNOWN = re.compile(r"\(\?(?!:)|\\(?![.\-\[\]\\/^$|?*+(){}dDsSwWtnrfvb]|x[0-9a-f]{2})|(?<!\\)[*+?}]\+")
MOST_REPEATED = 1_000


def patterns_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, member in value.items():
            if key == "pattern" and isinstance(member, str):
                yield member
            yield from patterns_in(member)
    elif isinstance(value, list):
        for item in value:
            yield from patterns_in(item)


def repeated(parsed: Any) -> int:
    """How often the innermost part is repeated at most, as RE2 and Go count: a repetition without an end is one."""
    most = 1
    for operation, arguments in parsed:
        if operation in (code.MAX_REPEAT, code.MIN_REPEAT):
            least, bound, inner = arguments
            counted = (least, bound) not in ((0, 1), (0, code.MAXREPEAT), (1, code.MAXREPEAT))
            times = max(1, least if bound is code.MAXREPEAT else bound) if counted else 1
            most = max(most, times * repeated(inner))
        elif operation is code.SUBPATTERN:
            most = max(most, repeated(arguments[-1]))
        elif operation is code.BRANCH:
            most = max(most, *map(repeated, arguments[1]))
    return most


def test_every_pattern_is_one_for_re2_too() -> None:
    found = set(patterns_in(present()))
    assert len(found) > 20
    assert {pattern: fault[0] for pattern in found if (fault := UNKNOWN.search(pattern))} == {}
    assert {pattern for pattern in found if repeated(sre.parse(pattern)) > MOST_REPEATED} == set()


@pytest.mark.parametrize(
    "pattern", [r"^(?!$)a", r"(?<=a)b", r"(?P<a>b)", r"\u0041", r"\xA0x\1", r"a*+", r"a{2}+", r"\Z"]
)
def test_what_re2_refuses_is_seen(pattern: str) -> None:
    assert UNKNOWN.search(pattern)


def test_repetitions_are_multiplied() -> None:
    assert repeated(sre.parse("(?:a{0,61}b){0,99}|c")) == 61 * 99
    assert repeated(sre.parse("(?:a*b){0,99}(?:c?d){3,}")) == 99


TAKEN = {
    patterns.REGISTRABLE: ["a.com", "A-b.co.uk", "bücher.de", "例え。jp", "-.x", "ü"],
    patterns.REGISTRABLE_LIST: ["a.com", "a.com,b.co.uk", "ü.de,a.com", ",".join(["a.com"] * 100)],
    patterns.HOST: ["_dmarc.a.com", "a.com", "ü.de"],
    patterns.EXTENSION: ["com", ".com", "co.uk", "рф", ".ею"],
    patterns.extension_list(20): ["com,.co.uk,рф", ",".join(["com"] * 20)],
    patterns.word_list(20): ["casino", "black jack,ü", "a" * 60],
    patterns.URL_OR_DOMAIN: ["a.com", "https://a.com/b?c#d", "//ü.de/ü", "ü.de:80/x"],
    patterns.ADDRESS: ["https://a.com", "https://a.com:443/x?y=%2F", "HTTPS://ü.de:1024/"],
    patterns.TEXT: ["a", " a ", "\u00fc"],
    patterns.MOMENT: [
        *("2026-11-27", "2024-02-29T23:59Z", "2000-02-29", "0001-01-01", "1000-01-01", "0010-01-01"),
        *("0100-12-31", "0004-02-29", "0400-02-29"),
    ],
}
REFUSED = {
    patterns.REGISTRABLE: [".a.com", "a", "a b.com", "."],
    patterns.REGISTRABLE_LIST: ["a.com,", ",", "a.com,.b.com"],
    patterns.HOST: ["._a.com", "a", "a/b.com"],
    patterns.EXTENSION: ["c m", "..com", "a/b"],
    patterns.extension_list(20): ["com,", ",".join(["com"] * 21)],
    patterns.word_list(20): ["a,", " ", "a,\u3000", "a\nb"],
    patterns.URL_OR_DOMAIN: [".a.com", "https://.a.com", "a"],
    patterns.ADDRESS: ["http://a.com", "https://a.com/#x"],
    patterns.TEXT: ["", " ", "\u00a0\u2003", "a\x00", "\x85"],
    patterns.MOMENT: ["0000-01-01", "0000-02-29", "2026-02-29", "1900-02-29", "2026-13-01"],
}


def test_patterns_match_what_the_server_takes() -> None:
    for pattern, texts in TAKEN.items():
        assert [text for text in texts if not re.search(pattern, text)] == []
    for pattern, texts in REFUSED.items():
        assert [text for text in texts if re.search(pattern, text)] == []
