"""In 1.0, what a registry said of an ended listing's name was asked by columns of `domains`."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from afterdrop.catalogue.availability.recheck import Inquiry, RecheckPass
from afterdrop.core.settings import Registry as RegistrySettings
from afterdrop.db import migrate
from afterdrop.db.engine import open_database
from afterdrop.db.schema_version import plain_engine
from afterdrop.db.tables.review import registry_states
from afterdrop.sources.registry.rdap_answer import Registration, RegistryAnswer
from tests.support import kept_releases
from tests.support.kept_releases import Rows
from tests.support.published import left_to_match
from tests.support.rows import DAY, NOW

MINUTE = timedelta(minutes=1)
END = NOW - DAY


class _Registry:
    """Every name but the canary's is free."""

    async def ask(self, domain: str, now: Any) -> RegistryAnswer:
        state: Any = "registered" if domain == "canary.com" else "available"
        return RegistryAnswer(state, Registration(domain, state))

    async def host(self, domain: str, now: Any) -> str:
        return "rdap.com.example"


async def _undelegated(domain: str, unused: str) -> bool:
    return False


def ended() -> Rows:
    """Five ended names: not found once, announced, resolved, never asked about, and one that somebody follows."""
    rows = kept_releases.kept("1.0.0")
    account, end, seen = rows["accounts"][0], int(END.timestamp()), int(NOW.timestamp())
    over = {"ends_at": end, "live_until": end, "registry_host": "rdap.com.example", "removed_at": None}
    never = dict.fromkeys(("checked_at", "recheck_at", "first_free_at", "resolved_at", "availability"))
    asked = {"checked_at": seen, "recheck_at": seen + 300}
    free = {**asked, "first_free_at": seen}
    states: dict[str, dict[str, object]] = {
        "first.com": {**free, "availability": "unknown"},
        "announced.com": {**free, "availability": "available", "announced": True},
        "resolved.com": {**asked, "resolved_at": seen, "availability": "registered"},
        "new.com": {},
        "followed.com": {**free, "availability": "unknown"},
    }
    like = {**rows["domains"][0], **over, **never, "announced": False, "next_listing_at": None}
    followed = {
        **dict.fromkeys(rows["registry_states"][0]),
        **{"domain": "followed.com", "stage": "active", "attempts": 0},
        "due_at": int((NOW + 6 * DAY).timestamp()),
    }
    return {
        "accounts": [account],
        "domains": [{**like, "domain": name, **state} for name, state in states.items()],
        "watches": [{"account_id": account["id"], "domain": "followed.com", "created_at": seen}],
        "registry_states": [followed],
    }


async def test_names_not_found_once_are_confirmed_after_the_upgrade(empty_url: str) -> None:
    kept_releases.begin(empty_url, "1.0.0", ended())
    migrate.upgrade(empty_url)
    with plain_engine(empty_url).connect() as conn:
        columns = (
            registry_states.c[name] for name in ("domain", "stage", "first_free_at", "ended_at", "due_at")
        )
        carried = {found.domain: tuple(found)[1:] for found in conn.execute(sa.select(*columns))}
    again = NOW + 5 * MINUTE
    assert carried == {
        "first.com": (None, NOW, END, again),
        "announced.com": (None, NOW, END, again),
        "followed.com": ("active", NOW, END, again),
    }
    later = open_database(empty_url)
    try:
        inquiry = Inquiry(
            later, _Registry(), _undelegated, lambda: again, RegistrySettings(canaries={"com": "canary.com"})
        )
        counts = await RecheckPass(inquiry, inquiry, "worker").run()
        assert (counts["asked"], counts["turned"], counts["announce"]) == (4, 1, 2)
        told = {domain for domain, _, _ in await left_to_match(later)}
        assert told == {"first.com", "followed.com"}, "what was announced is not announced again"
    finally:
        await later.close()
