"""What never becomes a request (unknown methods, raw bytes in a path, headers that are none) is refused in JSON too."""

from __future__ import annotations

from http import HTTPStatus

import orjson
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from afterdrop.core.settings import Settings
from afterdrop.web.problems import Problem, problem_body


def http_protocol(settings: Settings) -> type[HttpToolsProtocol]:
    """The server's HTTP with the API's error shape for what it cannot read: `uvicorn.Config(http=…)`."""
    problem = Problem(
        "validation_failed",
        "The request is not valid HTTP, or its first line is too long.",
        status=HTTPStatus.BAD_REQUEST,
        fields={"request": ["is not valid HTTP"]},
    )
    body = orjson.dumps(problem_body(problem, settings))

    class JsonProtocol(HttpToolsProtocol):
        def send_400_response(self, msg: str) -> None:
            """Answer and close: what follows on the connection could be anything."""
            head = [
                b"HTTP/1.1 400 Bad Request",
                *(name + b": " + value for name, value in self.server_state.default_headers),
                b"content-type: application/json",
                b"content-length: %d" % len(body),
                b"cache-control: no-store",
                b"connection: close",
            ]
            self.transport.write(b"\r\n".join(head) + b"\r\n\r\n" + body)
            self.transport.close()

    return JsonProtocol
