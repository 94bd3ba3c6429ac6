"""Lines of a web archive's index in any dialect, as rows of seven byte strings.

Pure. Sources: the Wayback CDX server's README (space-separated text, `output=json` arrays), the classic
` CDX N b a m s …` header of index files, and pywb's CDXJ and NDJSON. Seven fields, in this order: urlkey,
timestamp, original, mimetype, statuscode, digest, length. A field that the dialect does not give is `-`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal

import orjson

from afterdrop.core.json_values import Json

FIELDS = ("urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length")
# Letters of the classic index header (archive.org/web/researcher/cdx_legend.php).
_LEGEND = {
    b"N": "urlkey",
    b"A": "urlkey",
    b"b": "timestamp",
    b"a": "original",
    b"m": "mimetype",
    b"s": "statuscode",
    b"k": "digest",
    b"S": "length",
}
_SPELLINGS = {"url": "original", "mime": "mimetype", "status": "statuscode"}
_ABSENT = b"-"
# A line of more parts is no row; it is not split to its end, which may be far.
_PARTS = 64
# How a row begins: a urlkey and a time, either of which may be odd, or an object with a time.
_ROW = re.compile(rb"\A(?:[^\s)]*+\)\S*+ \d|[^<]* \d{14} )")
_OBJECT = re.compile(rb'\A\{.*"timestamp"')
# What a server writes where it fails in the middle of a row: the class of an exception, or a page.
_FAILURE = re.compile(rb"\.\w+(?:Exception|Error)\b|<html|<!doctype", re.IGNORECASE)

AnswerFault = Literal["no_index", "half_row", "server_error"]

# A row has seven parts. A list of another length is a line that could not be read, as it was split.
Row = list[bytes]


def rows(body: bytes, fields: tuple[str, ...] = FIELDS) -> Iterable[Row]:
    """The rows of an index answer; its dialect is recognised by its first bytes.

    `fields` are those requested with `fl`. A line that is not a row becomes a list whose length is not seven, which
    the reader of rows counts. A trailing resume key, after its blank line, is left out.
    """
    head = body[:64].lstrip()
    if head.startswith(b"["):
        return _array(body)
    if head.startswith(b"{"):
        return (_named(line) for line in body.splitlines() if line.strip())
    lines = _without_resume_key(body)
    if head.startswith(b"CDX "):
        letters = lines[0].split()[1:]
        return _ordered(lines[1:], [_LEGEND.get(letter, "") for letter in letters])
    if _is_cdxj(body):
        return (_cdxj(line) for line in lines if line)
    if fields == FIELDS:
        return (line.split(b" ", _PARTS) for line in lines if line)
    return _ordered(lines, list(fields))


def plain(body: bytes) -> bytes:
    """The same answer as text rows of the seven fields, so that two answers can be joined."""
    head = body[:64].lstrip()
    if head[:1] in (b"[", b"{") or head.startswith(b"CDX ") or _is_cdxj(body):
        return b"\n".join(b" ".join(row) for row in rows(body))
    return b"\n".join(_without_resume_key(body))


def fault_of(body: bytes) -> AnswerFault | None:
    """Why an answer is not the whole index, though it came with status 200; None where it seems to be.

    Servers send the status before they have read all rows. A failure then ends in half a row or without a line feed,
    or has an exception or a page after the row before. An odd row among others is no fault.
    """
    head = body[:64].lstrip()
    if head.startswith(b"["):
        return None if _is_json(body) else "half_row"
    lines = [line for line in _without_resume_key(body) if line.strip()]
    width = len(FIELDS)
    if head.startswith(b"CDX "):
        width = len(lines.pop(0).split()) - 1
    if not lines:
        return None
    named, cdxj = head.startswith(b"{"), _is_cdxj(body)
    begins = _OBJECT if named else _ROW

    def finished(line: bytes) -> bool:
        return line.rstrip().endswith(b"}") if named or cdxj else line.count(b" ") + 1 >= width

    if not begins.match(lines[0]):
        return "no_index"
    if any(not begins.match(line) or (not finished(line) and _FAILURE.search(line)) for line in lines):
        return "server_error"
    ends = named or cdxj or body.endswith(b"\n")
    return None if ends and finished(lines[-1]) else "half_row"


def _is_json(body: bytes) -> bool:
    try:
        orjson.loads(body)
    except orjson.JSONDecodeError:
        return False
    return True


def _is_cdxj(body: bytes) -> bool:
    return b" {" in body[: body.find(b"\n") if b"\n" in body else None]


def _without_resume_key(body: bytes) -> list[bytes]:
    lines = body.split(b"\n")
    if b"\r" in body[:1000]:
        lines = [line.rstrip(b"\r") for line in lines]
    while lines and not lines[-1]:
        lines.pop()
    if len(lines) > 1 and not lines[-2] and b" " not in lines[-1] and b"+" in lines[-1]:
        del lines[-2:]
    return lines


def _ordered(lines: Iterable[bytes], names: list[str]) -> Iterator[Row]:
    places = [names.index(field) if field in names else -1 for field in FIELDS]
    width = len(names)
    for line in lines:
        if not line:
            continue
        parts = line.split(b" ", _PARTS)
        if len(parts) != width:
            yield parts if len(parts) != len(FIELDS) else [line]
            continue
        yield [parts[place] if place >= 0 else _ABSENT for place in places]


def _cdxj(line: bytes) -> Row:
    parts = line.split(b" ", 2)
    if len(parts) != 3:
        return parts
    try:
        return _from_object(orjson.loads(parts[2]), parts[0], parts[1])
    except orjson.JSONDecodeError:
        return [line]


def _named(line: bytes) -> Row:
    try:
        return _from_object(orjson.loads(line), _ABSENT, _ABSENT)
    except orjson.JSONDecodeError:
        return [line]


def _from_object(value: Json, urlkey: bytes, timestamp: bytes) -> Row:
    if not isinstance(value, dict):
        return [urlkey]
    found = {_SPELLINGS.get(key, key): _bytes(item) for key, item in value.items()}
    row = [found.get(field, _ABSENT) for field in FIELDS]
    row[0] = found.get("urlkey", urlkey)
    row[1] = found.get("timestamp", timestamp)
    return row


def _bytes(value: Json) -> bytes:
    return str(value).encode("utf-8", "replace") if value is not None else _ABSENT


def _array(body: bytes) -> Iterator[Row]:
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError:
        yield [body[:80]]
        return
    items = [item for item in answer if item]
    if items and isinstance(items[0], dict):
        yield from (_from_object(item, _ABSENT, _ABSENT) for item in items)
        return
    names = [_SPELLINGS.get(str(name), str(name)) for name in items[0]] if items else []
    places = [names.index(field) if field in names else -1 for field in FIELDS]
    for item in items[1:]:
        if isinstance(item, list) and len(item) == len(names):
            yield [_bytes(item[place]) if place >= 0 else _ABSENT for place in places]
        elif not (isinstance(item, list) and len(item) == 1):  # a lone member is the resume key
            yield [_bytes(item)]
