"""A request of a known account: what the actions need of it, and the request that the API and MCP make
once its key is admitted and counted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from sqlalchemy.exc import IntegrityError

from afterdrop.accounts.account import Account, PlanName, Viewer
from afterdrop.accounts.api_keys import Scope
from afterdrop.accounts.key_cache import KeyOwner
from afterdrop.accounts.rate_limits import RateVerdict
from afterdrop.accounts.store import account_by_id
from afterdrop.core.plan_limits import Plan
from afterdrop.core.settings import Settings
from afterdrop.web.context import WebContext
from afterdrop.web.problems import Problem, too_many, unauthenticated


class AccountRequest(Protocol):
    """The values of a request that an action needs, whether it came through the API, MCP or the site."""

    @property
    def context(self) -> WebContext:
        """The service that answers."""

    @property
    def viewer(self) -> Viewer:
        """The viewer for whom the answer is made."""

    @property
    def limits(self) -> Plan:
        """The limits of the account's plan."""

    @property
    def scope(self) -> Scope:
        """The rights of the account that the request may use."""

    @property
    def sale_zones(self) -> tuple[str, ...]:
        """Third-level sale zones the operator counts as extensions."""

    @property
    def now(self) -> datetime:
        """The time of the request."""


@dataclass(frozen=True, slots=True)
class ApiRequest:
    """One admitted request of the API or of an MCP tool. `if_none_match` is the header of that name."""

    context: WebContext
    admission: Admission
    if_none_match: str | None = None

    @property
    def settings(self) -> Settings:
        """The deployment's settings."""
        return self.context.settings

    @property
    def account(self) -> Account:
        """The account whose key was sent."""
        return self.admission.account

    @property
    def viewer(self) -> Viewer:
        """The viewer for whom the answer is made."""
        return self.admission.viewer

    @property
    def plan(self) -> PlanName:
        """The account's plan now."""
        return self.admission.plan

    @property
    def limits(self) -> Plan:
        """The plan's limits."""
        return self.admission.limits

    @property
    def scope(self) -> Scope:
        """The scope of the key."""
        return self.admission.scope

    @property
    def sale_zones(self) -> tuple[str, ...]:
        """Third-level sale zones the operator counts as extensions."""
        return self.context.settings.scan.sale_zones

    @property
    def now(self) -> datetime:
        """The time of the request."""
        return self.admission.now


@dataclass(frozen=True, slots=True)
class Admission:
    """An authenticated, counted request. `refusal` is why it may not go on, if so."""

    account: Account
    scope: Scope
    plan: PlanName
    limits: Plan
    verdict: RateVerdict
    now: datetime
    refusal: Problem | None

    @property
    def viewer(self) -> Viewer:
        """The viewer for whom the answer is made."""
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
        wait = verdict.retry_after
        refusal = too_many(f"Too many requests. Try again in {wait} seconds.", wait)
    return Admission(account, owner.scope, plan, limits, verdict, now, refusal)
