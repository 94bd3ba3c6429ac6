"""The links of followed names are looked at once a month, listed or not."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from afterdrop.accounts import members
from afterdrop.core import clock
from afterdrop.db.engine import Database
from afterdrop.db.tables.watching import watches
from afterdrop.sandbox import start
from afterdrop.sources.metrics.lookup import link_profile
from afterdrop.sources.metrics.model import LINKS_TODAY
from afterdrop.sources.metrics.store import metrics_of, put_metrics
from afterdrop.watching.followed_links import look_at_followed
from afterdrop.worker_context import WorkerContext
from tests.support import POSTGRES_IS_LONG
from tests.support.sandboxes import context_for


async def _follow(context: WorkerContext, who: str, *names: str) -> None:
    async with context.database.write() as conn:
        new = members.NewAccount(f"{who}@members.example", verified=True)
        account = await members.create_account(conn, new, now=clock.now(), welcome=0)
        for name in names:
            row = {"account_id": account.id, "domain": name, "created_at": clock.now()}
            await conn.execute(watches.insert().values(**row))


@POSTGRES_IS_LONG
async def test_followed_names_are_looked_at_and_again_after_a_month(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    async with (
        start(3, 40) as running,
        context_for(running, database, tmp_path, database_url) as context,
    ):
        linked = [story.domain for story in running.world.stories if story.metrics.links]
        first, unfollowed, unknown = *linked[:2], "nobody-links-here.com"
        for name in (first, unfollowed):
            profile = await link_profile(context, name)
            async with database.write() as conn:
                await put_metrics(conn, [(name, metric) for metric in profile.values])
        await _follow(context, "one", first, unknown)
        assert await look_at_followed(context) == {"names": 1}
        assert await look_at_followed(context) == {"names": 0}
        async with database.read() as conn:
            seen = (await metrics_of(conn, first)).items(LINKS_TODAY)
            assert (await metrics_of(conn, unfollowed)).items(LINKS_TODAY) is None
        assert seen and {item["state"] for item in seen} >= {"there"}
        later = replace(context, now=lambda: clock.now() + timedelta(days=31))
        assert await look_at_followed(later) == {"names": 1}
        await _follow(context, "two", unfollowed)
        live = context.settings.live.model_copy(update={"pages_per_day": 1})
        spent = replace(later, settings=context.settings.model_copy(update={"live": live}))
        assert await look_at_followed(spent) == {"names": 0}
        assert await look_at_followed(later) == {"names": 1}, "and is not forgotten"
        off = replace(context, settings=context.settings.model_copy(update={"contact": ""}))
        assert await look_at_followed(off) == {"names": 0}
