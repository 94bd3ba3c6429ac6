"""Ports for servers that are told where to listen."""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import socket
from collections.abc import Iterator

# Below the range from which Linux and macOS take the ports of outgoing connections and of listeners without a port of
# their own (32,768 and 49,152 upwards). A port from there may be gone before its server has bound it: with several
# tests at once that failed about once in a whole run.
_PORTS = range(15_000, 32_000)
# Each process that runs tests at once has ports of its own and gives them in turn: two that found the same port free
# in the same moment failed a test in one of two whole runs.
_SLICES = 16
_worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_own = _PORTS[_worker % _SLICES :: _SLICES]
_begin = random.SystemRandom().randrange(len(_own))
_turn: Iterator[int] = itertools.cycle([*_own[_begin:], *_own[:_begin]])


def free_port() -> int:
    """A port of 127.0.0.1 that is free for TCP and UDP alike and stays so, unless a server is told to take it."""
    for port in itertools.islice(_turn, 50):
        with (
            socket.socket() as tcp,
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
            contextlib.suppress(OSError),
        ):
            tcp.bind(("127.0.0.1", port))
            udp.bind(("127.0.0.1", port))
            return port
    raise OSError(f"none of 50 ports between {_PORTS.start} and {_PORTS.stop} is free")
