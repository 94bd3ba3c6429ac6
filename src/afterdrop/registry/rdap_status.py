"""RDAP status words: any registry's spelling turned into that of RFC 8056 and RFC 9083. Pure.

Registries write RDAP words, EPP's camelCase, EPP with an explaining URL, capitals, and some words of their own.
Other code compares words, so that there must be one spelling.
"""

from __future__ import annotations

import re

_WORDS = (
    "active",
    "add period",
    "administrative",
    "associated",
    "auto renew period",
    "client delete prohibited",
    "client hold",
    "client renew prohibited",
    "client transfer prohibited",
    "client update prohibited",
    "delete prohibited",
    "inactive",
    "locked",
    "obscured",
    "pending create",
    "pending delete",
    "pending renew",
    "pending restore",
    "pending transfer",
    "pending update",
    "private",
    "proxy",
    "redemption period",
    "removed",
    "renew period",
    "renew prohibited",
    "reserved",
    "server delete prohibited",
    "server hold",
    "server renew prohibited",
    "server transfer prohibited",
    "server update prohibited",
    "transfer period",
    "transfer prohibited",
    "update prohibited",
    "validated",
)
# RFC 8056 section 2 (`ok`, `linked`) and spellings met in older registry software.
_OTHER = {
    "ok": "active",
    "linked": "associated",
    "autorenewgraceperiod": "auto renew period",
    "redemptiongraceperiod": "redemption period",
    "pendingdeleterestorable": "redemption period",
    "pendingdeletescheduledforrelease": "pending delete",
}
_KNOWN = {re.sub(r"[^a-z]", "", word): word for word in _WORDS} | _OTHER
_KNOWN_AS_IS = frozenset(_WORDS)

_URL = re.compile(r"https?://", re.IGNORECASE)
_LETTERS = re.compile(r"[A-Za-z]*")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def status_word(raw: str) -> str:
    """One status as its RDAP word in lower case. An unknown status keeps its own words; an empty one is ''.

    >>> status_word("clientTransferProhibited https://icann.org/epp#clientTransferProhibited")
    'client transfer prohibited'
    """
    if raw in _KNOWN_AS_IS:
        return raw
    url = _URL.search(raw)
    text = _before(raw[: url.start()]) if url else raw.strip()
    if url and not text:
        explained = raw[url.start() :].split(maxsplit=1)[0].partition("#")[2]
        text = _LETTERS.match(explained)[0]  # type: ignore[index]  # it matches anything
    squashed = re.sub(r"[^a-z]", "", text.lower())
    return _KNOWN.get(squashed) or " ".join(re.split(r"[\s_-]+", _HUMP.sub(" ", text).lower())).strip()


def _before(url: str) -> str:
    """The text before an explaining URL, without the bracket that opens it."""
    text = url.strip()
    return text[:-1].rstrip() if text.endswith(("(", "<")) else text


def is_known(word: str) -> bool:
    """Whether a normalised word is in the RDAP status registry."""
    return word in _KNOWN_AS_IS
