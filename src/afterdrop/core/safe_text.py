"""Text from strangers: what every database can store of it, and how control characters are blanked. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

# No database stores NUL or half of a surrogate pair.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
# C0 and C1 controls, zero-width characters, line separators, direction marks and overrides, lone surrogates.
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]+")


def is_storable(text: str) -> bool:
    """Whether every database can store the text as it is."""
    return "\0" not in text if text.isascii() else _UNSTORABLE.search(text) is None


def storable(value: object) -> Any:
    """A JSON value with U+FFFD for each character of its texts and keys that a database cannot store."""
    if isinstance(value, str):
        return _UNSTORABLE.sub("\ufffd", value)
    if isinstance(value, Mapping):
        return {storable(key): storable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [storable(item) for item in value]
    return value


def blank_controls(text: str) -> str:
    """The text with one blank for each run of control, invisible or direction-changing characters."""
    return _CONTROLS.sub(" ", text)
