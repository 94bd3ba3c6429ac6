"""What finds become: the events and mails that tell accounts of them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from afterdrop.alerts.audience import Member, Reminder, StandingRule
from afterdrop.alerts.matching import MatchTarget, View
from afterdrop.delivery import events
from afterdrop.delivery.mail import message, store
from afterdrop.delivery.mail.store import MailContext

Reason = Literal["watchlist", "alert"]


def match_event(rule: StandingRule, domain: MatchTarget, view: View) -> events.EventDraft:
    """`alert.matched`: one for each rule, domain and round."""
    data = {"alert": {"id": rule.id, "name": rule.name}, "domain": view.summary}
    return events.EventDraft(rule.account_id, data, f"match:{rule.id}:{domain.domain}:{domain.round}")


def drop_event(account_id: int, domain: MatchTarget, view: View) -> events.EventDraft:
    """`domain.available`: one for each account, domain and round."""
    data = {"domain": view.summary, "registration": view.registration}
    return events.EventDraft(account_id, data, f"available:{account_id}:{domain.domain}:{domain.round}")


def ending_event(due: Reminder, domain: Mapping[str, Any], reason: Reason) -> events.EventDraft:
    """`domain.ending_soon`: one for each account, domain, round and hour; worthless once the listing ended."""
    ends_at = domain["listing"]["ends_at"]
    data = {"domain": domain, "hours_left": due.hour, "ends_at": ends_at, "reason": reason}
    occasion = f"ending:{due.account_id}:{due.domain}:{due.round}:{due.hour}"
    return events.EventDraft(due.account_id, data, occasion, expires_at=datetime.fromisoformat(ends_at))


def mail_reason(member: Member, *, watching: bool, ruled: bool) -> Reason | None:
    """Why a member is mailed about a domain's end or drop; None: not at all. Rule matches only if they chose so."""
    if not member.reachable:
        return None
    if watching and member.mail_watches:
        return "watchlist"
    return "alert" if ruled and member.mail_rule_reminders else None


def drop_mail(
    mail_context: MailContext, member: Member, domain: MatchTarget, view: View, reason: Reason, now: datetime
) -> store.MailDraft:
    """The mail about a drop: one for each account, domain and round."""
    letter = mail_context.notification(member.id, "watches", member.zone, now)
    assert view.registration is not None
    written = message.drop_notice(letter, view.summary, view.registration, reason)
    return store.MailDraft(
        member.email, written, member.id, f"drop:{member.id}:{domain.domain}:{domain.round}"
    )


def reminder_mail(
    mail_context: MailContext,
    member: Member,
    due: Reminder,
    domain: Mapping[str, Any],
    reason: Reason,
    now: datetime,
) -> store.MailDraft:
    """The mail about an end: one for each account, domain, round and hour."""
    letter = mail_context.notification(member.id, "watches", member.zone, now)
    written = message.reminder(letter, domain, due.hour, reason)
    occasion = f"reminder:{member.id}:{due.domain}:{due.round}:{due.hour}"
    return store.MailDraft(member.email, written, member.id, occasion)
