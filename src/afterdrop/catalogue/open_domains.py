"""The daily draw of the domains that are open on the free plan. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

OPEN_A_DAY: Final = 5
OF_ONE_TLD: Final = 2
LEAST_LEFT: Final = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class OpenCandidate:
    """A live domain that was never open. `ends_at` is the end of the listing it shows, None without a known one."""

    domain: str
    tld: str
    score: int
    found_at: datetime
    ends_at: datetime | None


def draw(entries: Iterable[OpenCandidate], last_draw_at: datetime | None, now: datetime) -> list[str]:
    """The domains to open now, best first: at most five.

    Those come first that were found since the last draw and do not end within a day, then the other live ones. At
    most two of one extension are taken while other extensions remain to choose from.
    """
    ranked = sorted(entries, key=lambda entry: (-entry.score, -entry.found_at.timestamp(), entry.domain))
    fresh = [entry for entry in ranked if _qualifies(entry, last_draw_at, now)]
    chosen: list[OpenCandidate] = []
    for pool in (fresh, ranked):
        _take(chosen, [entry for entry in pool if entry not in chosen])
    return [entry.domain for entry in chosen]


def _qualifies(entry: OpenCandidate, last_draw_at: datetime | None, now: datetime) -> bool:
    found = last_draw_at is None or entry.found_at >= last_draw_at
    return found and (entry.ends_at is None or entry.ends_at - now >= LEAST_LEFT)


def _take(chosen: list[OpenCandidate], pool: list[OpenCandidate]) -> None:
    taken = Counter(entry.tld for entry in chosen)
    spare: list[OpenCandidate] = []
    for entry in pool:
        if len(chosen) == OPEN_A_DAY:
            return
        if taken[entry.tld] < OF_ONE_TLD:
            chosen.append(entry)
            taken[entry.tld] += 1
        else:
            spare.append(entry)
    chosen.extend(spare[: OPEN_A_DAY - len(chosen)])
