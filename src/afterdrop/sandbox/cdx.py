"""The archive's index (CDX): those queries to the Wayback server that the service asks (wayback-cdx-server README).

Pure. A filter matches whole fields, and collapsing compares adjacent rows only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby, islice

from afterdrop.sandbox.captures import surt

FIELDS = ("urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length")
_MOST_ROWS = 150_000
Row = tuple[str, ...]
_KNOWN = {"url", "matchType", "from", "filter", "collapse", "limit"}


def answer_query(rows: Iterable[Row], query: Mapping[str, str]) -> bytes:
    """The body over one domain's rows, which are ordered by key and time.

    A query has url, matchType (`exact` or `domain`), from, `!field:pattern` as filter, `field:length` as collapse, and
    limit. Raises ValueError for anything else.
    """
    if unknown := set(query) - _KNOWN:
        raise ValueError(f"the sandbox's index does not know {min(unknown)}")
    # Read as something else, these would give wrong rows and no error.
    if query.get("matchType", "exact") not in ("exact", "domain") or query.get("filter", "!")[:1] != "!":
        raise ValueError("the sandbox's index matches exactly or by domain, and filters by what is unwanted")
    found = islice(_collapsed(_chosen(rows, query), query), int(query.get("limit", _MOST_ROWS)))
    return "".join(" ".join(row) + "\n" for row in found).encode()


def _chosen(rows: Iterable[Row], query: Mapping[str, str]) -> Iterator[Row]:
    field, _, pattern = query.get("filter", "!urlkey:").removeprefix("!").partition(":")
    place, unwanted = FIELDS.index(field), re.compile(pattern)
    home = surt(query["url"], "/")
    for row in rows:
        asked = query.get("matchType") == "domain" or row[0] == home
        if asked and row[1] >= query.get("from", "") and not unwanted.fullmatch(row[place]):
            yield row


def _collapsed(rows: Iterator[Row], query: Mapping[str, str]) -> Iterator[Row]:
    field, _, length = query.get("collapse", "").partition(":")
    if not field:
        return rows
    place = FIELDS.index(field)
    return (next(alike) for _, alike in groupby(rows, lambda row: row[place][: int(length)]))
