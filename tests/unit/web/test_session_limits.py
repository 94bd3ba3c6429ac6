"""Pages and forms are counted apart, for each session, in the minute of the clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from afterdrop.core.settings_sections import Site
from afterdrop.web.problems import Problem
from afterdrop.web.session_limits import SessionLimits

NOW = datetime(2026, 11, 20, 12, 0, 15, tzinfo=UTC)


def test_a_session_is_refused_until_the_minute_ends() -> None:
    limits = SessionLimits(Site(pages_per_minute=2, forms_per_minute=1))
    limits.take("a", "page", NOW)
    limits.take("a", "page", NOW)
    limits.take("a", "form", NOW)
    limits.take("b", "form", NOW)
    for kind in ("page", "form"):
        with pytest.raises(Problem) as refused:
            limits.take("a", kind, NOW + timedelta(seconds=5))
        assert (refused.value.status, refused.value.headers) == (429, {"Retry-After": "40"})
    limits.take("a", "form", NOW + timedelta(seconds=45))
