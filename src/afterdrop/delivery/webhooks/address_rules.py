"""The rules for webhook addresses that follow from their spelling. Pure.

The resolved IP address is checked at every attempt, when the connection is made: see `http/public_addresses.py`.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import SplitResult, urlsplit

from afterdrop.core.domain_names import DOTS, host_name
from afterdrop.core.errors import BadName

LONGEST: Final = 2048
_UNSAFE = re.compile(r"[\x00-\x20\x7f\\]")
# Resolvers read a host whose last label is a number, in any notation, as an IPv4 address.
_NUMBER = re.compile(r"\d+|0x[0-9a-f]*", re.ASCII)


def address_fault(url: str, *, allow_loopback: bool = False) -> str | None:
    """The fault of a webhook address in words, or None. `allow_loopback` takes `http://127.0.0.1:PORT` too."""
    if len(url) > LONGEST:
        return f"is longer than {LONGEST} characters"
    if _UNSAFE.search(url):
        return "must not contain spaces, control characters or backslashes"
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "is not a URL"
    if allow_loopback and parts.scheme == "http" and parts.hostname in ("127.0.0.1", "::1"):
        return None
    return _form_fault(parts, url) or _host_fault(parts.hostname or "") or _port_fault(port)


def _form_fault(parts: SplitResult, url: str) -> str | None:
    if parts.scheme != "https":
        return "must begin with https://"
    if "@" in parts.netloc:
        return "must not have a user name or password"
    if "#" in url:
        return "must not have a fragment"
    if "[" in parts.netloc:
        return "needs a public host name, not an IP address"
    return None


def _host_fault(host: str) -> str | None:
    if host.startswith(tuple(DOTS)):
        return "needs a public host name: the host starts with a dot"
    try:
        public = host_name(host)
    except BadName as error:
        return f"needs a public host name: the host {error.message}"
    if _NUMBER.fullmatch(public.rpartition(".")[2]):
        return "needs a public host name, not an IP address"
    return None


def _port_fault(port: int | None) -> str | None:
    if port in (None, 443) or (port is not None and 1024 <= port <= 65_535):
        return None
    return "must use port 443 or a port above 1023"
