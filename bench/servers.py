"""Server processes for benches: started, asked over one kept connection, and their CPU time read."""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

# Without an audience nothing starts; a bench may set another.
os.environ.setdefault("AFTERDROP_AUDIENCE", "public")


class NotYet(OSError):
    """The server has started and asks for patience (503)."""


class Server:
    """A running server process, asked over one kept connection."""

    def __init__(self, process: subprocess.Popen[bytes], port: int, headers: dict[str, str]) -> None:
        self.process = process
        self.ready_after = 0.0
        self.headers = headers
        self.http = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def get(self, path: str) -> bytes:
        """The body of an answer."""
        try:
            self.http.request("GET", path, headers=self.headers)
            answer = self.http.getresponse()
        except http.client.RemoteDisconnected:  # kept idle for too long, while it was the other's turn
            self.http.close()
            self.http.request("GET", path, headers=self.headers)
            answer = self.http.getresponse()
        body = answer.read()
        if answer.status == 503:
            raise NotYet(path)
        if answer.status != 200:
            raise RuntimeError(f"{path}: {answer.status} {body[:300]!r}")
        return body

    def cpu(self) -> float:
        """CPU seconds of the process so far, all threads."""
        # In nanoseconds; /proc/…/stat counts ticks of 10 ms.
        tasks = Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9

    def memory(self) -> float:
        """Resident memory in MB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024

    def asked(self, paths: list[str]) -> tuple[float, list[float]]:
        """CPU milliseconds a request, and every request's milliseconds on the clock."""
        before, took = self.cpu(), []
        for path in paths:
            began = time.perf_counter()
            self.get(path)
            took.append(1000 * (time.perf_counter() - began))
        return 1000 * (self.cpu() - before) / len(paths), took


def free_port() -> int:
    """A TCP port nobody listens on."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


@contextmanager
def running(
    command: Callable[[int], list[str]], ready: str, headers: dict[str, str], **environ: str
) -> Iterator[Server]:
    """Run a server until the block ends; it is there once `ready` is answered."""
    port = free_port()
    names = {name: value.replace("PORT", str(port)) for name, value in environ.items()}
    with tempfile.TemporaryFile() as said:
        began = time.monotonic()
        process = subprocess.Popen(command(port), env={**os.environ, **names}, stdout=said, stderr=said)
        server = Server(process, port, headers)
        try:
            while True:
                try:
                    server.get(ready)
                    break
                except OSError:
                    server.http.close()
                    if process.poll() is not None or time.monotonic() - began > 120:
                        said.seek(0)
                        raise RuntimeError(said.read().decode()) from None
                    time.sleep(0.02)
            server.ready_after = time.monotonic() - began
            yield server
        finally:
            process.terminate()
            process.wait(60)


def settled(server: Server) -> None:
    """Wait until the server has done what it does after its start."""
    before = -1.0
    while server.cpu() - before > 0.02:
        before = server.cpu()
        time.sleep(1.0)


def afterdrop_server(folder: Path, key: str, ready: str = "/api/v1/stats") -> Any:
    """`afterdrop serve` over the folder's database."""
    plans = {"requests_per_minute": 10**7, "requests_per_day": 10**8, "lookup_domains_per_hour": 1000}
    plans |= {"availability_domains": 50, "rating_domains": 25, "checks_per_month": 10}
    text = "\n".join(f"{name} = {value}" for name, value in plans.items())
    (folder / "afterdrop.toml").write_text(f"[plans.pro]\n{text}\n", encoding="utf-8")
    return running(
        lambda port: [sys.executable, "-m", "afterdrop", "serve", "--no-worker", "--port", str(port)],
        ready,
        {"Authorization": f"Bearer {key}"},
        AFTERDROP_SETTINGS=str(folder / "afterdrop.toml"),
        AFTERDROP_DATA_DIR=str(folder),
        AFTERDROP_DATABASE_URL="",
        AFTERDROP_SITE_URL="http://127.0.0.1:PORT",
    )


def datasette_server(file: Path) -> Any:
    """Datasette over the same file."""
    quiet = ["--setting", "suggest_facets", "off", "--setting", "sql_time_limit_ms", "20000"]
    return running(
        lambda port: [sys.executable, "-m", "datasette", str(file), "--port", str(port), *quiet],
        "/bench/lists.json?_size=1",
        {},
    )
