"""`afterdrop whois`, `availability`, `dns` and `rating`: the API's look-ups on the command line, without an account."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from afterdrop.cli.console import json_line, line
from afterdrop.core import clock

if TYPE_CHECKING:
    from afterdrop.core.settings import Settings
    from afterdrop.lookups.sources import Sources

Names = Annotated[list[str], typer.Argument(help="Registrable domains, Unicode or A-labels.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON record per line.")]


def whois(
    names: Annotated[
        list[str], typer.Argument(help="Domains; with --from-file, files (- for standard input).")
    ],
    as_json: AsJson = False,
    from_file: Annotated[
        bool, typer.Option("--from-file", help="Read saved RDAP answers instead of asking the registries.")
    ] = False,
) -> None:
    """Show registration records with drop estimates, live from the registries or from saved answers."""
    if from_file:
        rows = [_read_saved_answer(name) for name in names]
        _show(rows, as_json)
        if any(row["unreadable"] for row in rows):
            raise typer.Exit(1)
        return
    _show(_asked(names, _whois), as_json)


def availability(names: Names, as_json: AsJson = False) -> None:
    """Show which domains are registered, dropping, available or unknown."""
    _show(_asked(names, _availability), as_json)


def dns(
    hosts: Annotated[list[str], typer.Argument(help="Domains or subdomains.")], as_json: AsJson = False
) -> None:
    """Show DNS records, mail policies and parking of hosts."""
    from afterdrop.dns.host_names import lookup_host

    _show(_run([lookup_host(host) for host in hosts], _dns), as_json)


def rating(names: Names, as_json: AsJson = False) -> None:
    """Show Domain Ratings from the configured metric providers."""
    _show(_asked(names, _rating), as_json)


Question = Callable[["Sources", Sequence[str]], Awaitable[list[dict[str, Any]]]]


def _asked(raw: Sequence[str], ask: Question) -> list[dict[str, Any]]:
    """Look up registrable domains. Raises BadName for the first name that is none."""
    from afterdrop.cli.bootstrap import load_settings
    from afterdrop.core.domain_names import exact_domain

    zones = load_settings().scan.sale_zones
    return _run([exact_domain(name, zones) for name in raw], ask)


def _run(wanted: Sequence[str], ask: Question) -> list[dict[str, Any]]:
    from afterdrop.cli.bootstrap import load_settings

    async def work() -> list[dict[str, Any]]:
        async with _sources(load_settings()) as sources:
            return await ask(sources, list(dict.fromkeys(wanted)))

    return asyncio.run(work())


async def _whois(sources: Sources, domains: Sequence[str]) -> list[dict[str, Any]]:
    from afterdrop.lookups.registry import whois

    now = clock.now()
    found = await asyncio.gather(*(whois(sources, domain, now) for domain in domains))
    return [{**one.as_json(), "notes": one.answer.notes} for one in found]


async def _availability(sources: Sources, domains: Sequence[str]) -> list[dict[str, Any]]:
    from afterdrop.lookups.registry import availability

    found = await availability(sources, domains, clock.now())
    return [{**answer.record.as_json(), "notes": answer.notes} for answer in found]


async def _dns(sources: Sources, hosts: Sequence[str]) -> list[dict[str, Any]]:
    from afterdrop.lookups.dns import dns

    now = clock.now()
    return [{**found} for found in await asyncio.gather(*(dns(sources, host, now) for host in hosts))]


async def _rating(sources: Sources, domains: Sequence[str]) -> list[dict[str, Any]]:
    from afterdrop.lookups.domain_rating import domain_rating

    return [row.as_json() for row in await domain_rating(sources, domains, clock.now(), operator=True)]


@asynccontextmanager
async def _sources(settings: Settings) -> AsyncIterator[Sources]:
    """The look-ups' sources over this deployment's database, so that its pace and its cache hold here too."""
    from afterdrop.cli.bootstrap import open_existing
    from afterdrop.http.client import open_fetcher
    from afterdrop.lookups.sources import open_sources
    from afterdrop.metrics.provider_files import load_providers

    async with (
        open_existing(settings, temporary=True) as database,
        open_fetcher(settings, database, clock.epoch, clock.rng()) as fetcher,
    ):
        yield open_sources(settings, database, fetcher, load_providers(settings, os.environ))


def _read_saved_answer(name: str) -> dict[str, Any]:
    """The record in one file of saved RDAP; an unreadable file gives an `unknown` record."""
    from afterdrop.registry.drop_estimate import estimate
    from afterdrop.registry.rdap_answer import parse_saved, unknown
    from afterdrop.registry.rdap_fields import MAX_BODY

    unreadable = False
    try:
        if name == "-":
            content = sys.stdin.buffer.read(2 * MAX_BODY)
        else:
            with Path(name).open("rb") as file:
                content = file.read(2 * MAX_BODY)
        answer = parse_saved(content)
    except (OSError, ValueError) as error:
        unreadable = True
        answer = unknown(
            None, "bad_content", f"the file cannot be read ({getattr(error, 'strerror', None) or error})"
        )
    return {
        "file": os.fsencode(name).decode("utf-8", "replace"),
        **answer.record.as_json(),
        "drop_estimate": estimate(answer, clock.now()).as_json(),
        "notes": answer.notes,
        "unreadable": unreadable,
    }


def _show(rows: Iterable[Mapping[str, Any]], as_json: bool) -> None:
    for number, row in enumerate(rows):
        shown = {key: value for key, value in row.items() if key != "unreadable"}
        if as_json:
            json_line(shown)
            continue
        if number:
            line("")
        for key, value in _lines(shown):
            line(f"{key:<20} {value}")


def _lines(row: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
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
