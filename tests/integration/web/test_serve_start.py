"""`afterdrop serve` as typed: the port of the site's address, and a port somebody else has."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from afterdrop.cli.sockets import bind_socket
from afterdrop.core.errors import SettingsError
from tests.support import plain_environment


async def test_without_a_port_it_takes_the_sites_and_says_when_that_is_taken(tmp_path: Path) -> None:
    with bind_socket("127.0.0.1", 0) as taken:
        taken.listen()
        port = taken.getsockname()[1]
        plain = plain_environment()
        own = {"AFTERDROP_SITE_URL": f"http://127.0.0.1:{port}", "AFTERDROP_DATA_DIR": str(tmp_path)}
        made = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "afterdrop", "serve", env={**plain, **own}, cwd=tmp_path,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        out, err = await asyncio.wait_for(made.communicate(), 180)
    assert (made.returncode, out) == (2, b"")
    assert err.decode().splitlines() == [
        f"afterdrop: 127.0.0.1:{port}: cannot be used to listen (Address already in use);"
        " choose another --host or --port"
    ]


def test_an_address_of_another_machine() -> None:
    with pytest.raises(SettingsError, match="cannot be used to listen"):
        bind_socket("192.0.2.1", 0)
