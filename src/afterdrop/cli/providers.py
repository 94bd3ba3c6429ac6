"""`afterdrop providers list` and `try`: the metric providers with their budgets, and one request as a trial."""

from __future__ import annotations

import asyncio
import os
import random
from typing import TYPE_CHECKING, Annotated, Any

import typer

from afterdrop.cli.console import json_line, line, table
from afterdrop.core import clock
from afterdrop.core.errors import AfterdropError

if TYPE_CHECKING:
    from afterdrop.core.settings import Settings
    from afterdrop.metrics.provider_client import ProviderResult
    from afterdrop.metrics.provider_spec import ProviderSpec

providers_app = typer.Typer(no_args_is_help=True, help="Metric providers: list, try.")

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON record per line.")]


@providers_app.command("list")
def list_providers(as_json: AsJson = False) -> None:
    """Show the configured providers with what was spent on them, and the other presets."""
    from dataclasses import asdict

    from afterdrop.cli.bootstrap import load_settings, open_existing
    from afterdrop.metrics.provider_files import load_providers, preset_names
    from afterdrop.metrics.store import standings

    settings = load_settings()
    specs = load_providers(settings, os.environ)

    async def stand() -> list[dict[str, Any]]:
        async with open_existing(settings, temporary=True) as database, database.read() as conn:
            return [asdict(standing) for standing in await standings(conn, specs, clock.now())]

    rows = asyncio.run(stand())
    if as_json:
        for row in rows:
            json_line(row)
        return
    table(
        ("provider", "tier", "kind", "state", "today", "this month"),
        [
            (
                row["provider"],
                row["tier"],
                row["kind"],
                "ready" if row["configured"] else f"needs {', '.join(row['missing'])}",
                _share(row["spent_on_day"], row["per_day"]),
                _share(row["spent_in_month"], row["per_month"]),
            )
            for row in rows
        ],
        title="Configured providers",
    )
    others = [name for name in preset_names() if name not in {spec.name for spec in specs}]
    line(f"Further presets: {', '.join(others)}")


def _share(spent: int, budget: int | None) -> str:
    return f"{spent:,}" if budget is None else f"{spent:,} of {budget:,}"


@providers_app.command("try")
def try_provider(
    preset: Annotated[str, typer.Argument(help="A configured provider, a shipped preset, or a .toml file.")],
    names: Annotated[list[str], typer.Argument(help="Registrable domains.")],
    as_json: AsJson = False,
) -> None:
    """Ask one provider about some domains without using its cache. Shows what it says and what could not be read.

    The units count against its budget like any others.
    """
    from afterdrop.cli.bootstrap import load_settings
    from afterdrop.core.domain_names import exact_domain

    settings = load_settings()
    spec = _chosen(settings, preset)
    if not spec.configured:
        raise AfterdropError(spec.name, f"needs {', '.join(spec.missing)} in the environment")
    domains = list(dict.fromkeys(exact_domain(name, settings.scan.sale_zones) for name in names))
    outcome = asyncio.run(_ask(settings, spec, domains))
    for domain in domains:
        values = outcome.values.get(domain)
        told = None if values is None else {metric.role: metric.value for metric in values}
        if as_json:
            json_line({"domain": domain, "provider": spec.name, "metrics": told})
        else:
            line(f"{domain}: {_told(told)}")
    _remarks(outcome, as_json)
    if outcome.faults or outcome.over_budget:
        raise typer.Exit(1)


def _chosen(settings: Settings, preset: str) -> ProviderSpec:
    from afterdrop.core.settings import Provider
    from afterdrop.metrics.provider_files import load_providers

    for spec in load_providers(settings, os.environ):
        if spec.name == preset:
            return spec
    alone = settings.model_copy(update={"providers": (Provider(preset=preset),)})
    return load_providers(alone, os.environ)[0]


async def _ask(settings: Settings, spec: ProviderSpec, domains: list[str]) -> ProviderResult:
    from afterdrop.cli.bootstrap import open_existing
    from afterdrop.http.client import open_fetcher
    from afterdrop.metrics.provider_client import ProviderClient, RetryPolicy, end_cool_down

    async with (
        open_existing(settings) as database,
        open_fetcher(settings, database, clock.epoch, random.Random()) as fetcher,
    ):
        async with database.write() as conn:
            await end_cool_down(conn, spec)
        retry = RetryPolicy(wait=30, pauses=(), cool_down=0)
        client = ProviderClient(fetcher, database, clock.now(), retry).paced([spec])
        return await client.ask(spec, domains, 0)


def _told(values: dict[Any, Any] | None) -> str:
    if values is None:
        return "no answer"
    return ", ".join(f"{role} {value}" for role, value in values.items()) or "not known there"


def _remarks(outcome: ProviderResult, as_json: bool) -> None:
    remarks = [*outcome.notes, *outcome.faults]
    if outcome.over_budget:
        remarks.append(f"names not asked because the budget is used up: {outcome.over_budget}")
    if as_json:
        json_line({"asked": outcome.asked, "units": outcome.units, "remarks": remarks})
        return
    line(f"{outcome.asked} names asked, {outcome.units} units")
    for remark in remarks:
        line(f"note: {remark}")
