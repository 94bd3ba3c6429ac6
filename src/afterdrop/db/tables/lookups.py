"""Short caches of registry and DNS answers, and how each registry host behaved."""

from __future__ import annotations

import sqlalchemy as sa

from afterdrop.db.tables.schema import metadata
from afterdrop.db.types import Instant, Json

# key: `rdap:DOMAIN`, `dns:HOST` or `rating:DOMAIN`.
lookup_answers = sa.Table(
    "lookup_answers",
    metadata,
    sa.Column("key", sa.String(300), primary_key=True),
    sa.Column("answer", Json, nullable=False),
    sa.Column("asked_at", Instant, nullable=False),
    sa.Column("keep_until", Instant, nullable=False),
    sa.Index("ix_lookup_answers_keep_until", "keep_until"),
)

# One re-check pass over one registry host: how many were asked, how many turned 404, and the warning if too many.
registry_passes = sa.Table(
    "registry_passes",
    metadata,
    sa.Column("host", sa.String(300), primary_key=True),
    sa.Column("pass_at", Instant, primary_key=True),
    sa.Column("asked", sa.Integer, nullable=False),
    sa.Column("turned_free", sa.Integer, nullable=False),
    sa.Column("withheld", sa.Boolean, nullable=False),
)
