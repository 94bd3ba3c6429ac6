"""API keys: `ad_live_` + 32 random characters + a 6-character checksum; and what a key may do. Pure.

The checksum lets a mistyped key be refused without asking the database; the hash is all that is stored.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from dataclasses import dataclass
from typing import Final, Literal, get_args

# What a key may do of what its account may: everything; only read; all but spend check credits (for agents).
Scope = Literal["full", "read_only", "no_spending"]
SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)
PREFIX = "ad_live_"
ENTROPY_BYTES = 32
_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_RANDOM = 32
_CHECK = 6
_SHAPE = re.compile(rf"{PREFIX}[0-9A-Za-z]{{{_RANDOM + _CHECK}}}", re.ASCII)


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that was just made: `text` is shown once, `hash` and `hint` are stored."""

    text: str
    hash: str
    hint: str


def make_key(entropy: bytes) -> NewKey:
    """A key from 32 bytes of a cryptographic source; it holds 190 of their bits."""
    if len(entropy) < ENTROPY_BYTES:
        raise ValueError(f"a key needs {ENTROPY_BYTES} bytes of entropy, got {len(entropy)}")
    body = _digits(int.from_bytes(entropy, "big"), _RANDOM)
    text = PREFIX + body + _checksum(body)
    return NewKey(text, hash_key(text), f"{PREFIX}{body[:4]}…")


def looks_right(text: str) -> bool:
    """Whether `text` has the form of a key and a right checksum: False for nearly every typing mistake."""
    if not _SHAPE.fullmatch(text):
        return False
    body = text[len(PREFIX) : -_CHECK]
    return text[-_CHECK:] == _checksum(body)


def hash_key(text: str) -> str:
    """The stored hash of a key: SHA-256 in hex. A key has 190 random bits, so a slow hash would add nothing."""
    return hashlib.sha256(text.encode()).hexdigest()


def _checksum(body: str) -> str:
    return _digits(zlib.crc32(body.encode()), _CHECK)


def _digits(number: int, length: int) -> str:
    out = []
    for _ in range(length):
        number, digit = divmod(number, 62)
        out.append(_ALPHABET[digit])
    return "".join(reversed(out))
