"""When a mail is sent again that the mail server did not take. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

# Seconds between attempts: no mail is lost while a mail server is down for a day.
MAIL_WAITS = (60, 300, 900, 3600, 7200, 14400, 21600, 43200)
JITTER = 0.1


def mail_retry(attempts: int, now: datetime, jitter: float) -> datetime | None:
    """When to send a mail again after `attempts` that failed for now; None once it has been tried for a day.

    `jitter`, 0–1, lengthens the wait by up to a tenth.
    """
    if attempts > len(MAIL_WAITS):
        return None
    return now + timedelta(seconds=MAIL_WAITS[attempts - 1] * (1 + JITTER * jitter))
