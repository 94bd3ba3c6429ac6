"""A scan to take feeds into, and looking at what intake left."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from afterdrop.db.engine import Database
from afterdrop.db.tables.feeds import candidates, listings, metric_values, scans, source_runs
from afterdrop.feeds.containers import Bounds
from afterdrop.feeds.intake import take_in
from afterdrop.feeds.run_context import AuthorityFilter, IntakeOptions, ScanMoment, SourceRun
from afterdrop.feeds.spec import FeedSpec, read_spec

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
DAY = timedelta(days=1)
FILTER = AuthorityFilter(
    judge=lambda figures: (
        "unknown" if not figures else "pass" if any(int(str(f)) >= 10 for f in figures.values()) else "below"
    ),
    strength=lambda figures: max((int(str(figure)) for figure in figures.values()), default=0) / 100,
)


def feed(**changes: Any) -> FeedSpec:
    """A feed of JSON lines with every field."""
    return read_spec(
        {
            "name": "sample",
            "url": "https://feeds.example.com/l",
            "format": "ndjson",
            "complete": True,
            "evidence": "code",
            "licence": "open",
            "fields": {
                "domain": "d",
                "type": {"from": "t", "map": {t: t for t in ("bid", "auction", "buy_now", "pending_delete")}},
                "external_id": "id",
                "url": "u",
                "price": {"from": "p", "convert": ["money"]},
                "currency": "c",
                "bids": {"from": "b", "convert": ["int"]},
                "ends_at": {"from": "e", "convert": ["iso"]},
            },
            "metrics": {"trust_flow": "tf", "domain_rating": "dr"},
            **changes,
        },
        "sample.toml",
    )


def offer(name: str, **changes: Any) -> dict[str, Any]:
    """A feed row that passes, ends in three days and costs 10 dollars."""
    end = (NOON + 3 * DAY).strftime("%Y-%m-%dT%H:%M:%SZ")
    base = {
        "d": name,
        "t": "bid",
        "id": f"id-{name}",
        "u": f"https://x.com/{name}",
        "p": "10",
        "c": "USD",
        "b": 0,
    }
    return {**base, "e": end, "tf": 20, **changes}


def lines(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """A feed file of these rows."""
    return "\n".join(json.dumps(row) for row in rows).encode()


@dataclass
class Desk:
    """Takes files in, one scan a day, and shows what is stored."""

    database: Database

    async def scan(self, at: datetime) -> int:
        """A new scan beginning at `at`."""
        async with self.database.write() as conn:
            made = await conn.execute(
                scans.insert()
                .values(day=str(at.date()), started_at=at, deadline_at=at + DAY, counts={})
                .returning(scans.c.id)
            )
            return int(made.scalar_one())

    async def take(
        self,
        rows: Sequence[Mapping[str, Any]] | bytes,
        at: datetime = NOON,
        *,
        spec: FeedSpec | None = None,
        authority_filter: AuthorityFilter = FILTER,
        scan: int | None = None,
        rates: Mapping[str, float] | None = None,
        accept: bool = False,
        whole: bool = True,
        zones: tuple[str, ...] = (),
    ) -> SourceRun:
        """Take a file in as part of a scan at `at`."""
        data = rows if isinstance(rows, bytes) else lines(rows)
        options = IntakeOptions(Bounds(10**9, 200), zones, rates or {}, accept=accept, whole=whole)
        number = await self.scan(at) if scan is None else scan
        moment = ScanMoment(number, at, at)
        return await take_in(
            self.database, spec or feed(), io.BytesIO(data), moment, authority_filter, options
        )

    async def rows(self, table: sa.Table, *order: str) -> list[dict[str, Any]]:
        """All rows of a table."""
        async with self.database.read() as conn:
            found = await conn.execute(sa.select(table).order_by(*(table.c[name] for name in order)))
            return [dict(row) for row in found.mappings()]

    async def listings(self) -> dict[str, dict[str, Any]]:
        """Listings by external id."""
        return {row["external_id"]: row for row in await self.rows(listings, "id")}

    async def candidates(self) -> dict[str, dict[str, Any]]:
        """Candidates by domain."""
        return {row["domain"]: row for row in await self.rows(candidates, "domain")}

    async def metrics(self) -> list[dict[str, Any]]:
        """Metric values."""
        return await self.rows(metric_values, "domain", "role", "provider")

    async def runs(self) -> list[dict[str, Any]]:
        """Feed runs, oldest first."""
        return await self.rows(source_runs, "id")

    async def settle(self, outcome: str, at: datetime, *domains: str) -> None:
        """Settle candidates as their review would."""
        async with self.database.write() as conn:
            await conn.execute(
                sa.update(candidates)
                .where(candidates.c.domain.in_(domains))
                .values(state="settled", outcome=outcome, settled_at=at, due_at=None)
            )


@pytest.fixture
def desk(database: Database) -> Desk:
    """Intake over an empty database, on each kind."""
    return Desk(database)
