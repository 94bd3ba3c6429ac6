"""The job that tells the operator, by mail or webhook, what went wrong, what lasts, and what is over.

The news told is the result of the job's last run, so that it survives a restart and all workers know it. While all is
well, the job calls the heartbeat's address: whoever misses the call knows that nobody is left to tell.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal, TypedDict
from urllib.parse import urlsplit

import orjson

from afterdrop.core.errors import AfterdropError, UpstreamError
from afterdrop.core.json_shapes import instant
from afterdrop.core.settings import Settings
from afterdrop.delivery.mail import message
from afterdrop.delivery.mail.message import MailFrame, MailMessage
from afterdrop.delivery.mail.smtp import compose, send_mail
from afterdrop.delivery.mail.store import MailContent, MailDraft, queue_mails
from afterdrop.http.client import Fetcher
from afterdrop.queue import job_runs
from afterdrop.worker.alarms import NO_WORKER, Alarm, alarms
from afterdrop.worker.observation import Deployment, observe
from afterdrop.worker_context import WorkerContext

log = logging.getLogger("afterdrop.operator")

JOB: Final = "watch"
# How often a lasting alarm is told again.
_REMIND: Final = timedelta(days=1)


class LastTold(TypedDict, total=False):
    """The result of the job: what the operator was told, where that is anything."""

    told: Told


async def tell_operator(context: WorkerContext) -> LastTold:
    """Look at the deployment and tell what is new. Raises AfterdropError when nothing could be told."""
    deployment = Deployment(
        context.settings, context.database, context.providers, context.now, secret_box=context.secret_box
    )
    every = alarms(await observe(deployment), context.settings)
    # This is a worker, whatever its heartbeat says: `/readyz`, `status` and the metrics tell that none is alive.
    found = [each for each in every if each.key != NO_WORKER]
    async with context.database.read() as conn:
        before: Told = (await job_runs.last_result(conn, JOB, context.now()) or {}).get("told", {})
    heard = news(before, found, context.now(), _REMIND)
    for row in heard.raised.values():
        log.error("ALARM: %s", row["text"])
    for row in heard.over.values():
        log.warning("over: %s", row["text"])
    if heard:
        await _tell(context, heard, before)
    if (
        not found
        and context.settings.operator.heartbeat
        and (fault := await _beat(context.settings, context.fetcher))
    ):
        log.warning("the operator's heartbeat was not taken (%s)", fault)
    return {"told": heard.told} if heard.told else {}


async def _tell(context: WorkerContext, heard: News, before: Told) -> None:
    settings = context.settings.operator
    faults: dict[str, str | None] = {}
    if settings.webhook:
        faults["operator.webhook"] = await _post(context.settings, context.fetcher, heard)
    if settings.mail:
        # After a crash the same news are found again, and are queued once.
        same = orjson.dumps(
            [before, sorted(heard.raised), sorted(heard.lasting), sorted(heard.over)],
            option=orjson.OPT_SORT_KEYS,
        )
        occasion = f"operator:{hashlib.blake2b(same, digest_size=12).hexdigest()}"
        draft = MailDraft(context.settings.operator.mail, _mail(context.settings, heard), None, occasion)
        async with context.database.write() as conn:
            await queue_mails(conn, [draft], context.now())
        faults["operator.mail"] = None
    for way, fault in faults.items():
        if fault is not None:
            log.warning("%s did not take the news (%s)", way, fault)
    if faults and None not in faults.values():
        way, fault = next(iter(faults.items()))
        raise AfterdropError(way, f"did not take the news ({fault}); tried again")


def _mail(settings: Settings, heard: News) -> MailMessage:
    text = f"{report(heard)}\n{settings.site_url}/admin and `afterdrop status` have the details.\n"
    frame = MailFrame(settings.site_name, settings.site_url)
    return message.operator(frame, subject(heard, settings.site_name), text)


async def _send_mail(settings: Settings, mail: MailMessage, now: datetime) -> str | None:
    """Give a mail to the operator to the mail server at once; gives why that failed."""
    row = MailContent(
        id=0, created_at=now, recipient=settings.operator.mail, subject=mail.subject,
        text=mail.text, html=mail.html, headers=mail.headers,
    )  # fmt: skip
    composed = compose(row, settings.mail.sender, urlsplit(settings.site_url).hostname or "localhost")
    result = await send_mail(settings.mail, settings.ehlo_name, row["recipient"], composed)
    return None if result.result == "sent" else result.error or result.result


async def _post(settings: Settings, fetcher: Fetcher, heard: News) -> str | None:
    """Post the news to the operator's webhook; gives why that failed."""
    return await _asked(fetcher, "POST", settings.operator.webhook, webhook_body(heard, settings))


async def _beat(settings: Settings, fetcher: Fetcher) -> str | None:
    """Call the heartbeat's address; gives why that failed."""
    return await _asked(fetcher, "GET", settings.operator.heartbeat, None)


async def _asked(fetcher: Fetcher, method: str, url: str, body: Mapping[str, object] | None) -> str | None:
    """Why a request failed, without its address, which may hold a secret; None for an answer of 2xx."""
    try:
        answer = await fetcher.ask(method, url, json=body, timeout=10, redirects=0, patience=30)
    except UpstreamError as error:
        return error.kind
    return None if 200 <= answer.status < 300 else f"status {answer.status}"


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of a test alarm on one way to the operator."""

    way: str
    state: Literal["ok", "off", "fails"]
    remark: str


async def try_ways(settings: Settings, fetcher: Fetcher, now: datetime) -> list[Trial]:
    """Send a test alarm every way the operator is told, and call the heartbeat's address."""
    operator, stamp = settings.operator, instant(now)
    told: Told = {
        "test": {"text": "this is a test alarm, and nothing is wrong", "since": stamp, "told": stamp}
    }
    heard = News(raised=told, lasting={}, over={}, told=told)
    found = []
    if not operator.mail:
        found.append(Trial("mail", "off", "operator.mail is not set"))
    elif not settings.mail.host:
        found.append(Trial("mail", "fails", "mail.host is not set: mails are kept and not sent"))
    else:
        fault = await _send_mail(settings, _mail(settings, heard), now)
        found.append(_trial("mail", fault, f"the mail server took a mail to {operator.mail}"))
    if operator.webhook:
        found.append(
            _trial("webhook", await _post(settings, fetcher, heard), "operator.webhook took the test alarm")
        )
    else:
        found.append(Trial("webhook", "off", "operator.webhook is not set"))
    if operator.heartbeat:
        found.append(_trial("heartbeat", await _beat(settings, fetcher), "operator.heartbeat answered"))
    else:
        found.append(Trial("heartbeat", "off", "operator.heartbeat is not set"))
    return found


def _trial(way: str, fault: str | None, good: str) -> Trial:
    return Trial(way, "ok", good) if fault is None else Trial(way, "fails", fault)


def webhook_body(heard: News, settings: Settings) -> dict[str, object]:
    """The body that is posted: `text` is what chat services show; the rest is for programs."""
    parts = {"raised": heard.raised, "lasting": heard.lasting, "over": heard.over}
    return {
        "text": f"{subject(heard, settings.site_name)}\n{report(heard)}",
        "site": settings.site_url,
        **{name: [{"alarm": key, **row} for key, row in rows.items()] for name, rows in parts.items()},
    }


_FORM: Final = "%Y-%m-%dT%H:%M:%SZ"


class ToldAlarm(TypedDict):
    """An alarm the operator was told of: its text then, since when it lasts, and when they were last told."""

    text: str
    since: str
    told: str


Told = dict[str, ToldAlarm]


@dataclass(frozen=True)
class News:
    """`raised`, `lasting` (to be told again) and `over` by key; `told` is what the operator knows afterwards."""

    raised: Told
    lasting: Told
    over: Told
    told: Told

    def __bool__(self) -> bool:
        """Whether there is anything to tell."""
        return bool(self.raised or self.lasting or self.over)


def news(told: Mapping[str, ToldAlarm], found: Sequence[Alarm], now: datetime, remind: timedelta) -> News:
    """Compare the alarms of now with those told before; what lasts is told again after `remind`."""
    stamp, again = now.strftime(_FORM), (now - remind).strftime(_FORM)
    raised: Told = {}
    lasting: Told = {}
    known: Told = {}
    for alarm in found:
        before = told.get(alarm.key)
        if before is None:
            raised[alarm.key] = known[alarm.key] = {"text": alarm.text, "since": stamp, "told": stamp}
        elif before["told"] <= again:
            lasting[alarm.key] = known[alarm.key] = {**before, "text": alarm.text, "told": stamp}
        else:
            known[alarm.key] = {**before, "text": alarm.text}
    over = {key: row for key, row in told.items() if key not in known}
    return News(raised, lasting, over, known)


def subject(found: News, site: str) -> str:
    """One line that says how many alarms there are, and the first of them."""
    first = next(iter([*found.raised.values(), *found.lasting.values(), *found.over.values()]))["text"]
    if found.raised or found.lasting:
        number = len(found.told)
        return f"{site}: {first}" + (f" (and {number - 1} more)" if number > 1 else "")
    return f"{site}: resolved: {first}"


def report(found: News) -> str:
    """The alarms as plain text, with a heading for each kind."""
    parts = []
    for heading, rows in (("New", found.raised), ("Not resolved", found.lasting), ("Resolved", found.over)):
        if rows:
            parts += [
                f"{heading}:",
                *(f"- {row['text']} (since {row['since']})" for row in rows.values()),
                "",
            ]
    return "\n".join(parts)
