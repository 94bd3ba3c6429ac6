"""Mails about matches: at once and then every ten minutes for instant rules, once a day for daily ones.

Nothing is kept of what waits but the matches themselves: those without a mail, and when the account got its last one.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.account import Viewer
from afterdrop.catalogue.life_line import mail_life
from afterdrop.catalogue.lists.snapshot_store import lives
from afterdrop.catalogue.shapes import Summary
from afterdrop.catalogue.store import summaries
from afterdrop.catalogue.summary import Links
from afterdrop.delivery.mail import message, store
from afterdrop.delivery.mail.message import MOST_LISTED, MatchedDomain
from afterdrop.delivery.mail.store import MailContext
from afterdrop.watching import notice_store
from afterdrop.watching.mail_times import Frequency, PendingMatch, is_held, is_urgent, last_due
from afterdrop.watching.matching_store import Recipient
from afterdrop.watching.notices import mail_domain
from afterdrop.worker_context import WorkerContext

_OWNERS_AT_ONCE: Final = 20
_MAILS_AT_ONCE: Final = 20
_NAMES_A_QUERY: Final = 1000


@dataclass(frozen=True, slots=True)
class _Bundle:
    """The content of one mail to an account: rule names by domain, and the matches that the mail covers."""

    recipient: Recipient
    occasion: str
    rules: Mapping[str, Sequence[str]]
    match_ids: list[int]


@dataclass
class InstantMails:
    """Writes the mails of instant rules that are due as soon as something matched, in one run at a time.

    Matches found while a run is under way share the next one. Matches that wait are mailed by the timetable.
    """

    context: WorkerContext
    _running: asyncio.Lock = field(default_factory=asyncio.Lock)
    _next_waits: bool = False

    async def write(self) -> None:
        """Mail what was matched by now."""
        if self._next_waits:
            return  # the run that is about to begin sees these matches, too
        self._next_waits = True
        async with self._running:
            self._next_waits = False
            await mail_matches(self.context, "instant")


async def mail_matches(context: WorkerContext, frequency: Frequency) -> dict[str, int]:
    """Write the mails that are due for rules of this frequency; gives how many."""
    after, count = 0, 0
    while True:
        now = context.now()
        async with context.database.read() as conn:
            recipients = await notice_store.owners_to_mail(conn, frequency, after, now, _OWNERS_AT_ONCE)
            pending = await notice_store.pending_matches(conn, frequency, [one.id for one in recipients], now)
            if frequency == "instant":
                pending = await _without_held(conn, context, recipients, pending, now)
            mine, bundles = _by_account(pending), list[_Bundle]()
            for recipient in recipients:
                if frequency == "daily":
                    due = last_due(recipient.zone, recipient.digest_hour, now)
                    taken = [match for match in mine[recipient.id] if match.matched_at < due.moment]
                    if taken:
                        bundles.append(_bundle(recipient, f"digest:{recipient.id}:{due.day}", taken))
                    continue
                for taken in _shared(mine[recipient.id]):
                    first = min(match.id for match in taken)
                    bundles.append(_bundle(recipient, f"matches:{recipient.id}:{first}", taken))
            seen = await _summaries(conn, context, bundles, now)
        if not recipients:
            return {"mails": count}
        for start in range(0, len(bundles), _MAILS_AT_ONCE):
            some = bundles[start : start + _MAILS_AT_ONCE]
            count += await _write(context, some, seen, frequency, now)
        after = recipients[-1].id


async def _without_held(
    conn: AsyncConnection,
    context: WorkerContext,
    recipients: Sequence[Recipient],
    pending: Sequence[PendingMatch],
    now: datetime,
) -> list[PendingMatch]:
    """The pending matches without those that wait for more; urgent names do not wait."""
    mailed = await notice_store.last_instant_mails(conn, [one.id for one in recipients], now)
    mine = _by_account(pending)
    held = {one.id for one in recipients if is_held(mine[one.id], mailed.get(one.id), now)}
    names = sorted({match.domain for match in pending if match.account_id in held})
    known = await _known(conn, context, names, now)
    urgent = {name for name, domain in known.items() if is_urgent(domain["listing"], now)}
    return [match for match in pending if match.account_id not in held or match.domain in urgent]


def _by_account(pending: Sequence[PendingMatch]) -> dict[int, list[PendingMatch]]:
    mine: dict[int, list[PendingMatch]] = defaultdict(list)
    for match in pending:
        mine[match.account_id].append(match)
    return mine


def _shared(pending: Sequence[PendingMatch]) -> Iterator[list[PendingMatch]]:
    """The matches of each instant mail, oldest first: those of MOST_LISTED domains, all of which the mail names."""
    by_domain: dict[str, list[PendingMatch]] = defaultdict(list)
    for match in reversed(pending):
        by_domain[match.domain].append(match)
    domains = list(by_domain.values())
    for start in range(0, len(domains), MOST_LISTED):
        yield [match for matches in domains[start : start + MOST_LISTED] for match in matches]


def _bundle(recipient: Recipient, occasion: str, matches: Sequence[PendingMatch]) -> _Bundle:
    rules: dict[str, list[str]] = defaultdict(list)
    for match in matches:
        rules[match.domain].append(match.rule)
    return _Bundle(recipient, occasion, rules, [match.id for match in matches])


@dataclass(frozen=True, slots=True)
class _Seen:
    """Summaries by name, as accounts on Pro see them. `lives` are packed."""

    summaries: Mapping[str, Summary]
    lives: Mapping[str, str]


async def _summaries(
    conn: AsyncConnection, context: WorkerContext, bundles: Sequence[_Bundle], now: datetime
) -> _Seen:
    names = sorted({name for bundle in bundles for name in list(bundle.rules)[:MOST_LISTED]})
    packed: dict[str, str] = {}
    for some in _in_queries(names):
        packed |= await lives(conn, some)
    return _Seen(await _known(conn, context, names, now), packed)


async def _known(
    conn: AsyncConnection, context: WorkerContext, names: Sequence[str], now: datetime
) -> dict[str, Summary]:
    known: dict[str, Summary] = {}
    viewer, links = Viewer(0, "pro"), Links.of(context.settings)
    for some in _in_queries(names):
        known |= await summaries(conn, some, viewer, now, links)
    return known


def _in_queries(names: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(names), _NAMES_A_QUERY):
        yield names[start : start + _NAMES_A_QUERY]


async def _write(
    context: WorkerContext, bundles: Sequence[_Bundle], seen: _Seen, frequency: Frequency, now: datetime
) -> int:
    mail_context = MailContext.of(context.settings, context.secret_box)
    drafts: dict[str, store.MailDraft] = {}
    for bundle in bundles:
        draft = _draft(mail_context, bundle, seen, frequency, now)
        if draft is not None:
            drafts[bundle.occasion] = draft
        await asyncio.sleep(0)
    async with context.database.write() as conn:
        # Another run may have mailed some meanwhile: the next run mails what is left.
        waiting = await notice_store.unmailed(conn, [one for bundle in bundles for one in bundle.match_ids])
        whole = [bundle for bundle in bundles if waiting.issuperset(bundle.match_ids)]
        due = [drafts[bundle.occasion] for bundle in whole if bundle.occasion in drafts]
        made = await store.queue_mails(conn, due, now)
        for bundle in whole:
            # A digest that exists already is the one of that day; the next one mails what is left.
            if bundle.occasion in made or bundle.occasion not in drafts:
                await notice_store.mark_mailed(conn, bundle.match_ids, now)
    return len(made)


def _draft(
    mail_context: MailContext,
    bundle: _Bundle,
    seen: _Seen,
    frequency: Frequency,
    now: datetime,
) -> store.MailDraft | None:
    """The mail, best score first; None when none of the domains is on a list any more."""
    recipient, known = bundle.recipient, seen.summaries
    finds = [
        MatchedDomain(mail_domain(known[name], life=mail_life(seen.lives.get(name), now)), rules)
        for name, rules in list(bundle.rules.items())[:MOST_LISTED]
        # A Pro account gets less than full detail only of a domain that was taken off the list.
        if name in known and known[name]["detail"] == "full"
    ]
    if not finds:
        return None
    finds.sort(key=lambda find: (-(find.domain.score or 0), find.domain.name))
    frame = mail_context.notification(recipient.id, "alerts", recipient.zone, now)
    if frequency == "daily":
        mail = message.digest(frame, finds, more=max(len(bundle.rules) - MOST_LISTED, 0))
    else:
        mail = message.instant_matches(frame, finds)
    return store.MailDraft(recipient.email, mail, recipient.id, bundle.occasion)
