"""Bodies of known length for clients of HTTP/1.0, which know no chunks (RFC 9112, 6.1 and 7.1)."""

from __future__ import annotations

from functools import partial
from tempfile import SpooledTemporaryFile
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# In memory up to so many bytes, on the disk beyond.
_IN_MEMORY: Final = 1 << 20
_PIECE: Final = 1 << 16


class WholeBodies:
    """Holds a response of unknown length until all of it is made, where the client speaks HTTP/1.0.

    Otherwise the server would send chunks, whatever protocol the client speaks.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on every request."""
        if scope["type"] != "http" or scope["http_version"] != "1.0" or scope["method"] == "HEAD":
            await self.app(scope, receive, send)
            return
        held: list[Message] = []
        with SpooledTemporaryFile(_IN_MEMORY) as body:

            async def hold(message: Message) -> None:
                if message["type"] == "http.response.start" and _is_of_unknown_length(message):
                    held.append(message)
                elif not held:
                    await send(message)
                else:
                    body.write(message.get("body", b""))

            await self.app(scope, receive, hold)
            if held:
                MutableHeaders(raw=held[0]["headers"])["content-length"] = str(body.tell())
                await send(held[0])
                body.seek(0)
                for piece in iter(partial(body.read, _PIECE), b""):
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
                await send({"type": "http.response.body", "body": b""})


def _is_of_unknown_length(start: Message) -> bool:
    return start["status"] not in (204, 304) and "content-length" not in MutableHeaders(raw=start["headers"])
