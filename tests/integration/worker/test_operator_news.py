"""The operator is told of trouble by mail and by webhook: once, again after a day, and when it is over."""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import replace
from datetime import timedelta

import orjson
import pytest
import sqlalchemy as sa

from afterdrop.core.errors import AfterdropError
from afterdrop.core.settings_sections import Operator
from afterdrop.db.tables.delivery import mails
from afterdrop.db.tables.queue import job_runs
from afterdrop.http.client import open_fetcher
from afterdrop.queue.timetable import Job
from afterdrop.queue.worker import Worker
from afterdrop.worker.operator_news import tell_operator
from tests.support import receivers
from tests.support.receivers import receiver
from tests.support.world import World

SECOND = timedelta(seconds=1)
WATCH = (Job("watch", SECOND, timedelta(), late=timedelta(hours=1)),)
REFUSED = b"HTTP/1.1 500 Broken\r\nContent-Length: 0\r\n\r\n"
FULL = 1.0  # a bound that no disk keeps


def told_by(world: World, **operator: object) -> None:
    """Tell the operator of a full disk so."""
    chosen = Operator.model_validate({"disk_free_share": FULL, **operator})
    settings = world.settings.model_copy(update={"operator": chosen})
    world.context = replace(world.context, settings=settings)


async def watch(world: World) -> None:
    """Let a worker run the job once more, as its timetable does."""
    world.now += SECOND
    before = len([row for row in await world.rows(job_runs) if row["finished_at"]])
    context = world.context
    worker = Worker(context, [], {"watch": lambda: tell_operator(context)}, WATCH, look_every=0.01)
    running = asyncio.create_task(worker.run())
    while len([row for row in await world.rows(job_runs) if row["finished_at"]]) == before:
        await asyncio.sleep(0.01)
    worker.stop.set()
    await running


async def test_a_mail_when_it_begins_after_a_day_and_when_it_is_over(world: World) -> None:
    told_by(world, mail="ops@drops.example")
    await watch(world)
    await watch(world)
    [first] = await world.rows(mails)
    assert (first["recipient"], first["kind"], first["account_id"]) == ("ops@drops.example", "operator", None)
    assert "of the disk with" in first["subject"]
    assert first["text"].startswith("New:\n- ")
    async with world.database.write() as conn:  # sent: a mail that waits for a day is trouble of its own
        await conn.execute(sa.update(mails).values(status="sent", due_at=None, sent_at=world.now))
    world.move(days=1)
    await watch(world)
    told_by(world, mail="ops@drops.example", disk_free_share=0)
    await watch(world)
    await watch(world)
    assert [row["text"].split(":")[0] for row in await world.rows(mails)] == [
        "New",
        "Not resolved",
        "Resolved",
    ]


async def test_the_same_news_found_again_after_a_crash_are_one_mail(world: World) -> None:
    told_by(world, mail="ops@drops.example")
    await tell_operator(world.context)  # queued, but the run was never finished
    world.now += SECOND
    await tell_operator(world.context)
    assert len(await world.rows(mails)) == 1


async def test_a_webhook_gets_text_and_parts_and_is_tried_again_without_naming_its_address(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    async with receiver(receivers.says(REFUSED)) as refusing, receiver(receivers.OK) as taking:
        origins = tuple(url.removesuffix("/hook") for url in (refusing.url, taking.url))
        settings = world.settings.model_copy(update={"trusted_origins": origins})
        async with open_fetcher(settings, world.database, time.time, random.Random(1)) as fetcher:
            world.context = replace(world.context, fetcher=fetcher)
            told_by(world, webhook=f"{refusing.url}/T0/secret-part")
            with pytest.raises(
                AfterdropError, match=r"operator.webhook: did not take the news \(status 500\)"
            ):
                await tell_operator(world.context)
            await watch(world)
            told_by(world, webhook=taking.url)
            await watch(world)
            await watch(world)
    assert len(refusing.posts) == 2
    [post] = taking.posts
    body = orjson.loads(post.body)
    assert [row["alarm"] for row in body["raised"]] == ["disk"]
    assert body["text"].startswith("Afterdrop: ")
    assert (body["lasting"], body["over"], body["site"]) == ([], [], world.settings.site_url)
    assert "secret-part" not in caplog.text
    assert not [row for row in await world.rows(job_runs) if "secret-part" in str(row)]
