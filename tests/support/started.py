"""The service as its operator starts it: `afterdrop serve` as a process of its own, over a folder of its own."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from tests.support import plain_environment
from tests.support.ports import free_port


@dataclass
class Started:
    """A running service: its address, its process, and its output once it has stopped."""

    url: str
    pid: int
    said: str = ""

    @property
    def peak_mib(self) -> int:
        """The most memory the process ever held, in MiB."""
        status = Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
        [line] = [line for line in status.splitlines() if line.startswith("VmHWM")]
        return int(line.split()[1]) // 1024

    @property
    def cpu_seconds(self) -> float:
        """CPU time of all its threads, which does not depend on how busy the machine is."""
        numbers = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(numbers[11]) + int(numbers[12])) / os.sysconf("SC_CLK_TCK")


@asynccontextmanager
async def started(folder: Path, *options: str, **environ: str) -> AsyncIterator[Started]:
    """Start it with `data_dir` = `folder`, wait until it answers, stop it with SIGTERM on leaving."""
    plain = plain_environment()
    port = free_port()
    own = {"AFTERDROP_SITE_URL": f"http://127.0.0.1:{port}", "AFTERDROP_DATA_DIR": str(folder), **environ}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "afterdrop", "serve", "--port", str(port), *options, env={**plain, **own},
        cwd=folder, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE, umask=0o022,
    )  # fmt: skip
    assert process.stderr is not None
    saying = asyncio.create_task(process.stderr.read())
    service = Started(f"http://127.0.0.1:{port}", process.pid)
    try:
        await _answers(service.url, process)
        yield service
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        await process.wait()
        service.said = (await saying).decode()


async def _answers(url: str, process: asyncio.subprocess.Process) -> None:
    async with asyncio.timeout(600), aiohttp.ClientSession() as session:
        while process.returncode is None:
            with suppress(OSError, aiohttp.ClientError):
                async with session.get(f"{url}/healthz") as answer:
                    if answer.status == 200:  # its lists are in memory, too
                        return
            await asyncio.sleep(0.05)
    raise AssertionError("the service ended before it answered")
