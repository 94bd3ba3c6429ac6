"""What a worker counts of its queues and jobs, for `/metrics`."""

from __future__ import annotations

from typing import Final

from prometheus_client import Histogram

ROWS: Final = Histogram(
    "afterdrop_queue_row_seconds",
    "Time a worker took for one row of a queue, by result (done, failed, lost).",
    ["queue", "result"],
    buckets=(0.01, 0.1, 0.5, 1, 5, 15, 60, 300),
)
JOBS: Final = Histogram(
    "afterdrop_job_seconds",
    "Time a timed job took, by result (done, failed).",
    ["job", "result"],
    buckets=(0.01, 0.1, 1, 10, 60, 600, 3600, 36000),
)
