"""What operators decide: kept over re-scans, logged with who and why."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from afterdrop.catalogue import operator_actions as removal
from afterdrop.catalogue import store
from afterdrop.db.engine import Database
from afterdrop.db.tables.catalogue import operator_actions
from afterdrop.db.tables.feeds import candidates
from afterdrop.db.tables.review import reviews
from tests.support.published import (
    NAME,
    STRONG,
    history,
    offer,
    put_metrics,
    put_offer,
    refreshed,
    reviewed,
    row_of,
)
from tests.support.rows import DAY, NOW, PRO

LATER = NOW + DAY
SPAM = history(outcome="spam", reasons=("Gambling spam.",))


@pytest.fixture
async def listed(database: Database) -> Database:
    await put_offer(database, offer(ends_at=NOW + 20 * DAY))
    await put_metrics(database, STRONG)
    await reviewed(database)
    return database


async def seen(database: Database) -> bool:
    async with database.read() as conn:
        return await store.look(conn, NAME, PRO, LATER) is not None


async def test_a_removal_outlasts_scans_until_it_is_restored(listed: Database) -> None:
    async with listed.write() as conn:
        assert await removal.remove(conn, NAME, "ann", "a complaint", NOW)
        assert not await removal.remove(conn, NAME, "ann", "again", NOW)
    assert (await refreshed(listed, LATER)).outcome == "rejected"
    assert (await reviewed(listed, now=LATER)).reasons == ("a complaint",)
    assert not await seen(listed)
    async with listed.write() as conn:
        assert await removal.restore(conn, NAME, "bob", "settled", LATER)
        assert not await removal.restore(conn, NAME, "bob", "settled", LATER)
    assert await seen(listed)
    async with listed.read() as conn:
        log = await conn.execute(sa.select(operator_actions).order_by(operator_actions.c.id))
        actions = [(row.action, row.actor, row.reason, row.at) for row in log]
    assert actions == [
        ("remove", "ann", "a complaint", NOW),
        ("remove", "ann", "again", NOW),
        ("restore", "bob", "settled", LATER),
        ("restore", "bob", "settled", LATER),
    ]


async def test_a_restored_domain_is_not_taken_off_for_the_same_finding(listed: Database) -> None:
    assert (await reviewed(listed, SPAM)).outcome == "rejected"
    assert not await seen(listed)
    async with listed.write() as conn:
        await removal.restore(conn, NAME, "ann", "read wrongly", NOW)
    assert (await reviewed(listed, SPAM, LATER)).outcome == "refreshed"
    assert await seen(listed)
    back = NOW + 40 * DAY
    await put_offer(listed, offer(ends_at=back + DAY))
    assert (await reviewed(listed, SPAM, back)).outcome == "published"
    async with listed.write() as conn:
        await removal.remove(conn, NAME, "bob", "it was not", back)
    assert (await row_of(listed))["removed_reason"] == "it was not"


async def test_a_ban_holds_for_names_known_and_unknown(listed: Database) -> None:
    async with listed.write() as conn:
        assert await removal.ban(conn, NAME, "ann", "law", NOW)
        assert not await removal.ban(conn, NAME, "ann", "law", NOW)
        assert await removal.ban(conn, "new.org", "ann", "law", NOW)
    assert not await seen(listed)
    await put_offer(listed, offer("new.org"))
    await put_metrics(listed, STRONG, "new.org")
    assert (await reviewed(listed, history("new.org"))).outcome == "rejected"
    async with listed.write() as conn:
        assert await removal.restore(conn, "new.org", "ann", "law changed", NOW)
        assert await removal.restore(conn, NAME, "ann", "law changed", NOW)
    assert (await reviewed(listed, history("new.org"))).outcome == "published"
    assert await seen(listed)


async def test_unknown_names_are_said_to_be_unknown(listed: Database) -> None:
    async with listed.write() as conn:
        with pytest.raises(removal.NotInCatalogue, match="never published"):
            await removal.remove(conn, "nowhere.org", "ann", "x", NOW)
        with pytest.raises(removal.NotInCatalogue):
            await removal.restore(conn, "nowhere.org", "ann", "x", NOW)


async def test_a_new_review_is_due_and_the_old_one_no_longer_valid(listed: Database) -> None:
    async with listed.write() as conn:
        await removal.review_again(conn, NAME, "ann", "new captures", LATER)
        with pytest.raises(removal.NotInCatalogue, match="never a candidate"):
            await removal.review_again(conn, "nowhere.org", "ann", "curious", LATER)
    async with listed.read() as conn:
        due = await conn.execute(sa.select(candidates.c.domain, candidates.c.state, candidates.c.due_at))
        valid = (await conn.execute(sa.select(reviews.c.valid_until))).scalar_one()
    assert set(due) == {(NAME, "due", LATER)}
    assert valid == LATER
