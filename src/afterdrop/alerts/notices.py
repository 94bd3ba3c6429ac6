"""The events and mails that tell accounts of matches, drops and endings."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from afterdrop.alerts.mail_domains import mail_domain
from afterdrop.alerts.matching import DomainView, MatchTarget
from afterdrop.alerts.matching_store import MatchedRule, Recipient
from afterdrop.alerts.reminders import Reminder
from afterdrop.catalogue.summary import DomainSummary
from afterdrop.delivery import events
from afterdrop.delivery.mail import message, store
from afterdrop.delivery.mail.store import MailContext

Reason = Literal["watchlist", "alert"]


def match_event(rule: MatchedRule, target: MatchTarget, view: DomainView) -> events.EventDraft:
    """`alert.matched`: one for each rule, domain and round."""
    data = {"alert": {"id": rule.id, "name": rule.name}, "domain": view.summary}
    return events.EventDraft(rule.account_id, data, f"match:{rule.id}:{target.domain}:{target.round}")


def drop_event(account_id: int, target: MatchTarget, view: DomainView) -> events.EventDraft:
    """`domain.available`: one for each account, domain and round."""
    data = {"domain": view.summary, "registration": view.registration}
    return events.EventDraft(account_id, data, f"available:{account_id}:{target.domain}:{target.round}")


def ending_event(due: Reminder, domain: DomainSummary, reason: Reason) -> events.EventDraft:
    """`domain.ending_soon`: one for each account, domain, round and hour; it expires when the listing ends."""
    ends_at = domain["listing"]["ends_at"]
    assert ends_at is not None  # a domain without an end has no reminder
    data = {"domain": domain, "hours_left": due.hour, "ends_at": ends_at, "reason": reason}
    occasion = f"ending:{due.account_id}:{due.domain}:{due.round}:{due.hour}"
    return events.EventDraft(due.account_id, data, occasion, expires_at=datetime.fromisoformat(ends_at))


def mail_reason(recipient: Recipient, *, watching: bool, ruled: bool) -> Reason | None:
    """Why a recipient is mailed about a domain's end or drop, None when not. Mails about rule matches are opt-in."""
    if not recipient.reachable:
        return None
    if watching and recipient.mail_watches:
        return "watchlist"
    return "alert" if ruled and recipient.mail_rule_reminders else None


def drop_mail(
    mail_context: MailContext,
    recipient: Recipient,
    target: MatchTarget,
    view: DomainView,
    reason: Reason,
    now: datetime,
) -> store.MailDraft:
    """The mail about a drop: one for each account, domain and round."""
    frame = mail_context.notification(recipient.id, "watches", recipient.zone, now)
    assert view.registration is not None
    checked_at = view.registration["checked_at"]
    assert checked_at is not None  # a drop is announced once the registry was asked
    written = message.drop_notice(frame, mail_domain(view.summary), checked_at, reason)
    return store.MailDraft(
        recipient.email, written, recipient.id, f"drop:{recipient.id}:{target.domain}:{target.round}"
    )


def reminder_mail(
    mail_context: MailContext,
    recipient: Recipient,
    due: Reminder,
    domain: DomainSummary,
    reason: Reason,
    now: datetime,
) -> store.MailDraft:
    """The mail about an end: one for each account, domain, round and hour."""
    frame = mail_context.notification(recipient.id, "watches", recipient.zone, now)
    written = message.reminder(frame, mail_domain(domain), due.hour, reason)
    occasion = f"reminder:{recipient.id}:{due.domain}:{due.round}:{due.hour}"
    return store.MailDraft(recipient.email, written, recipient.id, occasion)
