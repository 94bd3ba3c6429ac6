"""`afterdrop domain …`: an operator's decisions about single domains."""

from __future__ import annotations

import asyncio
import getpass
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from afterdrop.cli import console
from afterdrop.cli.bootstrap import load_settings, open_existing
from afterdrop.core import clock
from afterdrop.core.errors import SettingsError

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

domain_app = typer.Typer(
    no_args_is_help=True, help="Decisions about single domains: remove, restore, ban, review."
)

Name = Annotated[str, typer.Argument(metavar="DOMAIN", help="The domain.")]
Reason = Annotated[str, typer.Option(help="Why. It is kept in the log.")]
Actor = Annotated[str, typer.Option(help="Who decides; by default the system user.")]
Decide = Callable[["AsyncConnection", str, str, str, datetime], Awaitable[Any]]


def _decide(name: str, reason: str, actor: str, decide: Decide) -> tuple[str, Any]:
    from afterdrop.core.domain_names import registrable_domain

    if not reason.strip():
        raise SettingsError("--reason", "must say why; it is kept in the log")
    settings = load_settings()
    domain = registrable_domain(name, settings.scan.sale_zones)

    async def run() -> Any:
        async with open_existing(settings) as database, database.write() as conn:
            return await decide(conn, domain, actor or getpass.getuser(), reason, clock.now())

    return domain, asyncio.run(run())


@domain_app.command()
def remove(name: Name, reason: Reason, actor: Actor = "") -> None:
    """Take a domain off every list until it is restored."""
    from afterdrop.catalogue import operator_actions

    domain, done = _decide(name, reason, actor, operator_actions.remove)
    console.line(
        f"{domain} has been removed from every list" if done else f"{domain} had already been removed"
    )


@domain_app.command()
def restore(name: Name, reason: Reason, actor: Actor = "") -> None:
    """Put a removed or banned domain back."""
    from afterdrop.catalogue import operator_actions

    domain, done = _decide(name, reason, actor, operator_actions.restore)
    console.line(f"{domain} has been restored" if done else f"{domain} had not been removed")


@domain_app.command()
def ban(name: Name, reason: Reason, actor: Actor = "") -> None:
    """Never list this name, known or not."""
    from afterdrop.catalogue import operator_actions

    domain, done = _decide(name, reason, actor, operator_actions.ban)
    console.line(f"{domain} has been banned" if done else f"{domain} was already banned")


@domain_app.command()
def review(name: Name, reason: Reason, actor: Actor = "") -> None:
    """Have a domain's history fetched and reviewed again by the next worker."""
    from afterdrop.catalogue import operator_actions

    domain, _ = _decide(name, reason, actor, operator_actions.review_again)
    console.line(f"{domain} will be reviewed again")


@domain_app.command()
def withdraw(name: Name, reason: Reason, actor: Actor = "") -> None:
    """Take a name off "What we rejected today", for example when its owner objects."""
    from afterdrop.catalogue import operator_actions

    domain, _ = _decide(name, reason, actor, operator_actions.withdraw)
    console.line(f"{domain} is now hidden from the rejected names")


@domain_app.command()
def readmit(name: Name, reason: Reason, actor: Actor = "") -> None:
    """Let a withdrawn name be shown among the rejected names again."""
    from afterdrop.catalogue import operator_actions

    domain, _ = _decide(name, reason, actor, operator_actions.readmit)
    console.line(f"{domain} can be shown among the rejected names again")
