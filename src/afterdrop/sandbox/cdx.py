"""The archive's index (CDX) as the Wayback server answers it (internetarchive/wayback, wayback-cdx-server README).

Pure. Filters match whole fields, collapsing compares adjacent rows only, and a negative limit takes the last rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote_plus, unquote_plus, urlsplit

import orjson

from afterdrop.sandbox.captures import surt

FIELDS = ("urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length")
MOST_ROWS = 150_000
Row = tuple[str, ...]


class BadQuery(Exception):
    """A query that the index refuses with 400."""


@dataclass(frozen=True, slots=True)
class Query:
    """One query to the index."""

    key: str
    match: str
    fields: tuple[str, ...]
    as_json: bool
    filters: tuple[tuple[bool, int, re.Pattern[str]], ...]
    collapse: tuple[tuple[int, int], ...]
    first: str
    last: str
    limit: int
    resume: str
    show_resume: bool
    backwards: bool
    resolve: bool
    no_pages_left: bool
    count_pages: bool


def parse_query(query: Mapping[str, str], many: Mapping[str, Sequence[str]]) -> tuple[Query, str]:
    """Read a query from its parameters (`many` holds the repeated ones); returns it with the host that it is about.

    Raises BadQuery.
    """
    host, path, match = _target(query.get("url", ""), query.get("matchType", ""))
    key = surt(host, path)
    if match in ("host", "domain"):
        key = key[: key.index(")")]
    fields = tuple(part for part in query.get("fl", "").split(",") if part) or FIELDS
    if unknown := [name for name in fields if name not in FIELDS]:
        raise BadQuery(f"Invalid field: {unknown[0]}")
    return Query(
        key=key,
        match=match,
        fields=fields,
        as_json=query.get("output") == "json",
        filters=tuple(_filter(text) for text in many.get("filter", ())),
        collapse=tuple(_collapse(text) for text in many.get("collapse", ())),
        first=_digits(query.get("from", ""), "0"),
        last=_digits(query.get("to", ""), "9"),
        limit=_number(query.get("limit", "")),
        resume=unquote_plus(query.get("resumeKey", "")),
        show_resume=query.get("showResumeKey") == "true",
        backwards=query.get("sort") == "reverse",
        resolve=query.get("resolveRevisits") == "true",
        no_pages_left=_number(query.get("page", "0")) > 0,
        count_pages=query.get("showNumPages") == "true",
    ), host


def _target(url: str, match: str) -> tuple[str, str, str]:
    if not url:
        raise BadQuery("The url param is required")
    if url.startswith("*."):
        return url[2:].rstrip("/"), "/", "domain"
    if url.endswith("*"):
        url, match = url[:-1], "prefix"
    parts = urlsplit(url if "//" in url else f"//{url}")
    if match not in ("", "exact", "prefix", "host", "domain"):
        raise BadQuery(f"Invalid matchType: {match}")
    path = parts.path + (f"?{parts.query}" if parts.query else "")
    return parts.netloc.lower(), path or "/", match or "exact"


def _digits(text: str, pad: str) -> str:
    if text and not text.isdigit():
        raise BadQuery(f"Invalid timestamp: {text}")
    return text[:14].ljust(14, pad) if text else ""


def _number(text: str) -> int:
    if text and not re.fullmatch(r"-?\d+", text):
        raise BadQuery(f"Invalid number: {text}")
    return int(text or 0)


def _filter(text: str) -> tuple[bool, int, re.Pattern[str]]:
    wanted = not text.startswith("!")
    field, colon, pattern = text.lstrip("!").partition(":")
    if field not in FIELDS or not colon:
        raise BadQuery(f"Invalid filter: {text}")
    try:
        return wanted, FIELDS.index(field), re.compile(pattern)
    except re.error as error:
        raise BadQuery(f"Invalid regex in filter: {text} ({error})") from None


def _collapse(text: str) -> tuple[int, int]:
    field, _, length = text.partition(":")
    if field not in FIELDS or (length and not length.isdigit()):
        raise BadQuery(f"Invalid collapse: {text}")
    return FIELDS.index(field), int(length or 0)


def answer_query(rows: Iterable[Row], query: Query) -> bytes:
    """The body for `query` over one domain's rows, which are ordered by key and time."""
    if query.count_pages:
        return b"1\n"
    found = [] if query.no_pages_left else list(_collapsed(_chosen(rows, query), query.collapse))
    if query.backwards:
        found.reverse()
    limit = query.limit or MOST_ROWS
    kept = found[:limit] if limit > 0 else found[limit:]
    more = 0 < limit < len(found)
    resume = quote_plus(f"{kept[-1][0]} {kept[-1][1]}") if more and query.show_resume else ""
    places = [FIELDS.index(name) for name in query.fields]
    picked = [tuple(row[place] for place in places) for row in kept]
    return _json(picked, query.fields, resume) if query.as_json else _text(picked, resume)


def _chosen(rows: Iterable[Row], query: Query) -> Iterator[Row]:
    filled = ""
    for row in rows:
        key, stamp = row[0], row[1]
        if row[4] != "-":
            filled = row[4]
        if not _matches(key, query) or not (query.first <= stamp and (not query.last or stamp <= query.last)):
            continue
        if query.resume and f"{key} {stamp}" <= query.resume:
            continue
        if query.resolve and row[4] == "-":
            row = (*row[:3], "text/html", filled, *row[5:])
        if all(bool(pattern.fullmatch(row[place])) is wanted for wanted, place, pattern in query.filters):
            yield row


def _matches(key: str, query: Query) -> bool:
    if query.match == "exact":
        return key == query.key or key == f"{query.key}/"
    if query.match == "prefix":
        return key.startswith(query.key)
    host = key.partition(")")[0]
    return host == query.key or (query.match == "domain" and host.startswith(f"{query.key},"))


def _collapsed(rows: Iterator[Row], collapse: tuple[tuple[int, int], ...]) -> Iterator[Row]:
    before: tuple[str, ...] | None = None
    for row in rows:
        mark = tuple(row[place][:length] if length else row[place] for place, length in collapse)
        if not collapse or mark != before:
            yield row
        before = mark


def _text(rows: list[Row], resume: str) -> bytes:
    lines = [" ".join(row) for row in rows]
    if resume:
        lines += ["", resume]
    return ("\n".join(lines) + "\n").encode() if lines else b""


def _json(rows: list[Row], fields: tuple[str, ...], resume: str) -> bytes:
    if not rows:
        return b"[]\n"
    out: list[Row] = [fields, *rows]
    if resume:
        out += [(), (resume,)]
    return b"[" + b",\n".join(orjson.dumps(item) for item in out) + b"]\n"
