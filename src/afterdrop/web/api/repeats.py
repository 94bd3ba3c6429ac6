"""Idempotency-Key: a POST that is sent again under its key is answered again and not executed again."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Final

import orjson
from pydantic import BaseModel
from sqlalchemy.exc import SQLAlchemyError
from starlette.requests import Request
from starlette.responses import Response

from afterdrop.accounts import idempotency
from afterdrop.accounts.idempotency import AskedOnce, FirstAnswer
from afterdrop.web.account_request import ApiRequest
from afterdrop.web.problems import Invalid, too_many

HEADER: Final = "Idempotency-Key"
REPLAYED: Final = "Idempotent-Replayed"
PATTERN: Final = "^[!-~]{1,255}$"
_KEY: Final = re.compile(PATTERN, re.ASCII)


async def answer_once(
    http: Request, request: ApiRequest, values: Mapping[str, Any], execute: Callable[[], Awaitable[Response]]
) -> Response:
    """Execute a request, or repeat the answer of the first one with its key. Raises Invalid and 429.

    Answers that are no success are not kept: such a request changed nothing and may be sent again under its key.
    """
    key = _key(http)
    if key is None:
        return await execute()
    asked = AskedOnce(request.account.id, _hash(key), _asked(http, values))
    database, now = request.context.database, request.now
    async with database.write() as conn:
        first = await idempotency.begin(conn, asked, now)
    if first.state == "other":
        raise Invalid({HEADER: ["was already used for another request within the last 24 hours"]})
    if first.state == "running":
        text = f"The first request with this {HEADER} is still being answered. Try again in a second."
        raise too_many(text, 1)
    if first.state == "answered":
        headers = {"Cache-Control": "no-store", REPLAYED: "true"}
        return Response(first.body, first.status, headers, "application/json")
    try:
        response = await execute()
    except Exception:
        with suppress(SQLAlchemyError):
            async with database.write() as conn:
                await idempotency.give_up(conn, asked, now)
        raise
    # The request is done: its caller gets the answer also where it cannot be kept.
    with suppress(SQLAlchemyError):
        async with database.write() as conn:
            await idempotency.finish(conn, asked, now, _repeatable(response))
    return response


def _key(http: Request) -> str | None:
    sent = http.headers.getlist(HEADER)
    if not sent:
        return None
    if len(sent) > 1 or not _KEY.fullmatch(sent[0]):
        raise Invalid({HEADER: ["must be sent once, as 1 to 255 visible ASCII characters"]})
    return sent[0]


def _asked(http: Request, values: Mapping[str, Any]) -> str:
    """A hash of the path and of the body's members: how the body is written makes no difference."""
    bodies = [value.model_dump(mode="json") for value in values.values() if isinstance(value, BaseModel)]
    members = orjson.dumps(bodies, option=orjson.OPT_SORT_KEYS).decode()
    return _hash(f"{http.scope['path']}\n{members}")


def _repeatable(response: Response) -> FirstAnswer:
    """The answer as it may be kept: what is shown once is left out, and the status says so (200 instead of 201)."""
    body = bytes(response.body)
    answer = orjson.loads(body)
    if "secret" in answer["data"]:
        del answer["data"]["secret"]
        return FirstAnswer("answered", 200, orjson.dumps(answer))
    return FirstAnswer("answered", response.status_code, body)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
