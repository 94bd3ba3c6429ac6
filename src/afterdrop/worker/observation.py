"""One look at the whole deployment, for probes, metrics and alarms: the database, the queues, budgets, the disk."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from afterdrop.accounts.secret_box import SecretBox
from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.db.outages import outage_text
from afterdrop.db.schema_version import SchemaState, schema_state
from afterdrop.delivery.webhooks.endpoint_store import sealed_secrets
from afterdrop.sources.metrics.provider_spec import ProviderSpec
from afterdrop.sources.metrics.store import ProviderStanding, standings
from afterdrop.worker.health import health
from afterdrop.worker.health_shapes import Health

_PATIENCE: Final = 10.0


@dataclass(frozen=True)
class Deployment:
    """An observed deployment. `worker_inside`: this process has a worker of its own. With a `secret_box` stored secrets
    are tried."""

    settings: Settings
    database: Database
    providers: tuple[ProviderSpec, ...]
    now: Callable[[], datetime]
    worker_inside: bool = False
    secret_box: SecretBox | None = None


@dataclass(frozen=True)
class Observation:
    """The findings at `now`. `fault` says why the database did not answer; then the rest of it is empty."""

    now: datetime
    disk_free: int
    disk_size: int
    fault: str | None = None
    schema: SchemaState | None = None
    health: Health = field(default_factory=Health)
    providers: tuple[ProviderStanding, ...] = ()
    sealed_secrets: int = 0

    @property
    def workers_alive(self) -> int:
        """The number of workers with a fresh heartbeat."""
        return sum(row["state"] == "alive" for row in self.health.get("workers", ()))


async def observe(deployment: Deployment) -> Observation:
    """Look at the deployment. Never raises for a database that does not answer."""
    now = deployment.now()
    disk = await asyncio.to_thread(_disk, deployment.settings)
    try:
        async with asyncio.timeout(_PATIENCE), deployment.database.read() as conn:
            schema = await conn.run_sync(schema_state)
            if schema in ("older", "different"):
                return Observation(now, *disk, schema=schema)
            found = await health(conn, now, deployment.settings)
            providers = await standings(conn, deployment.providers, now)
            box = deployment.secret_box
            sealed = 0 if box is None else await sealed_secrets(conn, box)
    except TimeoutError:
        return Observation(now, *disk, fault=f"no answer within {_PATIENCE:g} seconds")
    except sa.exc.SQLAlchemyError as error:
        return Observation(now, *disk, fault=outage_text(error))
    return Observation(now, *disk, None, schema, found, tuple(providers), sealed)


def _disk(settings: Settings) -> tuple[int, int]:
    """Free and all bytes of the disk with the data folder, or of the nearest folder that is there."""
    folder = settings.data_dir.absolute()
    while not folder.is_dir():
        folder = folder.parent
    usage = shutil.disk_usage(folder)
    return usage.free, usage.total
