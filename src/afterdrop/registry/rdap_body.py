"""The JSON object in an RDAP body, read as loosely as servers write. Pure."""

from __future__ import annotations

import codecs
import json
from typing import Any

import orjson

from afterdrop.registry.rdap_fields import Notes, plain_text

MAX_BODY = 2_000_000
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read_object(body: bytes, notes: Notes) -> dict[str, Any] | str:
    """The JSON object of a body, or a sentence saying why there is none."""
    if len(body) > MAX_BODY:
        return f"the answer is longer than {MAX_BODY} bytes"
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            notes.add("the answer starts with a byte order mark")
            body = body.removeprefix(codecs.BOM_UTF8).decode(encoding, "replace").encode()
            break
    try:
        doc = orjson.loads(body)
    except orjson.JSONDecodeError:
        doc = _read_loosely(body, notes)
    if isinstance(doc, dict):
        return doc
    return doc if isinstance(doc, Unreadable) else f"a JSON {type(doc).__name__}, not an object"


class Unreadable(str):
    """Why a body is not JSON."""

    __slots__ = ()


def _read_loosely(body: bytes, notes: Notes) -> Any:
    """Some servers write raw control characters, or Latin-1, into JSON strings."""
    start = body[:200].lstrip()
    if not start:
        return Unreadable("the answer is empty")
    if start.startswith(b"<"):
        return Unreadable("the answer is HTML or XML, not JSON")
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        text = body.decode("latin-1")
        notes.add("the answer is not UTF-8")
    try:
        doc = json.loads(text, strict=False)
    except (ValueError, RecursionError) as error:
        return Unreadable(f"the answer is not JSON, or is cut short ({plain_text(str(error))[:80]})")
    notes.add("the answer is not strict JSON")
    return doc
