"""Invitations: signed texts that let the owner of one address sign up."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from afterdrop.accounts.secret_box import SecretBox

VALID: Final = timedelta(days=14)
_PURPOSE: Final = "invite"


def invitation(secret_box: SecretBox, email: str, now: datetime) -> str:
    """A text for an address, in its normal form, that is good for a fortnight."""
    return secret_box.sign(_PURPOSE, [email, int((now + VALID).timestamp())])


def invited(secret_box: SecretBox, text: str, now: datetime) -> str | None:
    """The address that an invitation is for; None for one that is forged or expired."""
    match secret_box.verify(_PURPOSE, text):
        case [str(email), int(until)] if until > now.timestamp():
            return email
    return None
