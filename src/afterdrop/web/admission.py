"""Who is asking and whether they may ask now: one gate for the API and MCP."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.exc import IntegrityError

from afterdrop.accounts.account import Account
from afterdrop.accounts.plans import PlanName, Viewer
from afterdrop.accounts.rate_limits import RateLimiter, Verdict
from afterdrop.accounts.store import account_by_id
from afterdrop.core.plan_limits import Plan
from afterdrop.web.environment import Environment
from afterdrop.web.problems import Problem, unauthenticated


@dataclass(frozen=True, slots=True)
class Admission:
    """An authenticated, counted request. `refusal` is why it may not go on, if so."""

    account: Account
    plan: PlanName
    limits: Plan
    meter: RateLimiter
    verdict: Verdict
    now: datetime
    refusal: Problem | None

    @property
    def viewer(self) -> Viewer:
        """Whose eyes the answer is made for."""
        return Viewer(self.account.id, self.plan, self.account.operator)

    def headers(self) -> dict[str, str]:
        """What every authenticated answer says about the current minute."""
        return {
            "X-RateLimit-Limit": str(self.verdict.limit),
            "X-RateLimit-Remaining": str(self.verdict.remaining),
        }

    def take_lookups(self, domains: int) -> None:
        """Count looked-up domains against the hour, or raise 429 `lookup_quota_exceeded` and count nothing."""
        take_lookups(self.meter, self.limits, domains, self.now)


def take_lookups(meter: RateLimiter, limits: Plan, domains: int, now: datetime) -> None:
    """Count looked-up domains against the hour, or raise 429 `lookup_quota_exceeded` and count nothing."""
    wait = meter.take_lookups(limits, domains, int(now.timestamp()))
    if wait:
        raise Problem(
            "lookup_quota_exceeded",
            f"The hour's quota of {limits.lookup_domains_per_hour} looked-up domains does not allow "
            f"{domains} more. It starts anew in {wait} seconds.",
            headers={"Retry-After": str(wait)},
        )


async def admit(env: Environment, authorization: str | None) -> Admission:
    """Authenticate `Authorization` and count the request. Raises 401 `unauthenticated`.

    The e-mail comes before the rate: an unverified account is told so even when it asks too often.
    """
    scheme, _, token = (authorization or "").partition(" ")
    holder = await env.keys.owner(token.strip()) if scheme.lower() == "bearer" else None
    if holder is None:
        raise unauthenticated()
    env.usage.key_used(holder.key_id)
    return await admit_account(env, holder.account)


async def without_account(env: Environment, account: Account, error: Exception) -> bool:
    """Whether a write failed because its account was deleted in the moment that a process still remembers its key."""
    if not isinstance(error, IntegrityError):
        return False
    async with env.database.read() as conn:
        return await account_by_id(conn, account.id) is None


async def admit_account(env: Environment, account: Account) -> Admission:
    """Count one request of an account that is known already (by the key of an MCP request)."""
    now = env.now()
    plan = account.plan(now)
    limits = env.settings.plan(plan)
    meter = await env.usage.limiter(account.id, now)
    verdict = meter.take_request(limits, int(now.timestamp()))
    refusal = None
    if account.verified_at is None:
        refusal = Problem("email_unverified", "Verify the account's e-mail address first.")
    elif not verdict.allowed:
        refusal = Problem(
            "rate_limited",
            f"Too many requests. Try again in {verdict.retry_after} seconds.",
            headers={"Retry-After": str(verdict.retry_after)},
        )
    return Admission(account, plan, limits, meter, verdict, now, refusal)
