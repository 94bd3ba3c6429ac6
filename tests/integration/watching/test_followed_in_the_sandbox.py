"""Followed names that are on no list, from the sandbox's registries to mail and events: by RDAP, WHOIS or neither."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from afterdrop.catalogue.availability.recheck import recheck
from afterdrop.db.engine import Database
from afterdrop.db.tables.review import registry_states, whois_days
from afterdrop.delivery.events import EVENTS
from afterdrop.sandbox import start
from afterdrop.sandbox.story import Story
from afterdrop.sandbox.world import World as SandboxWorld
from afterdrop.sources.registry.whois import RECHECK_SHARE
from afterdrop.watching.registry_news import tell_of_registries
from tests.support.sandboxes import context_for
from tests.support.world import World

SEED, SIZE, TODAY = 1, 160, date(2026, 11, 20)
# Below the authority filter: none of these names is ever listed.
BEGIN = datetime(2026, 10, 1, 12, tzinfo=UTC)


def story(extension: str) -> Story:
    """An unlisted name of that extension that goes to its end, where the world has one."""
    mine = [each for each in SandboxWorld(SEED, SIZE, TODAY).stories if each.tld == extension]
    weak = [each for each in mine if each.scenario == "weak"]
    return max(weak, key=lambda each: len(each.phases))


async def test_a_name_is_told_of_by_whichever_works(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    by_rdap, by_whois, refused, lied = (story(each) for each in ("com", "se", "de", "io"))
    phases = [each.phases for each in (by_rdap, by_whois, lied)]
    moments = sorted({phase.start for each in phases for phase in each if phase.start > BEGIN})
    async with start(SEED, SIZE, day=TODAY) as running:
        running.clock.put(BEGIN)
        async with context_for(running, database, tmp_path, database_url, running.clock.now) as context:
            world = World(database, context.settings, BEGIN)
            account = await world.account()
            await world.endpoint(account, events=list(EVENTS))
            for each in (by_rdap, by_whois, refused, lied):
                await world.watch(account, each.domain)
            for moment in (BEGIN, *moments, moments[-1] + timedelta(days=2)):
                # A day later what was asked before has come up again, and the WHOIS canary with it.
                for later in (timedelta(hours=25), timedelta(hours=25, minutes=1)):
                    running.clock.put(moment + later)
                    await recheck(context)
                    await tell_of_registries(context)
    whole = ["registration.redemption", "registration.pending_delete", "registration.dropped"]
    by_name: dict[str, list[str]] = {}
    for event in await world.events():
        by_name.setdefault(event["json"]["data"]["domain"], []).append(event["type"])
    assert by_name[by_rdap.domain] == whole
    assert by_name[by_whois.domain] == whole
    assert set(by_name) == {by_rdap.domain, by_whois.domain}
    sources = {event["json"]["data"]["registration"]["source"] for event in await world.events()}
    assert sources == {"rdap", "whois"}
    assert len(await world.deliveries()) == len(await world.mails()) == len(await world.events())
    stages = {state["domain"]: state["stage"] for state in await world.rows(registry_states)}
    assert stages == {
        by_rdap.domain: "available",
        by_whois.domain: "available",
        refused.domain: None,
        lied.domain: None,
    }
    most = context.settings.registry.whois_per_day * (1 - RECHECK_SHARE)
    assert all(day["asked"] <= most for day in await world.rows(whois_days))
