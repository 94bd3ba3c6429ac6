"""How answers are read, whoever asks: the bounds on their headers, and the head before what follows it."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.http_exceptions import BadHttpMessage

# Policies, links and cookies of real sites pass the 8,190 bytes and 128 fields of aiohttp, and an archive repeats them.
FIELD_BYTES: Final = 65_536
FIELDS: Final = 1_000
# The bound on a whole head, which is curl's. The trailers of an answer count in the same way.
HEAD_BYTES: Final = 300_000


class _AnswerHandler(ResponseHandler):
    """Reads the answers of one connection. It never holds much more than HEAD_BYTES of what is not a body.

    It hands the head over before what follows it: nonsense in the same packet cannot spoil the status.
    """

    _body: Any = None  # aiohttp's stream of the body, once there is one
    _without_body = 0  # bytes since the answer last went on with a head or a part of its body

    def set_response_params(self, **params: Any) -> None:
        """Begin with the next answer on the connection."""
        self._body, self._without_body = None, 0
        super().set_response_params(**params)

    def feed_data(self, data: Any, size: int = 0) -> None:
        """A head is complete. One with a status of 1xx is followed by another (RFC 9110, section 15.2)."""
        message, body = data
        if sum(len(name) + len(value) for name, value in message.raw_headers) > HEAD_BYTES:
            self._refuse()
            return
        self._without_body = 0
        if not 100 <= message.code < 200:
            self._body = body
        super().feed_data(data, size)

    def data_received(self, data: bytes) -> None:
        """Give the data to the parser in pieces: the head, an interim answer's head before it, and the rest."""
        for _ in range(2):
            head, end, rest = data.partition(b"\r\n\r\n") if self._body is None else (data, b"", b"")
            if not rest:
                break
            self._read(head + end)
            data = rest
        self._read(data)

    def _read(self, data: bytes) -> None:
        before = self._body.total_bytes if self._body is not None else 0
        self._without_body += len(data)
        super().data_received(data)
        if self._body is not None and self._body.total_bytes > before:
            self._without_body = 0
        if self._without_body > HEAD_BYTES:
            self._refuse()
        elif self._body is not None and not self._body.is_eof() and (broken := self.exception()) is not None:
            # aiohttp tells it to whoever waits for a head only; whoever reads the body would wait for its time limit.
            self._body.set_exception(aiohttp.ClientPayloadError(" ".join(f"broken: {broken}".split())))

    def _refuse(self) -> None:
        if self.transport is not None:
            self.transport.close()
        self.set_exception(BadHttpMessage(f"headers of more than {HEAD_BYTES} bytes"))


@asynccontextmanager
async def open_session(
    connector: aiohttp.TCPConnector, timeout: aiohttp.ClientTimeout
) -> AsyncIterator[aiohttp.ClientSession]:
    """A session that asks through `connector`, closed at the end.

    It goes by nothing of the environment, keeps no cookies, and leaves content codings to be undone within bounds.
    """
    make: Any = functools.partial(_AnswerHandler, loop=asyncio.get_running_loop())
    connector._factory = make
    async with aiohttp.ClientSession(
        connector=connector,
        trust_env=False,
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=timeout,
        auto_decompress=False,
        max_field_size=FIELD_BYTES,
        max_headers=FIELDS,
    ) as session:
        yield session
