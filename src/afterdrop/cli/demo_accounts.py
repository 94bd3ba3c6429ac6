"""The demo's accounts: one on the free plan, one on Pro, one without a verified address, and a revoked key."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from afterdrop.core.settings import Settings
    from afterdrop.db.engine import Database

_PRO_DAYS = 365


async def make_accounts(database: Database, settings: Settings, now: datetime) -> dict[str, Any]:
    """`{"accounts": {free, pro, unverified: {email, password, key}}, "revoked_key"}`; keys are new at every start."""
    made: dict[str, Any] = {}
    for name in ("free", "pro", "unverified"):
        made[name] = await _account(database, settings, name, now)
    return {"accounts": made, "revoked_key": await _revoked(database, settings, made["free"]["email"], now)}


async def _account(database: Database, settings: Settings, name: str, now: datetime) -> dict[str, str]:
    import asyncio

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
        key = await _fresh_key(conn, settings, account.id, now)
    return {"email": email, "password": password, "key": key}


async def _fresh_key(conn: Any, settings: Settings, account_id: int, now: datetime) -> str:
    """A key is shown only once, so a demo that is started again makes a new one and revokes the old ones."""
    from afterdrop.accounts import members

    for old in await members.list_keys(conn, account_id):
        await members.revoke_key(conn, account_id, old["id"])
    issued = await members.issue_key(
        conn,
        account_id,
        "demo",
        entropy=secrets.token_bytes(32),
        now=now,
        limit=settings.plans.keys_per_account,
    )
    return issued.key.text


async def _revoked(database: Database, settings: Settings, email: str, now: datetime) -> str:
    from afterdrop.accounts import members

    async with database.write() as conn:
        account = await members.find_account(conn, email)
        issued = await members.issue_key(
            conn,
            account.id,
            "revoked",
            entropy=secrets.token_bytes(32),
            now=now,
            limit=settings.plans.keys_per_account,
        )
        await members.revoke_key(conn, account.id, issued.id)
    return issued.key.text
