"""The account itself as the API and MCP show it, how much of its plan is used, and the state of the service."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from afterdrop.accounts import store
from afterdrop.accounts.account import Account
from afterdrop.accounts.credits import Balance, balance, month_of
from afterdrop.catalogue import stats
from afterdrop.catalogue.stats import Stats
from afterdrop.catalogue.store import last_finished_scan
from afterdrop.delivery.webhooks import endpoint_store
from afterdrop.watching import store as alerts
from afterdrop.web.account_request import AccountRequest
from afterdrop.web.schemas.account import Me
from afterdrop.worker.health import sources_answered

# One statement for all that an account owns: its credits by bucket and month, and counts, whose month is empty.
_USAGE: Final = sa.union_all(
    store.CREDIT_SUMS,
    *(
        sa.select(sa.literal(name), sa.literal(""), counted.scalar_subquery())
        for name, counted in (
            ("rules", alerts.RULES_COUNTED),
            ("watches", alerts.WATCHES_COUNTED),
            ("endpoints", endpoint_store.ENDPOINTS_COUNTED),
        )
    ),
)


@dataclass(frozen=True, slots=True)
class AccountUsage:
    """The use of an account's plan: rows it owns, check credits left, API requests and look-ups counted."""

    credits: Balance
    rules: int
    watches: int
    endpoints: int
    requests_today: int
    lookups_this_hour: int
    agent_lookups_today: int


async def credits_left(request: AccountRequest) -> Balance:
    """The account's check credits."""
    async with request.context.database.read() as conn:
        return await store.credit_balance(
            conn, request.viewer.account_id, allowance=request.limits.checks_per_month, now=request.now
        )


async def account_usage(request: AccountRequest) -> AccountUsage:
    """The account's use of its plan now."""
    account_id, epoch = request.viewer.account_id, int(request.now.timestamp())
    meter = await request.context.rate_limits.limiter(account_id, request.now)
    month = month_of(request.now)
    async with request.context.database.read(single=True) as conn:
        rows = (await conn.execute(_USAGE, {"account": account_id, "month": month})).all()
    counted = {what: int(number) for what, when, number in rows if when == ""}
    sums = [(bucket, when, int(delta)) for bucket, when, delta in rows if when != ""]
    return AccountUsage(
        credits=balance(sums, request.limits.checks_per_month, month),
        rules=counted["rules"],
        watches=counted["watches"],
        endpoints=counted["endpoints"],
        requests_today=meter.requests_today(epoch),
        lookups_this_hour=meter.lookups_this_hour(epoch),
        agent_lookups_today=meter.agent_lookups_today(epoch),
    )


async def service_stats(request: AccountRequest) -> Stats:
    """The last scan and the sizes of the lists."""
    figures = await request.context.lists.figures(request.now)
    async with request.context.database.read() as conn:
        return await stats.stats(conn, figures)


@dataclass(frozen=True, slots=True)
class SourceHealth:
    """When the last scan finished, and how many of the sources answered when they were last asked."""

    scanned_at: datetime | None
    answered: int
    sources: int


async def source_health(request: AccountRequest) -> SourceHealth:
    """The state of the sources, in figures that name none of them."""
    async with request.context.database.read() as conn:
        scan = await last_finished_scan(conn)
        answered, sources = await sources_answered(conn)
    return SourceHealth(None if scan is None else scan["finished_at"], answered, sources)


async def account_json(request: AccountRequest, account: Account) -> Me:
    """The account with its plan, limits, check credits and what it uses of them, as `GET /me` shows it."""
    plan, limits = request.viewer.plan, request.limits
    used = await account_usage(request)
    bounded = request.scope == "no_spending"
    return {
        "email": account.email,
        "plan": plan,
        "plan_renews_at": account.plan_until if plan == "pro" else None,
        "limits": {
            "requests_per_minute": limits.requests_per_minute,
            "requests_per_day": limits.requests_per_day,
            "requests_today": used.requests_today,
            "lookup_domains_per_hour": limits.lookup_domains_per_hour,
        },
        "checks": {
            "available": used.credits.available,
            "from_plan_this_month": used.credits.plan,
            "welcome": used.credits.welcome,
            "purchased": used.credits.purchased,
        },
        "alerts": {"used": used.rules, "limit": limits.alert_rules},
        "watchlist": {"used": used.watches, "limit": limits.watched_domains},
        "webhooks": {"used": used.endpoints, "limit": limits.webhook_endpoints},
        "key": {
            "scope": request.scope,
            "lookup_domains_per_day": limits.agent_lookup_domains_per_day if bounded else None,
            "lookup_domains_today": used.agent_lookups_today if bounded else None,
        },
    }
