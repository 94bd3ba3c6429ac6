"""How the review benches print a share."""

from __future__ import annotations

from bench.measured import wilson


def interval(hits: int, total: int) -> str:
    """A share with its 95 % interval (Wilson)."""
    if not total:
        return "   –"
    low, high = wilson(hits, total)
    return f"{hits:4}/{total:<4} {hits / total:6.1%}  [{low:.1%}, {high:.1%}]"
