"""ASGI layers around the application: visitors behind proxies, foreign Host headers, HEAD answered as GET."""

from __future__ import annotations

import ipaddress
import logging
from collections.abc import Iterable, Iterator
from typing import Any, cast
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from afterdrop.core.settings import Settings
from afterdrop.web.problems import Problem, problem_response

log = logging.getLogger("afterdrop.server")


class ForwardedVisitors:
    """Gives requests the visitor's address and scheme, as a trusted proxy tells them, and warns of another proxy."""

    def __init__(self, app: ASGIApp, trusted_proxies: Iterable[str]) -> None:
        self._told = ProxyHeadersMiddleware(cast(Any, app), list(_as_seen(trusted_proxies)))
        self._warned = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on every request."""
        if scope["type"] == "http" and not self._warned:
            peer = (scope.get("client") or ("",))[0]
            forwarded = any(name == b"x-forwarded-for" for name, _ in scope["headers"])
            if forwarded and peer not in self._told.trusted_hosts:
                # Visitors can send the header, too: a line for each would let them fill the log.
                self._warned = True
                log.warning(
                    "X-Forwarded-For from %s is ignored, as trusted_proxies does not name that address;"
                    " if it is your proxy's, all visitors share it",
                    peer,
                )
        await self._told(cast(Any, scope), cast(Any, receive), cast(Any, send))


def _as_seen(trusted_proxies: Iterable[str]) -> Iterator[str]:
    """Each network, and one of IPv4 also as a listener at `::` sees it."""
    for given in trusted_proxies:
        network = ipaddress.ip_network(given)
        yield str(network)
        if network.version == 4:
            yield f"::ffff:{network.network_address}/{96 + network.prefixlen}"


class HostGuard:
    """400 for requests that name another host, because absolute URLs and sessions belong to `site_url` alone."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self._settings = settings
        self._own = urlsplit(settings.site_url).hostname or ""
        self._loopback = is_loopback(self._own)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on the requests that name our host."""
        if scope["type"] == "http" and not self._ours(scope):
            problem = Problem(
                "validation_failed",
                "The Host header names another host than this service's.",
                status=400,
                fields={"Host": ["is not this service's host"]},
            )
            await problem_response(problem, self._settings)(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def _ours(self, scope: Scope) -> bool:
        named = [value for name, value in scope["headers"] if name == b"host"]
        if len(named) != 1:
            return False
        try:
            text = named[0].decode("ascii")
            parts = urlsplit(f"//{text}")
            host, _ = parts.hostname or "", parts.port
        except ValueError:
            return False
        # A path, a query, a fragment or a blank would be cut off before the host is read.
        if parts.netloc != text or parts.username is not None or "%" in host:
            return False
        return host == self._own or (self._loopback and is_loopback(host))


class HeadAsGet:
    """Answers HEAD as GET, and counts it so. The server knows the method that was sent, and leaves the body out."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on every request, a HEAD as the GET of the same path."""
        if scope["type"] == "http" and scope["method"] == "HEAD":
            scope = {**scope, "method": "GET"}
        await self.app(scope, receive, send)


def is_loopback(host: str) -> bool:
    """Whether a host name or address means this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def origin_of(text: str) -> tuple[str, str, int | None] | None:
    """Scheme, host and port; loopback names are one host. None for what is no origin of a web page."""
    try:
        parts = urlsplit(text)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return None
    if not parts.hostname or parts.scheme not in ("http", "https"):
        return None
    return parts.scheme, "localhost" if is_loopback(parts.hostname) else parts.hostname, port
