"""Archived titles, quotes and notes are hostile input: what any database can store of them. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

# NUL and half a surrogate pair can be stored nowhere.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(value: Any) -> Any:
    """JSON values whose texts any database takes: archived titles and quotes are hostile input."""
    if isinstance(value, str):
        return _UNSTORABLE.sub("\ufffd", value)
    if isinstance(value, Mapping):
        return {storable(key): storable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [storable(item) for item in value]
    return value
