"""How long a list takes while a scan goes on: `serve`, `worker` and `scan`, each a process, over one SQLite file.

    python -m bench.during_scan [--rows 100000] [--feed 1000000] [--seconds 60]

Fills a catalogue and starts the service. Different list queries are asked, 20 a second over one kept connection: first
while nothing else happens, then while `afterdrop scan` takes in a large file, of which 3 % pass, and `afterdrop worker`
reviews them against the sandbox's archive. Milliseconds on the clock, so the machine should have nothing else to do;
the service's own CPU for a request stands beside them.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

from bench.catalogue_rows import fill, make_key
from bench.intake import generate
from bench.lists import queries
from bench.servers import Server, free_port, running, settled

from afterdrop.db.migrate import upgrade
from afterdrop.sandbox.vendor_server import KEYS

_EVERY: Final = 0.05
_PLAN: Final = """
[plans.pro]
requests_per_minute = 10000000
requests_per_day = 100000000
lookup_domains_per_hour = 1000
availability_domains = 50
rating_domains = 25
checks_per_month = 10
"""


@contextmanager
def process(folder: Path, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A command of the service until the block ends; its words go to a file."""
    environ = {**os.environ, **KEYS, "AFTERDROP_SETTINGS": str(folder / "afterdrop.toml")}
    with (folder / f"{words[0]}.log").open("wb") as said:
        command = [sys.executable, "-m", "afterdrop", *words]
        started = subprocess.Popen(command, env=environ, cwd=folder, stdout=said, stderr=said)
        try:
            yield started
        finally:
            started.terminate()
            started.wait(60)


def asked(
    server: Server, paths: Iterator[str], seconds: float, scanning: subprocess.Popen[bytes] | None
) -> None:
    """Ask for lists for some seconds, at most until the scan has ended, and print what they took."""
    took: list[float] = []
    began, cpu = time.monotonic(), server.cpu()
    while time.monotonic() - began < seconds and (scanning is None or scanning.poll() is None):
        start = time.perf_counter()
        server.get(next(paths))
        took.append(1000 * (time.perf_counter() - start))
        time.sleep(max(0.0, _EVERY - took[-1] / 1000))
    cuts = statistics.quantiles(took, n=100)
    when, passed = "idle" if scanning is None else "during the scan", time.monotonic() - began
    print(
        f"{when:16} {len(took):5} lists in {passed:.0f} s: p50 {cuts[49]:.1f}, p95 {cuts[94]:.1f}, "
        f"p99 {cuts[98]:.1f}, longest {max(took):.1f} ms; {1000 * (server.cpu() - cpu) / len(took):.2f} ms CPU each",
        flush=True,
    )


def wait_for(file: Path, writer: subprocess.Popen[bytes]) -> None:
    """Wait until a process has written a file."""
    while not (file.is_file() and file.read_text()):
        if writer.poll() is not None:
            raise RuntimeError(f"the writer of {file.name} ended with {writer.returncode}")
        time.sleep(0.05)


def measure(rows: int, feed: int, seconds: float) -> None:
    """Start everything and measure."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        generate(folder, feed)
        file = folder / "afterdrop.sqlite3"
        url = f"sqlite+aiosqlite:///{file}"
        upgrade(url)
        fill(file, rows, datetime.now(UTC))
        key = asyncio.run(make_key(url))
        (folder / "afterdrop.toml").write_text("")
        port, out, ready = str(free_port()), folder / "sandbox.toml", folder / "ready"
        words = (
            "--seed",
            "4",
            "--size",
            "40",
            "--port",
            port,
            "--settings-out",
            str(out),
            "--ready-file",
            str(ready),
        )
        with process(folder, "sandbox", *words) as sandbox:
            wait_for(ready, sandbox)
            own = f'data_dir = "{folder}"\nsite_url = "http://127.0.0.1:PORT"\n'
            (folder / "afterdrop.toml").write_text(own.replace("PORT", port) + out.read_text() + _PLAN)
            service = running(
                lambda port: [sys.executable, "-m", "afterdrop", "serve", "--no-worker", "--port", str(port)],
                "/api/v1/stats",
                {"Authorization": f"Bearer {key}", "Host": f"127.0.0.1:{port}"},
                AFTERDROP_SETTINGS=str(folder / "afterdrop.toml"),
                **KEYS,
            )
            with service as server:
                settled(server)
                every = queries(random.Random(5), 5000)
                paths = iter([f"/api/v1{which}?{urlencode(given)}" for which, given in every])
                asked(server, paths, seconds / 2, None)
                large = (
                    "scan",
                    "--feed",
                    str(folder / "namecheap_market.zip"),
                    "--preset",
                    "namecheap_market",
                )
                with process(folder, "worker"), process(folder, *large) as scanning:
                    asked(server, paths, seconds, scanning)
        with sqlite3.connect(file) as db:
            taken = db.execute("SELECT count(*), sum(state = 'settled') FROM candidates").fetchone()
        print(f"candidates at the end: {taken[0]:,}, of which reviewed {taken[1] or 0:,}")


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--feed", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=60)
    given = parser.parse_args()
    measure(given.rows, given.feed, given.seconds)


if __name__ == "__main__":
    main()
