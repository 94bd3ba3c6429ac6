"""The route class of the API: the ruled order of checks before anything of the request is parsed.

FastAPI reads the endpoints' signatures for the OpenAPI document; at run time this class does its own, stricter
reading with the same models (FastAPI parses bodies before dependencies run, so a key could not be asked for
first). 401 → 403 `email_unverified` → 429 → 403 for a read-only key → 403 `plan_required` for the
endpoint → 422; the rest is the endpoint's.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Annotated, Any, TypeVar, get_type_hints

from fastapi import Depends, params
from fastapi.routing import APIRoute
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, ConfigDict
from starlette.requests import Request
from starlette.responses import Response

from afterdrop.db.conflicts import repeated
from afterdrop.web.account_request import Admission, ApiRequest, admit, was_deleted
from afterdrop.web.api.repeats import answer_once
from afterdrop.web.context import WebContext
from afterdrop.web.problems import (
    as_problem,
    plan_required,
    problem_response,
    read_only_key,
    unauthenticated,
)
from afterdrop.web.strict_input import read_body, read_query

Endpoint = Callable[..., Awaitable[Response]]
# An endpoint, as a decorator gives it back.
RouteT = TypeVar("RouteT", bound=Endpoint)

bearer = HTTPBearer(
    scheme_name="apiKey",
    bearerFormat="ad_live_…",
    description="An API key from your account page, sent as `Authorization: Bearer <API_KEY>`.",
)


async def _documented(_: Annotated[HTTPAuthorizationCredentials, Depends(bearer)]) -> ApiRequest:
    """Stands in the signature so that OpenAPI tells of the key; StrictRoute gives the value."""
    raise NotImplementedError


def _pro() -> None:
    """Stands among a route's dependencies to say that the whole endpoint needs Pro."""


AdmittedRequest = Annotated[ApiRequest, Depends(_documented)]
PRO_ONLY = Depends(_pro)


class NoQuery(BaseModel):
    """The query of an endpoint that takes none."""

    model_config = ConfigDict(frozen=True)


class EndpointArguments:
    """The arguments an endpoint takes: the `ApiRequest`, path values as text, one query model, one body model."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.request = ""
        self.query: tuple[str, type[BaseModel]] = ("", NoQuery)
        self.body: tuple[str, type[BaseModel]] | None = None
        self.path: list[str] = []
        hints = get_type_hints(endpoint, include_extras=True)
        for name in inspect.signature(endpoint).parameters:
            marks = getattr(hints[name], "__metadata__", ())
            model = getattr(hints[name], "__origin__", None)
            if any(isinstance(mark, params.Depends) for mark in marks):
                self.request = name
            elif any(isinstance(mark, params.Query) for mark in marks):
                self.query = (name, _model(model))
            elif any(isinstance(mark, params.Body) for mark in marks):
                self.body = (name, _model(model))
            else:
                self.path.append(name)
        required = any(field.is_required() for field in self.query[1].model_fields.values())
        self.empty_query = None if required else self.query[1]()

    async def values(self, http: Request, request: ApiRequest) -> dict[str, Any]:
        """The endpoint's arguments by name. Raises Invalid."""
        name, model = self.query
        raw: bytes = http.scope["query_string"]
        query = self.empty_query if not raw and self.empty_query is not None else read_query(raw, model)
        values: dict[str, Any] = {self.request: request} if self.request else {}
        if name:
            values[name] = query
        if self.body:
            values[self.body[0]] = await read_body(http, self.body[1])
        for part in self.path:
            values[part] = http.path_params[part]
        return values


def _model(annotation: Any) -> type[BaseModel]:
    if not (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
        raise TypeError(f"a query or body must be one model, not {annotation!r}")
    return annotation


class StrictRoute(APIRoute):
    """An API route that admits, counts and reads strictly, and whose every failure has the error shape."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler Starlette runs instead of FastAPI's own."""
        arguments = EndpointArguments(self.endpoint)
        endpoint: Endpoint = self.endpoint
        pro_only = PRO_ONLY in self.dependencies
        methods = self.methods or set()
        reads, posts = "GET" in methods, "POST" in methods

        async def handle(http: Request) -> Response:
            context: WebContext = http.app.state.context
            admission: Admission | None = None
            try:
                admission = await admit(context, http.headers.get("authorization"))
                if admission.refusal:
                    raise admission.refusal
                if admission.scope == "read_only" and not reads:
                    raise read_only_key()
                if pro_only and admission.plan != "pro":
                    raise plan_required()
                request = ApiRequest(context, admission, http.headers.get("if-none-match"))
                values = await arguments.values(http, request)
                answer = partial(repeated, partial(endpoint, **values))
                if posts:
                    response = await answer_once(http, request, values, answer)
                else:
                    response = await answer()
            except Exception as error:  # noqa: BLE001  # the request's edge: every failure becomes a response
                if admission and await was_deleted(context, admission.account, error):
                    admission, error = None, unauthenticated()
                response = problem_response(as_problem(error), context.settings)
            response.headers.update(admission.headers() if admission else {})
            return response

        return handle
