"""Who does what in a worker: its queues and its jobs of the timetable."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

from afterdrop.alerts.alert_mails import mail_matches
from afterdrop.alerts.reminder_worker import remind
from afterdrop.alerts.worker import matching_queue
from afterdrop.catalogue import publish
from afterdrop.catalogue.recheck_worker import recheck
from afterdrop.checks.worker import check_queue
from afterdrop.delivery.mail.worker import mail_queue
from afterdrop.delivery.webhooks.worker import courier_of, delivery_queue
from afterdrop.queue.timetable import jobs
from afterdrop.queue.worker import Worker
from afterdrop.scan.candidates import candidate_queue
from afterdrop.scan.page_texts import text_queue
from afterdrop.scan.worker import run_scan
from afterdrop.worker.context import Gear
from afterdrop.worker.pruning import expire, prune


def make_worker(gear: Gear, stop: asyncio.Event) -> Worker:
    """A worker with every queue and job of the deployment."""

    async def scan() -> Any:
        if not gear.feeds:
            return {"skipped": "no feeds are configured"}
        done = await run_scan(gear, reviews_here=False)
        return {"scan": done["id"], "scanned": done["scanned"]}

    async def registries() -> Any:
        return dict(await recheck(gear))

    async def turn() -> Any:
        async with gear.database.write() as conn:
            return {"turned": await publish.turn(conn, gear.now())}

    settings = gear.settings
    table = jobs(settings.scan.hour, timedelta(seconds=settings.registry.recheck_seconds))
    queues = [check_queue(gear), candidate_queue(gear), text_queue(gear)]
    queues += [matching_queue(gear), delivery_queue(courier_of(gear)), mail_queue(gear)]
    tasks = {
        "scan": scan,
        "recheck": registries,
        "turn": turn,
        "alerts": lambda: mail_matches(gear, "instant"),
        "digest": lambda: mail_matches(gear, "daily"),
        "reminders": lambda: remind(gear),
        "expire": lambda: expire(gear),
        "prune": lambda: prune(gear),
    }
    return Worker(gear, queues, tasks, table, stop)
