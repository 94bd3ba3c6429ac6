"""How the service takes requests from connections: within bounds, and what is no request is refused in JSON too.

uvicorn's protocol on httptools reads heads of any size, waits for ever for the rest of a request, and for ever for a
client to take its answer. This one counts bytes and keeps time. A connection is either ours to answer (a request
arrived whole) or keeps us waiting: for a head, for a body, for the client to read. Only those of the second kind are
timed, and only they make room when there are too many connections.
"""

from __future__ import annotations

from asyncio import BaseTransport, TimerHandle, Transport
from collections.abc import Callable
from typing import Any, Final

import orjson
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from afterdrop.core.settings import Server, Settings
from afterdrop.web.problems import Code, Problem, problem_body

# More requests sent ahead of their answers than any client sends.
_MOST_AHEAD: Final = 16
# How long, and how many times a head, a client that was refused is listened to.
_LINGERING: Final = 2.0
_LINGERED: Final = 16


def http_protocol(settings: Settings) -> type[HttpToolsProtocol]:
    """The protocol of one server's connections under these settings: `uvicorn.Config(http=…)`."""
    shared = Shared(settings)

    class Protocol(BoundedProtocol):
        def __init__(self, *args: Any, **more: Any) -> None:
            super().__init__(shared, *args, **more)

    return Protocol


class Shared:
    """What the connections of one server share: bounds, the answers to what never becomes a request, and who waits.

    `waiting` holds the connections whose next move is the client's, the one that has waited longest first.
    """

    def __init__(self, settings: Settings) -> None:
        self.bounds: Server = settings.server
        self.waiting: dict[BoundedProtocol, None] = {}
        self._settings = settings
        most = self.bounds.head_max_bytes
        self.not_http = self._refusal(400, "The request is not valid HTTP.", "is not valid HTTP")
        self.too_slow = self._refusal(408, "The request took too long to arrive.", "took too long to arrive")
        self.too_long = self._refusal(
            431, f"Request line and headers are larger than {most} bytes.", f"has a head over {most} bytes"
        )
        self.too_many = self._refusal(503, "Too many connections are open. Try again in a moment.")

    def _refusal(self, status: int, message: str, fault: str = "") -> tuple[bytes, bytes]:
        """Status line, and the rest of an answer."""
        fields = {"request": [fault]} if fault else None
        code: Code = "validation_failed" if fault else "server_error"
        body = orjson.dumps(
            problem_body(Problem(code, message, status=status, fields=fields), self._settings)
        )
        head = [
            b"content-type: application/json",
            b"content-length: %d" % len(body),
            b"cache-control: no-store",
            b"connection: close",
        ]
        return STATUS_LINE[status], b"\r\n".join(head) + b"\r\n\r\n" + body


class BoundedProtocol(HttpToolsProtocol):
    """HTTP with a bound on every wait and on every part of a request that the application does not bound itself."""

    def __init__(self, shared: Shared, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._shared = shared
        self._bounds = shared.bounds
        # Bytes since the request began, or since the last of them that were body: a head, or the trailers after it.
        self._unheard = 0
        self._begun = False
        self._refused = False
        self._deadline: TimerHandle | None = None
        self._stalled: TimerHandle | None = None

    def connection_made(self, transport: BaseTransport) -> None:
        """Take a connection; one too many costs the place of the one that has kept us waiting longest."""
        assert isinstance(transport, Transport)
        super().connection_made(transport)
        if len(self.connections) > self._bounds.connections and not self._make_room():
            self._refuse(self._shared.too_many)
            return
        self._shared.waiting[self] = None
        self._expect(self._bounds.head_seconds, self._too_slow)

    def _make_room(self) -> bool:
        oldest = next(iter(self._shared.waiting), None)
        if oldest is None:
            return False
        del self._shared.waiting[oldest]
        oldest.transport.abort()
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget every timer."""
        super().connection_lost(exc)
        self._shared.waiting.pop(self, None)
        self._unset_keepalive_if_required()
        self._expect_nothing()
        if self._stalled is not None:
            self._stalled.cancel()

    @property
    def _is_idle(self) -> bool:
        """Whether no request is under way."""
        return self.cycle is None or bool(self.cycle.response_complete)

    def data_received(self, data: bytes) -> None:
        """Feed the parser as much at a time as may still belong to a head."""
        if self._deadline is None and self._is_idle:
            self._expect(self._bounds.head_seconds, self._too_slow)
        most = self._bounds.head_max_bytes
        if self._refused:
            self._unheard += len(data)
            if self._unheard > most * _LINGERED:
                self.transport.abort()
            return
        while data and not (self._refused or self.transport.is_closing()):
            room = most - self._unheard
            if not room:
                self._refuse(self._shared.too_long)
                return
            part, data = data[:room], data[room:]
            self._unheard += len(part)
            super().data_received(part)

    def on_message_begin(self) -> None:
        """A request line begins."""
        super().on_message_begin()
        self._begun = True
        self._expect(self._bounds.head_seconds, self._too_slow)

    def on_headers_complete(self) -> None:
        """The head is there: from now on the body is waited for."""
        if len(self.pipeline) >= _MOST_AHEAD:
            self.transport.abort()
            # The parser stops at an error only.
            raise ConnectionAbortedError("too many requests ahead of their answers")
        self._unheard = 0
        super().on_headers_complete()
        self._expect(self._bounds.body_seconds, self._too_slow)

    def on_body(self, body: bytes) -> None:
        """Some of the body, which the application bounds."""
        self._unheard = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is whole: the next move is ours, unless it was answered before."""
        self._unheard = 0
        self._begun = False
        super().on_message_complete()
        if self._is_idle:
            self._expect(self._bounds.keep_alive_seconds, self.transport.close)
        else:
            self._expect_nothing()
            self._shared.waiting.pop(self, None)

    def on_response_complete(self) -> None:
        """The answer is handed over; whether the client takes it is another matter."""
        super().on_response_complete()
        if self._is_idle:
            self._shared.waiting[self] = None
        self._watch_client()

    def pause_writing(self) -> None:
        """The client takes less than we write."""
        super().pause_writing()
        self._watch_client()

    def send_400_response(self, msg: str) -> None:
        """Answer and close: what follows on the connection could be anything."""
        self._refuse(self._shared.not_http)

    def _too_slow(self) -> None:
        """The head or the body did not arrive in time."""
        if self._begun:
            self._refuse(self._shared.too_slow)
        else:
            self.transport.close()
            self._watch_client()

    def _refuse(self, answer: tuple[bytes, bytes]) -> None:
        """Answer, unless that would break into another answer, and close.

        What the client is still sending is read a little longer and thrown away: closed at once, the connection would
        be reset, and the client would lose the answer.
        """
        if self._refused or self.transport.is_closing():
            return
        self._refused = True
        if not self._is_idle:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if self._is_idle or not self.cycle.response_started:
            date = (name + b": " + value + b"\r\n" for name, value in self.server_state.default_headers)
            self.transport.write(b"".join([answer[0], *date, answer[1]]))
        self.transport.write_eof()
        self._shared.waiting[self] = None
        self._unheard = 0
        self._expect(_LINGERING, self.transport.abort)

    def _expect(self, seconds: float, otherwise: Callable[[], None]) -> None:
        """Let the client make its next move within so many seconds."""
        self._expect_nothing()
        self._deadline = self.loop.call_later(seconds, otherwise)

    def _expect_nothing(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _watch_client(self, before: int | None = None) -> None:
        """Cut a client off that takes nothing of what we wrote for a while."""
        left = self.transport.get_write_buffer_size()
        if before is None and self._stalled is not None:
            return
        self._stalled = None
        if left and left == before:
            self.transport.abort()
        elif left:
            self._stalled = self.loop.call_later(self._bounds.stalled_seconds, self._watch_client, left)
