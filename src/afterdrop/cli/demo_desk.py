"""The parts of a demo beside its lists: accounts and keys, rules and webhooks, followed names, a batch of checks."""

from __future__ import annotations

import asyncio
import secrets
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, TypedDict

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from afterdrop.accounts.account import Viewer
    from afterdrop.core.settings import Settings
    from afterdrop.db.engine import Database
    from afterdrop.worker_context import WorkerContext

_PRO_DAYS: Final = 365


class DemoAccount(TypedDict):
    """An account of the demo: its sign-in and its key."""

    email: str
    password: str
    key: str


class DemoAccounts(TypedDict):
    """The accounts `free`, `pro` and `unverified`, and a key that is no longer valid."""

    accounts: dict[str, DemoAccount]
    revoked_key: str


async def make_accounts(database: Database, settings: Settings, now: datetime) -> DemoAccounts:
    """The accounts of the demo; keys are new at every start."""
    made: dict[str, DemoAccount] = {}
    for name in ("free", "pro", "unverified"):
        made[name] = await _account(database, settings, name, now)
    email = made["free"]["email"]
    from afterdrop.accounts import members

    async with database.write() as conn:
        account = await members.find_account(conn, email)
        issued = await members.issue_key(
            conn, account.id, "revoked", entropy=secrets.token_bytes(32), now=now
        )
        await members.revoke_key(conn, account.id, issued.id)
    return {"accounts": made, "revoked_key": issued.key.text}


async def _account(database: Database, settings: Settings, name: str, now: datetime) -> DemoAccount:

    from afterdrop.accounts import members, passwords, store

    email, password = f"{name}@demo.afterdrop.org", secrets.token_urlsafe(12)
    hashed = await asyncio.to_thread(passwords.hash_password, password)
    async with database.write() as conn:
        account = await store.account_by_email(conn, email)
        if account is None:
            account = await members.create_account(
                conn,
                members.NewAccount(
                    email,
                    verified=name != "unverified",
                    plan_until=now + timedelta(days=_PRO_DAYS) if name == "pro" else None,
                ),
                now=now,
                welcome=settings.plans.welcome_checks,
            )
        await members.set_password(conn, account.id, hashed)
        key = await _fresh_key(conn, account.id, now)
    return {"email": email, "password": password, "key": key}


async def _fresh_key(conn: AsyncConnection, account_id: int, now: datetime) -> str:
    """A key is shown only once, so a demo that is started again makes a new one and revokes the old ones."""
    from afterdrop.accounts import members

    for old in await members.list_keys(conn, account_id):
        await members.revoke_key(conn, account_id, old["id"])
    issued = await members.issue_key(conn, account_id, "demo", entropy=secrets.token_bytes(32), now=now)
    return issued.key.text


# Their members are those of the interface's body.
_RULES: Final[tuple[dict[str, object], ...]] = (
    {"name": "Strong and clean", "frequency": "instant", "min_score": 80, "clean_only": True},
    {"name": "German sites", "frequency": "daily", "langs": ["de"], "min_score": 60},
    {
        "name": "Clubs, cheap",
        "frequency": "instant",
        "keywords": ["club", "verein", "society"],
        "max_price": 300,
    },
)
_FOLLOWED: Final = 6
_CREDITS: Final = 60
_BATCH: Final = 60
# More than any demo lists.
_EVERY: Final = 100_000


async def watch_for_names(context: WorkerContext, sandbox_url: str, email: str, since: datetime) -> None:
    """Give the account rules, a webhook that is taken and one that fails, before anything is listed."""
    from afterdrop.accounts import members
    from afterdrop.delivery import events
    from afterdrop.delivery.webhooks.endpoint_store import NewEndpoint, create_endpoint
    from afterdrop.watching.rules import create_rule

    limits = context.settings.plans.pro
    async with context.database.write() as conn:
        account = await members.find_account(conn, email)
        for rule in _RULES:
            values = {"active": True, "mail": True, **rule}
            await create_rule(conn, account.id, values, limit=limits.alert_rules, now=since)
        for answer in ("200", "500"):
            url = f"{sandbox_url}/_sandbox/hooks/demo-{answer}?do={answer}"
            new = NewEndpoint(url, events.INTERFACE_EVENTS, True, secrets.token_urlsafe(24))
            await create_endpoint(
                conn, context.secret_box, account.id, new, limit=limits.webhook_endpoints, now=since
            )


async def fill_desk(context: WorkerContext, email: str, unlisted: list[str]) -> None:
    """Follow what ends next and what was taken over, and order a batch of checks: some names are listed, others not."""
    from afterdrop.accounts import members
    from afterdrop.accounts.members import Grant, apply_grant
    from afterdrop.catalogue import visits
    from afterdrop.catalogue.store import live_now
    from afterdrop.catalogue.summary import Links
    from afterdrop.checks.batch import BatchOrder, order_batch
    from afterdrop.watching.watchlist import watch

    now, links = context.now(), Links.of(context.settings)
    async with context.database.write() as conn:
        await apply_grant(conn, email, Grant("demo", credits=_CREDITS), now)
        account = await members.find_account(conn, email)
        viewer: Viewer = account.viewer(now)
        every = (await live_now(conn, viewer, now, links, _EVERY)).rows
        ending = [row["domain"] for row in sorted(every, key=lambda row: row["listing"]["ends_at"] or "9")][
            :_BATCH
        ]
        for domain in [*ending[:_FOLLOWED], *await visits.planned(conn, _FOLLOWED)]:
            await watch(conn, viewer, domain, context.settings.plans.pro, now)
        names = [*ending[:: _BATCH // 10], *unlisted][:_BATCH]
        order = BatchOrder(viewer, names, _CREDITS, context.settings.plans.pro.checks_per_month)
        await order_batch(conn, order, now, context.settings)


async def sign_in_link(context: WorkerContext, email: str) -> str:
    """An address that signs a browser on this machine in, once."""
    from afterdrop.accounts import members, tokens

    async with context.database.read() as conn:
        account = await members.find_account(conn, email)
    token = tokens.make_token(context.secret_box, "sign_in", account, context.now())
    return f"{context.settings.site_url}/once/{token}"


def next_steps(settings: Settings, accounts: DemoAccounts, link: str, sandbox_url: str) -> list[str]:
    """The text for a person at the start: one address, three things to try, keys."""
    pro, free = accounts["accounts"]["pro"], accounts["accounts"]["free"]
    return [
        "",
        f"The service answers. Open {link}",
        "It signs you in, once and from this machine only.",
        "",
        "Try:",
        "  1. Live: j and k walk through the list, Enter opens a short report, o the whole one, w follows a name.",
        "  2. Desk: names you follow that end today, what your rules found, drops today and tomorrow.",
        f"  3. Checks: a batch of {_BATCH} names is being checked; Account, Webhooks: one receiver fails.",
        "",
        f"Keys for {settings.base_url}:",
        f"  Pro   {pro['key']}",
        f"  free  {free['key']}",
        f"  curl -s -H 'Authorization: Bearer {pro['key']}' '{settings.base_url}/domains?sort=ending&clean=true'",
        "",
        f"To sign in again: {pro['email']}, {pro['password']}. Mails arrive at {sandbox_url}/_sandbox/mail",
        "Stop with Ctrl-C.",
    ]
