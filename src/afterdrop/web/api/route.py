"""The route class of the API: the ruled order of checks before anything of the request is parsed.

FastAPI reads the endpoints' signatures for the OpenAPI document; at run time this class does its own, stricter
reading with the same models (FastAPI parses bodies before dependencies run, so a key could not be asked for
first). 401 → 403 `email_unverified` → 429 → 403 `plan_required` for the endpoint → 422; the rest is the endpoint's.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, get_type_hints

from fastapi import params
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict
from starlette.requests import Request
from starlette.responses import Response

from afterdrop.web.admission import Admission, admit, without_account
from afterdrop.web.api.request import PRO_ONLY, ApiRequest
from afterdrop.web.environment import Environment
from afterdrop.web.problems import as_problem, plan_required, problem_response, unauthenticated
from afterdrop.web.strict_input import read_body, read_query

Endpoint = Callable[..., Awaitable[Response]]


class NoQuery(BaseModel):
    """The query of an endpoint that takes none."""

    model_config = ConfigDict(frozen=True)


class Reading:
    """What an endpoint's signature asks for: the `ApiRequest`, path values as text, one query model, one body model."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.ask = ""
        self.query: tuple[str, type[BaseModel]] = ("", NoQuery)
        self.body: tuple[str, type[BaseModel]] | None = None
        self.path: list[str] = []
        hints = get_type_hints(endpoint, include_extras=True)
        for name in inspect.signature(endpoint).parameters:
            marks = getattr(hints[name], "__metadata__", ())
            model = getattr(hints[name], "__origin__", None)
            if any(isinstance(mark, params.Depends) for mark in marks):
                self.ask = name
            elif any(isinstance(mark, params.Query) for mark in marks):
                self.query = (name, _model(model))
            elif any(isinstance(mark, params.Body) for mark in marks):
                self.body = (name, _model(model))
            else:
                self.path.append(name)
        self.blank = (
            None if any(f.is_required() for f in self.query[1].model_fields.values()) else (self.query[1]())
        )

    async def values(self, request: Request, ask: ApiRequest) -> dict[str, Any]:
        """The endpoint's arguments. Raises Invalid."""
        name, model = self.query
        raw: bytes = request.scope["query_string"]
        query = self.blank if not raw and self.blank is not None else read_query(raw, model)
        values: dict[str, Any] = {self.ask: ask} if self.ask else {}
        if name:
            values[name] = query
        if self.body:
            values[self.body[0]] = await read_body(request, self.body[1])
        for part in self.path:
            values[part] = request.path_params[part]
        return values


def _model(annotation: Any) -> type[BaseModel]:
    if not (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
        raise TypeError(f"a query or body must be one model, not {annotation!r}")
    return annotation


class StrictRoute(APIRoute):
    """An API route that admits, counts and reads strictly, and whose every failure has the error shape."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler Starlette runs instead of FastAPI's own."""
        reading = Reading(self.endpoint)
        endpoint: Endpoint = self.endpoint
        pro_only = PRO_ONLY in self.dependencies

        async def handle(request: Request) -> Response:
            env: Environment = request.app.state.environment
            admission: Admission | None = None
            try:
                admission = await admit(env, request.headers.get("authorization"))
                if admission.refusal:
                    raise admission.refusal
                if pro_only and admission.plan != "pro":
                    raise plan_required()
                ask = ApiRequest(env, admission, request.headers.get("if-none-match"))
                response = await endpoint(**await reading.values(request, ask))
            except Exception as error:  # noqa: BLE001  # the request's edge: every failure becomes its answer
                if admission and await without_account(env, admission.account, error):
                    admission, error = None, unauthenticated()
                response = problem_response(as_problem(error), env.settings)
            response.headers.update(admission.headers() if admission else {})
            return response

        return handle
