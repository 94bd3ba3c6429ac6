"""Every door of the API, in the order their paths are matched."""

from __future__ import annotations

from fastapi import APIRouter

from afterdrop.web.api import account, alerts, checks, domains, lookups, watchlist, webhooks
from afterdrop.web.api.operator import router as operator_router

__all__ = ["api_routers", "operator_router"]


def api_routers() -> tuple[APIRouter, ...]:
    """The routers under the base address."""
    return (
        account.router,
        domains.router,
        watchlist.router,
        alerts.router,
        checks.router,
        lookups.router,
        webhooks.router,
    )
