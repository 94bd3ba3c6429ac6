"""Successful responses of the API: the envelope as bytes, the place of a page in its list, not-modified responses, and
the lists' responses, each kept for the one second in which it is true.

A list is the same for everybody on a plan until the catalogue changes or the clock moves on, so within one second
one response serves every request with the same query.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Hashable, Mapping
from typing import Any, Final

import orjson
from cachetools import FIFOCache
from starlette.responses import Response

from afterdrop.accounts.versions import Versions

_JSON = "application/json"
_OPTIONS = orjson.OPT_UTC_Z | orjson.OPT_OMIT_MICROSECONDS
# Responses depend on the key: no shared cache may keep them, and a browser asks again every time.
_PRIVATE = {"Cache-Control": "private, no-cache", "Vary": "Authorization"}


def json_bytes(value: Any) -> bytes:
    """JSON with times as `YYYY-MM-DDTHH:MM:SSZ`."""
    return orjson.dumps(value, option=_OPTIONS)


def data_response(data: Any, *, meta: Mapping[str, Any] | None = None, status: int = 200) -> Response:
    """`{"data": …}`, for lists with `meta`."""
    body = {"data": data} if meta is None else {"data": data, "meta": meta}
    return Response(
        json_bytes(body), status_code=status, headers={"Cache-Control": "no-store"}, media_type=_JSON
    )


def page_meta(total: int, page: int, per_page: int) -> dict[str, int]:
    """The paging members of `meta`; no pages where nothing is."""
    return {"total": total, "page": page, "per_page": per_page, "pages": -(-total // per_page)}


def no_content() -> Response:
    """204 without a body."""
    return Response(status_code=204)


def etag_response(body: bytes, if_none_match: str | None) -> Response:
    """A 200 with its `ETag`, or a 304 without a body when the caller has these very bytes already."""
    return _etag_response(body, if_none_match, _PRIVATE)


def public_etag_response(body: bytes, if_none_match: str | None) -> Response:
    """The same for what everybody may see; a cache asks again every time."""
    return _etag_response(body, if_none_match, {"Cache-Control": "no-cache"})


def _etag_response(body: bytes, if_none_match: str | None, caching: Mapping[str, str]) -> Response:
    tag = f'"{hashlib.blake2b(body, digest_size=12).hexdigest()}"'
    named = _named(if_none_match, tag) if if_none_match is not None else None
    if named is not None:
        return Response(status_code=304, headers={**caching, "ETag": named})
    return Response(body, headers={**caching, "ETag": tag}, media_type=_JSON)


def _named(if_none_match: str, tag: str) -> str | None:
    """The tag as the caller has it (weak where the body came compressed); None when they have other bytes."""
    candidates = [part.strip() for part in if_none_match.split(",")]
    if "*" in candidates:
        return tag
    return next((named for named in candidates if named.removeprefix("W/") == tag), None)


_MOST_BYTES: Final = 16 * 1024 * 1024
# Bytes an entry takes beside its body: the key and its place in the table.
_ENTRY: Final = 400


class ListCache:
    """The latest response bodies by query: never more than `most` bytes, however long the queries are."""

    def __init__(self, versions: Versions, most: int = _MOST_BYTES) -> None:
        self._versions = versions
        self._kept: FIFOCache[bytes, bytes] = FIFOCache(most, lambda body: len(body) + _ENTRY)

    @property
    def size(self) -> float:
        """How many bytes are kept."""
        return self._kept.currsize

    async def body(self, *query: Hashable, make: Callable[[], Awaitable[bytes]]) -> bytes:
        """The body for `query` (which holds the time, to the second), made by `make` when it is not kept.

        Queries are told apart by their `repr`.
        """
        text = repr((await self._versions.current("catalogue"), *query))
        key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        body = self._kept.get(key)
        if body is None:
            body = await make()
            self._kept[key] = body
        return body
