"""The free plan's weekly mail: to whom, when, and of which domains."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from afterdrop.watching.weekly_mails import mail_weekly
from tests.support.rows import put, row
from tests.support.world import World

MONDAY = datetime(2026, 11, 23, 8, tzinfo=UTC)


async def show(world: World, *names: str, **values: Any) -> None:
    later = MONDAY + timedelta(days=9)
    async with world.database.write() as conn:
        await put(conn, *(row(name, **{"ends_at": later, "live_until": later, **values}) for name in names))


async def test_free_accounts_get_their_open_domains_once_a_week(world: World) -> None:
    free = await world.account(pro=False, zone="Europe/Berlin")
    await world.account(pro=True)
    await world.account(pro=False, verified=False)
    await world.account(pro=False, mail_weekly=False)
    await show(world, "locked-one.com", "locked-two.com")
    await show(world, "open-one.com", open_now=True, score=80)
    await show(world, "open-two.com", open_now=True, score=70)
    world.now = MONDAY - timedelta(minutes=61)
    assert await mail_weekly(world.context) == {"mails": 0}
    world.move(minutes=1)
    assert await mail_weekly(world.context) == {"mails": 1}
    assert await mail_weekly(world.context) == {"mails": 0}
    [mail] = await world.mails()
    assert (mail["account_id"], mail["kind"]) == (free, "weekly")
    assert mail["subject"] == "open-one.com and 1 more are open to you today"
    assert "2 more on the Pro list" in mail["text"]
    for part in ("text", "html"):
        assert "open-two.com" in mail[part]
        assert "locked" not in mail[part]
    assert mail["headers"]["List-Unsubscribe"].startswith(f"<{world.settings.site_url}/unsubscribe/")
    world.now = MONDAY + timedelta(days=7)
    assert await mail_weekly(world.context) == {"mails": 1}


async def test_a_mail_is_not_made_up_for_on_another_day(world: World) -> None:
    await world.account(pro=False)
    await show(world, "open.com", open_now=True)
    for late in (timedelta(hours=12), timedelta(days=1), timedelta(days=3)):
        world.now = MONDAY + late
        assert await mail_weekly(world.context) == {"mails": 0}
    world.now = MONDAY + timedelta(hours=11)
    assert await mail_weekly(world.context) == {"mails": 1}


async def test_nothing_open_is_no_mail_and_a_new_account_waits(world: World) -> None:
    await world.account(pro=False)
    await show(world, "locked.com")
    world.now = MONDAY
    assert await mail_weekly(world.context) == {"mails": 0}
    await show(world, "open.com", open_now=True)
    await world.account(pro=False)
    assert await mail_weekly(world.context) == {"mails": 1}, "the account of this morning waits a week"
