"""How the review benches print a share."""

from __future__ import annotations

import math


def interval(hits: int, total: int) -> str:
    """A share with its 95 % interval (Wilson)."""
    if not total:
        return "   –"
    z, share = 1.96, hits / total
    middle = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total)) / (1 + z * z / total)
    return f"{hits:4}/{total:<4} {share:6.1%}  [{max(0.0, middle - half):.1%}, {min(1.0, middle + half):.1%}]"
