"""What a node counts of its requests, for `/metrics`."""

from __future__ import annotations

from typing import Final

from prometheus_client import Gauge, Histogram

# The quick end is fine: lists are answered in a few milliseconds, and the promise is 50.
REQUESTS: Final = Histogram(
    "afterdrop_http_request_seconds",
    "Time from a request's head to the end of its answer, by method, route and status.",
    ["method", "route", "status"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5),
)
UNDER_WAY: Final = Gauge("afterdrop_http_requests_under_way", "Requests that are being answered.")
