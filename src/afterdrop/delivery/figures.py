"""What a worker counts of webhook deliveries and mails, for `/metrics`."""

from __future__ import annotations

from typing import Final

from prometheus_client import Counter, Histogram

ATTEMPTS: Final = Histogram(
    "afterdrop_delivery_attempt_seconds",
    "Time a webhook receiver took to answer, by result (taken, refused, no_answer).",
    ["result"],
    buckets=(0.05, 0.25, 1, 2, 4, 8),
)
MAILS: Final = Counter(
    "afterdrop_mails_total", "Attempts at mails, by result (sent, later, refused).", ["result"]
)
