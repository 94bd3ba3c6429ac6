"""The listening socket of a server: bound before anything heavy is imported, closed without losing a connection."""

from __future__ import annotations

import contextlib
import ctypes
import socket
import struct
import sys
from typing import Final

from afterdrop.core.errors import SettingsError

_SO_ATTACH_FILTER: Final = 26  # Linux's; the module `socket` does not name it
# A filter of Linux's socket(7), as (code, jump if true, jump if false, operand), over a TCP segment from its header on.
_DROP_FIRST_SEGMENTS: Final = (
    (0x30, 0, 0, 13),  # load the flags
    (0x54, 0, 0, 0x12),  # of which SYN and ACK
    (0x15, 0, 1, 0x02),  # SYN alone: somebody opens a connection
    (0x06, 0, 0, 0),  # drop it
    (0x06, 0, 0, 0xFFFFFFFF),  # keep everything else
)


def bind_socket(host: str, port: int, choose: str = "another --host or --port") -> socket.socket:
    """A bound socket. Raises SettingsError when that fails; `choose` is what to change then."""
    try:
        family, kind, proto, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        server_socket = socket.socket(family, kind, proto)
        try:
            server_socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            server_socket.bind(address)
        except OSError:
            server_socket.close()
            raise
    except OSError as error:
        raise SettingsError(
            f"{host}:{port}", f"cannot be used to listen ({error.strerror}); choose {choose}"
        ) from None
    return server_socket


def admit_no_more(server_socket: socket.socket) -> None:
    """Let nobody open another connection, while those that are being opened come through, where that is possible.

    A socket that is closed resets the connections which the kernel has opened and nobody has accepted yet, with the
    requests that were already sent on them. So we first make the kernel ignore new ones (their clients try again a
    second later, and are refused then), and the socket is closed when the others were accepted.
    """
    if sys.platform != "linux":
        return
    steps = b"".join(struct.pack("HBBI", *step) for step in _DROP_FIRST_SEGMENTS)
    buffer = ctypes.create_string_buffer(steps, len(steps))
    program = struct.pack("HP", len(_DROP_FIRST_SEGMENTS), ctypes.addressof(buffer))
    # Not every container runtime has filters; a restart behind a proxy then fails a request in a thousand.
    with contextlib.suppress(OSError):
        server_socket.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, program)
