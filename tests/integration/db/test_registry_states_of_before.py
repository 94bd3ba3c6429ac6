"""Up to 1107, what a registry said of an ended listing's name was asked by columns of `domains`."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from afterdrop.catalogue.availability.recheck import Inquiry, RecheckPass
from afterdrop.core.settings import Registry as RegistrySettings
from afterdrop.db import migrate
from afterdrop.db.engine import Database, open_database
from afterdrop.db.schema_version import plain_engine
from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.review import registry_states
from afterdrop.db.tables.watching import watches
from afterdrop.sources.registry.rdap_answer import Registration, RegistryAnswer
from tests.support.published import left_to_match
from tests.support.rows import DAY, NOW, put, row

MINUTE = timedelta(minutes=1)
END = NOW - DAY


class _Registry:
    """Every name but the canary's is free."""

    async def ask(self, domain: str, now: Any) -> RegistryAnswer:
        state: Any = "registered" if domain == "canary.com" else "available"
        return RegistryAnswer(state, Registration(domain, state))

    async def host(self, domain: str, now: Any) -> str:
        return "rdap.com.example"


async def _undelegated(domain: str) -> bool:
    return False


async def ended(database: Database) -> None:
    """Five ended names: not found once, announced, resolved, never asked about, and one that somebody follows."""
    over = {"ends_at": END, "live_until": END, "registry_host": "rdap.com.example"}
    asked = {**over, "checked_at": NOW, "recheck_at": NOW + 5 * MINUTE}
    async with database.write() as conn:
        await put(
            conn,
            row("first.com", **asked, first_free_at=NOW, availability="unknown"),
            row("announced.com", **asked, first_free_at=NOW, availability="available", announced=True),
            row("resolved.com", **asked, resolved_at=NOW, availability="registered"),
            row("new.com", **over),
            row("followed.com", **asked, first_free_at=NOW, availability="unknown"),
        )
        await conn.execute(
            sa.text("INSERT INTO accounts (id, email, created_at, reminder_hours) VALUES (1, 'a', 0, '[]')")
        )
        await conn.execute(sa.insert(watches).values(account_id=1, domain="followed.com", created_at=NOW))


async def test_names_not_found_once_are_confirmed_after_the_upgrade(
    database: Database, database_url: str
) -> None:
    await ended(database)
    await database.close()
    migrate.downgrade(database_url, "1107")
    engine = plain_engine(database_url)
    state = {"domain": "followed.com", "stage": "active", "due_at": int((NOW + 6 * DAY).timestamp())}
    old = sa.table("registry_states", *map(sa.column, (*state, "attempts")))
    with engine.begin() as conn:
        conn.execute(sa.insert(old).values(**state, attempts=0))
    migrate.upgrade(database_url)
    with engine.connect() as conn:
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
    later = open_database(database_url)
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
    migrate.downgrade(database_url, "1107")
    with engine.connect() as conn:
        shown = sa.select(domains.c.domain, domains.c.first_free_at).where(domains.c.recheck_at.isnot(None))
        back = dict(map(tuple, conn.execute(shown.where(domains.c.resolved_at.is_(None)))))
    migrate.upgrade(database_url)
    assert back == {"first.com": NOW, "announced.com": NOW, "followed.com": NOW, "new.com": again}
