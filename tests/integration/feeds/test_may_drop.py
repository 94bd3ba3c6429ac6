"""Names that only may drop: Nominet's list while the sandbox's scene `may_drop` plays, from intake to the live list."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from functools import lru_cache

from afterdrop.accounts.account import Viewer
from afterdrop.catalogue.lists.asking import ListContext
from afterdrop.catalogue.lists.filters import ListFilter, ListSelection
from afterdrop.catalogue.shapes import Summary
from afterdrop.catalogue.status import ListName
from afterdrop.feeds.preset_files import open_preset
from afterdrop.feeds.run_context import SourceRun
from afterdrop.sandbox.feed_scenes import may_drop, phase_put_off
from afterdrop.sandbox.feed_server import nominet_far_ahead
from afterdrop.sandbox.world import World
from tests.support import published
from tests.support.desk import DAY, FILTER, NOON, Desk
from tests.support.lists import list_page
from tests.support.rows import LINKS

SPEC = open_preset("nominet_uk")
PASSES = replace(FILTER, judge=lambda _figures: "pass")
# In the sandbox's world: it drops in six days; it would drop in twelve, but is renewed on the second; in 46 days.
WILL, MAY, FAR = "wrenfordobservatory.co.uk", "physiotherapy-stokewick.uk", "thornmere-software.org.uk"


@lru_cache(maxsize=1)
def world() -> World:
    return World(1, 250, NOON.date())


async def take(desk: Desk, at: datetime) -> SourceRun:
    """The scan of a day."""
    return await desk.take(nominet_far_ahead(world(), at), at, spec=SPEC, authority_filter=PASSES)


async def listed(desk: Desk, name: str, at: datetime, which: ListName = "live") -> Summary:
    """A name as a list shows it."""
    selection = ListSelection(ListContext(which, Viewer(1, "pro", operator=False), at), ListFilter())
    async with desk.database.read() as conn:
        rows = (await list_page(conn, selection, LINKS)).rows
    return next(row for row in rows if row["domain"] == name)


async def test_names_that_may_drop_are_listed_as_such_become_certain_or_are_renewed(desk: Desk) -> None:
    run = await take(desk, NOON)
    known = await desk.candidates()
    assert (run.counts, FAR in known) == ({"new": 3, "waits": 3}, False)
    for name in (WILL, MAY):
        await published.put_metrics(desk.database, published.STRONG, name)
        await published.reviewed(desk.database, published.history(name), NOON)
    # Matches go at once, as for every name.
    assert {domain for domain, _, _ in await published.left_to_match(desk.database)} == {WILL, MAY}
    for name in (WILL, MAY):
        row = await listed(desk, name, NOON)
        assert (row["status"], row["listing"]["type"]) == ("pending_delete", "pending_delete")
        assert row["listing"]["certain"] is False

    # Nothing is taken in meanwhile: the clock alone makes it certain, five days before the second of its drop.
    drops = datetime.fromisoformat((await listed(desk, WILL, NOON))["listing"]["ends_at"] or "")
    assert not (await listed(desk, WILL, drops - 5 * DAY - timedelta(seconds=1)))["listing"]["certain"]
    assert (await listed(desk, WILL, drops - 5 * DAY))["listing"]["certain"]

    later = NOON + 3 * DAY
    run = await take(desk, later)
    assert run.counts == {"unchanged": 2, "waits": 2, "withdrawn": 1}
    await published.refreshed(desk.database, later, MAY)
    gone = await listed(desk, MAY, later, "archive")
    assert (gone["status"], gone["listing"]["certain"]) == ("ended", True)
    assert (await listed(desk, WILL, later))["status"] == "pending_delete"


async def test_a_name_that_waits_is_listed_when_its_drop_comes_near(desk: Desk) -> None:
    await take(desk, NOON)
    near = NOON + 33 * DAY
    run = await take(desk, near)
    assert (run.counts, FAR in await desk.candidates()) == ({"new": 2}, True)


def test_the_registry_shows_the_renewal() -> None:
    stories = {story.domain: story for story, _ in may_drop(world(), NOON)}
    before, after = (phase_put_off(world(), stories[MAY], NOON + days * DAY) for days in (1, 3))
    assert before is not None and before.state == "redemption"
    assert after is not None and after.state == "active" and after.delegated
    dropping = phase_put_off(world(), stories[WILL], NOON + 3 * DAY)
    assert dropping is not None and dropping.state == "pending_delete"
