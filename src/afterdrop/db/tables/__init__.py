"""Every table, one module a feature. The migrations are checked against this definition."""

from afterdrop.db.tables import (
    accounts,
    alerts,
    catalogue,
    checks,
    delivery,
    desk,
    feeds,
    lookups,
    queue,
    review,
)
from afterdrop.db.tables.schema import metadata

__all__ = [
    "accounts",
    "alerts",
    "catalogue",
    "checks",
    "delivery",
    "desk",
    "feeds",
    "lookups",
    "metadata",
    "queue",
    "review",
]
