"""When a webhook delivery is sent again, and the result of one attempt. Pure.

The waits are the setting `webhook.retry_waits`: about 1 minute, 5 and 30 minutes, 2 and 6 hours (interface.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

JITTER = 0.1
SLOW_SHARE = 0.25
MOST_LOST_LEASES = 10


@dataclass(frozen=True, slots=True)
class ReceiverAnswer:
    """A receiver's answer: a status code, or None with the error in words, and how many seconds it took."""

    code: int | None
    error: str | None = None
    seconds: float = field(default=0.0, compare=False)

    @property
    def ok(self) -> bool:
        """Any 2xx is success."""
        return self.code is not None and 200 <= self.code < 300


@dataclass(frozen=True, slots=True)
class AttemptResult:
    """The columns to write after one attempt. `retry_at` is set while the delivery stays pending."""

    status: Literal["pending", "delivered", "failed"]
    tries: int
    retry_at: datetime | None
    error: str | None


def attempt_result(
    answer: ReceiverAnswer, tries: int, waits: Sequence[float], now: datetime, jitter: float
) -> AttemptResult:
    """The result of one more attempt after `tries` earlier ones.

    `waits` are the seconds between attempts (five of them make six attempts); each wait is lengthened by
    `jitter` (0 to 1) times ten per cent, so that a receiver that was down is not hit by all at once.
    """
    if answer.ok:
        return AttemptResult("delivered", tries + 1, None, None)
    if tries >= len(waits):
        return AttemptResult("failed", tries + 1, None, answer.error)
    wait = waits[tries] * (1 + JITTER * jitter)
    return AttemptResult("pending", tries + 1, now + timedelta(seconds=wait), answer.error)


def is_slow(answer: ReceiverAnswer, limit: float) -> bool:
    """Whether a receiver answered slowly: it took more than a quarter of its `limit` seconds."""
    return answer.seconds > limit * SLOW_SHARE


def lost_leases(claims: int, tries: int) -> int:
    """How often a worker died with this delivery in hand; `claims` includes the current claim."""
    return claims - tries - 1
