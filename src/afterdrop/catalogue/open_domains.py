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
    """A live domain. `ends_at` is the end of the listing it shows, None without a known one.

    `last_open_on` is the date of its last opening, None when it was never open.
    """

    domain: str
    tld: str
    score: int
    found_at: datetime
    ends_at: datetime | None
    last_open_on: str | None = None


def draw(entries: Iterable[OpenCandidate], last_draw_at: datetime | None, now: datetime) -> list[str]:
    """The domains to open now: five, or all where fewer are live.

    Those come first that were found since the last draw and do not end within a day, then the others that were never
    open, best first. After them those are opened again whose last opening lies longest ago; ones that end within a day
    only where there are no five without them. At most two of one extension are taken while other extensions remain to
    choose from.
    """
    ranked = sorted(entries, key=lambda entry: (-entry.score, -entry.found_at.timestamp(), entry.domain))
    never = [entry for entry in ranked if entry.last_open_on is None]
    fresh = [entry for entry in never if _since(entry, last_draw_at) and _lasts(entry, now)]
    again = sorted(
        (entry for entry in ranked if entry.last_open_on is not None),
        key=lambda entry: str(entry.last_open_on),
    )
    lasting = [entry for entry in again if _lasts(entry, now)]
    chosen: list[OpenCandidate] = []
    for pool in (fresh, never, lasting, again):
        _take(chosen, [entry for entry in pool if entry not in chosen])
    return [entry.domain for entry in chosen]


def _since(entry: OpenCandidate, last_draw_at: datetime | None) -> bool:
    return last_draw_at is None or entry.found_at >= last_draw_at


def _lasts(entry: OpenCandidate, now: datetime) -> bool:
    return entry.ends_at is None or entry.ends_at - now >= LEAST_LEFT


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
