"""`/healthz`, `/readyz` and `/metrics`: what load balancers and monitoring ask, whatever Host they name."""

from __future__ import annotations

import asyncio
import hmac
from typing import Any, Final

import orjson
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from afterdrop.core import clock
from afterdrop.worker.exposition import exposition
from afterdrop.worker.observation import Deployment, Observation, observe

# Anybody may ask, so the database is asked no more often than this.
_FRESH: Final = 2.0
_PATHS: Final = ("/healthz", "/readyz", "/metrics")


class Probes:
    """Answers the probes and passes everything else on to `app`, or refuses it without one (the separate address)."""

    def __init__(self, app: ASGIApp | None, deployment: Deployment) -> None:
        self.app = app
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
        if scope["path"] == "/healthz":
            return PlainTextResponse("alive\n")
        if scope["path"] == "/readyz":
            found = readiness(await self._look(), self._deployment)
            return Response(
                orjson.dumps(found), 200 if found["ready"] else 503, media_type="application/json"
            )
        if not self._may_read_metrics(scope):
            return PlainTextResponse("Not found.\n", 404)
        page = exposition(await self._look(), self._deployment.settings)
        return Response(page, headers={"Content-Type": CONTENT_TYPE_LATEST})

    def _may_read_metrics(self, scope: Scope) -> bool:
        """Whoever has the token; where there is none, whoever reaches the separate address."""
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


def readiness(seen: Observation, deployment: Deployment) -> dict[str, Any]:
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
