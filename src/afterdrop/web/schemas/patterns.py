r"""Patterns of names, addresses and times, as regular expressions of the OpenAPI document. Pure.

Clients check what they send with these, so they match everything the server takes, and as little besides as a regular
expression can tell: which Unicode names are valid, only the tables of IDNA know. They mean the same in Python, in
ECMA-262 with the flag `u` and in RE2, by which clients in Go check: `\d` and `\s` do not, and each knows escapes that
another does not. RE2 has no lookarounds and no `\u`, and at most 1,000 repetitions, nested ones multiplied
(https://github.com/google/re2/wiki/Syntax). So lists bound their items, but not the length of each, and characters
beyond `\xff` stand for themselves.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from afterdrop.sources.metrics.values import TOPICS

MOST_ITEMS: Final = 100
_LABEL: Final = r"[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?"
_LISTED_LABEL: Final = r"[A-Za-z0-9](?:[A-Za-z0-9\-]*[A-Za-z0-9])?"
_SERVICE_LABEL: Final = r"[A-Za-z0-9_](?:[A-Za-z0-9_\-]{0,61}[A-Za-z0-9_])?"
_TOP: Final = "[A-Za-z]{2,63}"
_LISTED_TOP: Final = "[A-Za-z]{2,}"
# A letter, a digit, a hyphen, a dot, or anything outside ASCII; the second may be `_` besides.
_HOST_CHARACTER: Final = r"[^\x00-,/:-@\[-`{-\x7f]"
_SERVICE_CHARACTER: Final = r"[^\x00-,/:-@\[-\^`{-\x7f]"
# Every name has a dot or a character outside ASCII, for other scripts have dots of their own.
_DOT: Final = r"[^\x00-\-/-\x7f]"
_HOST: Final = rf"[A-Za-z0-9\-]*{_DOT}{_HOST_CHARACTER}*"
_FOREIGN: Final = r"[^\x00-\x7f]"
# No name begins with a dot.
_NAME: Final = rf"(?:[A-Za-z0-9\-]+{_DOT}|{_FOREIGN}){_HOST_CHARACTER}*"
_SERVICE_NAME: Final = rf"(?:[A-Za-z0-9_\-]+{_DOT}|{_FOREIGN}){_SERVICE_CHARACTER}*"
PLAIN_EXTENSION: Final = rf"\.?{_LABEL}(?:\.{_LABEL}){{0,3}}"
_LISTED_EXTENSION: Final = rf"\.?{_LISTED_LABEL}(?:\.{_LISTED_LABEL}){{0,3}}"
_FOREIGN_EXTENSION: Final = rf"[A-Za-z0-9.\-]*{_FOREIGN}{_HOST_CHARACTER}*"
_PORT: Final = (
    "0*(?:443|102[4-9]|10[3-9][0-9]|1[1-9][0-9]{2}|[2-9][0-9]{3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}"
    "|655[0-2][0-9]|6553[0-5])"
)
_WHITE_SPACE: Final = r"\x20\x85\xa0" + "\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_YEAR: Final = "(?:[0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000)"
_LEAP: Final = "(?:0[48]|[2468][048]|[13579][26])"
_DATE: Final = (
    rf"(?:{_YEAR}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    rf"|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9]{{2}}{_LEAP}|{_LEAP}00)-02-29)"
)
_HOUR_AND_MINUTE: Final = "(?:[01][0-9]|2[0-3]):[0-5][0-9]"


def _plain_name(label: str, top: str) -> str:
    """Nested options mean the same as one; a tool that draws examples then draws two labels nearly always."""
    more = "(?:" * 8 + rf"(?:\.{label}){{1,3}}" + ")?" * 8
    return rf"{label}{more}\.{top}"


def _mostly(usual: str, everything: str) -> str:
    """Matches `everything`, of which `usual` is a part that tools which draw examples then draw nearly always.

    It matches the empty text too, which the server refuses: without a lookahead only `minLength` could say so, and a
    bound that comes later looks like a narrowing to whoever compares descriptions.
    """
    return f"^(?:{usual}|{'(?:' * 5}{everything}{')?' * 5})$"


def _list(item: str, most: int = MOST_ITEMS) -> str:
    return f"{item}(?:,{item}){{0,{most - 1}}}"


def _in_any_case(words: Iterable[str]) -> str:
    spelled = ("".join(f"[{letter.upper()}{letter.lower()}]" for letter in word) for word in words)
    return f"(?:{'|'.join(spelled)})"


def list_of(item: str, most: int = MOST_ITEMS) -> str:
    """The pattern of a comma-separated list of what `item` matches."""
    return f"^{_list(item, most)}$"


# No control characters, and something other than blanks.
TEXT: Final = rf"^[^\x00-\x1f\x7f]*[^{_WHITE_SPACE}\x00-\x1f\x7f][^\x00-\x1f\x7f]*$"
REGISTRABLE: Final = _mostly(_plain_name(_LABEL, _TOP), _NAME)
REGISTRABLE_LIST: Final = _mostly(_list(_plain_name(_LISTED_LABEL, _LISTED_TOP)), _list(_NAME))
HOST: Final = _mostly(rf"(?:{_SERVICE_LABEL}\.)+{_TOP}", _SERVICE_NAME)
EXTENSION: Final = _mostly(PLAIN_EXTENSION, _FOREIGN_EXTENSION)


def extension_list(most: int) -> str:
    """The pattern of a comma-separated list of so many extensions."""
    return _mostly(
        _list(_LISTED_EXTENSION, most), _list(f"(?:{_LISTED_EXTENSION}|{_FOREIGN_EXTENSION})", most)
    )


def word_list(most: int) -> str:
    """The pattern of a comma-separated list of so many texts."""
    other = r"[^\x00-\x1f\x7f,]"
    word = rf"{other}*[^{_WHITE_SPACE}\x00-\x1f\x7f,]{other}*"
    return _mostly(_list("[A-Za-z0-9]{1,20}", most), _list(word, most))


EXTENSION_LIST: Final = extension_list(MOST_ITEMS)
TOPIC: Final = f"^{_in_any_case(TOPICS)}$"
TOPIC_LIST: Final = list_of(_in_any_case(TOPICS))
URL_OR_DOMAIN: Final = _mostly(
    rf"(?:https?://)?(?:{_LABEL}\.)+{_TOP}(?:/[!-.0-~]+)*/?(?:[?#][!-.0-~]*)?",
    rf"(?:(?:[A-Za-z][A-Za-z0-9+.\-]*:)?//(?:[^/?#\\\x00- \x7f]*@)?{_SERVICE_NAME}(?::[^/?#\\\x00- \x7f]*)?"
    rf"|{_SERVICE_NAME}(?::[0-9]*)?)(?:[/?#][\s\S]*)?",
)
ADDRESS: Final = _mostly(
    rf"https://(?:{_LABEL}\.)+{_TOP}(?::(?:443|[1-5][0-9]{{4}}))?(?:/[!$-\[\]-~]*)?",
    rf"[Hh][Tt][Tt][Pp][Ss]://{_HOST}(?::(?:{_PORT})?)?(?:[/?][^\x00- #\\\x7f]*)?",
)
# Besides, where a setting allows it for development: this machine itself.
LOOPBACK_ADDRESS: Final = (
    r"^[Hh][Tt][Tt][Pp]://(?:[^/?#\\\x00- \x7f]*@)?(?:127\.0\.0\.1|\[::1\])"
    r"(?::[0-9]*)?(?:[/?#][^\x00- \\\x7f]*)?$"
)
# A date, or a time to the minute or finer with `Z` or an offset, whose `+` may arrive as the space it stands for.
MOMENT: Final = (
    rf"^{_DATE}(?:[Tt ]{_HOUR_AND_MINUTE}(?::[0-5][0-9](?:\.[0-9]{{1,9}})?)?"
    rf"(?:[Zz]|[+\- ](?:[01][0-9]|2[0-3]):?[0-5][0-9]))?$"
)
