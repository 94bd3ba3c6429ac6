"""A whole service in processes of its own: the demo with its sandbox, and commands that run beside it."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import orjson

READY_SECONDS = 600


@dataclass(frozen=True)
class Living:
    """A running demo: where the site and the sandbox answer, and its folder."""

    url: str
    sandbox: str
    folder: Path

    async def run(self, *words: str) -> str:
        """Run an `afterdrop` command in this deployment; returns its output."""
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "afterdrop", *words,
            env=_environment(self.folder), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        out, err = await process.communicate()
        assert process.returncode == 0, err.decode()
        return out.decode()

    async def mail_to(self, address: str) -> str:
        """The text of the newest mail that the sandbox's mail server received for an address."""
        for _ in range(600):
            texts = [mail["text"] for mail in await self.ask("GET", "mail") if address in mail["to"]]
            if texts:
                return str(texts[-1])
            await asyncio.sleep(0.1)
        raise AssertionError(f"no mail to {address}")

    async def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Call one of the sandbox's control endpoints."""
        async with (
            aiohttp.ClientSession() as session,
            session.request(method, f"{self.sandbox}/_sandbox/{path}", json=body) as answer,
        ):
            assert answer.status < 300, await answer.text()
            return await answer.json() if answer.content_type == "application/json" else None


def _environment(folder: Path) -> dict[str, str]:
    return {
        **os.environ,
        "AFTERDROP_SETTINGS": str(folder / "afterdrop.toml"),
        "AFTERDROP_WEBHOOK_ALLOW_LOOPBACK": "1",
    }


@asynccontextmanager
async def living(folder: Path, size: int) -> AsyncIterator[Living]:
    """A demo of `size` domains until the block ends."""
    credentials = folder / "credentials.json"
    words = ("demo", "--size", str(size), "--port", "0", "--data-dir", str(folder))
    environment = {
        name: value for name, value in _environment(folder).items() if name != "AFTERDROP_SETTINGS"
    }
    with (folder / "demo.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "afterdrop", *words, "--credentials", str(credentials),
            env=environment, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
        try:
            for _ in range(READY_SECONDS * 5):
                if credentials.exists() or process.returncode is not None:
                    break
                await asyncio.sleep(0.2)
            assert credentials.exists(), (folder / "demo.log").read_text(encoding="utf-8")[-3000:]
            told = orjson.loads(credentials.read_bytes())
            yield Living(told["site_url"], told["sandbox_url"], folder)
        finally:
            if process.returncode is None:
                process.send_signal(signal.SIGINT)
                try:
                    await asyncio.wait_for(process.wait(), 20)
                except TimeoutError:
                    os.killpg(process.pid, signal.SIGKILL)
                    await process.wait()
