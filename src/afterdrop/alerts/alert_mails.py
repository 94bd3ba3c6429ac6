"""Mails about matches: within a minute for instant rules (one mail an account), once a day for daily ones."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.plans import Viewer
from afterdrop.alerts import notice_store
from afterdrop.alerts.digest import Frequency, PendingMatch, last_due
from afterdrop.alerts.matching_store import Recipient
from afterdrop.alerts.worker import AlertsContext
from afterdrop.catalogue.store import summaries
from afterdrop.catalogue.summary import DomainSummary, Links
from afterdrop.delivery.mail import message, store
from afterdrop.delivery.mail.message import MOST_LISTED, MatchedDomain
from afterdrop.delivery.mail.store import MailContext

_OWNERS_AT_ONCE: Final = 20
_NAMES_A_QUERY: Final = 1000


@dataclass(frozen=True, slots=True)
class _Bundle:
    """What one account is mailed about: rule names by domain, newest first, and the matches that the mail covers."""

    recipient: Recipient
    occasion: str
    rules: Mapping[str, Sequence[str]]
    match_ids: list[int]


async def mail_matches(context: AlertsContext, frequency: Frequency) -> dict[str, int]:
    """Write the mails that are due for rules of this frequency; gives how many."""
    after, count = 0, 0
    while True:
        now = context.now()
        async with context.database.read() as conn:
            recipients = await notice_store.owners_to_mail(conn, frequency, after, now, _OWNERS_AT_ONCE)
            pending = await notice_store.pending_matches(conn, frequency, [one.id for one in recipients], now)
            bundles = _bundles(recipients, pending, frequency, now)
            seen = await _summaries(conn, context, bundles, now)
        if not recipients:
            return {"mails": count}
        count += await _write(context, bundles, seen, frequency, now)
        after = recipients[-1].id


def _bundles(
    recipients: Sequence[Recipient], pending: Sequence[PendingMatch], frequency: Frequency, now: datetime
) -> list[_Bundle]:
    mine: dict[int, list[PendingMatch]] = defaultdict(list)
    for match in pending:
        mine[match.account_id].append(match)
    found = []
    for recipient in recipients:
        due = last_due(recipient.zone, recipient.digest_hour, now)
        daily = frequency == "daily"
        taken = [match for match in mine[recipient.id] if not daily or match.matched_at < due.moment]
        if not taken:
            continue
        rules: dict[str, list[str]] = defaultdict(list)
        for match in taken:
            rules[match.domain].append(match.rule)
        ids = [match.id for match in taken]
        occasion = f"digest:{recipient.id}:{due.day}" if daily else f"matches:{recipient.id}:{min(ids)}"
        found.append(_Bundle(recipient, occasion, rules, ids))
    return found


# Summaries by name, as operators (True) and all others (False) on Pro see them.
_Seen = Mapping[bool, Mapping[str, DomainSummary]]


async def _summaries(
    conn: AsyncConnection, context: AlertsContext, bundles: Sequence[_Bundle], now: datetime
) -> _Seen:
    links = Links.of(context.settings)
    seen: dict[bool, dict[str, DomainSummary]] = {False: {}, True: {}}
    for operator, known in seen.items():
        mine = [bundle for bundle in bundles if bundle.recipient.operator is operator]
        names = sorted({name for bundle in mine for name in list(bundle.rules)[:MOST_LISTED]})
        for start in range(0, len(names), _NAMES_A_QUERY):
            some = names[start : start + _NAMES_A_QUERY]
            known |= await summaries(conn, some, Viewer(0, "pro", operator), now, links)
    return seen


async def _write(
    context: AlertsContext, bundles: Sequence[_Bundle], seen: _Seen, frequency: Frequency, now: datetime
) -> int:
    mail_context = MailContext.of(context.settings, context.secret_box)
    drafts: dict[str, store.MailDraft] = {}
    for bundle in bundles:
        draft = _draft(mail_context, bundle, seen[bundle.recipient.operator], frequency, now)
        if draft is not None:
            drafts[bundle.occasion] = draft
        await asyncio.sleep(0)
    async with context.database.write() as conn:
        made = await store.queue_mails(conn, list(drafts.values()), now)
        for bundle in bundles:
            # When the mail exists already, another run wrote it; the next run mails what is left.
            if bundle.occasion in made or bundle.occasion not in drafts:
                await notice_store.mark_mailed(conn, bundle.match_ids, now)
    return len(made)


def _draft(
    mail_context: MailContext,
    bundle: _Bundle,
    seen: Mapping[str, DomainSummary],
    frequency: Frequency,
    now: datetime,
) -> store.MailDraft | None:
    """The mail, best score first; None when none of the domains is on a list any more."""
    recipient = bundle.recipient
    finds = [
        MatchedDomain(seen[name], rules)
        for name, rules in list(bundle.rules.items())[:MOST_LISTED]
        # A Pro account gets less than full detail only of a domain that was taken off the list.
        if name in seen and seen[name]["detail"] == "full"
    ]
    if not finds:
        return None
    finds.sort(key=lambda find: (-find.domain["score"], find.domain["domain"]))
    more = max(len(bundle.rules) - MOST_LISTED, 0)
    frame = mail_context.notification(recipient.id, "alerts", recipient.zone, now)
    write = message.digest if frequency == "daily" else message.matches
    return store.MailDraft(recipient.email, write(frame, finds, more), recipient.id, bundle.occasion)
