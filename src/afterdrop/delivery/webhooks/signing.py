"""The signature of a delivery. Pure. interface.md, "Signature verification"."""

from __future__ import annotations

import hashlib
import hmac
import re

TOLERANCE = 300
# ASCII digits only, and no more than `int` takes.
_MOMENT = re.compile(r"[0-9]{1,12}")


def sign(secret: str, moment: int, body: bytes) -> str:
    """The value of `Service-Signature`: `t=<unix time>,v1=<lowercase hex HMAC-SHA256 of t.body>`."""
    return f"t={moment},v1={_digest(secret, moment, body)}"


def verify(secret: str, header: str, body: bytes, now: int) -> bool:
    """Verify a signature as a receiver does: compare in constant time, refuse a `t` more than 300 s away."""
    parts = dict(part.partition("=")[::2] for part in header.split(","))
    moment = parts.get("t", "")
    if not _MOMENT.fullmatch(moment) or abs(now - int(moment)) > TOLERANCE:
        return False
    given = parts.get("v1", "").encode(errors="replace")
    return hmac.compare_digest(_digest(secret, int(moment), body).encode(), given)


def _digest(secret: str, moment: int, body: bytes) -> str:
    return hmac.new(secret.encode(), b"%d." % moment + body, hashlib.sha256).hexdigest()
