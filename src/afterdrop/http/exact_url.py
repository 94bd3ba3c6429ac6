"""An address as it is sent: letter for letter, because the other side may have signed it."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

import aiohttp
from yarl import URL

# What may not stand in a path or query (RFC 3986, section 3), and a `%` that begins no code.
_NOT_SENT: Final = re.compile(rb"[^!$&-;=?-\[\]_a-z~%]|%(?![0-9A-Fa-f]{2})")


def exact_url(address: str) -> URL:
    """The URL of `address` for aiohttp, which would otherwise rewrite its percent codes.

    `%2F` and `/`, `%2b` and `%2B`, `%7E` and `~` stay as they are written (RFC 3986, section 2.2). Blanks, control
    characters, letters outside ASCII and the few other characters that no address has are encoded; bytes that were no
    UTF-8 in a header stay these bytes. Raises aiohttp's InvalidURL where it is none.
    """
    try:
        parts = urlsplit(address)
        site = URL(f"{parts.scheme}://{parts.netloc}")
        if not site.raw_host:
            raise ValueError("it names no host")
        target = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
        written = target.encode("utf-8", "surrogateescape")
        path, mark, query = (
            _NOT_SENT.sub(lambda found: b"%%%02X" % found[0][0], written).decode("ascii").partition("?")
        )
        return URL.build(
            scheme=site.scheme,
            authority=site.raw_authority,
            path=path,
            query_string=query if mark else "",
            encoded=True,
        )
    except ValueError as error:
        raise aiohttp.InvalidURL(address, str(error)) from None
