"""The service on a loopback port over a seeded database, for third-party tools."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import uvicorn
from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from afterdrop.accounts import members
from afterdrop.core.plan_limits import Plan, Plans
from afterdrop.core.settings import Dns, HostPace, Pace, Settings
from afterdrop.core.settings import Registry as RegistrySettings
from afterdrop.db.engine import Database
from afterdrop.web.app import create_app
from afterdrop.web.context import make_web_context
from afterdrop.web.http_protocol import http_protocol
from tests.support.nameserver import Zone, serving
from tests.support.ports import free_port
from tests.support.registry import Registry, domain_object, names_itself
from tests.support.registry import running as registry_running
from tests.support.rows import put, row

_MANY = 10**7
# Limits that no tool reaches; what plans may see is not changed.
_PLENTY: dict[str, Any] = {
    **dict.fromkeys(
        ("requests_per_minute", "requests_per_day", "lookup_domains_per_hour", "exports_per_hour"), _MANY
    ),
    **dict.fromkeys(("alert_rules", "webhook_endpoints", "checks_per_month"), _MANY),
    "availability_domains": 50,
    "rating_domains": 25,
}


@dataclass
class Running:
    """A service that answers at `url`; `keys` by plan, `statuses` of every answer so far by key ("" = none)."""

    url: str
    settings: Settings
    keys: dict[str, str] = field(default_factory=dict)
    statuses: dict[str, Counter[int]] = field(default_factory=dict)


class _Counted:
    """Counts answers by key and status."""

    def __init__(self, app: ASGIApp, running: Running) -> None:
        self.app = app
        self.running = running

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def counting(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.running.statuses.setdefault(self._who(scope), Counter())[message["status"]] += 1
            await send(message)

        await self.app(scope, receive, counting)

    def _who(self, scope: Scope) -> str:
        sent = dict(scope["headers"]).get(b"authorization", b"").decode("latin-1")
        return next((name for name, key in self.running.keys.items() if key in sent), "")


@asynccontextmanager
async def running_service(settings: Settings, database: Database) -> AsyncIterator[Running]:
    """Serve a few domains to a free and a Pro account, with a registry and a DNS server beside."""
    port = free_port()
    async with AsyncExitStack() as stack:
        registry = await stack.enter_async_context(registry_running(Registry()))
        names_itself(registry, "com", "org")
        registry.answers = {"alpine-hut.com": domain_object("alpine-hut.com")}
        resolver = stack.enter_context(serving(Zone()))
        changed = _changed(settings, f"http://127.0.0.1:{port}", registry.url, resolver)
        context = make_web_context(changed, database)
        made = Running(changed.site_url, changed)
        async with database.write() as conn:
            made.keys = await _seed(conn, context.now())
        app = _Counted(create_app(context), made)
        server = uvicorn.Server(
            uvicorn.Config(
                app, port=port, log_level="error", lifespan="on", http=http_protocol(changed), ws="none"
            )
        )
        task = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        try:
            yield made
        finally:
            server.should_exit = True
            await task


def _changed(settings: Settings, site_url: str, registry: str, resolver: str) -> Settings:
    return settings.model_copy(
        update={
            "site_url": site_url,
            "plans": Plans(free=Plan(**_PLENTY, watched_domains=3), pro=Plan(**_PLENTY)),
            "trusted_origins": (registry,),
            "registry": RegistrySettings(
                bootstrap_url=f"{registry}/dns.json", timeout_seconds=1, shipped_rdap_servers=False
            ),
            "pace": Pace(default=HostPace(per_second=5000, at_once=50)),
            "dns": Dns(resolvers=(resolver,), timeout_seconds=1),
        }
    )


async def _seed(conn: AsyncConnection, now: datetime) -> dict[str, str]:
    keys = {}
    for name in ("free", "pro"):
        account = await members.create_account(
            conn,
            members.NewAccount(
                f"{name}@members.example",
                verified=True,
                plan_until=now + timedelta(days=30) if name == "pro" else None,
            ),
            now=now,
            welcome=_MANY,
        )
        issued = await members.issue_key(conn, account.id, name, entropy=secrets.token_bytes(32), now=now)
        keys[name] = issued.key.text
    ends = {"ends_at": now + timedelta(days=2), "live_until": now + timedelta(days=2), "found_at": now}
    gone = {"ends_at": now - timedelta(days=2), "live_until": now - timedelta(days=2), "found_at": now}
    lot = "https://lots.market-a.com/1"
    await put(
        conn,
        row("alpine-hut.org", url=lot, open_now=True, last_open_on=f"{now:%Y-%m-%d}", **ends),
        row("locked.org", url=lot, **ends),
        row("ended.org", url=lot, **gone),
    )
    return keys


async def run(*command: str, folder: str, **environ: str) -> tuple[int, str]:
    """Run a command. Gives its exit code and its output."""
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": folder, **environ},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await process.communicate()
    return process.returncode or 0, said.decode(errors="replace")


def document_of(text: str) -> dict[str, Any]:
    """A JSON object."""
    found: dict[str, Any] = json.loads(text)
    return found
