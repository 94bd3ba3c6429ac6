"""Receive webhooks: verify the signature of a delivery, then read its event."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import time

from afterdrop_client import models as m
from afterdrop_client.operations import Event

TOLERANCE_SECONDS = 300


class InvalidSignature(Exception):
    """The delivery does not come from the service, or is an old recording."""


def read_event(secret: str, signature: str, body: bytes, now: float | None = None) -> Event | m.PingEvent:
    """The event of a delivery whose header `Service-Signature` is right. Raises InvalidSignature.

    `body` is the raw body as it came. The same event may come more than once: remember its `id`.
    """
    parts = dict(part.partition("=")[::2] for part in signature.split(","))
    moment = parts.get("t", "")
    if not re.fullmatch("[0-9]{1,12}", moment):
        raise InvalidSignature("the signature has no time")
    wanted = hmac.new(secret.encode(), moment.encode() + b"." + body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(wanted.encode(), parts.get("v1", "").encode(errors="replace")):
        raise InvalidSignature("the signature is not of this body")
    if abs((time.time() if now is None else now) - int(moment)) > TOLERANCE_SECONDS:
        raise InvalidSignature("the signature is older than five minutes")
    event: Event | m.PingEvent = json.loads(body)
    return event
