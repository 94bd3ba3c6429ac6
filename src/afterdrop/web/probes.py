"""`/healthz`, `/readyz` and `/metrics`: what load balancers and monitoring ask, whatever Host they name."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Callable
from typing import Final, NotRequired, TypedDict

import orjson
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from afterdrop.catalogue.lists.snapshots import ListState
from afterdrop.core import clock
from afterdrop.web.http_protocol import LEAVING
from afterdrop.worker.exposition import exposition
from afterdrop.worker.observation import Deployment, Observation, observe

# Anybody may ask, so the database is asked no more often than this.
_FRESH: Final = 2.0
_PATHS: Final = ("/healthz", "/readyz", "/metrics")


class Probes:
    """Answers the probes and passes everything else on to `app`, or refuses it without one (the separate address).

    `lists` says how the lists stand; until they are in memory they are not answered, and this process is not ready.
    """

    def __init__(
        self, app: ASGIApp | None, deployment: Deployment, lists: Callable[[], ListState] | None = None
    ) -> None:
        self.app = app
        self._lists = lists
        self._deployment = deployment
        self._seen: tuple[float, Observation] | None = None
        self._looking = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "http" and scope["path"] in _PATHS and scope["method"] in ("GET", "HEAD"):
            response = await self._answer(scope)
        elif self.app is not None:
            await self.app(scope, receive, send)
            return
        elif scope["type"] == "lifespan":
            return
        else:
            response = PlainTextResponse("Not found.\n", 404)
        response.headers["Cache-Control"] = "no-store"
        await response(scope, receive, send)

    async def _answer(self, scope: Scope) -> Response:
        if LEAVING in scope.get("state", ()) and scope["path"] != "/metrics":
            return PlainTextResponse("leaving\n", 503)
        lists = self._lists() if self._lists is not None else None
        if scope["path"] == "/healthz":
            # Proxies ask this: until the lists are there another node answers them better.
            return PlainTextResponse("loading\n", 503) if lists == "loading" else PlainTextResponse("alive\n")
        if scope["path"] == "/readyz":
            found = readiness(await self._look(), self._deployment)
            if lists is not None:
                found["lists"] = lists
                found["ready"] &= lists == "in memory"
            return Response(
                orjson.dumps(found), 200 if found["ready"] else 503, media_type="application/json"
            )
        if not self._may_read_metrics(scope):
            # Strangers do not learn that there are metrics; on the separate address it says what is missing.
            if self.app is not None:
                return PlainTextResponse("Not found.\n", 404)
            asks = {"WWW-Authenticate": "Bearer"}
            return PlainTextResponse("metrics.token is set: send it as a bearer token.\n", 401, headers=asks)
        page = exposition(await self._look(), self._deployment.settings)
        return Response(page, headers={"Content-Type": CONTENT_TYPE_LATEST})

    def _may_read_metrics(self, scope: Scope) -> bool:
        """Whether the request has the token; where there is none, whether it reached the separate address."""
        token = self._deployment.settings.metrics.token
        if not token:
            return self.app is None
        scheme, _, given = Headers(scope=scope).get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), token.encode())

    async def _look(self) -> Observation:
        async with self._looking:
            if self._seen is None or clock.monotonic() - self._seen[0] > _FRESH:
                self._seen = (clock.monotonic(), await observe(self._deployment))
            return self._seen[1]


class Readiness(TypedDict):
    """The answer of `/readyz`; `lists` where the process serves any."""

    ready: bool
    database: str
    schema: str
    workers: int
    lists: NotRequired[ListState]


def readiness(seen: Observation, deployment: Deployment) -> Readiness:
    """Whether requests should come here, and why not.

    A node without a worker of its own stays ready when all workers are lost: it can serve what is there. Why the
    database does not answer is in the log, not here, where anybody reads.
    """
    alive = seen.workers_alive
    ready = seen.fault is None and seen.schema == "current" and (alive > 0 or not deployment.worker_inside)
    return {
        "ready": ready,
        "database": "answers" if seen.fault is None else "does not answer",
        "schema": seen.schema or "unknown",
        "workers": alive,
    }
