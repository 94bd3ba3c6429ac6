"""`afterdrop demo` leaves nothing behind, whenever it is stopped."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import httpx2
import pytest


async def test_stopped_during_its_first_scan_it_takes_the_sandbox_along(tmp_path: Path) -> None:
    plain = {key: value for key, value in os.environ.items() if not key.startswith("AFTERDROP_")}
    demo = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "afterdrop", "demo", "--size", "60", "--port", "0",
        env={**plain, "TMPDIR": str(tmp_path)}, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert demo.stderr is not None
    await asyncio.wait_for(demo.stderr.readuntil(b"reviews"), 60)
    [ready] = tmp_path.glob("afterdrop-demo-*/sandbox.ready")
    sandbox = ready.read_text(encoding="utf-8").strip()
    demo.send_signal(signal.SIGTERM)
    _, errors = await asyncio.wait_for(demo.communicate(), 60)
    assert demo.returncode == 130, errors.decode()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(httpx2.ConnectError):
        httpx2.get(sandbox)
