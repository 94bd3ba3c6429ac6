"""`afterdrop account announce FILE`: a mail to every account with an API key, such as before a version is retired."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import typer

from afterdrop.cli.console import line
from afterdrop.core import clock
from afterdrop.core.errors import AfterdropError

_MOST_BYTES: Final = 64 * 1024
_A_TRANSACTION: Final = 200


class Announcement(NamedTuple):
    """What a file says: a subject, and paragraphs with an empty line between them."""

    subject: str
    text: str


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
    from afterdrop.delivery.mail.message import one_line

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
    from afterdrop.cli.bootstrap import load_settings, open_migrated
    from afterdrop.delivery.mail import message
    from afterdrop.delivery.mail import store as mails

    mark = hashlib.blake2b(f"{written.subject}\n{written.text}".encode(), digest_size=12).hexdigest()
    count, last = 0, 0
    settings = load_settings()
    mail = message.announcement(message.MailFrame(settings.site_name, settings.site_url), *written)
    async with open_migrated(settings) as database:
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
