"""Commands as typed, each in a process of its own."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from tests.support import TEST_SECRET, plain_environment


async def run_afterdrop(folder: Path, *words: str, **more: str) -> tuple[int, str]:
    """Run `afterdrop` as a command would be; its exit code and what it printed."""
    plain = plain_environment()
    made = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "afterdrop", *words, cwd=folder, stdout=asyncio.subprocess.PIPE,
        env={**plain, "AFTERDROP_SECRET_KEYS": TEST_SECRET, "AFTERDROP_SCAN__PAGE_PROCESSES": "1", **more},
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, errors = await asyncio.wait_for(made.communicate(), 180)
    assert b"leaked" not in errors  # as libraries report it at the end when the collector was kept from them
    return made.returncode or 0, out.decode()
