"""The list of all commands. Heavy modules are imported inside the commands that need them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from afterdrop import __version__
from afterdrop.cli import (
    accounts,
    checks,
    delivery,
    demo,
    doctor,
    domains,
    feeds,
    follow,
    init,
    mcp,
    moving,
    providers,
    ranks,
    review,
    scan,
    serve,
    status,
    takeovers,
)
from afterdrop.cli.bootstrap import chosen
from afterdrop.cli.console import line

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

# Commands by what a reader wants, in the order of the help; groups of commands follow.
_PANELS: dict[str, tuple[Callable[..., None], ...]] = {
    "Try it": (demo.demo, demo.sandbox),
    "Run the service": (init.init, serve.serve, serve.worker, doctor.doctor, status.status, scan.scan),
    "Names": (
        checks.check,
        review.review,
        follow.follow,
        domains.whois,
        domains.availability,
        domains.dns,
        domains.rating,
        domains.registries,
    ),
    "Data": (serve.migrate, moving.backup, moving.restore, moving.copy_database, delivery.outbox),
    "Programs": (mcp.mcp,),
}
_GROUPS: dict[str, dict[str, typer.Typer]] = {
    "Sources": {"feeds": feeds.feeds_app, "providers": providers.providers_app, "ranks": ranks.ranks_app},
    "Accounts": {"account": accounts.account_app, "key": accounts.key_app, "secrets": moving.secrets_app},
    "Run the service": {"alarm": delivery.alarm_app, "pace": status.pace_app},
    "Names": {"domain": domains.domain_app, "takeovers": takeovers.takeovers_app},
    "Programs": {"deliveries": delivery.deliveries_app},
}
for _panel, _commands in _PANELS.items():
    for _command in _commands:
        app.command(rich_help_panel=_panel)(_command)
for _panel, _apps in _GROUPS.items():
    for _name, _app in _apps.items():
        app.add_typer(_app, name=_name, rich_help_panel=_panel)


def _print_version(wanted: bool) -> None:
    if wanted:
        line(__version__)
        raise typer.Exit


@app.callback()
def options(
    settings: Annotated[
        Path | None,
        typer.Option(
            "--settings",
            help="The settings file. Default: $AFTERDROP_SETTINGS, otherwise ./afterdrop.toml if it exists.",
        ),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Expired-domain intelligence you run yourself: feeds go in, vetted and scored lists come out."""
    chosen.settings = settings


@app.command("version")
def print_version() -> None:
    """Print the version."""
    line(__version__)
