"""Signed tokens: links in mails (verify an address, reset a password), invitations, the cookie of a known browser, the
address with which a demo signs its visitor in.

The tokens of an account carry its token version, which a password change raises: those made before stop working.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final, Literal

from afterdrop.accounts.account import Account
from afterdrop.accounts.secret_box import SecretBox

Purpose = Literal["verify", "reset", "unsubscribe", "device", "sign_in"]
VALID: dict[Purpose, timedelta] = {
    "verify": timedelta(days=7),
    "reset": timedelta(hours=2),
    "unsubscribe": timedelta(days=400),
    "device": timedelta(days=400),
    "sign_in": timedelta(days=1),
}
# Signing out everywhere must not break the unsubscribe link of an old mail.
_ENDED_BY_PASSWORD_CHANGE: tuple[Purpose, ...] = ("verify", "reset", "device", "sign_in")


def make_token(secret_box: SecretBox, purpose: Purpose, account: Account, now: datetime) -> str:
    """A URL-safe token for this account, valid as `VALID` says."""
    ends = int((now + VALID[purpose]).timestamp())
    return secret_box.sign(purpose, [account.id, account.token_version, ends])


def account_id_in(secret_box: SecretBox, purpose: Purpose, token: str, now: datetime) -> int | None:
    """The id of the account that a token was made for; None when it is forged or too old. Check `token_fits` next."""
    parts = _parts(secret_box, purpose, token)
    return parts[0] if parts and now.timestamp() < parts[2] else None


def token_fits(secret_box: SecretBox, purpose: Purpose, token: str, account: Account) -> bool:
    """Whether the token is still valid for the account: no password change has ended it."""
    parts = _parts(secret_box, purpose, token)
    if parts is None or parts[0] != account.id:
        return False
    return purpose not in _ENDED_BY_PASSWORD_CHANGE or parts[1] == account.token_version


def _parts(secret_box: SecretBox, purpose: Purpose, token: str) -> tuple[int, int, int] | None:
    value = secret_box.verify(purpose, token)
    if isinstance(value, list) and len(value) == 3 and all(isinstance(part, int) for part in value):
        return value[0], value[1], value[2]
    return None


def _for_address(secret_box: SecretBox, purpose: str, email: str, until: datetime) -> str:
    return secret_box.sign(purpose, [email, int(until.timestamp())])


def _address_in(secret_box: SecretBox, purpose: str, text: str, now: datetime) -> str | None:
    match secret_box.verify(purpose, text):
        case [str(email), int(until)] if until > now.timestamp():
            return email
    return None


INVITATION_VALID: Final = timedelta(days=14)
_INVITE: Final = "invite"


def invitation(secret_box: SecretBox, email: str, now: datetime) -> str:
    """A text for an address, in its normal form, that is good for a fortnight."""
    return _for_address(secret_box, _INVITE, email, now + INVITATION_VALID)


def invited(secret_box: SecretBox, text: str, now: datetime) -> str | None:
    """The address that an invitation is for; None for one that is forged or expired."""
    return _address_in(secret_box, _INVITE, text, now)


NEWCOMER_VALID: Final = timedelta(days=1)
_NEWCOMER: Final = "newcomer"


def newcomer(secret_box: SecretBox, email: str, now: datetime) -> str:
    """The token of a browser in which somebody signed up with an address, whether that had an account or not."""
    return _for_address(secret_box, _NEWCOMER, email, now + NEWCOMER_VALID)


def newcomer_in(secret_box: SecretBox, text: str, now: datetime) -> str | None:
    """The address that somebody signed up with in this browser; None for what is forged or a day old."""
    return _address_in(secret_box, _NEWCOMER, text, now)
