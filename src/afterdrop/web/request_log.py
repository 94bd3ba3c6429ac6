"""The outermost layer: every request gets an id, is counted, and is logged where the settings want an access log."""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Callable
from functools import cache
from typing import Final

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from prometheus_client import Gauge, Histogram
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from afterdrop.core import clock
from afterdrop.core.log_lines import figures, request_id

log = logging.getLogger("afterdrop.access")

_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
# Paths with a secret or an address in them are logged by their route.
_PRIVATE: Final = ("{token}", "{email}")
UNMATCHED: Final = "unmatched"
# The first segment of a path, where it is a word: shorter than any token of ours, the shortest of which has 32.
_SEGMENT: Final = re.compile(r"/[A-Za-z0-9._-]{1,20}(?=/|\Z)")


class RequestLog:
    """Gives each request an id of our own, a client's could be forged, and notes how it was answered."""

    def __init__(self, app: ASGIApp, route_of: Callable[[Scope], str], *, access: bool) -> None:
        self.app = app
        self._route_of = route_of
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on every request; its answer carries `X-Request-Id`."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        asked, started = secrets.token_hex(8), clock.monotonic()
        request_id.set(asked)
        status, size = 500, 0

        async def noting(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["X-Request-Id"] = asked
            else:
                size += len(message.get("body", b""))
            await send(message)

        with UNDER_WAY.track_inprogress():
            try:
                await self.app(scope, receive, noting)
            finally:
                self._note(scope, status, size, clock.monotonic() - started)

    def _note(self, scope: Scope, status: int, size: int, seconds: float) -> None:
        route = self._route_of(scope)
        method = scope["method"] if scope["method"] in _METHODS else "other"
        REQUESTS.labels(method, route, status).observe(seconds)
        if not self._access:
            return
        path = _loggable(route, scope["path"])
        client = (scope.get("client") or ("",))[0]
        extra = figures(
            method=method, path=path, route=route, status=status, bytes=size, ms=round(seconds * 1000, 1),
            client=client,
        )  # fmt: skip
        log.info("%s %s %s %s %d B %.1f ms", client, method, path, status, size, seconds * 1000, extra=extra)


def _loggable(route: str, path: str) -> str:
    """The path as it may be logged.

    A link that was copied badly is none of our paths, and still has its token: only how it begins is logged.
    """
    if any(part in route for part in _PRIVATE):
        return route
    if route != UNMATCHED:
        return path
    first = _SEGMENT.match(path)
    return first[0] if first else "/"


def route_names(app: FastAPI, api: FastAPI) -> Callable[[Scope], str]:
    """Gives the path template of the route that answered a request; UNMATCHED for a path that is none of ours."""

    @cache
    def names() -> dict[object, str]:
        # A mount has no endpoint, and neither has a request that no route matched.
        return {
            endpoint: before + route.path
            for before, application in (("", app), ("/api/v1", api))
            for route in iter_route_contexts(application.routes)
            if route.path and (endpoint := getattr(route, "endpoint", None)) is not None
        }

    return lambda scope: names().get(scope.get("endpoint"), UNMATCHED)


# The quick end is fine: lists are answered in a few milliseconds, and the promise is 50.
REQUESTS: Final = Histogram(
    "afterdrop_http_request_seconds",
    "Time from a request's head to the end of its answer, by method, route and status.",
    ["method", "route", "status"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5),
)
UNDER_WAY: Final = Gauge("afterdrop_http_requests_under_way", "Requests that are being answered.")
