"""Two API nodes behind each shipped proxy file, restarted in turn under load: no request fails, not even a POST.

A proxy may repeat a GET that a node cut off, and hides the loss; a POST that was sent it may not repeat.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import aiohttp
import pytest

from afterdrop.accounts import members
from afterdrop.core import clock
from afterdrop.db.engine import Database
from tests.crash.deployment import EXAMPLES, Nodes, Proxy, caddy, nginx
from tests.support import ON_POSTGRES, TEST_SECRET
from tests.support.ports import free_port
from tests.support.sandboxes import environment

RESTARTS = 4
ASKING = 16
ENOUGH = 3000


@dataclass
class Clients:
    """Clients that ask one request after the other, half of them POSTs."""

    site: str
    key: str
    asked: int = 0
    failed: list[str] = field(default_factory=list)

    async def go_on(self, session: aiohttp.ClientSession, stop: asyncio.Event) -> None:
        """Ask until `stop`."""
        while not stop.is_set():
            method = ("GET", "POST")[self.asked % 2]
            self.asked += 1
            body = {"domain": "ordered.com"} if method == "POST" else None
            address = f"{self.site}/api/v1/checks"
            try:
                async with session.request(method, address, json=body) as answer:
                    if answer.status >= 400:
                        self.failed.append(f"{method}: {answer.status} {await answer.text()}")
                    await answer.read()
            except (aiohttp.ClientError, OSError) as error:
                self.failed.append(f"{method}: {error!r}")

    @asynccontextmanager
    async def asking(self) -> AsyncIterator[None]:
        """All ask while the block runs, and then until they have asked often enough."""
        stop = asyncio.Event()
        own = aiohttp.TCPConnector(ssl=False, limit=ASKING)
        head = {"Authorization": f"Bearer {self.key}"}
        limit = aiohttp.ClientTimeout(100)
        async with aiohttp.ClientSession(connector=own, headers=head, timeout=limit) as session:
            tasks = [asyncio.create_task(self.go_on(session, stop)) for _ in range(ASKING)]
            yield
            while self.asked < ENOUGH:
                await asyncio.sleep(0.1)
            stop.set()
            await asyncio.gather(*tasks)


async def key_of_a_member(database: Database) -> str:
    """A key of an account that may ask as often as it likes."""
    now = clock.now()
    async with database.write() as conn:
        new = members.NewAccount("a@nodes.example", verified=True, plan_until=now + timedelta(days=9))
        account = await members.create_account(conn, new, now=now, welcome=1)
        issued = await members.issue_key(conn, account.id, "k", entropy=b"n" * 32, now=now)
    return issued.key.text


def configured(folder: Path, site: str, database_url: str) -> dict[str, str]:
    """The environment of the nodes."""
    return {
        **environment(),
        "AFTERDROP_SETTINGS": str(EXAMPLES.parent / "afterdrop.toml"),
        "AFTERDROP_SITE_URL": site,
        "AFTERDROP_DATA_DIR": str(folder),
        "AFTERDROP_DATABASE_URL": database_url,
        "AFTERDROP_SECRET_KEYS": TEST_SECRET,
        "AFTERDROP_TRUSTED_PROXIES": "127.0.0.1",
        "AFTERDROP_PLANS__PRO__REQUESTS_PER_MINUTE": "1000000",
        "AFTERDROP_PLANS__PRO__REQUESTS_PER_DAY": "1000000",
    }


@pytest.mark.long
@pytest.mark.parametrize("proxy", [nginx, caddy])
@ON_POSTGRES
async def test_no_request_fails_while_nodes_restart_behind(
    proxy: Callable[[Path, list[int]], AbstractContextManager[Proxy]],
    database: Database,
    database_url: str,
    tmp_path: Path,
) -> None:
    ports = {"api-0": free_port(), "api-1": free_port()}
    key = await key_of_a_member(database)
    with proxy(tmp_path, list(ports.values())) as front:
        nodes = Nodes(tmp_path, configured(tmp_path, front.site, database_url), ports, ("worker",))
        clients = Clients(front.site, key)
        for name in ports:
            nodes.start(name)
        try:
            for name in ports:
                await nodes.healthy(name)
            await front.serving()
            async with clients.asking():
                for number in range(RESTARTS):
                    name = f"api-{number % 2}"
                    ups = front.ups(ports[name])
                    await nodes.replace(name)
                    # As docs/operate/install.md says: the proxy must know one node before the other leaves.
                    await front.seen(ports[name], ups)
        finally:
            nodes.stop()
    print(f"{clients.asked} requests")
    assert clients.failed == []
