"""The operator's hook: grants from outside, by any payment provider. Off without an operator token."""

from __future__ import annotations

import hmac
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import AfterValidator, Field
from starlette.requests import Request
from starlette.responses import Response

from afterdrop.accounts import members
from afterdrop.accounts.grants import Grant, GrantClash, apply_grant
from afterdrop.accounts.store import credit_balance
from afterdrop.web.api.schemas import values as v
from afterdrop.web.api.schemas.common import QueryModel
from afterdrop.web.environment import Environment
from afterdrop.web.problems import Invalid, Problem, as_problem, problem_response
from afterdrop.web.responses import data_answer
from afterdrop.web.strict_input import read_body

router = APIRouter()
Reference = Annotated[
    str,
    Field(strict=True, min_length=1, max_length=200, pattern=v.TEXT_PATTERN),
    AfterValidator(v.plain_text),
]


class NewGrant(QueryModel):
    """What to grant: Pro until a time, purchased check credits, or both."""

    reference: Reference
    plan_until: v.QueryMoment | None = None
    credits: Annotated[v.BodyCount, Field(le=1_000_000)] = 0


@router.post("/operator/v1/accounts/{email}/grants", include_in_schema=False)
async def grant(request: Request, email: str) -> Response:
    """Apply a grant once per `reference`: 201 when applied now, 200 when it was before."""
    env: Environment = request.app.state.environment
    try:
        return await _grant(env, request, email)
    except Exception as error:  # noqa: BLE001  # the request's edge: every failure becomes its answer
        return problem_response(as_problem(error), env.settings)


async def _grant(env: Environment, request: Request, email: str) -> Response:
    _check_token(env, request.headers.get("authorization") or "")
    body = await read_body(request, NewGrant)
    if not body.credits and body.plan_until is None:
        raise Invalid({"body": ["needs `plan_until`, `credits` or both"]})
    now = env.now()
    try:
        async with env.database.write() as conn:
            applied = await apply_grant(
                conn, email, Grant(body.reference, body.plan_until, body.credits), now
            )
    except GrantClash as error:
        raise Invalid({"reference": [error.message]}) from None
    return data_answer(await _state(env, email, now, applied), status=201 if applied else 200)


async def _state(env: Environment, email: str, now: datetime, applied: bool) -> dict[str, Any]:
    async with env.database.read() as conn:
        account = await members.find_account(conn, email)
        plan = account.plan(now)
        allowance = env.settings.plan(plan).checks_per_month
        left = await credit_balance(conn, account.id, allowance=allowance, now=now)
    return {
        "email": account.email,
        "applied": applied,
        "plan": plan,
        "plan_until": account.plan_until,
        "credits_available": left.available,
    }


def _check_token(env: Environment, authorization: str) -> None:
    scheme, _, token = authorization.partition(" ")
    wanted = env.settings.operator_token
    if (
        scheme.lower() != "bearer"
        or not wanted
        or not hmac.compare_digest(token.strip().encode(), wanted.encode())
    ):
        raise Problem(
            "unauthenticated",
            "The operator token is missing or wrong.",
            headers={"WWW-Authenticate": "Bearer"},
        )
