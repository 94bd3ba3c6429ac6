"""Mails about matches: at once for instant rules (one mail an account and minute), once a day for daily ones."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.plans import Viewer
from afterdrop.alerts import pending_digest
from afterdrop.alerts.audience import Member
from afterdrop.alerts.context import AlertsContext
from afterdrop.alerts.digest import last_due
from afterdrop.alerts.pending_digest import Frequency, PendingMatch
from afterdrop.catalogue.store import links_of, summaries
from afterdrop.delivery.mail import message, store
from afterdrop.delivery.mail.message import MOST_LISTED, MatchedDomain
from afterdrop.delivery.mail.store import MailContext

_OWNERS_AT_ONCE: Final = 20
_NAMES_A_QUESTION: Final = 1000


@dataclass(frozen=True, slots=True)
class _Bundle:
    """What one account is mailed about: rule names by domain, newest first, and the matches that takes."""

    member: Member
    occasion: str
    rules: Mapping[str, Sequence[str]]
    match_ids: list[int]


async def mail_matches(context: AlertsContext, frequency: Frequency) -> dict[str, int]:
    """Write the mails that are due for rules of this frequency; gives how many."""
    after, count = 0, 0
    while True:
        now = context.now()
        async with context.database.read() as conn:
            members = await pending_digest.owners_after(conn, frequency, after, now, _OWNERS_AT_ONCE)
            waiting = await pending_digest.of_owners(conn, frequency, [one.id for one in members], now)
            bundles = _bundles(members, waiting, frequency, now)
            seen = await _summaries(conn, context, bundles, now)
        if not members:
            return {"mails": count}
        count += await _write(context, bundles, seen, frequency, now)
        after = members[-1].id


def _bundles(
    members: Sequence[Member], waiting: Sequence[PendingMatch], frequency: Frequency, now: datetime
) -> list[_Bundle]:
    mine: dict[int, list[PendingMatch]] = defaultdict(list)
    for match in waiting:
        mine[match.account_id].append(match)
    found = []
    for member in members:
        due = last_due(member.zone, member.digest_hour, now)
        daily = frequency == "daily"
        taken = [match for match in mine[member.id] if not daily or match.matched_at < due.moment]
        if not taken:
            continue
        rules: dict[str, list[str]] = defaultdict(list)
        for match in taken:
            rules[match.domain].append(match.rule)
        ids = [match.id for match in taken]
        occasion = f"digest:{member.id}:{due.day}" if daily else f"matches:{member.id}:{min(ids)}"
        found.append(_Bundle(member, occasion, rules, ids))
    return found


# Summaries by name, as ordinary accounts (False) and operators (True) on Pro see them.
_Seen = Mapping[bool, Mapping[str, dict[str, Any]]]


async def _summaries(
    conn: AsyncConnection, context: AlertsContext, bundles: Sequence[_Bundle], now: datetime
) -> _Seen:
    links = links_of(context.settings)
    seen: dict[bool, dict[str, dict[str, Any]]] = {False: {}, True: {}}
    for operator, known in seen.items():
        mine = [bundle for bundle in bundles if bundle.member.operator is operator]
        names = sorted({name for bundle in mine for name in list(bundle.rules)[:MOST_LISTED]})
        for start in range(0, len(names), _NAMES_A_QUESTION):
            some = names[start : start + _NAMES_A_QUESTION]
            known |= await summaries(conn, some, Viewer(0, "pro", operator), now, links)
    return seen


async def _write(
    context: AlertsContext, bundles: Sequence[_Bundle], seen: _Seen, frequency: Frequency, now: datetime
) -> int:
    mail_context = MailContext.of(context.settings, context.secret_box)
    drafts: dict[str, store.MailDraft] = {}
    for bundle in bundles:
        draft = _draft(mail_context, bundle, seen[bundle.member.operator], frequency, now)
        if draft is not None:
            drafts[bundle.occasion] = draft
        await asyncio.sleep(0)
    async with context.database.write() as conn:
        made = await store.queue_mails(conn, list(drafts.values()), now)
        for bundle in bundles:
            # A bundle whose mail is there already was taken by another run; the next one looks at what is left.
            if bundle.occasion in made or bundle.occasion not in drafts:
                await pending_digest.mark_mailed(conn, bundle.match_ids, now)
    return len(made)


def _draft(
    mail_context: MailContext,
    bundle: _Bundle,
    seen: Mapping[str, dict[str, Any]],
    frequency: Frequency,
    now: datetime,
) -> store.MailDraft | None:
    """The mail, best score first; None when none of the domains is on the list any more."""
    member = bundle.member
    finds = [
        MatchedDomain(seen[name], rules)
        for name, rules in list(bundle.rules.items())[:MOST_LISTED]
        # Somebody on Pro sees less than everything only of what was taken off the list.
        if name in seen and seen[name]["detail"] == "full"
    ]
    if not finds:
        return None
    finds.sort(key=lambda find: (-find.domain["score"], find.domain["domain"]))
    more = max(len(bundle.rules) - MOST_LISTED, 0)
    letter = mail_context.notification(member.id, "alerts", member.zone, now)
    write = message.digest if frequency == "daily" else message.matches
    return store.MailDraft(member.email, write(letter, finds, more), member.id, bundle.occasion)
