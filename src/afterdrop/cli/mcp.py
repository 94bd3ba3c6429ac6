"""`afterdrop mcp`: the MCP tools of a running service over standard input and output, for agents on this machine."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Mapping
from urllib.parse import urlsplit

from afterdrop.core.errors import SettingsError

DEFAULT_SITE = "http://127.0.0.1:8000"


def mcp() -> None:
    """Offer a running service's tools over stdio (AFTERDROP_API_KEY, AFTERDROP_SITE_URL)."""
    logging.basicConfig(level=logging.ERROR, format="%(levelname)s %(name)s: %(message)s")
    site, key = service_address_and_key(os.environ)
    from afterdrop.cli.mcp_bridge import bridge

    asyncio.run(bridge(site, key))


def service_address_and_key(environ: Mapping[str, str]) -> tuple[str, str]:
    """The service's address and the API key. Raises SettingsError, also for plain http that is not allowed."""
    from afterdrop.web.request_guards import is_loopback

    key = environ.get("AFTERDROP_API_KEY", "").strip()
    site = environ.get("AFTERDROP_SITE_URL", "").strip().rstrip("/") or DEFAULT_SITE
    if not key:
        raise SettingsError(
            "environment: AFTERDROP_API_KEY", "is missing: set it to a key of the account to act for"
        )
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise SettingsError("environment: AFTERDROP_API_KEY", "is not an API key")
    parts = urlsplit(site)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query:
        raise SettingsError("environment: AFTERDROP_SITE_URL", "must be http(s)://host[:port]")
    if (
        parts.scheme == "http"
        and not is_loopback(parts.hostname)
        and environ.get("AFTERDROP_ALLOW_HTTP") != "1"
    ):
        raise SettingsError(
            "environment: AFTERDROP_SITE_URL",
            "must be https:// beyond this machine (or set AFTERDROP_ALLOW_HTTP=1)",
        )
    return site, key
