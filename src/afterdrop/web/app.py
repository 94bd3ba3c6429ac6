"""The application: the API under /api/v1, the operator's hook, and whatever other doors are added beside them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import lru_cache

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import compile_path

from afterdrop.web.api.openapi import describe
from afterdrop.web.api.routers import api_routers, operator_router
from afterdrop.web.environment import Environment
from afterdrop.web.mcp.endpoint import add_mcp
from afterdrop.web.problems import Problem, as_problem, not_found, problem_response
from afterdrop.web.request_guards import HostGuard
from afterdrop.web.site.page_guards import plain_error
from afterdrop.web.site.routes import site_routes


def create_app(environment: Environment) -> FastAPI:
    """The ASGI application of a service. Its lifespan runs the environment."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with environment.running():
            yield

    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False, lifespan=lifespan)
    app.state.environment = environment
    _answer_faults(app, environment)
    if environment.settings.operator_token:
        app.include_router(operator_router)
    app.mount("/api/v1", create_api(environment))
    app.router.routes.extend(site_routes())
    add_mcp(app, environment)
    app.add_middleware(HostGuard, settings=environment.settings)
    return app


def create_api(environment: Environment) -> FastAPI:
    """The JSON API alone, relative to its base address."""
    api = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    api.state.environment = environment
    # As they are: including a router has the framework build every route of it anew, for each application.
    for router in api_routers():
        api.router.routes.extend(router.routes)
    document = lru_cache(maxsize=1)(lambda: describe(api, environment.settings))

    @api.get("/openapi.json", include_in_schema=False)
    async def openapi_document() -> Response:
        return Response(document(), media_type="application/json")

    _answer_faults(api, environment)
    return api


def _answer_faults(app: FastAPI, environment: Environment) -> None:
    """Give the error shape to what the framework would answer itself: unknown paths, methods, failures."""
    allowed: list[tuple[object, set[str]]] = []

    def allow(request: Request) -> str:
        if not allowed:
            allowed.extend(_methods(app))
        path = request.scope["path"].removeprefix(request.scope.get("root_path", ""))
        methods = {m for pattern, ms in allowed if pattern.match(path) for m in ms}  # type: ignore[attr-defined]  # re.Pattern
        return ", ".join(sorted(methods))

    async def http_fault(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        if not _wants_json(request):
            return await plain_error(request, status, error)
        if status == 404:
            problem = not_found("There is no such path.")
        elif status == 405:
            text = f"This path does not accept {request.method}."
            problem = Problem("method_not_allowed", text, headers={"Allow": allow(request)})
        else:
            problem = as_problem(error)
        return problem_response(problem, environment.settings)

    app.add_exception_handler(HTTPException, http_fault)
    app.add_exception_handler(Exception, http_fault)


def _wants_json(request: Request) -> bool:
    path: str = request.scope["path"]
    return path.startswith(("/api/", "/operator/")) or path == "/api"


def _methods(app: FastAPI) -> list[tuple[object, set[str]]]:
    """Which methods each path template takes (with GET and POST as two routes the framework names only one)."""
    table: dict[str, set[str]] = {}
    for context in iter_route_contexts(app.routes):
        methods = getattr(context, "methods", None)
        if context.path and methods:
            table.setdefault(context.path, set()).update(methods)
    return [(compile_path(path)[0], methods) for path, methods in table.items()]
