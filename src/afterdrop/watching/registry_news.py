"""What registries say of followed names, told to their followers: events for webhooks, mails for those who want them.

A change is kept together with the state that it led to; how far its followers are told, together with their events and
mails. So nobody misses one, and nobody hears of it twice, wherever a worker dies.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final, cast

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection
from typing_extensions import TypedDict

from afterdrop.catalogue.availability import store as registry_store
from afterdrop.catalogue.availability.following_rules import RegistryChange
from afterdrop.catalogue.availability.store import ChangeRow, StateRow
from afterdrop.catalogue.summary import Links
from afterdrop.core.json_shapes import Day, DomainName, Timestamp, instant
from afterdrop.delivery import events
from afterdrop.delivery.mail import message, store
from afterdrop.delivery.mail.message import MailFrame, MailMessage, RegistryNews
from afterdrop.delivery.mail.store import MailContext
from afterdrop.sources.registry.drop_estimate import Stage
from afterdrop.sources.registry.rdap_answer import RegistrySource
from afterdrop.sources.registry.registry_rules import how_to_buy
from afterdrop.watching import notice_store
from afterdrop.watching.matching_store import Recipient
from afterdrop.watching.notice_store import ToTell
from afterdrop.watching.notices import mail_reason
from afterdrop.watching.worker import AlertsContext

# Mails made before other tasks get a turn at the processor.
_MAILS_A_TURN: Final = 20


class FollowedRegistration(TypedDict):
    """What the registry said; a name that dropped has no registration."""

    stage: Annotated[Stage, Field(description="How far the registration has got towards its end")]
    registrar: Annotated[str | None, Field(description="The registrar; null if unknown")]
    registered_at: Annotated[Timestamp | None, Field(description="When it was registered; null if unknown")]
    expires_at: Annotated[Timestamp | None, Field(description="Until when it is paid; null if unknown")]
    drops_from: Annotated[Day | None, Field(description="The first day of the estimated drop")]
    drops_until: Annotated[Day | None, Field(description="The last day of the estimated drop")]
    source: Annotated[RegistrySource | None, Field(description="How the registry was asked")]


class RegistrationChanged(TypedDict):
    """A watched domain whose registration changed, and what the registry said."""

    domain: DomainName
    change: Annotated[RegistryChange, Field(description="The change")]
    seen_at: Annotated[Timestamp, Field(description="When the registry said so")]
    registration: Annotated[FollowedRegistration, Field(description="The registry's answer")]
    register_url: Annotated[str | None, Field(description="A registrar's search, where it dropped")]


async def tell_followers(context: AlertsContext) -> dict[str, int]:
    """Tell followers of every change that not all were told of; gives how many accounts were told."""
    count, links = 0, Links.of(context.settings)
    while True:
        now = context.now()
        async with context.database.read() as conn:
            change = await registry_store.next_untold(conn)
            followers = await _followers(conn, change, now) if change else []
        if change is None:
            return {"told": count}
        count += await tell(context, _news(change, links), followers)


async def _followers(conn: AsyncConnection, change: ChangeRow, now: datetime) -> list[Recipient]:
    known_at = change["known_at"] or change["seen_at"]
    news = ToTell(change["domain"], known_at, change["after_account"])
    return await notice_store.followers_to_tell(conn, news, now)


@dataclass(frozen=True, slots=True)
class FollowerNews:
    """News of a name as its followers get it: the type and data of the event, the occasion without the account.

    `mail` writes the text; `advance` writes up to which account all are told (None: all of them), and says whether
    nobody else has done so.
    """

    kind: str
    data: Mapping[str, object]
    occasion: tuple[str, str]
    mail: Callable[[MailFrame], MailMessage]
    advance: Callable[[AsyncConnection, int | None, datetime], Awaitable[bool]]


async def tell(context: AlertsContext, news: FollowerNews, followers: Sequence[Recipient]) -> int:
    """Tell the next accounts; gives how many."""
    now = context.now()
    before, after = news.occasion
    drafts = [
        events.EventDraft(recipient.id, news.data, f"{before}:{recipient.id}:{after}")
        for recipient in followers
    ]
    mails = await _mails(MailContext.of(context.settings, context.secret_box), news, followers, now)
    up_to = followers[-1].id if len(followers) == notice_store.TOLD_AT_ONCE else None
    async with context.database.write() as conn:
        if not await news.advance(conn, up_to, now):
            return 0
        await events.record_all(conn, news.kind, drafts, now)
        await store.queue_mails(conn, mails, now)
    return len(followers)


def registration_of(row: ChangeRow | StateRow) -> FollowedRegistration:
    """A change or state, once it has a stage, as events show it."""
    return {
        "stage": cast(Stage, row["stage"]),
        "registrar": row["registrar"],
        "registered_at": instant(row["registered_at"]),
        "expires_at": instant(row["expires_at"]),
        "drops_from": row["earliest"],
        "drops_until": row["latest"],
        "source": row["source"],
    }


def _news(change: ChangeRow, links: Links) -> FollowerNews:
    dropped = change["change"] == "dropped"
    data: RegistrationChanged = {
        "domain": change["domain"],
        "change": change["change"],
        "seen_at": instant(change["seen_at"]),
        "registration": registration_of(change),
        "register_url": links.register(change["domain"]) if dropped else None,
    }

    async def advance(conn: AsyncConnection, up_to: int | None, now: datetime) -> bool:
        return await registry_store.advance(conn, change, up_to, now)

    drops = change["earliest"], change["latest"]
    news = RegistryNews(
        name=change["domain"],
        change=change["change"],
        seen_at=data["seen_at"],
        expires_at=data["registration"]["expires_at"],
        drops=cast(tuple[str, str], drops)
        if all(drops) and change["change"] not in ("renewed", "registered")
        else None,
        register_url=data["register_url"],
        registrar=data["registration"]["registrar"],
        registered_at=data["registration"]["registered_at"],
        how_to_buy=how_to_buy(change["domain"])
        if change["change"] in ("redemption", "pending_delete")
        else None,
    )
    return FollowerNews(
        f"registration.{change['change']}",
        data,
        ("registry", f"{change['domain']}:{int(change['seen_at'].timestamp())}"),
        lambda frame: message.registry_notice(frame, news),
        advance,
    )


async def _mails(
    mail_context: MailContext,
    news: FollowerNews,
    followers: Sequence[Recipient],
    now: datetime,
) -> list[store.MailDraft]:
    before, after = news.occasion
    drafts: list[store.MailDraft] = []
    for recipient in followers:
        if mail_reason(recipient, watching=True, ruled=False) is None:
            continue
        text = news.mail(mail_context.notification(recipient.id, "watches", recipient.zone, now))
        occasion = f"{before}:{recipient.id}:{after}"
        drafts.append(store.MailDraft(recipient.email, text, recipient.id, occasion))
        if len(drafts) % _MAILS_A_TURN == 0:
            await asyncio.sleep(0)
    return drafts
