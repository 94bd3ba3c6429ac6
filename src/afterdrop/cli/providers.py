"""`afterdrop providers list` and `try`: the metric providers with their budgets, and one request as a trial."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Final

import typer

from afterdrop.cli.console import json_line, line, table
from afterdrop.core import clock
from afterdrop.core.errors import AfterdropError

if TYPE_CHECKING:
    from afterdrop.core.json_values import Json
    from afterdrop.core.settings import Settings
    from afterdrop.db.engine import Database
    from afterdrop.http.client import Fetcher
    from afterdrop.sources.metrics.model import Role
    from afterdrop.sources.metrics.provider_client import ProviderResult
    from afterdrop.sources.metrics.provider_spec import ProviderSpec
    from afterdrop.sources.metrics.store import ProviderStanding

providers_app = typer.Typer(no_args_is_help=True, help="Metric providers: list, try.")

_LONGEST_ANSWER: Final = 600
# What the details of a provider's file rest on.
EVIDENCE: Final = {
    "sample": "proven by a genuine answer",
    "code": "as others' code reads it",
    "documentation": "unproven: from its documents only, so try it first",
    "own": "your own file",
}
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON record per line.")]


@providers_app.command("list")
def list_providers(as_json: AsJson = False) -> None:
    """Show the configured providers with what was spent on them, and the other presets."""
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
    """Ask one provider about some domains without using its cache. Shows what it says and what could not be read.

    Below each name stands what the provider wrote for each value. The units count against its budget like any others.
    """
    from afterdrop.cli.bootstrap import load_settings
    from afterdrop.core.domain_names import exact_domain
    from afterdrop.sources.metrics.provider_answer import raw_values

    settings = load_settings()
    spec = _chosen(settings, preset)
    if not spec.configured:
        raise AfterdropError(spec.name, f"needs {', '.join(spec.missing)} in the environment")
    domains = list(dict.fromkeys(exact_domain(name.strip(), settings.scan.sale_zones) for name in names))
    outcome, left = asyncio.run(_ask(settings, spec, domains))
    for domain in domains:
        values = outcome.values.get(domain)
        told = None if values is None else {metric.role: metric.value for metric in values}
        written = raw_values(spec.file, outcome.items[domain]) if domain in outcome.items else {}
        if as_json:
            answered = outcome.items.get(domain)
            row = {"domain": domain, "provider": spec.name, "metrics": told, "written": written}
            json_line({**row, "answer": answered})
            continue
        line(f"{domain}: {_told(told)}")
        for role, raw in written.items():
            line(f"  {role} is read from {spec.file.metrics[role]}: {written_as(raw, spec)}")
        if domain in outcome.items:
            line(f"  answered: {written_as(outcome.items[domain], spec)}")
    _remarks(outcome, left, as_json)
    if outcome.faults or outcome.over_budget:
        raise typer.Exit(1)


def _chosen(settings: Settings, preset: str) -> ProviderSpec:
    from afterdrop.core.settings import Provider
    from afterdrop.sources.metrics.provider_files import load_providers

    for spec in load_providers(settings, os.environ):
        if spec.name == preset:
            return spec
    alone = settings.model_copy(update={"providers": (Provider(preset=preset),)})
    return load_providers(alone, os.environ)[0]


def written_as(raw: Json, spec: ProviderSpec) -> str:
    """What a provider wrote, as JSON on one line, without its keys and not too long."""
    import orjson

    from afterdrop.core.safe_text import blank_controls
    from afterdrop.sources.metrics.provider_request import redact

    text = redact(blank_controls(orjson.dumps(raw).decode()), spec)
    return text if len(text) <= _LONGEST_ANSWER else f"{text[:_LONGEST_ANSWER]} …"


async def _ask(
    settings: Settings, spec: ProviderSpec, domains: list[str]
) -> tuple[ProviderResult, int | None]:
    from afterdrop.cli.bootstrap import open_existing
    from afterdrop.http.client import open_fetcher
    from afterdrop.sources.metrics.store import end_cool_down

    async with (
        open_existing(settings) as database,
        open_fetcher(settings, database, clock.epoch, random.Random()) as fetcher,
    ):
        async with database.write() as conn:
            await end_cool_down(conn, spec.name)
        return await ask_once(fetcher, database, spec, domains)


async def ask_once(
    fetcher: Fetcher, database: Database, spec: ProviderSpec, domains: list[str]
) -> tuple[ProviderResult, int | None]:
    """The answers as they came beside the values, and the units the budget has left; None without a budget."""
    from afterdrop.sources.metrics.provider_client import ProviderClient, RetryPolicy
    from afterdrop.sources.metrics.store import units_left

    retry = RetryPolicy(wait=30, pauses=(), cool_down=0)
    client = ProviderClient(fetcher, database, clock.now(), retry, keep_items=True).paced([spec])
    result = await client.ask(spec, domains, 0)
    async with database.read() as conn:
        return result, await units_left(conn, spec.name, spec.budget, clock.now())


def _told(values: Mapping[Role, object] | None) -> str:
    if values is None:
        return "no answer"
    return ", ".join(f"{role} {value}" for role, value in values.items()) or "not known there"


def _remarks(outcome: ProviderResult, left: int | None, as_json: bool) -> None:
    remarks = [*outcome.notes, *outcome.faults]
    if outcome.over_budget:
        remarks.append(f"names not asked because the budget is used up: {outcome.over_budget}")
    if as_json:
        json_line({"asked": outcome.asked, "units": outcome.units, "units_left": left, "remarks": remarks})
        return
    budget = "no budget is set" if left is None else f"{left:,} left of the budget"
    line(f"{outcome.asked} names asked, {outcome.units} units; {budget}")
    for remark in remarks:
        line(f"note: {remark}")
