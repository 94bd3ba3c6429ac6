"""The account a key belongs to, and the service's figures."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from afterdrop.accounts.store import credit_balance
from afterdrop.alerts import rules, watchlist
from afterdrop.catalogue import stats
from afterdrop.delivery.webhooks import endpoint_store
from afterdrop.web.api.error_responses import error_responses
from afterdrop.web.api.request import Asked
from afterdrop.web.api.route import StrictRoute
from afterdrop.web.api.schemas.account import Me, Stats
from afterdrop.web.api.schemas.common import Data
from afterdrop.web.responses import data_answer

router = APIRouter(route_class=StrictRoute, tags=["Account"])


@router.get(
    "/me", response_model=Data[Me], operation_id="getMe", summary="Your account", responses=error_responses()
)
async def me(ask: Asked) -> Response:
    """The account, its plan, limits, check credits and what it uses of them."""
    account, limits = ask.account, ask.limits
    async with ask.env.database.read() as conn:
        credits = await credit_balance(conn, account.id, allowance=limits.checks_per_month, now=ask.now)
        used_rules = await rules.count_rules(conn, account.id)
        used_watches = await watchlist.count_watches(conn, account.id)
        used_endpoints = await endpoint_store.count_endpoints(conn, account.id)
    body = {
        "email": account.email,
        "plan": ask.plan,
        "plan_renews_at": account.plan_until if ask.plan == "pro" else None,
        "limits": {
            "requests_per_minute": limits.requests_per_minute,
            "requests_per_day": limits.requests_per_day,
            "requests_today": ask.admission.meter.requests_today(int(ask.now.timestamp())),
            "lookup_domains_per_hour": limits.lookup_domains_per_hour,
        },
        "checks": {
            "available": credits.available,
            "from_plan_this_month": credits.plan,
            "welcome": credits.welcome,
            "purchased": credits.purchased,
        },
        "alerts": {"used": used_rules, "limit": limits.alert_rules},
        "watchlist": {"used": used_watches, "limit": limits.watched_domains},
        "webhooks": {"used": used_endpoints, "limit": limits.webhook_endpoints},
    }
    return data_answer(body)


@router.get(
    "/stats",
    response_model=Data[Stats],
    operation_id="getStats",
    summary="Service figures",
    responses=error_responses(),
)
async def service_stats(ask: Asked) -> Response:
    """The last scan and the sizes of the lists; the same on both plans."""
    async with ask.env.database.read() as conn:
        return data_answer(await stats.stats(conn, ask.now))
