"""The application: the API under /api/v1, the operator's hook, the site and MCP, with one shape of error for all."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache

import orjson
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import compile_path

from afterdrop.web.api import account, checks, domains, exports, lookups, operator_hook, watching, webhooks
from afterdrop.web.api.openapi import describe
from afterdrop.web.compression import Compression
from afterdrop.web.context import WebContext
from afterdrop.web.mcp.endpoint import add_mcp
from afterdrop.web.probes import Probes
from afterdrop.web.problems import Problem, as_problem, not_found, problem_response
from afterdrop.web.request_guards import HeadAsGet, HostGuard
from afterdrop.web.request_log import RequestLog, route_names
from afterdrop.web.responses import public_etag_response
from afterdrop.web.site.routes import error_response, site_routes
from afterdrop.web.whole_bodies import WholeBodies
from afterdrop.worker.observation import Deployment

# In the order their paths are matched.
_API_ROUTERS = (
    account.router,
    domains.router,
    watching.watchlist_router,
    watching.rules_router,
    checks.router,
    lookups.router,
    webhooks.router,
    exports.router,
)


def create_app(context: WebContext, *, worker_inside: bool = False) -> FastAPI:
    """The ASGI application of a service. Its lifespan runs the context.

    `worker_inside`: this process has a worker, so that it is ready only while one works.
    """

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with context.running():
            yield

    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False, lifespan=lifespan)
    api = create_api(context)
    app.state.context = context
    app.state.api_document = api.state.document
    _add_error_handlers(app, context)
    if context.settings.operator_token:
        app.include_router(operator_hook.router)
    app.mount("/api/v1", api)
    app.router.routes.extend(site_routes())
    add_mcp(app, context)
    app.add_middleware(Compression)
    app.add_middleware(WholeBodies)
    app.add_middleware(HostGuard, settings=context.settings)
    app.add_middleware(Probes, deployment=_deployment(context, worker_inside), lists=context.snapshots.state)
    app.add_middleware(RequestLog, route_of=route_names(app, api), access=context.settings.log.access)
    return app


def _deployment(context: WebContext, worker_inside: bool) -> Deployment:
    return Deployment(context.settings, context.database, context.providers, context.now, worker_inside)


def create_api(context: WebContext) -> FastAPI:
    """The JSON API alone, relative to its base address. `state.document` gives its OpenAPI document."""
    api = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    api.state.context = context
    # The routes as they are: including a router would build every route anew for each application.
    for router in _API_ROUTERS:
        api.router.routes.extend(router.routes)
    api.state.document = cache(lambda: describe(api, context.settings))
    document_json = cache(lambda: orjson.dumps(api.state.document()))

    @api.get("/openapi.json", include_in_schema=False)
    async def openapi_document(request: Request) -> Response:
        return public_etag_response(document_json(), request.headers.get("if-none-match"))

    _add_error_handlers(api, context)
    api.add_middleware(HeadAsGet)
    return api


def _add_error_handlers(app: FastAPI, context: WebContext) -> None:
    """Give the error shape to what the framework would answer itself: unknown paths, methods, failures."""
    allowed: list[tuple[re.Pattern[str], set[str]]] = []

    def allowed_methods(request: Request) -> str:
        if not allowed:
            allowed.extend(_methods(app))
        path = request.scope["path"].removeprefix(request.scope.get("root_path", ""))
        return ", ".join(sorted({m for pattern, methods in allowed if pattern.match(path) for m in methods}))

    async def handle_error(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        if not _wants_json(request):
            page = await error_response(request, status, error)
            if status == 405:
                page.headers["Allow"] = allowed_methods(request)
            return page
        if status == 404:
            problem = not_found("This path does not exist.")
        elif status == 405:
            text = f"This path does not accept {request.method}."
            problem = Problem("method_not_allowed", text, headers={"Allow": allowed_methods(request)})
        else:
            problem = as_problem(error)
        return problem_response(problem, context.settings)

    app.add_exception_handler(HTTPException, handle_error)
    app.add_exception_handler(Exception, handle_error)


def _wants_json(request: Request) -> bool:
    path: str = request.scope["path"]
    return path.startswith(("/api/", "/operator/")) or path == "/api"


def _methods(app: FastAPI) -> list[tuple[re.Pattern[str], set[str]]]:
    """The methods that each path template takes (with GET and POST as two routes the framework names only one)."""
    by_path: dict[str, set[str]] = {}
    for route in iter_route_contexts(app.routes):
        methods = getattr(route, "methods", None)
        if route.path and methods:
            head = {"HEAD"} if "GET" in methods else set()
            by_path.setdefault(route.path, set()).update(methods, head)
    return [(compile_path(path)[0], methods) for path, methods in by_path.items()]
