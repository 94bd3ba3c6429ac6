"""Ports for servers that are told where to listen."""

from __future__ import annotations

import contextlib
import random
import socket

# Below the range from which Linux and macOS take the ports of outgoing connections and of listeners without a port of
# their own (32,768 and 49,152 upwards). A port from there may be gone before its server has bound it: with several
# tests at once that failed about once in a whole run.
_PORTS = range(15_000, 32_000)
_rng = random.SystemRandom()


def free_port() -> int:
    """A port of 127.0.0.1 that is free for TCP and UDP alike and stays so, unless a server is told to take it."""
    for port in _rng.sample(_PORTS, 50):
        with (
            socket.socket() as tcp,
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
            contextlib.suppress(OSError),
        ):
            tcp.bind(("127.0.0.1", port))
            udp.bind(("127.0.0.1", port))
            return port
    raise OSError(f"none of 50 ports between {_PORTS.start} and {_PORTS.stop} is free")
