"""`afterdrop account …` and `key …`: accounts, plans, credits and API keys from the command line."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple, TypeVar

import typer

from afterdrop.accounts.api_keys import Scope
from afterdrop.cli.console import json_line, line, note, print_rows
from afterdrop.core import clock
from afterdrop.core.errors import AfterdropError
from afterdrop.core.json_shapes import instant
from afterdrop.core.settings import Settings

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from afterdrop.accounts.store import ApiKeyRow

_MOST_BYTES: Final = 64 * 1024
_A_TRANSACTION: Final = 200
account_app = typer.Typer(no_args_is_help=True, help="Accounts: create, verify, plan, credits, list, delete.")

Email = Annotated[str, typer.Argument(help="The account's e-mail address.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")]
Result = TypeVar("Result")
Work = Callable[["AsyncConnection", Settings, datetime], Awaitable[Result]]


def write_to_accounts(work: Work[Result]) -> Result:
    """Run `work` in one writing transaction over the configured database."""
    from afterdrop.cli.bootstrap import load_settings, open_existing

    settings = load_settings()

    async def run() -> Result:
        async with open_existing(settings) as database, database.write() as conn:
            return await work(conn, settings, clock.now())

    return asyncio.run(run())


def print_result(value: Mapping[str, str | int], as_json: bool, text: str) -> None:
    if as_json:
        json_line(value)
    else:
        line(text)


class Announcement(NamedTuple):
    """The text of a file: a subject, and paragraphs with an empty line between them."""

    subject: str
    text: str


@account_app.command("announce")
def announce(
    file: Annotated[
        Path, typer.Argument(help="A UTF-8 text file: the first line is the subject, the rest is the mail.")
    ],
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say how many accounts would get it.")
    ] = False,
) -> None:
    """Mail a text to every account that has an API key.

    An API version is retired twelve months after such a mail at the earliest. An account gets the same file only
    once, however often you run this.
    """
    written = read_announcement(file)
    count = asyncio.run(_mail(written, dry_run=dry_run))
    line(f"{count} accounts {'would get' if dry_run else 'get'} {written.subject!r}")


def read_announcement(file: Path) -> Announcement:
    """The text in a file. Raises AfterdropError for a file without subject and text."""
    from afterdrop.core.safe_text import one_line

    try:
        with file.open("rb") as opened:
            content = opened.read(_MOST_BYTES + 1)
        text = content.decode("utf-8")
    except OSError as error:
        raise AfterdropError(str(file), f"cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise AfterdropError(str(file), "is not UTF-8 text") from None
    if len(content) > _MOST_BYTES:
        raise AfterdropError(str(file), f"is larger than {_MOST_BYTES // 1024} KiB")
    plain = "".join(char for char in "\n".join(text.splitlines()) if char == "\n" or char.isprintable())
    first, _, rest = plain.strip().partition("\n")
    if not rest.strip():
        raise AfterdropError(str(file), "needs a subject on its first line and a text below it")
    return Announcement(one_line(first), rest.strip() + "\n")


async def _mail(written: Announcement, *, dry_run: bool) -> int:
    """Queue the mail; returns how many accounts get it. An account that got it before does not count."""
    from afterdrop.accounts import store
    from afterdrop.cli.bootstrap import load_settings, open_existing
    from afterdrop.delivery.mail import message
    from afterdrop.delivery.mail import store as mails

    mark = hashlib.blake2b(f"{written.subject}\n{written.text}".encode(), digest_size=12).hexdigest()
    count, last = 0, 0
    settings = load_settings()
    mail = message.announcement(message.MailFrame(settings.site_name, settings.site_url), *written)
    async with open_existing(settings) as database:
        while True:
            async with database.write() as conn:
                found = await store.accounts_with_keys(conn, after=last, limit=_A_TRANSACTION)
                drafts = [
                    mails.MailDraft(account.email, mail, account.id, f"announcement:{mark}:{account.id}")
                    for account in found
                ]
                made = len(drafts) if dry_run else len(await mails.queue_mails(conn, drafts, clock.now()))
            if not found:
                return count
            count, last = count + made, found[-1].id


@account_app.command("create")
def create(
    email: Email,
    *,
    verified: Annotated[bool, typer.Option(help="Take the address as confirmed; no mail is sent.")] = False,
    pro_days: Annotated[
        int, typer.Option(min=0, help="How many days of Pro the account gets; a team's get ten years.")
    ] = 0,
    operator: Annotated[bool, typer.Option(help="The account may see the operator pages.")] = False,
    password: Annotated[bool, typer.Option("--password", help="Ask for a password to sign in with.")] = False,
    key: Annotated[bool, typer.Option("--key", help="Also make an API key.")] = False,
    as_json: AsJson = False,
) -> None:
    """Create an account."""
    from afterdrop.accounts import members
    from afterdrop.core.audience import MEMBERS_PLAN

    hashed = _asked_password() if password else None

    async def work(conn: AsyncConnection, settings: Settings, now: datetime) -> dict[str, str | int]:
        least = MEMBERS_PLAN if settings.audience == "team" else timedelta(0)
        pro = max(timedelta(days=pro_days), least)
        account = await members.create_account(
            conn,
            members.NewAccount(
                email,
                password_hash=hashed,
                verified=verified,
                plan_until=now + pro if pro else None,
                operator=operator,
            ),
            now=now,
            welcome=settings.plans.welcome_checks,
        )
        made: dict[str, str | int] = {"id": account.id, "email": account.email, "plan": account.plan(now)}
        if key:
            entropy = secrets.token_bytes(32)
            issued = await members.issue_key(conn, account.id, "first", entropy=entropy, now=now)
            made["key"] = issued.key.text
        return made

    made = write_to_accounts(work)
    shown = f"; key (shown only now): {made['key']}" if key else ""
    text = f"account {made['id']} {made['email']} created on the {made['plan']} plan{shown}"
    print_result(made, as_json, text)


def _asked_password() -> str:
    """The hash of a password that is typed twice; a weak one is asked for again."""
    from afterdrop.accounts import passwords

    while fault := passwords.password_fault(
        typed := typer.prompt("Password", hide_input=True, confirmation_prompt=True)
    ):
        note(f"password: {fault}")
    return passwords.hash_password(typed)


@account_app.command("password")
def password(
    email: Email,
    *,
    link: Annotated[
        bool,
        typer.Option("--link", help="Print a link instead, with which its owner chooses one within 2 hours."),
    ] = False,
) -> None:
    """Ask for a new password of an account. It ends the account's sessions and the links in its earlier mails."""
    from afterdrop.accounts import members, sessions, sign_in_limits, tokens
    from afterdrop.accounts.secret_box import open_secret_box

    hashed = "" if link else _asked_password()

    async def work(conn: AsyncConnection, settings: Settings, now: datetime) -> str:
        account = await members.find_account(conn, email)
        if link:
            return f"{settings.site_url}/reset/{tokens.make_token(open_secret_box(settings), 'reset', account, now)}"
        await members.set_password(conn, account.id, hashed, token_version=account.token_version)
        # Whoever tried the old one too often may sign in at once.
        await sessions.forget_attempts(conn, sign_in_limits.account("sign-in", account.email))
        return f"{account.email} has a new password; its sessions have ended"

    line(write_to_accounts(work))


@account_app.command("invite")
def invite(email: Email) -> None:
    """Print a link with which this address can sign up for 14 days, for sites with `sign_up = "invite"`."""
    from afterdrop.accounts.account import normal_email
    from afterdrop.accounts.secret_box import open_secret_box
    from afterdrop.accounts.tokens import invitation

    address = normal_email(email)
    if address is None:
        raise AfterdropError(email, "is not an e-mail address")

    async def work(_: AsyncConnection, settings: Settings, now: datetime) -> str:
        # Signed over the deployment's database, so that no keys are made in another folder.
        return f"{settings.site_url}/sign-up?invite={invitation(open_secret_box(settings), address, now)}"

    line(write_to_accounts(work))


@account_app.command("verify")
def verify(email: Email) -> None:
    """Take the account's address as confirmed."""
    from afterdrop.accounts import members

    async def work(conn: AsyncConnection, _: Settings, now: datetime) -> None:
        account = await members.find_account(conn, email)
        await members.verify_account(conn, account.id, now)

    write_to_accounts(work)
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
        ends = None if free else moment_of("--until", until) if until else now + timedelta(days=days)
        await members.set_plan(conn, account.id, ends)
        return ends

    ends = write_to_accounts(work)
    line(f"{email} is on Pro until {instant(ends)}" if ends else f"{email} is on the free plan")


def moment_of(option: str, text: str) -> datetime:
    """The time that an option gives."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise AfterdropError(option, f"{text!r} is not an ISO 8601 time") from None
    if moment.tzinfo is None:
        raise AfterdropError(option, "needs Z or an offset, such as 2026-12-31T00:00:00Z")
    return moment.astimezone(UTC)


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
    from afterdrop.accounts.members import Grant, apply_grant

    async def work(conn: AsyncConnection, _: Settings, now: datetime) -> bool:
        grant = Grant(reference or f"cli:{secrets.token_hex(8)}", credits=number)
        return await apply_grant(conn, email, grant, now)

    applied = write_to_accounts(work)
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

    write_to_accounts(work)
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

    write_to_accounts(work)
    line(f"{email} has been deleted")


@account_app.command("list")
def list_accounts(as_json: AsJson = False) -> None:
    """List every account with its plan and credits."""
    from afterdrop.accounts import store

    async def work(conn: AsyncConnection, settings: Settings, now: datetime) -> list[dict[str, object]]:
        rows: list[dict[str, object]] = []
        last = 0
        while page := await store.every_account(conn, after=last):
            last = page[-1].id
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

    print_rows(
        ("id", "email", "plan", "until", "verified", "operator", "credits"), write_to_accounts(work), as_json
    )


key_app = typer.Typer(no_args_is_help=True, help="API keys: create, list, revoke.")


@key_app.command("create")
def create_key(
    email: Email,
    *,
    name: Annotated[str, typer.Option(help="A name for the key.")] = "key",
    scope: Annotated[Scope, typer.Option(help="The requests that the key may make.")] = "full",
    as_json: AsJson = False,
) -> None:
    """Make an API key. It is shown only this once."""
    from afterdrop.accounts import members

    async def work(conn: AsyncConnection, settings: Settings, now: datetime) -> dict[str, str | int]:
        account = await members.find_account(conn, email)
        issued = await members.issue_key(conn, account.id, name, entropy=secrets.token_bytes(32), now=now)
        await members.set_key_scope(conn, account.id, issued.id, scope)
        return {"id": issued.id, "key": issued.key.text}

    made = write_to_accounts(work)
    print_result(made, as_json, str(made["key"]))


@key_app.command("list")
def list_keys(email: Email, *, as_json: AsJson = False) -> None:
    """List an account's keys, without their text."""
    from afterdrop.accounts import members

    async def work(conn: AsyncConnection, _: Settings, now: datetime) -> list[ApiKeyRow]:
        account = await members.find_account(conn, email)
        return await members.list_keys(conn, account.id)

    print_rows(("id", "name", "may", "key", "created", "last used"), write_to_accounts(work), as_json)


@key_app.command("revoke")
def revoke_key(email: Email, key_id: Annotated[int, typer.Argument(help="Its id; see `key list`.")]) -> None:
    """Delete a key. It stops working everywhere within a second."""
    from afterdrop.accounts import members

    async def work(conn: AsyncConnection, _: Settings, now: datetime) -> bool:
        account = await members.find_account(conn, email)
        return await members.revoke_key(conn, account.id, key_id)

    if not write_to_accounts(work):
        raise AfterdropError(f"key {key_id}", f"does not belong to {email}")
    line(f"key {key_id} is revoked")
