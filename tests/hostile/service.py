"""A service as an operator starts it, under watch: what an attack cost it in processor time and memory."""

from __future__ import annotations

import asyncio
import os
import re
import secrets
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from afterdrop.accounts import members, sessions
from afterdrop.core.plan_limits import Plans
from afterdrop.db.engine import open_database
from tests.support import plain_environment
from tests.support.ports import free_port
from tests.support.rows import put, row

DOMAINS = 300
# Nothing is refused for being too much, so that every attack gets as far as it can.
PLENTY = {
    "AFTERDROP_SITE__PAGES_PER_MINUTE": "10000000",
    "AFTERDROP_SITE__FORMS_PER_MINUTE": "10000000",
    **{
        f"AFTERDROP_PLANS__PRO__{name.upper()}": "10000000" if "per" in name else str(value)
        for name, value in Plans().pro.model_dump(exclude_none=True).items()
    },
    # Look-ups go nowhere.
    "AFTERDROP_REGISTRY__BOOTSTRAP_URL": "https://127.0.0.1:9/dns.json",
    "AFTERDROP_DNS__RESOLVERS": "127.0.0.1:9",
    "AFTERDROP_DNS__TIMEOUT_SECONDS": "0.1",
}
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Watched:
    """A started service: where it is, a Pro member's key, browser and form token, and what it costs so far."""

    port: int
    key: str
    session: str
    process: asyncio.subprocess.Process
    errors: Path
    csrf: str = ""

    @property
    def seconds(self) -> float:
        """Processor time spent."""
        fields = self._proc("stat").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    @property
    def peak(self) -> int:
        """The most memory it ever had, in MiB."""
        found = re.search(r"VmHWM:\s+(\d+) kB", self._proc("status"))
        assert found is not None
        return int(found[1]) // 1024

    @property
    def faults(self) -> list[str]:
        """Lines of its log that tell of a fault of our own."""
        lines = self.errors.read_text(encoding="utf-8", errors="replace").splitlines()
        return [line for line in lines if re.search(r"Traceback|Error\b|a request failed|Exception in", line)]

    def _proc(self, name: str) -> str:
        assert self.process.returncode is None, self.errors.read_text(encoding="utf-8", errors="replace")[
            -2000:
        ]
        return Path(f"/proc/{self.process.pid}/{name}").read_text(encoding="utf-8")

    async def send(self, *parts: bytes, seconds: float = 20) -> bytes:
        """Send on a connection of its own; what came back until the service closed, empty after a reset."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=2**24)
        try:
            with suppress(ConnectionError):
                for part in parts:
                    writer.write(part)
                    await writer.drain()
            with suppress(ConnectionError):
                return await asyncio.wait_for(reader.read(), seconds)
            return b""
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    def request(self, line: str | bytes, *headers: bytes, body: bytes = b"", host: bool = True) -> bytes:
        """A request of the member, by key and by browser, that ends the connection."""
        raw = line if isinstance(line, bytes) else line.encode("utf-8", "surrogatepass")
        own = [b"Host: 127.0.0.1"] if host else []
        own += [b"Connection: close", b"Authorization: Bearer " + self.key.encode()]
        own.append(b"Cookie: afterdrop_session=" + self.session.encode())
        if body:
            own.append(b"Content-Length: %d" % len(body))
        return b"\r\n".join([raw + b" HTTP/1.1", *own, *headers]) + b"\r\n\r\n" + body

    async def is_well(self) -> None:
        """Assert that it still answers, and soon."""
        for path in ("/pricing", "/api/v1/domains?tld=com", "/domains?q=name"):
            answer = await self.send(self.request(f"GET {path}"), seconds=10)
            assert answer.startswith(b"HTTP/1.1 200 "), (path, answer[:200])


@asynccontextmanager
async def watched(folder: Path, template: Path, **environ: str) -> AsyncIterator[Watched]:
    """`afterdrop serve --no-worker` over a small catalogue in `folder`; `template`: an empty, migrated SQLite file."""
    shutil.copyfile(template, folder / "afterdrop.sqlite3")
    port, session = free_port(), secrets.token_urlsafe(32)
    key = await _seed(folder / "afterdrop.sqlite3", session)
    plain = plain_environment()
    own = {
        "AFTERDROP_SITE_URL": f"http://127.0.0.1:{port}",
        "AFTERDROP_DATA_DIR": str(folder),
    }
    errors = folder / "errors.log"
    with errors.open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "afterdrop", "serve", "--no-worker"),
            env={**plain, **PLENTY, **own, **environ}, cwd=folder, stdout=log, stderr=log,
        )  # fmt: skip
    made = Watched(port, key, session, process, errors)
    try:
        made.csrf = await _token(made)
        yield made
    finally:
        if process.returncode is None:
            process.terminate()
            await asyncio.wait_for(process.wait(), 180)


async def _seed(path: Path, session: str) -> str:
    now = datetime.now(UTC).replace(microsecond=0)
    database = open_database(f"sqlite+aiosqlite:///{path}")
    async with database.write() as conn:
        account = await members.create_account(
            conn,
            members.NewAccount("pro@members.example", verified=True, plan_until=now + timedelta(days=30)),
            now=now,
            welcome=5,
        )
        issued = await members.issue_key(conn, account.id, "key", entropy=secrets.token_bytes(32), now=now)
        await sessions.begin(conn, session, account, now)
        ends = now + timedelta(days=3)
        times = {"found_at": now, "ends_at": ends, "live_until": ends}
        await put(conn, *(row(f"name-{n}.com", score=45 + n % 50, **times) for n in range(DOMAINS)))
    await database.close()
    return issued.key.text


async def _token(service: Watched) -> str:
    """The form token of the member's browser, once the service answers."""
    for _ in range(600):
        with suppress(ConnectionError):
            page = await service.send(service.request("GET /account"))
            found = re.search(rb'name="csrf" value="([^"]+)"', page)
            assert found, page[:500]
            return found[1].decode()
        assert service.process.returncode is None, service.errors.read_text(encoding="utf-8")
        await asyncio.sleep(0.1)
    raise AssertionError("the service did not start")
