"""Every table, one module a feature. The migrations are checked against this definition."""

from afterdrop.db.schema import metadata
from afterdrop.db.tables import accounts, catalogue, checks, delivery, feeds, queue, review, watching

__all__ = [
    "accounts",
    "catalogue",
    "checks",
    "delivery",
    "feeds",
    "metadata",
    "queue",
    "review",
    "watching",
]
