"""The operator's hook, by which a payment provider grants plans and credits. Off without an operator token."""

from __future__ import annotations

import hmac
from datetime import datetime
from typing import Annotated, TypedDict

from fastapi import APIRouter
from pydantic import AfterValidator, Field
from starlette.requests import Request
from starlette.responses import Response

from afterdrop.accounts import members, store
from afterdrop.accounts.members import Grant, GrantClash, apply_grant
from afterdrop.db.conflicts import repeated
from afterdrop.web.context import WebContext
from afterdrop.web.problems import Invalid, Problem, as_problem, problem_response
from afterdrop.web.responses import data_response
from afterdrop.web.schemas import patterns
from afterdrop.web.schemas import values as v
from afterdrop.web.schemas.envelope import RequestModel
from afterdrop.web.strict_input import read_body

router = APIRouter()
Reference = Annotated[
    str,
    Field(strict=True, min_length=1, max_length=200, pattern=patterns.TEXT),
    AfterValidator(v.plain_text),
]


class NewGrant(RequestModel):
    """The grant: Pro until a time, purchased check credits, or both."""

    reference: Reference
    plan_until: v.QueryMoment | None = None
    credits: Annotated[v.BodyCount, Field(le=1_000_000)] = 0


@router.post("/operator/v1/accounts/{email}/grants", include_in_schema=False)
async def grant(request: Request, email: str) -> Response:
    """Apply a grant once per `reference`: 201 when applied now, 200 when it was before."""
    context: WebContext = request.app.state.context
    try:
        return await repeated(lambda: _grant(context, request, email))
    except Exception as error:  # noqa: BLE001  # the request's edge: every failure becomes a response
        return problem_response(as_problem(error), context.settings)


async def _grant(context: WebContext, request: Request, email: str) -> Response:
    scheme, _, token = (request.headers.get("authorization") or "").partition(" ")
    wanted = context.settings.operator_token
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
    body = await read_body(request, NewGrant)
    if not body.credits and body.plan_until is None:
        raise Invalid({"body": ["needs `plan_until`, `credits` or both"]})
    now = context.now()
    try:
        async with context.database.write() as conn:
            applied = await apply_grant(
                conn, email, Grant(body.reference, body.plan_until, body.credits), now
            )
    except GrantClash as error:
        raise Invalid({"reference": [error.message]}) from None
    return data_response(await _account_state(context, email, now, applied), status=201 if applied else 200)


class _AccountState(TypedDict):
    email: str
    applied: bool
    plan: str
    plan_until: datetime | None
    credits_available: int


async def _account_state(context: WebContext, email: str, now: datetime, applied: bool) -> _AccountState:
    async with context.database.read() as conn:
        account = await members.find_account(conn, email)
        plan = account.plan(now)
        allowance = context.settings.plan(plan).checks_per_month
        left = await store.credit_balance(conn, account.id, allowance=allowance, now=now)
    return {
        "email": account.email,
        "applied": applied,
        "plan": plan,
        "plan_until": account.plan_until,
        "credits_available": left.available,
    }
