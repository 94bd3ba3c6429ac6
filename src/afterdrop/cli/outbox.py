"""`afterdrop outbox`: the mails of this deployment, which are sent, waiting, or kept when no mail server is set."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from afterdrop.cli import console
from afterdrop.cli.bootstrap import load_settings, open_existing
from afterdrop.core.errors import AfterdropError

if TYPE_CHECKING:
    from afterdrop.delivery.mail.store import MailHead, MailRow


def outbox(
    mail: Annotated[
        int | None, typer.Argument(help="The id of a mail whose text to show.", show_default=False)
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON value per line.")] = False,
    most: Annotated[int, typer.Option("--most", min=1, help="How many of the newest mails to list.")] = 50,
) -> None:
    """List the newest mails, or show one. Without mail settings, mails are kept here instead of being sent."""
    asyncio.run(_outbox(mail, json, most))


async def _outbox(mail: int | None, json: bool, most: int) -> None:
    from afterdrop.delivery.mail import store

    async with open_existing(load_settings()) as database, database.read() as conn:
        if mail is None:
            _list(await store.list_mails(conn, most), json=json)
            return
        row = await store.get_mail(conn, mail)
    if row is None:
        raise AfterdropError("outbox", f"there is no mail with the id {mail}")
    _show(row, json=json)


def _list(rows: list[MailHead], *, json: bool) -> None:
    if json:
        for row in rows:
            console.json_line(row)
        return
    console.table(
        ("mail", "written", "kind", "to", "state", "subject", "remark"),
        [
            (
                row["id"], f"{row['created_at']:%Y-%m-%d %H:%M:%S}Z", row["kind"], row["recipient"], row["status"],
                row["subject"], row["error"],
            )
            for row in rows
        ],
    )  # fmt: skip
    if not rows:
        console.note("no mails yet")


_SHOWN = (
    "id",
    "created_at",
    "kind",
    "recipient",
    "subject",
    "headers",
    "text",
    "html",
    "status",
    "sent_at",
    "error",
)


def _show(row: MailRow, *, json: bool) -> None:
    if json:
        every: dict[str, object] = {**row}
        console.json_line({name: every[name] for name in _SHOWN})
        return
    console.line(f"To: {row['recipient']}")
    console.line(f"Subject: {row['subject']}")
    console.line(f"Date: {row['created_at']:%Y-%m-%d %H:%M:%S}Z")
    for name, value in row["headers"].items():
        console.line(f"{name}: {value}")
    console.line(f"({row['status']}{': ' + row['error'] if row['error'] else ''})")
    console.line("")
    for text in row["text"].splitlines():
        console.line(text)
