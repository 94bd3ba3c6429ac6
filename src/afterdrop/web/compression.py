"""Compression of responses as the client's `Accept-Encoding` allows: zstd, Brotli or gzip.

A compressed response tells by its size how often it repeats what its reader sent, so a secret beside reflected input
could be guessed letter by letter. Secrets are shown only in the response to a POST (a new key, an endpoint's secret),
and those are never compressed. The token of every form is salted anew for each page (`SiteRequest.csrf`).
"""

from __future__ import annotations

from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette_compress import CompressMiddleware

LEAST_BYTES: Final = 1024


class Compression:
    """Compresses responses to GET and HEAD of at least `LEAST_BYTES`, and makes their ETags weak.

    An ETag is the hash of the body before compression: a strong one would promise the same bytes in every encoding.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._compressing = CompressMiddleware(app, minimum_size=LEAST_BYTES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on every request; only those that change nothing are answered compressed."""
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            await self.app(scope, receive, send)
            return

        async def weakened(message: Message) -> None:
            if message["type"] == "http.response.start":
                _weaken_tag(message)
                # Tell caches, of a small body and of a 304, too, that compression depends on the request: a
                # body may grow.
                headers = MutableHeaders(raw=message["headers"])
                if "accept-encoding" not in headers.get("vary", "").lower():
                    headers.add_vary_header("Accept-Encoding")
            await send(message)

        await self._compressing(scope, receive, weakened)


def _weaken_tag(start: Message) -> None:
    headers = MutableHeaders(raw=start["headers"])
    tag = headers.get("etag")
    if tag is not None and tag.startswith('"') and "content-encoding" in headers:
        headers["etag"] = f"W/{tag}"
