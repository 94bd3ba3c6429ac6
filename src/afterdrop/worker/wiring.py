"""The wiring of a worker: all queues and all timed jobs of the deployment."""

from __future__ import annotations

import asyncio
from typing import Any

from afterdrop.catalogue import publish
from afterdrop.catalogue.availability.recheck import recheck
from afterdrop.checks.visitors import visitor_queue
from afterdrop.checks.worker import check_queue
from afterdrop.core.errors import AfterdropError
from afterdrop.delivery.mail.worker import mail_queue
from afterdrop.delivery.webhooks.worker import delivery_queue, delivery_worker
from afterdrop.queue.loop import Queue
from afterdrop.queue.timetable import jobs
from afterdrop.queue.worker import Worker
from afterdrop.scan.candidates import candidate_queue
from afterdrop.scan.page_texts import text_queue
from afterdrop.scan.run import retry_feeds, run_scan, scan_fault
from afterdrop.watching.alert_mails import InstantMails, mail_matches
from afterdrop.watching.followed_links import look_at_followed
from afterdrop.watching.registry_news import tell_of_registries
from afterdrop.watching.reminder_worker import remind
from afterdrop.watching.takeovers import tell_of_visits
from afterdrop.watching.visits import visit_queue
from afterdrop.watching.weekly_mails import mail_weekly
from afterdrop.watching.worker import matching_queue
from afterdrop.worker.backup import back_up_daily
from afterdrop.worker.operator_news import tell_operator
from afterdrop.worker.pruning import expire, prune
from afterdrop.worker_context import WorkerContext


def make_worker(context: WorkerContext, stop: asyncio.Event) -> Worker:
    """A worker with every queue and job of the deployment."""

    async def scan() -> Any:
        if not context.feeds:
            return {"skipped": "no feeds are configured"}
        done = await run_scan(context, reviews_here=False)
        if fault := scan_fault(done):
            raise AfterdropError(f"scan {done['id']}", fault)
        return {"scan": done["id"], "scanned": done["scanned"]}

    async def advance() -> Any:
        async with context.database.write() as conn:
            return {"turned": await publish.advance_listings(conn, context.now())}

    settings = context.settings
    table = jobs(
        settings.scan.hour, backups=settings.backup.dir is not None, crawls=settings.archive.common_crawl
    )
    queues: list[Queue[Any]] = [check_queue(context), candidate_queue(context), text_queue(context)]
    if settings.site.visitor_checks:
        queues.append(visitor_queue(context.behind_the_scan()))
    matching = matching_queue(context, InstantMails(context).write)
    queues += [matching, visit_queue(context), delivery_queue(delivery_worker(context)), mail_queue(context)]
    tasks = {
        "scan": scan,
        "recheck": lambda: recheck(context),
        "registry news": lambda: _tell_followers(context),
        "turn": advance,
        "alerts": lambda: mail_matches(context, "instant"),  # those that a stopped worker left to be written
        "digest": lambda: mail_matches(context, "daily"),
        "weekly": lambda: mail_weekly(context),
        "reminders": lambda: remind(context),
        "expire": lambda: expire(context),
        "watch": lambda: tell_operator(context),
        "retry feeds": lambda: retry_feeds(context),
        "prune": lambda: prune(context),
        "links": lambda: look_at_followed(context),
        "crawl tables": lambda: _fetch_tables(context),
        "backup": lambda: back_up_daily(context),
    }
    return Worker(context, queues, tasks, table, stop)


async def _tell_followers(context: WorkerContext) -> Any:
    """Tell followers what registries say of their names, and what stands at those that have new holders."""
    said, seen = await tell_of_registries(context), await tell_of_visits(context)
    return {"told": said["told"] + seen["told"]}


async def _fetch_tables(context: WorkerContext) -> Any:
    """Fetch the tables of Common Crawl's index that are missing."""
    crawl = context.archives.crawl
    return {"fetched": [] if crawl is None else await crawl.fetch_tables(context.now())}
