"""`afterdrop outbox`, `deliveries replay` and `alarm test`: messages that this deployment sends."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Final

import typer

from afterdrop.cli import console
from afterdrop.cli.accounts import moment_of
from afterdrop.cli.bootstrap import load_settings, open_existing
from afterdrop.core import clock
from afterdrop.core.errors import AfterdropError
from afterdrop.core.settings import Settings

if TYPE_CHECKING:
    from afterdrop.delivery.mail.store import MailHead, MailRow
    from afterdrop.delivery.webhooks.endpoint_store import Replay
    from afterdrop.worker.operator_news import Trial


def outbox(
    mail: Annotated[int | None, typer.Argument(help="The id of a mail to show.", show_default=False)] = None,
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


deliveries_app = typer.Typer(no_args_is_help=True, help="Webhook deliveries: replay.")
_AT_ONCE: Final = 500


@deliveries_app.callback()
def about_deliveries() -> None:
    """Webhook deliveries."""


@deliveries_app.command("replay")
def replay_since(
    since: Annotated[str, typer.Option(help="A time such as 2026-11-22T10:00:00Z, at most 14 days ago.")],
    endpoint: Annotated[
        int | None, typer.Option(help="Only those of the endpoint with this id. Default: all endpoints.")
    ] = None,
    delivered: Annotated[
        bool,
        typer.Option("--delivered", help="Send delivered ones again, too; receivers know them by their ids."),
    ] = False,
) -> None:
    """Send failed webhook deliveries again whose events happened since a time, once each.

    Endpoints that are off, and those of accounts without a plan, get nothing; what expired is left out.
    """
    from afterdrop.delivery.webhooks.endpoint_store import Replay

    wanted = Replay(moment_of("--since", since), endpoint, delivered)
    console.line(f"{asyncio.run(_replay(wanted)):,} deliveries are sent again")


async def _replay(wanted: Replay) -> int:
    from afterdrop.delivery.webhooks.endpoint_store import replay

    now, queued = clock.now(), 0
    async with open_existing(load_settings()) as database:
        while True:
            async with database.write() as conn:
                some = await replay(conn, wanted, now, _AT_ONCE)
            queued += some
            if some < _AT_ONCE:
                return queued


alarm_app = typer.Typer(no_args_is_help=True, help="Alarms to the operator: test.")


@alarm_app.callback()
def about_alarms() -> None:
    """Alarms to the operator."""


@alarm_app.command()
def test(
    json: Annotated[bool, typer.Option("--json", help="Print the results as one JSON array.")] = False,
) -> None:
    """Send a test alarm by mail and webhook, call the heartbeat, and report the results.

    Exit with code 1 if a way fails, or if neither operator.mail nor operator.webhook is set.
    """
    found = asyncio.run(_try(load_settings()))
    rows = [(each.way, each.state, each.remark) for each in found]
    if json:
        console.json_line([dict(zip(("way", "state", "remark"), row, strict=True)) for row in rows])
    else:
        console.table(("way", "state", "remark"), rows)
    delivered = any(each.state == "ok" and each.way != "heartbeat" for each in found)
    if not delivered or any(each.state == "fails" for each in found):
        raise typer.Exit(1)


async def _try(settings: Settings) -> list[Trial]:
    from afterdrop.core import clock
    from afterdrop.http.client import open_fetcher
    from afterdrop.worker.operator_news import try_ways

    # The pace towards the webhook's host is kept in a database; the test works without that of the service.
    async with (
        open_existing(settings, temporary=True) as database,
        open_fetcher(settings, database, clock.epoch, clock.rng()) as fetcher,
    ):
        return await try_ways(settings, fetcher, clock.now())
