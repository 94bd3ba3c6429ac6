"""How many pages and forms one signed-in browser may request in a minute, apart from the API's limits.

Strangers' requests of costly pages are counted by their network in the same way.

Kept in memory, per process. It limits what a session can cost a machine; it is no quota that anybody pays for.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Final, Literal

from afterdrop.core.settings_sections import Site
from afterdrop.web.problems import too_many

Kind = Literal["page", "form"]
_MINUTE: Final = 60


class SessionLimits:
    """The requests of every session in the current minute of the clock."""

    def __init__(self, site: Site) -> None:
        self._limits: dict[Kind, int] = {"page": site.pages_per_minute, "form": site.forms_per_minute}
        self._minute = -1
        self._used: Counter[tuple[str, Kind]] = Counter()

    def take(self, session: str, kind: Kind, now: datetime) -> None:
        """Count a request of a session. Raises Problem `rate_limited`; a refused request does not count."""
        minute, second = divmod(int(now.timestamp()), _MINUTE)
        if minute != self._minute:
            self._minute = minute
            self._used.clear()
        if self._used[session, kind] >= self._limits[kind]:
            wait = _MINUTE - second
            raise too_many(f"Too many requests at once. Try again in {wait} seconds.", wait)
        self._used[session, kind] += 1
