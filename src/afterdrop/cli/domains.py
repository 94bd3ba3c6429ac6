"""Single domains: an operator's decisions (`afterdrop domain …`), and `whois`, `availability`, `dns` and `rating`.

The look-ups are the API's, on the command line and without an account.
"""

from __future__ import annotations

import asyncio
import getpass
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from afterdrop.cli import console
from afterdrop.cli.bootstrap import load_settings, open_existing
from afterdrop.cli.console import json_line, line
from afterdrop.core import clock
from afterdrop.core.errors import SettingsError

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from afterdrop.core.settings import Settings
    from afterdrop.sources.lookups.sources import Sources
    from afterdrop.sources.registry.client import Confirmation

domain_app = typer.Typer(
    no_args_is_help=True, help="Decisions about single domains: remove, restore, ban, review, withdraw."
)

Name = Annotated[str, typer.Argument(metavar="DOMAIN", help="The domain.")]
Reason = Annotated[str, typer.Option(help="The reason. It is kept in the log.")]
Actor = Annotated[str, typer.Option(help="The person who decides; by default the system user.")]
Done = TypeVar("Done")
Decide = Callable[["AsyncConnection", str, str, str, datetime], Awaitable[Done]]


def _decide(name: str, reason: str, actor: str, decide: Decide[Done]) -> tuple[str, Done]:
    from afterdrop.core.domain_names import as_asked, registrable_domain

    if not reason.strip():
        raise SettingsError("--reason", "must say why; it is kept in the log")
    settings = load_settings()
    domain = registrable_domain(as_asked(name.strip()), settings.scan.sale_zones)

    async def run() -> Done:
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


Names = Annotated[list[str], typer.Argument(help="Registrable domains, Unicode or A-labels.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON record per line.")]


def whois(
    names: Annotated[
        list[str], typer.Argument(help="Domains; with --from-file, files (- for standard input).")
    ],
    as_json: AsJson = False,
    from_file: Annotated[
        bool,
        typer.Option(
            "--from-file", help="Read saved RDAP and WHOIS answers instead of querying the registries."
        ),
    ] = False,
    server: Annotated[
        str,
        typer.Option(
            help="The server that the saved WHOIS answers come from; else the first folder of SERVER/TLD/FILE.txt."
        ),
    ] = "",
) -> None:
    """Show registration records with drop estimates, live from the registries or from saved answers."""
    if from_file:
        rows = [_read_saved_answer(name, server) for name in names]
        _show(rows, as_json)
        if any(row["unreadable"] for row in rows):
            raise typer.Exit(1)
        return
    if server:
        raise SettingsError(
            "--server", "goes with --from-file: otherwise the registry's own server is queried"
        )
    _show(_asked(names, _whois), as_json)


def registries(
    extensions: Annotated[
        list[str] | None,
        typer.Argument(help="Extensions; by default those looked up before and those that the feeds name."),
    ] = None,
    as_json: AsJson = False,
    rules: Annotated[
        bool, typer.Option("--rules", help="Show how registries let names go, with sources.")
    ] = False,
) -> None:
    """Show how drops of an extension are confirmed, whether we trust that, and when it was last right."""
    if rules:
        _show_rules(extensions or [], as_json)
        return
    from afterdrop.feeds.preset_files import all_configured

    settings = load_settings()
    named = {extension for spec in all_configured(settings) for extension in spec.extensions}
    wanted = [extension.strip().strip(".").lower() for extension in extensions or named]

    async def read() -> Sequence[Confirmation]:
        async with _sources(settings) as sources:
            return await sources.registry.confirmations(wanted, and_asked=not extensions)

    heads = ("extension", "how", "server", "believed", "last right", "note")
    console.print_rows(heads, asyncio.run(read()), as_json)


def _show_rules(extensions: Sequence[str], as_json: bool) -> None:
    """Print the registries' rules, all or of some extensions. Raises SettingsError for one without a rule."""
    from afterdrop.sources.registry.registry_rules import registry_rules
    from afterdrop.sources.registry.rule_table import HEADS, rule_rows

    table = registry_rules()
    wanted = [extension.strip().strip(".").lower() for extension in extensions]
    if unknown := [name for name in wanted if name not in table]:
        raise SettingsError(
            f".{unknown[0]}", "has no rule here: its registry's was not found, or it is generic"
        )
    console.print_rows(HEADS, rule_rows({name: table[name] for name in wanted or table}), as_json)


def availability(names: Names, as_json: AsJson = False) -> None:
    """Show which domains are registered, dropping, available or unknown."""
    _show(_asked(names, _availability), as_json)


def dns(
    hosts: Annotated[list[str], typer.Argument(help="Domains or subdomains.")], as_json: AsJson = False
) -> None:
    """Show DNS records, mail policies and parking of hosts."""
    from afterdrop.sources.dns.answers import lookup_host

    _show(_run([lookup_host(host.strip()) for host in hosts], _dns), as_json)


def rating(names: Names, as_json: AsJson = False) -> None:
    """Show Domain Ratings from the configured metric providers."""
    _show(_asked(names, _rating), as_json)


Question = Callable[["Sources", Sequence[str]], Awaitable[list[dict[str, object]]]]


def _asked(raw: Sequence[str], ask: Question) -> list[dict[str, object]]:
    """Look up registrable domains. Raises BadName for the first name that is none."""
    from afterdrop.core.domain_names import exact_domain

    zones = load_settings().scan.sale_zones
    return _run([exact_domain(name.strip(), zones) for name in raw], ask)


def _run(wanted: Sequence[str], ask: Question) -> list[dict[str, object]]:
    async def work() -> list[dict[str, object]]:
        async with _sources(load_settings()) as sources:
            return await ask(sources, list(dict.fromkeys(wanted)))

    return asyncio.run(work())


async def _whois(sources: Sources, domains: Sequence[str]) -> list[dict[str, object]]:
    from afterdrop.sources.lookups.registry import whois

    now = clock.now()
    found = await asyncio.gather(*(whois(sources, domain, now) for domain in domains))
    return [{**one.as_json(), "notes": one.answer.notes} for one in found]


async def _availability(sources: Sources, domains: Sequence[str]) -> list[dict[str, object]]:
    from afterdrop.sources.lookups.registry import availability

    found = await availability(sources, domains, clock.now())
    return [{**answer.as_json(), "notes": answer.notes} for answer in found]


async def _dns(sources: Sources, hosts: Sequence[str]) -> list[dict[str, object]]:
    from afterdrop.sources.lookups.dns import dns

    now = clock.now()
    return [{**found} for found in await asyncio.gather(*(dns(sources, host, now) for host in hosts))]


async def _rating(sources: Sources, domains: Sequence[str]) -> list[dict[str, object]]:
    from afterdrop.sources.lookups.domain_rating import domain_rating

    return [{**row.as_json()} for row in await domain_rating(sources, domains, clock.now())]


@asynccontextmanager
async def _sources(settings: Settings) -> AsyncIterator[Sources]:
    """The look-ups' sources over this deployment's database, so that its pace and its cache hold here too."""
    from afterdrop.http.client import open_fetcher
    from afterdrop.sources.lookups.sources import open_sources
    from afterdrop.sources.metrics.provider_files import load_providers

    async with (
        open_existing(settings, temporary=True) as database,
        open_fetcher(settings, database, clock.epoch, clock.rng()) as fetcher,
    ):
        yield open_sources(settings, database, fetcher, load_providers(settings, os.environ))


def _read_saved_answer(name: str, server: str) -> dict[str, object]:
    """The record in one file of saved RDAP or WHOIS; an unreadable file gives an `unknown` record."""
    from afterdrop.sources.registry.drop_estimate import estimate
    from afterdrop.sources.registry.rdap_answer import parse_saved, unknown
    from afterdrop.sources.registry.rdap_fields import MAX_BODY
    from afterdrop.sources.registry.whois_servers import is_whois_text, read_saved_whois, server_of_file

    unreadable = False
    try:
        if name == "-":
            content = sys.stdin.buffer.read(2 * MAX_BODY)
        else:
            with Path(name).open("rb") as file:
                content = file.read(2 * MAX_BODY)
        if server or is_whois_text(content):
            answer = read_saved_whois(content, server.strip().lower() or server_of_file(name))
        else:
            answer = parse_saved(content)
    except (OSError, ValueError) as error:
        unreadable = True
        answer = unknown(
            None, "bad_content", f"the file cannot be read ({getattr(error, 'strerror', None) or error})"
        )
    return {
        "file": os.fsencode(name).decode("utf-8", "replace"),
        **answer.as_json(),
        "drop_estimate": estimate(answer, clock.now()).as_json(),
        "notes": answer.notes,
        "unreadable": unreadable,
    }


def _show(rows: Iterable[Mapping[str, object]], as_json: bool) -> None:
    for number, row in enumerate(rows):
        shown = {key: value for key, value in row.items() if key != "unreadable"}
        if as_json:
            json_line(shown)
            continue
        if number:
            line("")
        for key, value in _lines(shown):
            line(f"{key:<20} {value}")


def _lines(row: Mapping[str, object]) -> Iterable[tuple[str, str]]:
    """The lines of a row for a person: one fact a line, and a dash for an unknown one."""
    for key, value in row.items():
        if isinstance(value, dict) and key == "records":
            for kind, records in value.items():
                for record in records:
                    yield kind, " ".join(str(part) for part in (record["extra"], record["value"]) if part)
        elif isinstance(value, dict):
            yield key, ", ".join(f"{name} {_word(part)}" for name, part in value.items()) or "-"
        elif isinstance(value, list | tuple):
            yield key, "; ".join(map(str, value)) or "-"
        else:
            yield key, _word(value)


def _word(value: object) -> str:
    if value is None:
        return "-"
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)
