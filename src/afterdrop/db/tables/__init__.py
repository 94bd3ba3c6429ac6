"""Every table, one module per stage. The migrations are checked against this definition."""

from afterdrop.db.tables import accounts, catalogue, checks, delivery, feeds, jobs, lookups, matching, review
from afterdrop.db.tables.schema import metadata

__all__ = [
    "accounts",
    "catalogue",
    "checks",
    "delivery",
    "feeds",
    "jobs",
    "lookups",
    "matching",
    "metadata",
    "review",
]
