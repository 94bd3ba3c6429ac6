"""RDAP status words: what registries write, spelled as RFC 8056 and RFC 9083 do. Pure.

Registries answer with RDAP words, EPP's camelCase, EPP with an explaining URL, capitals, and some words of
their own. Downstream code compares words, so there is one spelling.
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

_URL = re.compile(r"\s*[(<]?\s*https?://\S*.*$", re.IGNORECASE | re.DOTALL)
_FRAGMENT = re.compile(r"https?://[^\s#]*#([A-Za-z]+)", re.IGNORECASE)
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def status_word(raw: str) -> str:
    """One status as its RDAP word, in lower case; an unknown one keeps its own words, an empty one is ''.

    >>> status_word("clientTransferProhibited https://icann.org/epp#clientTransferProhibited")
    'client transfer prohibited'
    """
    if raw in _KNOWN_AS_IS:
        return raw
    text = _URL.sub("", raw).strip()
    if not text:
        fragment = _FRAGMENT.search(raw)
        text = fragment.group(1) if fragment else ""
    squashed = re.sub(r"[^a-z]", "", text.lower())
    return _KNOWN.get(squashed) or " ".join(re.split(r"[\s_-]+", _HUMP.sub(" ", text).lower())).strip()


def is_known(word: str) -> bool:
    """Whether a normalised word is in the RDAP status registry."""
    return word in _KNOWN_AS_IS
