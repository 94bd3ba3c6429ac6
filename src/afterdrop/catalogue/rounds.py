"""When a domain begins a new round on the market. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

NEW_ROUND_AFTER: Final = timedelta(days=7)


def begins_round(last_live: datetime | None, now: datetime) -> bool:
    """Whether a listing that is live at `now` begins a new round of a domain that was last live until `last_live`.

    None: it still is, without a known end. A new round takes seven days without any live listing.
    """
    return last_live is not None and now - last_live >= NEW_ROUND_AFTER
