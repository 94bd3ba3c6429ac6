"""The runs of the timetable's jobs, one for each due moment, and the workers' heartbeats."""

from __future__ import annotations

import sqlalchemy as sa

from afterdrop.db.schema import Instant, Json, metadata

job_runs = sa.Table(
    "job_runs",
    metadata,
    sa.Column("job", sa.String(40), primary_key=True),
    sa.Column("moment", Instant, primary_key=True),
    sa.Column("claimed_by", sa.String(64)),
    sa.Column("lease_until", Instant),
    sa.Column("started_at", Instant),
    sa.Column("finished_at", Instant),
    sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
    sa.Column("result", Json),
    sa.Column("error", sa.Text),
)

workers = sa.Table(
    "workers",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("started_at", Instant, nullable=False),
    sa.Column("heartbeat_at", Instant, nullable=False),
    sa.Column("stopped_at", Instant),
)
