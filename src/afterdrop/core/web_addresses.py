"""Addresses from outside, before they become links that people follow. Pure."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from ipaddress import ip_address
from typing import Annotated, Final
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator

MOST_CHARS: Final = 2000
# Blanks, control and format characters have no place in an address; browsers drop some and people do not see them.
_REFUSED: Final = frozenset("CZ")
# Extensions that are never delegated (RFC 2606, 6761, 6762, 8375, ICANN's `internal`), and that of home networks.
_LOCAL: Final = (".localhost", ".local", ".internal", ".home.arpa", ".lan", ".test", ".example", ".invalid")


@lru_cache(maxsize=1024)
def web_address(url: str | None) -> SplitResult | None:
    """The parts of an http or https address that may become a link, None for anything else.

    A user name is refused: `https://market.example@elsewhere.example/` reads like the first and leads to the second.
    """
    if not url or len(url) > MOST_CHARS or not _seen_whole(url):
        return None
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and "@" not in parts.netloc
        return parts if usable and parts.port != 0 else None
    except ValueError:
        return None


def _seen_whole(url: str) -> bool:
    if url.isascii():
        return url.isprintable() and " " not in url
    return not any(unicodedata.category(char)[0] in _REFUSED for char in url)


@lru_cache(maxsize=1024)
def site_name(url: str | None) -> str | None:
    """The host of an address as people say it, without `www.`; None where the address is not usable."""
    parts = web_address(url)
    return None if parts is None else (parts.hostname or "").removeprefix("www.")


def is_public(host: str) -> bool:
    """Whether a host is on the internet: a public address, or a name that is not one of a local network."""
    try:
        return ip_address(host).is_global
    except ValueError:
        name = host.rstrip(".").lower()
        return "." in name and not name.endswith(_LOCAL)


def _web_link(value: str) -> str:
    if web_address(value) is None:
        raise ValueError(f"expected an address starting with https://, not {value!r}")
    return value


# An address that people will be sent to, in a settings or feed file.
WebLink = Annotated[str, AfterValidator(_web_link)]
