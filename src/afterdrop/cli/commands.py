"""The list of all commands. Heavy modules are imported inside the commands that need them."""

from __future__ import annotations

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

app.command()(demo.demo)
app.command()(init.init)
app.command()(serve.serve)
app.command()(serve.worker)
app.command()(scan.scan)
app.command()(serve.migrate)
app.command()(status.status)
app.command()(doctor.doctor)
app.command()(delivery.outbox)
app.command()(demo.sandbox)
app.command()(mcp.mcp)
app.command()(domains.whois)
app.command()(domains.registries)
app.command()(domains.availability)
app.command()(domains.dns)
app.command()(domains.rating)
app.command()(checks.check)
app.command()(follow.follow)
app.command()(review.review)
app.command()(moving.backup)
app.command()(moving.restore)
app.command("copy-database")(moving.copy_database)
app.add_typer(moving.secrets_app, name="secrets")
app.add_typer(feeds.feeds_app, name="feeds")
app.add_typer(providers.providers_app, name="providers")
app.add_typer(ranks.ranks_app, name="ranks")
app.add_typer(delivery.alarm_app, name="alarm")
app.add_typer(status.pace_app, name="pace")
app.add_typer(delivery.deliveries_app, name="deliveries")
app.add_typer(takeovers.takeovers_app, name="takeovers")
app.add_typer(domains.domain_app, name="domain")
app.add_typer(accounts.account_app, name="account")
app.add_typer(accounts.key_app, name="key")


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
