"""Create and change accounts and their API keys. Callers own the transaction."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts import store
from afterdrop.accounts.account import DEFAULT_REMINDER_HOURS, Account, normal_email
from afterdrop.accounts.api_keys import NewKey, Scope, make_key
from afterdrop.core.errors import AfterdropError

KEY_NAME_LENGTH = 80
# The contract's number.
KEYS_PER_ACCOUNT = 5


class BadEmail(AfterdropError):
    """The text is not an e-mail address."""

    code, status = "validation_failed", 422


class EmailTaken(AfterdropError):
    """Another account has this address."""

    code, status = "validation_failed", 422


class UnknownAccount(AfterdropError):
    """No account has this address."""

    code, status = "not_found", 404


class TooManyKeys(AfterdropError):
    """The account already has as many keys as it may."""

    code, status = "limit_reached", 409


@dataclass(frozen=True, slots=True)
class IssuedKey:
    """A key that was just made; `key.text` is shown now and never again."""

    id: int
    key: NewKey


@dataclass(frozen=True, slots=True)
class NewAccount:
    """An account to be created; `email` as it was typed."""

    email: str
    password_hash: str | None = None
    verified: bool = False
    plan_until: datetime | None = None
    operator: bool = False
    zone: str = "UTC"


async def create_account(conn: AsyncConnection, new: NewAccount, *, now: datetime, welcome: int) -> Account:
    """Add an account with `welcome` check credits. Raises BadEmail or EmailTaken."""
    address = normal_email(new.email)
    if address is None:
        raise BadEmail(new.email[:80], "is not an e-mail address")
    if await store.account_by_email(conn, address):
        raise EmailTaken(address, "already has an account")
    values = {
        "email": address,
        "password_hash": new.password_hash,
        "created_at": now,
        "verified_at": now if new.verified else None,
        "plan_until": new.plan_until,
        "operator": new.operator,
        "zone": new.zone,
        "reminder_hours": list(DEFAULT_REMINDER_HOURS),
    }
    account_id = await store.insert_account(conn, values)
    if account_id is None:
        raise EmailTaken(address, "already has an account")
    credit = store.Credit("welcome", welcome, "welcome", f"welcome:{account_id}")
    await store.add_credits(conn, account_id, credit, now)
    account = await store.account_by_id(conn, account_id)
    assert account is not None
    return account


async def find_account(conn: AsyncConnection, email: str) -> Account:
    """The account of an address. Raises UnknownAccount."""
    account = await store.account_by_email(conn, normal_email(email) or "")
    if account is None:
        raise UnknownAccount(email[:80], "no account has this address")
    return account


async def acting_account(conn: AsyncConnection, email: str) -> Account:
    """The account that a command uses: that of `email`, without one the only account or the only operator's.

    Raises UnknownAccount.
    """
    if email:
        return await find_account(conn, email)
    everyone = await store.every_account(conn, limit=2)
    if not everyone:
        raise UnknownAccount(
            "account", "there is no account yet; `afterdrop account create EMAIL --verified` creates one"
        )
    likely = everyone if len(everyone) == 1 else await store.operators(conn, limit=2)
    if len(likely) != 1:
        raise UnknownAccount("account", "there are several accounts; choose one with --account EMAIL")
    return likely[0]


async def verify_account(conn: AsyncConnection, account_id: int, now: datetime) -> bool:
    """Note that the owner reads mail sent to the address; False when the account is gone."""
    return await store.mark_verified(conn, account_id, now)


async def set_plan(conn: AsyncConnection, account_id: int, until: datetime | None) -> bool:
    """Pro until `until`; None or a past time puts the account on the free plan now."""
    return await store.change_account(conn, account_id, plan_until=until)


async def extend_plan(conn: AsyncConnection, account_id: int, until: datetime) -> bool:
    """Pro until `until` at least: what is paid for already is never shortened."""
    return await store.extend_plan(conn, account_id, until)


async def set_operator(conn: AsyncConnection, account_id: int, operator: bool) -> bool:
    """Operators see the admin pages."""
    return await store.change_account(conn, account_id, operator=operator)


async def set_password(
    conn: AsyncConnection, account_id: int, password_hash: str, *, token_version: int | None = None
) -> bool:
    """Store a new password's hash; every session and signed link made before stops working.

    With `token_version` only where the account still has that one, so that of several uses of one link a single one
    counts. False when nothing was changed.
    """
    return await store.change_password(conn, account_id, password_hash, token_version)


async def redeem_link(conn: AsyncConnection, account: Account) -> Account | None:
    """The account once a link that signs in is used up, and with it every other signed link made before.

    None when that or a new password came first: of several uses of one link a single one counts.
    """
    return (
        await store.account_by_id(conn, account.id)
        if await store.raise_token_version(conn, account)
        else None
    )


async def issue_key(
    conn: AsyncConnection, account_id: int, name: str, *, entropy: bytes, now: datetime
) -> IssuedKey:
    """Make a key from 32 random bytes; only its hash is stored. Raises TooManyKeys at `KEYS_PER_ACCOUNT` keys.

    It may do everything until `set_key_scope` says otherwise.
    """
    label = name.strip()[:KEY_NAME_LENGTH] or "key"
    await store.lock_account(conn, account_id)
    if len(await store.list_keys(conn, account_id)) >= KEYS_PER_ACCOUNT:
        raise TooManyKeys("keys", f"an account can have at most {KEYS_PER_ACCOUNT} keys; delete one first")
    key = make_key(entropy)
    values: dict[str, object] = {"account_id": account_id, "name": label, "hash": key.hash, "hint": key.hint}
    return IssuedKey(await store.insert_key(conn, {**values, "created_at": now}), key)


async def set_key_scope(conn: AsyncConnection, account_id: int, key_id: int, scope: Scope) -> bool:
    """Say what a key may do. False when the account has no such key."""
    return await store.change_key(conn, account_id, key_id, scope)


async def list_keys(conn: AsyncConnection, account_id: int) -> list[store.ApiKeyRow]:
    """The account's keys, oldest first."""
    return await store.list_keys(conn, account_id)


async def revoke_key(conn: AsyncConnection, account_id: int, key_id: int) -> bool:
    """Delete a key: it stops working in every process within a second. False when the account has no such key."""
    return await store.delete_key(conn, account_id, key_id)


class GrantClash(AfterdropError):
    """The reference was used for another grant."""

    code, status = "validation_failed", 422


@dataclass(frozen=True, slots=True)
class Grant:
    """A grant of Pro until a time (at least, since grants may arrive in any order), of purchased credits, or both."""

    reference: str
    plan_until: datetime | None = None
    credits: int = 0

    def content(self) -> dict[str, object]:
        """The grant as it is recorded under its reference."""
        until = self.plan_until.isoformat() if self.plan_until else None
        return {"plan_until": until, "credits": self.credits}


async def apply_grant(conn: AsyncConnection, email: str, grant: Grant, now: datetime) -> bool:
    """Apply a grant; False when the same grant was applied before (nothing changes).

    Raises UnknownAccount, or GrantClash when the reference was used for another grant.
    """
    account = await find_account(conn, email)
    if not await store.insert_grant(conn, account.id, grant.reference, grant.content(), now):
        if await store.recorded_grant(conn, grant.reference) != (account.id, grant.content()):
            raise GrantClash("reference", "was already used for another grant")
        return False
    if grant.plan_until is not None:
        await extend_plan(conn, account.id, grant.plan_until)
    credit = store.Credit("purchased", grant.credits, "grant", f"grant:{grant.reference}")
    await store.add_credits(conn, account.id, credit, now)
    return True
