"""Authentication by API key and the request rate: one gate for the API and MCP."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.exc import IntegrityError

from afterdrop.accounts.account import Account
from afterdrop.accounts.api_keys import Scope
from afterdrop.accounts.key_cache import KeyOwner
from afterdrop.accounts.plans import PlanName, Viewer
from afterdrop.accounts.rate_limits import Verdict
from afterdrop.accounts.store import account_by_id
from afterdrop.core.plan_limits import Plan
from afterdrop.web.context import WebContext
from afterdrop.web.problems import Problem, unauthenticated


@dataclass(frozen=True, slots=True)
class Admission:
    """An authenticated, counted request. `refusal` is why it may not go on, if so."""

    account: Account
    scope: Scope
    plan: PlanName
    limits: Plan
    verdict: Verdict
    now: datetime
    refusal: Problem | None

    @property
    def viewer(self) -> Viewer:
        """Whose eyes the answer is made for."""
        return Viewer(self.account.id, self.plan, self.account.operator)

    def headers(self) -> dict[str, str]:
        """The headers with which every authenticated response tells the rate of the current minute."""
        return {
            "X-RateLimit-Limit": str(self.verdict.limit),
            "X-RateLimit-Remaining": str(self.verdict.remaining),
        }


async def admit(context: WebContext, authorization: str | None) -> Admission:
    """Authenticate `Authorization` and count the request. Raises 401 `unauthenticated`.

    The e-mail comes before the rate: an unverified account is told so even when it asks too often.
    """
    return await admit_owner(context, await authenticate(context, authorization))


async def authenticate(context: WebContext, authorization: str | None) -> KeyOwner:
    """The owner of the API key that the header `Authorization` carries. Raises 401 `unauthenticated`."""
    scheme, _, token = (authorization or "").partition(" ")
    holder = await context.keys.owner(token.strip()) if scheme.lower() == "bearer" else None
    if holder is None:
        raise unauthenticated()
    context.rate_limits.key_used(holder.key_id)
    return holder


async def was_deleted(context: WebContext, account: Account, error: Exception) -> bool:
    """Whether a write failed because its account was just deleted, while this process still remembers its key."""
    if not isinstance(error, IntegrityError):
        return False
    async with context.database.read() as conn:
        return await account_by_id(conn, account.id) is None


async def admit_owner(context: WebContext, owner: KeyOwner) -> Admission:
    """Count one request with a key whose owner is known already (that of an MCP request)."""
    account = owner.account
    now = context.now()
    plan = account.plan(now)
    limits = context.settings.plan(plan)
    meter = await context.rate_limits.limiter(account.id, now)
    verdict = meter.take_request(limits, int(now.timestamp()))
    refusal = None
    if account.verified_at is None:
        refusal = Problem("email_unverified", "Confirm your e-mail address first.")
    elif not verdict.allowed:
        refusal = Problem(
            "rate_limited",
            f"Too many requests. Try again in {verdict.retry_after} seconds.",
            headers={"Retry-After": str(verdict.retry_after)},
        )
    return Admission(account, owner.scope, plan, limits, verdict, now, refusal)
