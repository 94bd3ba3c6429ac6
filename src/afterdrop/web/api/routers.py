"""Every door of the API, in the order their paths are matched."""

from __future__ import annotations

from fastapi import APIRouter

from afterdrop.web import (
    api_account,
    api_alerts,
    api_checks,
    api_domains,
    api_tools,
    api_watchlist,
    api_webhooks,
)
from afterdrop.web.api_operator import router as operator_router

__all__ = ["api_routers", "operator_router"]


def api_routers() -> tuple[APIRouter, ...]:
    """The routers under the base address."""
    return (
        api_account.router,
        api_domains.router,
        api_watchlist.router,
        api_alerts.router,
        api_checks.router,
        api_tools.router,
        api_webhooks.router,
    )
