"""The rank of each domain among those found on its day. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime


def ranks(found: Iterable[tuple[str, int, datetime]]) -> dict[str, int]:
    """Rank from 1 by domain for (domain, score, found_at): best first, then latest found, then by name."""
    order = sorted(found, key=lambda item: (-item[1], -item[2].timestamp(), item[0]))
    return {domain: place for place, (domain, _, _) in enumerate(order, 1)}
