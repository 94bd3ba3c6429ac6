"""Normalise and check e-mail addresses. Pure."""

from __future__ import annotations

import re

import idna

# The dot-atom form of RFC 5321; quoted local parts and address literals are not accepted.
_LOCAL = re.compile(r"[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*", re.ASCII)
_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]", re.ASCII)


def normal_email(raw: str) -> str | None:
    """The lowercase address with its host as A-labels, or None when it cannot be one (at most 254 characters)."""
    local, at, host = raw.strip().lower().rpartition("@")
    # `=?` begins an encoded word: in a mail's header it would be read as whatever it encodes.
    if not at or len(local) > 64 or "=?" in local or not _LOCAL.fullmatch(local):
        return None
    if not host.isascii():
        try:
            host = idna.encode(host, uts46=True).decode("ascii")
        except (idna.IDNAError, UnicodeError):
            return None
    address = f"{local}@{host}"
    return address if _HOST.fullmatch(host) and len(address) <= 254 else None
