"""An account: its plan, the form of its e-mail address, and who looks at a list or report. Pure.

`pro` is computed from the time, never stored.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

import idna

PlanName = Literal["free", "pro"]


@dataclass(frozen=True, slots=True)
class Viewer:
    """The id, the plan and the role that decide what an account may see."""

    account_id: int
    plan: PlanName
    operator: bool = False


# People without an account see what the free plan sees: the day's open domains are open to all.
STRANGER: Final = Viewer(0, "free")


def plan_at(plan_until: datetime | None, now: datetime) -> PlanName:
    """`pro` while `now < plan_until`, else `free`."""
    return "pro" if plan_until is not None and now < plan_until else "free"


# The hours before an end that an account can be reminded at, and those a new account has.
REMINDER_HOURS: Final = (1, 3, 6, 12, 24, 48)
DEFAULT_REMINDER_HOURS: Final = (24, 1)


@dataclass(frozen=True, slots=True)
class Account:
    """An account. Its plan follows from `plan_until` and the time.

    `token_version` rises with a password change: signed links and cookies carry it and end with it.
    """

    id: int
    email: str
    created_at: datetime
    verified_at: datetime | None
    plan_until: datetime | None
    operator: bool = False
    zone: str = "UTC"
    token_version: int = 0

    def plan(self, now: datetime) -> PlanName:
        """`pro` while `now < plan_until`, else `free`."""
        return plan_at(self.plan_until, now)

    def viewer(self, now: datetime) -> Viewer:
        """The viewer of this account: its id, its plan at `now`, and whether it is an operator."""
        return Viewer(self.id, self.plan(now), self.operator)


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
