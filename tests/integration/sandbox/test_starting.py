"""Starting and stopping the sandbox: ports, the stored day, the command in its own process."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import aiohttp

from afterdrop.core.settings_file import load
from afterdrop.sandbox import start


async def test_the_main_server_takes_the_chosen_port_and_the_others_the_next_ones() -> None:
    port = _free_range()
    async with start(1, 10, port) as running:
        ports = [int(origin.rpartition(":")[2]) for origin in running.origins.values()]
        assert ports == list(range(port, port + len(ports)))
        assert running.state.dns[1] == port + len(ports)
        assert running.state.smtp[1] == port + len(ports) + 1


def _free_range() -> int:
    for port in range(21_000, 32_000, 40):
        try:
            for number in range(20):
                with socket.socket() as one:
                    one.bind(("127.0.0.1", port + number))
        except OSError:
            continue
        return port
    raise AssertionError("no free range of ports")


async def test_a_world_continues_on_the_day_in_its_folder(tmp_path: Path) -> None:
    first = datetime(2026, 11, 20, 12, tzinfo=UTC)
    async with start(1, 10, data_dir=tmp_path, now=lambda: first) as running:
        names = set(running.world.by_domain)
    async with start(1, 10, data_dir=tmp_path, now=lambda: first + timedelta(days=2)) as running:
        assert running.world.day == date(2026, 11, 20)
        told = json.loads((tmp_path / "truth.json").read_text(encoding="utf-8"))
    assert set(told["domains"]) == names
    async with start(2, 10, data_dir=tmp_path, now=lambda: first + timedelta(days=2)) as running:
        assert running.world.day == date(2026, 11, 22)


async def test_the_command_serves_prints_its_address_and_stops_on_a_signal(tmp_path: Path) -> None:
    settings, ready = tmp_path / "sandbox.toml", tmp_path / "ready"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "afterdrop", "sandbox", "--seed", "4", "--size", "10",
        "--settings-out", str(settings), "--ready-file", str(ready), "--data-dir", str(tmp_path / "data"),
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        for _ in range(600):
            if ready.exists():
                break
            await asyncio.sleep(0.05)
        url = ready.read_text(encoding="utf-8").strip()
        async with aiohttp.ClientSession() as session, session.get(f"{url}/_sandbox/truth") as response:
            assert len((await response.json())["domains"]) == 10
        loaded = load({}, settings)
        assert loaded.registry.announce_gap_seconds == 2
        assert len(loaded.providers) == 8
    finally:
        process.send_signal(signal.SIGTERM)
    out, _ = await asyncio.wait_for(process.communicate(), 180)
    assert process.returncode == 0
    assert b"sandbox of 10 domains" in out
