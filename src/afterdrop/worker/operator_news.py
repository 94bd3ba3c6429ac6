"""The job that tells the operator, by mail or webhook, what went wrong, what lasts, and what is over.

What was told is the result of the job's last run, so that it survives a restart and all workers know it.
"""

from __future__ import annotations

import hashlib
import logging
from datetime import timedelta
from typing import Any, Final

import orjson

from afterdrop.core.errors import AfterdropError, UpstreamError
from afterdrop.core.settings import Settings
from afterdrop.delivery.mail import message
from afterdrop.delivery.mail.message import MailFrame
from afterdrop.delivery.mail.store import MailDraft, queue_mails
from afterdrop.queue import job_runs
from afterdrop.worker.alarms import alarms
from afterdrop.worker.context import WorkerContext
from afterdrop.worker.news import News, Told, news, report, subject
from afterdrop.worker.observation import Deployment, observe

log = logging.getLogger("afterdrop.operator")

JOB: Final = "watch"


async def tell_operator(context: WorkerContext) -> dict[str, Any]:
    """Look at the deployment and tell what is new. Raises AfterdropError when nothing could be told."""
    deployment = Deployment(
        context.settings, context.database, context.providers, context.now, secret_box=context.secret_box
    )
    found = alarms(await observe(deployment), context.settings)
    async with context.database.read() as conn:
        before: Told = (await job_runs.last_result(conn, JOB) or {}).get("told", {})
    heard = news(before, found, context.now(), timedelta(hours=context.settings.operator.remind_hours))
    for row in heard.raised.values():
        log.error("ALARM: %s", row["text"])
    for row in heard.over.values():
        log.warning("over: %s", row["text"])
    if heard:
        await _tell(context, heard, before)
    return {"told": heard.told} if heard.told else {}


async def _tell(context: WorkerContext, heard: News, before: Told) -> None:
    settings = context.settings.operator
    refused = None
    if settings.webhook:
        try:
            await _post(context, heard)
        except UpstreamError as error:
            # The address may hold a secret, so it is not in the text.
            refused = f"{error.kind}{'' if error.http_status is None else f' {error.http_status}'}"
            log.warning("the operator's webhook did not take the news (%s)", refused)
    if settings.mail:
        await _mail(context, heard, before)
    elif refused is not None:
        raise AfterdropError("operator.webhook", f"did not take the news ({refused}); tried again")


async def _mail(context: WorkerContext, heard: News, before: Told) -> None:
    text = f"{report(heard)}\n{context.settings.site_url}/admin and `afterdrop status` have the details.\n"
    frame = MailFrame(context.settings.site_name, context.settings.site_url)
    written = message.operator(frame, subject(heard, context.settings.site_name), text)
    # After a crash the same news are found again, and are queued once.
    same = orjson.dumps(
        [before, sorted(heard.raised), sorted(heard.lasting), sorted(heard.over)], option=orjson.OPT_SORT_KEYS
    )
    occasion = f"operator:{hashlib.blake2b(same, digest_size=12).hexdigest()}"
    async with context.database.write() as conn:
        await queue_mails(
            conn, [MailDraft(context.settings.operator.mail, written, None, occasion)], context.now()
        )


async def _post(context: WorkerContext, heard: News) -> None:
    answer = await context.fetcher.post(
        context.settings.operator.webhook,
        json=webhook_body(heard, context.settings),
        timeout=10,
        redirects=0,
        patience=30,
    )
    if not 200 <= answer.status < 300:
        raise UpstreamError("operator.webhook", "status", "refused the news", http_status=answer.status)


def webhook_body(heard: News, settings: Settings) -> dict[str, Any]:
    """What is posted: `text` is what chat services show; the rest is for programs."""
    parts = {"raised": heard.raised, "lasting": heard.lasting, "over": heard.over}
    return {
        "text": f"{subject(heard, settings.site_name)}\n{report(heard)}",
        "site": settings.site_url,
        **{name: [{"alarm": key, **row} for key, row in rows.items()] for name, rows in parts.items()},
    }
