"""`afterdrop account …` and `afterdrop key …`: accounts, plans, credits and keys from the command line."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from afterdrop.accounts.api_keys import Scope
from afterdrop.cli.announcement import announce
from afterdrop.cli.console import json_line, line, print_rows
from afterdrop.core import clock
from afterdrop.core.errors import AfterdropError
from afterdrop.core.settings import Settings

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

account_app = typer.Typer(no_args_is_help=True, help="Accounts: create, verify, plan, credits, list, delete.")
account_app.command("announce")(announce)
key_app = typer.Typer(no_args_is_help=True, help="API keys: create, list, revoke.")

Email = Annotated[str, typer.Argument(help="The account's e-mail address.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")]
Result = TypeVar("Result")
Work = Callable[["AsyncConnection", Settings, datetime], Awaitable[Result]]


def _write(work: Work[Result]) -> Result:
    """Run `work` in one writing transaction over the configured database."""
    from afterdrop.cli.bootstrap import load_settings, open_migrated

    settings = load_settings()

    async def run() -> Result:
        async with open_migrated(settings) as database, database.write() as conn:
            return await work(conn, settings, clock.now())

    return asyncio.run(run())


def _print_result(value: dict[str, Any], as_json: bool, text: str) -> None:
    if as_json:
        json_line(value)
    else:
        line(text)


@account_app.command("create")
def create(
    email: Email,
    *,
    verified: Annotated[bool, typer.Option(help="Take the address as confirmed; no mail is sent.")] = False,
    pro_days: Annotated[int, typer.Option(min=0, help="How many days of Pro the account gets.")] = 0,
    operator: Annotated[
        bool, typer.Option(help="The account may see the operator pages and operator-only data.")
    ] = False,
    password: Annotated[bool, typer.Option("--password", help="Ask for a password to sign in with.")] = False,
    key: Annotated[bool, typer.Option("--key", help="Also make an API key.")] = False,
    as_json: Json = False,
) -> None:
    """Create an account."""
    from afterdrop.accounts import members, passwords

    hashed = None
    if password:
        typed = typer.prompt("Password", hide_input=True, confirmation_prompt=True)
        fault = passwords.password_fault(typed)
        if fault:
            raise AfterdropError("password", fault)
        hashed = passwords.hash_password(typed)

    async def work(conn: AsyncConnection, settings: Settings, now: datetime) -> dict[str, Any]:
        account = await members.create_account(
            conn,
            members.NewAccount(
                email,
                password_hash=hashed,
                verified=verified,
                plan_until=now + timedelta(days=pro_days) if pro_days else None,
                operator=operator,
            ),
            now=now,
            welcome=settings.plans.welcome_checks,
        )
        made: dict[str, Any] = {"id": account.id, "email": account.email, "plan": account.plan(now)}
        if key:
            limit = settings.plans.keys_per_account
            issued = await members.issue_key(
                conn, account.id, "first", entropy=secrets.token_bytes(32), now=now, limit=limit
            )
            made["key"] = issued.key.text
        return made

    made = _write(work)
    shown = f"; key (shown only now): {made['key']}" if key else ""
    text = f"account {made['id']} {made['email']} created on the {made['plan']} plan{shown}"
    _print_result(made, as_json, text)


@account_app.command("invite")
def invite(email: Email) -> None:
    """Print a link with which this address can sign up for 14 days, for sites with `sign_up = "invite"`."""
    from afterdrop.accounts.emails import normal_email
    from afterdrop.accounts.invitations import invitation
    from afterdrop.accounts.secret_box import open_secret_box
    from afterdrop.cli.bootstrap import load_settings

    address, settings = normal_email(email), load_settings()
    if address is None:
        raise AfterdropError(email, "is not an e-mail address")
    text = invitation(open_secret_box(settings), address, clock.now())
    line(f"{settings.site_url}/sign-up?invite={text}")


@account_app.command("verify")
def verify(email: Email) -> None:
    """Take the account's address as confirmed."""
    from afterdrop.accounts import members

    async def work(conn: AsyncConnection, _: Settings, now: datetime) -> None:
        account = await members.find_account(conn, email)
        await members.verify_account(conn, account.id, now)

    _write(work)
    line(f"{email} is verified")


@account_app.command("plan")
def plan(
    email: Email,
    *,
    until: Annotated[str, typer.Option(help="Pro until this time (ISO 8601 with Z or an offset).")] = "",
    days: Annotated[int, typer.Option(min=0, help="Pro for this many days from now.")] = 0,
    free: Annotated[bool, typer.Option("--free", help="The free plan from now on.")] = False,
) -> None:
    """Set how long an account is on Pro."""
    from afterdrop.accounts import members

    if sum((bool(until), bool(days), free)) != 1:
        raise AfterdropError("account plan", "takes exactly one of --until, --days and --free")

    async def work(conn: AsyncConnection, _: Settings, now: datetime) -> datetime | None:
        account = await members.find_account(conn, email)
        ends = None if free else _time(until) if until else now + timedelta(days=days)
        await members.set_plan(conn, account.id, ends)
        return ends

    ends = _write(work)
    line(f"{email} is on Pro until {ends:%Y-%m-%dT%H:%M:%SZ}" if ends else f"{email} is on the free plan")


def _time(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise AfterdropError("--until", f"{text!r} is not an ISO 8601 time") from None
    if moment.tzinfo is None:
        raise AfterdropError("--until", "needs Z or an offset, such as 2026-12-31T00:00:00Z")
    return moment


@account_app.command("credits")
def credits(
    email: Email,
    number: Annotated[int, typer.Argument(min=1, help="How many check credits to add.")],
    *,
    reference: Annotated[
        str, typer.Option(help="Each reference is applied only once; by default a new one.")
    ] = "",
) -> None:
    """Add purchased check credits."""
    from afterdrop.accounts.grants import Grant, apply_grant

    async def work(conn: AsyncConnection, _: Settings, now: datetime) -> bool:
        grant = Grant(reference or f"cli:{secrets.token_hex(8)}", credits=number)
        return await apply_grant(conn, email, grant, now)

    applied = _write(work)
    line(
        f"{number} credits added to {email}" if applied else f"reference {reference} has already been applied"
    )


@account_app.command("operator")
def operator(
    email: Email, *, on: Annotated[bool, typer.Option("--on/--off", help="Grant or withdraw.")] = True
) -> None:
    """Give an account access to the operator pages and operator-only data, or take it away."""
    from afterdrop.accounts import members

    async def work(conn: AsyncConnection, _: Settings, now: datetime) -> None:
        account = await members.find_account(conn, email)
        await members.set_operator(conn, account.id, on)

    _write(work)
    line(f"{email} is {'now an' if on else 'no longer an'} operator")


@account_app.command("delete")
def delete(
    email: Email, *, yes: Annotated[bool, typer.Option("--yes", help="Do not ask first.")] = False
) -> None:
    """Delete an account and everything it owns."""
    from afterdrop.accounts import members, store

    if not yes:
        typer.confirm(f"Delete {email} and everything it owns?", abort=True)

    async def work(conn: AsyncConnection, _: Settings, now: datetime) -> None:
        account = await members.find_account(conn, email)
        await store.delete_account(conn, account.id)

    _write(work)
    line(f"{email} has been deleted")


@account_app.command("list")
def list_accounts(as_json: Json = False) -> None:
    """List every account with its plan and credits."""
    from afterdrop.accounts import store

    async def work(conn: AsyncConnection, settings: Settings, now: datetime) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        while page := await store.every_account(conn, after=rows[-1]["id"] if rows else 0):
            for account in page:
                allowance = settings.plan(account.plan(now)).checks_per_month
                left = await store.credit_balance(conn, account.id, allowance=allowance, now=now)
                rows.append(
                    {
                        "id": account.id,
                        "email": account.email,
                        "plan": account.plan(now),
                        "plan_until": account.plan_until,
                        "verified": account.verified_at is not None,
                        "operator": account.operator,
                        "credits": left.available,
                    }
                )
        return rows

    print_rows(("id", "email", "plan", "until", "verified", "operator", "credits"), _write(work), as_json)


@key_app.command("create")
def create_key(
    email: Email,
    *,
    name: Annotated[str, typer.Option(help="What the key is for.")] = "key",
    scope: Annotated[Scope, typer.Option(help="What the key may do.")] = "full",
    as_json: Json = False,
) -> None:
    """Make an API key. It is shown only this once."""
    from afterdrop.accounts import members

    async def work(conn: AsyncConnection, settings: Settings, now: datetime) -> dict[str, Any]:
        account = await members.find_account(conn, email)
        limit = settings.plans.keys_per_account
        issued = await members.issue_key(
            conn, account.id, name, entropy=secrets.token_bytes(32), now=now, limit=limit
        )
        await members.set_key_scope(conn, account.id, issued.id, scope)
        return {"id": issued.id, "key": issued.key.text}

    made = _write(work)
    _print_result(made, as_json, made["key"])


@key_app.command("list")
def list_keys(email: Email, *, as_json: Json = False) -> None:
    """List an account's keys, without their text."""
    from afterdrop.accounts import members

    async def work(conn: AsyncConnection, _: Settings, now: datetime) -> list[dict[str, Any]]:
        account = await members.find_account(conn, email)
        return [dict(row) for row in await members.list_keys(conn, account.id)]

    print_rows(("id", "name", "may", "key", "created", "last used"), _write(work), as_json)


@key_app.command("revoke")
def revoke_key(email: Email, key_id: Annotated[int, typer.Argument(help="Its id; see `key list`.")]) -> None:
    """Delete a key. It stops working everywhere within a second."""
    from afterdrop.accounts import members

    async def work(conn: AsyncConnection, _: Settings, now: datetime) -> bool:
        account = await members.find_account(conn, email)
        return await members.revoke_key(conn, account.id, key_id)

    if not _write(work):
        raise AfterdropError(f"key {key_id}", f"does not belong to {email}")
    line(f"key {key_id} is revoked")
