"""`afterdrop providers list` and `try`: the metric providers with their budgets, and one request as a trial."""

from __future__ import annotations

import asyncio
import os
import random
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from afterdrop.cli import trials
from afterdrop.cli.console import json_line, line, table
from afterdrop.cli.trials import EVIDENCE, Trial
from afterdrop.core import clock
from afterdrop.core.errors import AfterdropError

if TYPE_CHECKING:
    from afterdrop.core.settings import Settings
    from afterdrop.sources.metrics.provider_spec import ProviderSpec
    from afterdrop.sources.metrics.store import ProviderStanding

providers_app = typer.Typer(no_args_is_help=True, help="Metric providers: list, try.")

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON record per line.")]


@providers_app.command("list")
def list_providers(as_json: AsJson = False) -> None:
    """Show the configured providers with the units spent, and the other presets."""
    from afterdrop.cli.bootstrap import load_settings, open_existing
    from afterdrop.sources.metrics.provider_files import load_file, load_providers, preset_names
    from afterdrop.sources.metrics.store import standings

    settings = load_settings()
    specs = load_providers(settings, os.environ)

    async def stand() -> list[ProviderStanding]:
        async with open_existing(settings, temporary=True) as database, database.read() as conn:
            return await standings(conn, specs, clock.now())

    rows = asyncio.run(stand())
    evidence = {spec.name: spec.file.evidence for spec in specs}
    if as_json:
        for row in rows:
            json_line({**asdict(row), "evidence": evidence[row.provider]})
        return
    table(
        ("provider", "tier", "kind", "state", "today", "this month", "evidence"),
        [
            (
                row.provider,
                row.tier,
                row.kind,
                "ready" if row.configured else f"needs {', '.join(row.missing)}",
                _share(row.spent_on_day, row.per_day),
                _share(row.spent_in_month, row.per_month),
                EVIDENCE[evidence[row.provider]],
            )
            for row in rows
        ],
        title="Configured providers",
    )
    others = [name for name in preset_names() if name not in {spec.name for spec in specs}]
    line("Further presets:")
    for name in others:
        line(f"{name}: {EVIDENCE[load_file(name).evidence]}")


def _share(spent: int, budget: int | None) -> str:
    return f"{spent:,}" if budget is None else f"{spent:,} of {budget:,}"


@providers_app.command("try")
def try_provider(
    preset: Annotated[str, typer.Argument(help="A configured provider, a shipped preset, or a .toml file.")],
    names: Annotated[list[str], typer.Argument(help="Registrable domains.")],
    as_json: AsJson = False,
) -> None:
    """Query one provider about some domains without its cache. Show its answers and the values that could not be read.

    Below each name stands what the provider wrote for each value. The units count against its budget like any others.
    """
    from afterdrop.cli.bootstrap import load_settings
    from afterdrop.core.domain_names import exact_domain

    settings = load_settings()
    spec = _chosen(settings, preset)
    if not spec.configured:
        raise AfterdropError(spec.name, f"needs {', '.join(spec.missing)} in the environment")
    domains = list(dict.fromkeys(exact_domain(name.strip(), settings.scan.sale_zones) for name in names))
    asyncio.run(_try(settings, spec, domains)).show(as_json=as_json)


def _chosen(settings: Settings, preset: str) -> ProviderSpec:
    from afterdrop.core.settings import Provider
    from afterdrop.sources.metrics.provider_files import load_providers

    for spec in load_providers(settings, os.environ):
        if spec.name == preset:
            return spec
    alone = settings.model_copy(update={"providers": (Provider(preset=preset),)})
    return load_providers(alone, os.environ)[0]


async def _try(settings: Settings, spec: ProviderSpec, domains: list[str]) -> Trial:
    from afterdrop.cli.bootstrap import open_existing
    from afterdrop.http.client import open_fetcher
    from afterdrop.sources.metrics.store import end_cool_down

    async with (
        open_existing(settings) as database,
        open_fetcher(settings, database, clock.epoch, random.Random()) as fetcher,
    ):
        async with database.write() as conn:
            await end_cool_down(conn, spec.name)
        return await trials.try_provider(spec, domains, fetcher, database, clock.now())
