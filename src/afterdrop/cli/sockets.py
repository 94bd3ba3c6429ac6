"""Bind the socket of a server, before anything heavy is imported or any work begins."""

from __future__ import annotations

import socket

from afterdrop.core.errors import SettingsError


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
