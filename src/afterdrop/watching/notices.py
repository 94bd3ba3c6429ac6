"""The events and mails that tell accounts of matches, drops and endings."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Final, cast

from pydantic import Field
from typing_extensions import TypedDict

from afterdrop.catalogue.drops import does, due, when
from afterdrop.catalogue.life_line import mail_life
from afterdrop.catalogue.purchase import Offered, marketplace
from afterdrop.catalogue.shapes import ReportRegistration, Summary
from afterdrop.core.domain_names import tld
from afterdrop.core.json_shapes import Timestamp
from afterdrop.delivery import events
from afterdrop.delivery.mail import message
from afterdrop.delivery.mail.message import MailButton, MailDomain, MailLife, mail_figures
from afterdrop.delivery.mail.store import MailContext, MailDraft
from afterdrop.scoring.conclusion import Conclusion, Level, flag_said, gravest, has_score, verdict_beside
from afterdrop.watching.mail_times import Reminder
from afterdrop.watching.matching import AccountMatch, MatchTarget
from afterdrop.watching.matching_store import MatchedRule, Recipient
from afterdrop.watching.notice_store import Follower
from afterdrop.watching.rules import RuleName
from afterdrop.watching.telling import Notice, Reason, mail_reason


class AlertMatched(TypedDict):
    """The rule, and the domain as the rule's owner sees it."""

    alert: Annotated[RuleName, Field(description="The rule")]
    domain: Annotated[Summary, Field(description="The domain")]


class DomainAvailable(TypedDict):
    """The domain, and what the registry says."""

    domain: Annotated[Summary, Field(description="The domain")]
    registration: Annotated[ReportRegistration, Field(description="The registry's answer")]


class DomainEndingSoon(TypedDict):
    """The domain, when it ends, and why you are told."""

    domain: Annotated[Summary, Field(description="The domain")]
    hours_left: Annotated[
        int,
        Field(
            ge=1,
            description="The reminder hour the account chose; it counts to `opens_at` where there is one",
        ),
    ]
    ends_at: Annotated[Timestamp, Field(description="When it ends")]
    opens_at: Annotated[
        Timestamp | None,
        Field(
            default=None,
            description="Extension: when the registry begins to release the name, or the beginning of its day",
        ),
    ]
    reason: Annotated[Reason, Field(description="Why you are told: you watch it, or a rule matches it")]


def match_event(rule: MatchedRule, target: MatchTarget) -> events.EventDraft:
    """`alert.matched`: one for each rule, domain and round."""
    data: AlertMatched = {"alert": {"id": rule.id, "name": rule.name}, "domain": target.summary}
    occasion = f"match:{rule.id}:{target.domain}:{target.round}"
    return events.EventDraft(rule.account_id, data, occasion)


def drop_notice(
    mail_context: MailContext,
    match: AccountMatch,
    recipient: Recipient | None,
    target: MatchTarget,
    now: datetime,
) -> Notice:
    """`domain.available` and its mail: one for each account, domain and round; by its id."""
    assert target.registration is not None  # a live domain cannot drop
    data: DomainAvailable = {"domain": target.summary, "registration": target.registration}
    occasion = f"available:{match.account_id}:{target.domain}:{target.round}"
    event, mail = events.EventDraft(match.account_id, data, occasion), None
    reason = recipient and mail_reason(recipient, watching=match.watching, ruled=bool(match.rule_ids))
    if recipient is not None and reason:
        frame = mail_context.notification(recipient.id, "watches", recipient.zone, now)
        checked_at = target.registration["checked_at"]
        assert checked_at is not None  # a drop is announced once the registry was asked
        written = message.drop_notice(frame, mail_domain(target.summary), checked_at, reason)
        occasion = f"drop:{recipient.id}:{target.domain}:{target.round}"
        mail = MailDraft(recipient.email, written, recipient.id, occasion)
    return Notice(match.account_id, event, mail)


def reminder_notice(
    mail_context: MailContext,
    reminder: Reminder,
    follower: Follower,
    domain: Summary,
    life: str | None,
    now: datetime,
) -> Notice:
    """`domain.ending_soon` and its mail: one for each account, domain, round, hour and end; by all but the round.

    The event expires when the listing ends. `life` is packed.
    """
    ends_at = domain["listing"]["ends_at"]
    assert ends_at is not None  # a domain without an end has no reminder
    data: DomainEndingSoon = {
        "domain": domain,
        "hours_left": reminder.hour,
        "ends_at": ends_at,
        "opens_at": domain["listing"]["opens_at"],
        "reason": "watchlist" if follower.watching else "alert",
    }
    end = f"{reminder.domain}:{reminder.round}:{reminder.hour}:{reminder.due_at:%Y-%m-%dT%H:%M}"
    until = datetime.fromisoformat(ends_at)
    event = events.EventDraft(reminder.account_id, data, f"ending:{reminder.account_id}:{end}", until)
    recipient, mail = follower.recipient, None
    if reason := mail_reason(recipient, watching=follower.watching, ruled=follower.ruled):
        frame = mail_context.notification(recipient.id, "watches", recipient.zone, now)
        shown = mail_domain(domain, life=mail_life(life, now))
        written = message.reminder(frame, shown, reminder.hour, reason)
        mail = MailDraft(recipient.email, written, recipient.id, f"reminder:{recipient.id}:{end}")
    return Notice((reminder.account_id, reminder.domain, reminder.hour), event, mail)


_BY_BIDS: Final = frozenset({"bid", "auction"})


def mail_domain(
    domain: Mapping[str, Any], rejected: str | None = None, life: MailLife | None = None
) -> MailDomain:
    """A domain of a summary as mails show it. `rejected` is why it was, in a sentence: then no score and no offer."""
    concluded: Conclusion = domain["conclusion"]
    levels: Mapping[str, Level] = domain["flag_levels"]
    ways = [] if rejected else domain["purchase"]
    button = MailButton(ways[0]["label"], ways[0]["url"], affiliate=ways[0]["affiliate"]) if ways else None
    return MailDomain(
        name=domain["domain"],
        report_url=domain["report_url"],
        title=domain["title"],
        score=domain["score"] if has_score(concluded) and not rejected else None,
        verdict=verdict_beside(concluded),
        severity=gravest(concluded, levels.values()),
        rejected=rejected,
        figures=mail_figures({**domain["metrics"], "live_links": domain.get("live_links")}),
        flags=tuple(flag_said(flag, level) for flag, level in levels.items()),
        offer="" if rejected else _offer(domain),
        place=marketplace(cast(Offered, domain)),
        deadline=_deadline(domain),
        due_at=due(domain["listing"]),
        button=button,
        does=does(domain["listing"]),
        life=life,
        day=_day(domain),
    )


def _offer(domain: Mapping[str, Any]) -> str:
    """Price and bids in words; empty where there is no price."""
    listing = domain["listing"]
    price = listing["price_usd"]
    if domain["status"] == "available":
        return "" if price is None else f"About ${price:,} to register"
    if listing["type"] not in _BY_BIDS:
        return "" if price is None else f"${price:,}"
    bids = f"{listing['bids']:,} bid{'' if listing['bids'] == 1 else 's'}"
    return f"{'No price yet' if price is None else f'${price:,}'}, {bids}"


def _day(domain: Mapping[str, Any]) -> str:
    """The registry's day of a drop without a known hour: `26 Nov 2026 (.pl)`; empty for every other end."""
    ends = when(domain["listing"])
    if ends is None or ends.day is None:
        return ""
    return f"{ends.day.day} {ends.day:%b %Y} (.{tld(domain['domain'])})"


def _deadline(domain: Mapping[str, Any]) -> str:
    """The words for the listing's end; empty where nothing happens any more."""
    day = _day(domain)
    if not domain["listing"]["certain"]:
        return "May drop during" if day else "May drop"
    drops = "Drops during" if day else "Drops from" if domain["listing"]["opens_at"] else "Drops by"
    words = {"available": "", "ended": "Ended", "pending_delete": drops}
    return words.get(domain["status"], "Ends")
