"""Which reminder of a domain's end is due for an account. Pure."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final

from afterdrop.accounts.account import REMINDER_HOURS

LONGEST: Final = timedelta(hours=max(REMINDER_HOURS))


def due_hour(
    chosen: Collection[int], ends_at: datetime, since: datetime, sent: Collection[int], now: datetime
) -> int | None:
    """The hour to remind of at `now`, None for none.

    `since`: when the account began to follow the domain; an hour that was past by then is left out. Of several
    overdue hours (nobody worked for a while) only the smallest counts; `sent` ones are never sent again, though the
    end may have moved.
    """
    if now >= ends_at:
        return None
    moments = {hour: ends_at - timedelta(hours=hour) for hour in chosen}
    smallest = min((hour for hour, moment in moments.items() if since <= moment <= now), default=None)
    return None if smallest in sent else smallest
