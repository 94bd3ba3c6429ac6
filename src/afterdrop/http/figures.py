"""What a process counts of its outbound requests, for `/metrics`."""

from __future__ import annotations

from typing import Final

from prometheus_client import Histogram

# `host` is a host the settings give a pace of its own, else `other`: strangers choose hosts, by redirects.
UPSTREAM: Final = Histogram(
    "afterdrop_upstream_request_seconds",
    "Time of outbound requests, by host and result (answered, or what went wrong).",
    ["host", "result"],
    buckets=(0.1, 0.5, 1, 2.5, 5, 10, 30, 60),
)
