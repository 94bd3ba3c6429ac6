"""Registries' news of followed names, told to their followers: events for webhooks, mails for those who want them.

A change is kept together with the state that it led to; how far its followers are told, with their events and mails.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, cast

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection
from typing_extensions import TypedDict

from afterdrop.catalogue.availability import store as registry_store
from afterdrop.catalogue.availability.following_rules import RegistryChange
from afterdrop.catalogue.availability.store import ChangeRow, StateRow
from afterdrop.catalogue.summary import Links
from afterdrop.core.json_shapes import Day, DomainName, Timestamp, instant
from afterdrop.delivery.mail import message
from afterdrop.delivery.mail.message import RegistryNews
from afterdrop.sources.registry.drop_estimate import Stage
from afterdrop.sources.registry.rdap_answer import RegistrySource
from afterdrop.sources.registry.registry_rules import how_to_buy
from afterdrop.watching import notice_store
from afterdrop.watching.matching_store import Recipient
from afterdrop.watching.notice_store import ToTell
from afterdrop.watching.telling import FollowerNews, tell_followers
from afterdrop.worker_context import WorkerContext


class FollowedRegistration(TypedDict):
    """The registration as the registry said; a name that dropped has none."""

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


async def tell_of_registries(context: WorkerContext) -> dict[str, int]:
    """Tell followers of every change that not all were told of; gives how many accounts were told."""
    links = Links.of(context.settings)

    async def next_news(conn: AsyncConnection, now: datetime) -> FollowerNews | None:
        change = await registry_store.next_untold(conn)
        if change is None:
            return None
        known_at = change["known_at"] or change["seen_at"]
        to_tell = ToTell(change["domain"], known_at, change["after_account"])
        return _news(change, links, await notice_store.followers_to_tell(conn, to_tell, now))

    return await tell_followers(context, next_news)


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


def _news(change: ChangeRow, links: Links, followers: Sequence[Recipient]) -> FollowerNews:
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
        followers,
    )
