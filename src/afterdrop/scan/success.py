"""Whether a scan was a success. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from afterdrop.scan.store import ScanFigures


def scan_fault(figures: ScanFigures) -> str | None:
    """Why a finished scan was none: no feed could be read, or no review succeeded. None for a success."""
    if figures["feeds"] and all(run["state"] == "failed" for run in figures["feeds"]):
        return "every feed failed"
    failed = figures["counts"].get("failed", 0)
    if failed and not any(
        figures["counts"].get(outcome) for outcome in ("published", "rejected", "refreshed")
    ):
        return f"all {failed:,} reviews failed"
    return None
