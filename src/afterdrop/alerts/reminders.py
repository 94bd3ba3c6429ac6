"""Which reminder of a domain's end is due for an account. Pure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from afterdrop.accounts.account import REMINDER_HOURS

LONGEST: Final = timedelta(hours=max(REMINDER_HOURS))


@dataclass(frozen=True, slots=True)
class Reminder:
    """A reminder to be sent `hour` hours before the end."""

    account_id: int
    domain: str
    round: int
    hour: int


def due_hour(
    chosen: Collection[int], ends_at: datetime, since: datetime, sent: Collection[int], now: datetime
) -> int | None:
    """The hour whose reminder is due at `now`, None for none.

    `since`: when the account began to follow the domain; an hour that was past by then is left out. Of several
    overdue hours (no worker ran for a while) only the smallest counts. Hours in `sent` are never sent again, even
    when the end has moved.
    """
    if now >= ends_at:
        return None
    moments = {hour: ends_at - timedelta(hours=hour) for hour in chosen}
    smallest = min((hour for hour, moment in moments.items() if since <= moment <= now), default=None)
    return None if smallest in sent else smallest
