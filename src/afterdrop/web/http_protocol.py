"""The HTTP protocol of the server: limits on the size and time of requests, and refusals in JSON.

uvicorn's protocol on httptools reads heads of any size and waits for ever, both for the rest of a request and for a
client to read its response. This one counts bytes and keeps time. On a connection the next move is either ours (a
request arrived whole) or the client's (we wait for a head, for a body, or until the response is read). Only where it is
the client's do deadlines run, and only those connections are closed when there are too many.
"""

from __future__ import annotations

import socket
from asyncio import BaseTransport, TimerHandle, Transport
from collections.abc import Callable
from typing import Any, Final, cast

import orjson
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from afterdrop.core.settings import Server, Settings
from afterdrop.web.problems import Code, Problem, problem_body

# The key in the state of a server (ASGI's `scope["state"]`) that is true from when it was told to stop.
LEAVING: Final = "leaving"
# Of a request line and headers together.
HEAD_MAX_BYTES: Final = 65_536
# How long a client may stop reading a response.
_STALLED_SECONDS: Final = 30.0
# More requests sent ahead of their answers than any client sends.
_MAX_PIPELINED: Final = 16
# How long a connection stays open for a request that may be under way when the server stops.
_LAST_REQUEST_SECONDS: Final = 1.0
# How long, and how many times the largest head, we go on reading from a client that was refused.
_LINGER_SECONDS: Final = 2.0
_LINGER_HEADS: Final = 16


def http_protocol(settings: Settings) -> type[HttpToolsProtocol]:
    """The protocol class of one server under these settings, for `uvicorn.Config(http=…)`."""
    shared = ServerConnections(settings)

    class Protocol(BoundedProtocol):
        def __init__(self, *args: Any, **more: Any) -> None:
            super().__init__(shared, *args, **more)

    return Protocol


class ServerConnections:
    """The shared state of a server's connections: bounds, refusals of what never becomes a request, who is waited for.

    `waiting` holds the connections whose next move is the client's, the one we have waited for longest first.
    """

    def __init__(self, settings: Settings) -> None:
        self.bounds: Server = settings.server
        self.waiting: dict[BoundedProtocol, None] = {}
        self._settings = settings
        self.not_http = self._refusal(400, "The request is not valid HTTP.", "is not valid HTTP")
        self.too_slow = self._refusal(408, "The request took too long to arrive.", "took too long to arrive")
        self.too_long = self._refusal(
            431,
            f"Request line and headers are larger than {HEAD_MAX_BYTES} bytes.",
            f"has a head over {HEAD_MAX_BYTES} bytes",
        )
        self.too_many = self._refusal(503, "Too many connections are open. Try again in a moment.")

    def _refusal(self, status: int, message: str, fault: str = "") -> tuple[bytes, bytes]:
        """A refusal: its status line, and the rest of the response."""
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
    """HTTP with a limit on every wait, and on every part of a request that the application does not limit itself."""

    def __init__(self, shared: ServerConnections, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._shared = shared
        self._bounds = shared.bounds
        # Bytes of a head so far, or of the trailers after a body.
        self._head_bytes = 0
        self._message_begun = False
        self._refused = False
        self._last_request = False
        self._deadline: TimerHandle | None = None
        self._stall_timer: TimerHandle | None = None

    def connection_made(self, transport: BaseTransport) -> None:
        """Take a connection. When there are too many, close the one we have waited for longest."""
        super().connection_made(cast(Transport, _Lenient(cast(Transport, transport))))
        # Set TCP_NODELAY, whichever loop runs and whoever made the listening socket. Without it the kernel
        # holds the last part of an answer back until the client has confirmed the one before, and a client
        # on a kept connection takes its time over that: 40 ms on Linux.
        connection = transport.get_extra_info("socket")
        if connection is not None and connection.family in (socket.AF_INET, socket.AF_INET6):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if len(self.connections) > self._bounds.connections and not self._make_room():
            self._refuse(self._shared.too_many)
            return
        self._shared.waiting[self] = None
        self._set_deadline(self._bounds.head_seconds, self._too_slow)

    def _make_room(self) -> bool:
        oldest = next(iter(self._shared.waiting), None)
        if oldest is None:
            return False
        del self._shared.waiting[oldest]
        oldest.transport.abort()
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel every timer."""
        super().connection_lost(exc)
        self._shared.waiting.pop(self, None)
        self._unset_keepalive_if_required()
        self._clear_deadline()
        if self._stall_timer is not None:
            self._stall_timer.cancel()

    @property
    def _is_idle(self) -> bool:
        """Whether no request is under way."""
        return self.cycle is None or bool(self.cycle.response_complete)

    def data_received(self, data: bytes) -> None:
        """Feed the parser no more at a time than may still belong to a head."""
        if self._deadline is None and self._is_idle:
            self._set_deadline(self._bounds.head_seconds, self._too_slow)
        if self._refused:
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_MAX_BYTES * _LINGER_HEADS:
                self.transport.abort()
            return
        while data and not (self._refused or self.transport.is_closing()):
            room = HEAD_MAX_BYTES - self._head_bytes
            if not room:
                self._refuse(self._shared.too_long)
                return
            part, data = data[:room], data[room:]
            self._head_bytes += len(part)
            super().data_received(part)

    def on_message_begin(self) -> None:
        """A request line begins."""
        super().on_message_begin()
        self._message_begun = True
        self._set_deadline(self._bounds.head_seconds, self._too_slow)

    def on_headers_complete(self) -> None:
        """The head is there; from now on we wait for the body."""
        if len(self.pipeline) >= _MAX_PIPELINED:
            self.transport.abort()
            # Only an error stops the parser.
            raise ConnectionAbortedError("too many requests ahead of their answers")
        self._head_bytes = 0
        super().on_headers_complete()
        if self._last_request or LEAVING in self.app_state:
            super().shutdown()
        self._set_deadline(self._bounds.body_seconds, self._too_slow)

    def on_body(self, body: bytes) -> None:
        """A part of the body, whose size the application limits."""
        self._head_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is whole, so the next move is ours, unless it was answered before."""
        self._head_bytes = 0
        self._message_begun = False
        super().on_message_complete()
        if self._is_idle:
            self._set_deadline(self._bounds.keep_alive_seconds, self.transport.close)
        else:
            self._clear_deadline()
            self._shared.waiting.pop(self, None)

    def on_response_complete(self) -> None:
        """The response is written. Whether the client reads it is watched from here on."""
        super().on_response_complete()
        if self._is_idle:
            self._shared.waiting[self] = None
        self._watch_for_stall()

    def shutdown(self) -> None:
        """The server stops: close after the answer to a request that is here, or that arrives within a moment."""
        if not self._is_idle:
            super().shutdown()
            return
        self._last_request = True
        if not (self._message_begun or self._refused):
            self._set_deadline(_LAST_REQUEST_SECONDS, self.transport.close)

    def pause_writing(self) -> None:
        """The client reads less than we write."""
        super().pause_writing()
        self._watch_for_stall()

    def send_400_response(self, msg: str) -> None:
        """Answer and close, because what follows on the connection could be anything."""
        self._refuse(self._shared.not_http)

    def _too_slow(self) -> None:
        """The head or the body did not arrive in time."""
        if self._message_begun:
            self._refuse(self._shared.too_slow)
        else:
            self.transport.close()
            self._watch_for_stall()

    def _refuse(self, refusal: tuple[bytes, bytes]) -> None:
        """Send a refusal, unless a response has begun, and close.

        The client's further bytes are read a little longer and thrown away. If the connection were closed at once, it
        would be reset, and the client would lose the refusal.
        """
        if self._refused or self.transport.is_closing():
            return
        self._refused = True
        if not self._is_idle:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if self._is_idle or not self.cycle.response_started:
            date = (name + b": " + value + b"\r\n" for name, value in self.server_state.default_headers)
            self.transport.write(b"".join([refusal[0], *date, refusal[1]]))
        self.transport.write_eof()
        self._shared.waiting[self] = None
        self._head_bytes = 0
        self._set_deadline(_LINGER_SECONDS, self.transport.abort)

    def _set_deadline(self, seconds: float, on_timeout: Callable[[], None]) -> None:
        """Give the client so many seconds for its next move."""
        self._clear_deadline()
        self._deadline = self.loop.call_later(seconds, on_timeout)

    def _clear_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _watch_for_stall(self, before: int | None = None) -> None:
        """Cut off a client that has read nothing of what we wrote for a while."""
        left = self.transport.get_write_buffer_size()
        if before is None and self._stall_timer is not None:
            return
        self._stall_timer = None
        if left and left == before:
            self.transport.abort()
        elif left:
            self._stall_timer = self.loop.call_later(_STALLED_SECONDS, self._watch_for_stall, left)


class _Lenient:
    """A transport that takes what is written after its end and drops it, as asyncio's do and uvloop's do not.

    A response may still be under way when the client leaves or the connection is cut.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Write unless it is over."""
        if not self._transport.is_closing():
            self._transport.write(data)

    def pause_reading(self) -> None:
        """Read no more for now."""
        if not self._transport.is_closing():
            self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Read on."""
        if not self._transport.is_closing():
            self._transport.resume_reading()
