"""`afterdrop feeds list` and `try`: the shipped presets, and one feed read for a look before a scan uses it."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from afterdrop.cli import console
from afterdrop.cli.bootstrap import load_settings, open_existing
from afterdrop.cli.trials import EVIDENCE, try_feed
from afterdrop.core import clock

if TYPE_CHECKING:
    from afterdrop.core.audience import Audience
    from afterdrop.feeds.spec import FeedSpec

feeds_app = typer.Typer(no_args_is_help=True, help="Feed files: list, try.")

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]


@feeds_app.command("list")
def feeds_list(as_json: AsJson = False) -> None:
    """List the shipped feed presets and the configured feeds."""
    from afterdrop.feeds.preset_files import configured as configured_as
    from afterdrop.feeds.preset_files import open_preset, preset_names

    settings = load_settings()
    audience = settings.audience
    presets = [_about(open_preset(name), audience) for name in preset_names()]
    configured = [_about(configured_as(feed), audience) for feed in settings.feeds]
    if as_json:
        console.json_line({"presets": presets, "configured": configured})
        return
    headings = ("name", "title", "source", "format", "complete", "rests on", "licence", "usable", "address")
    for title, rows in (("Presets", presets), ("Configured", configured)):
        if rows or title == "Presets":
            said = [
                {
                    **row,
                    "rests on": EVIDENCE[str(row["evidence"])],
                    "usable": "yes" if row["usable"] else "no: own_use",
                }
                for row in rows
            ]
            console.table(headings, [[row[key] for key in headings] for row in said], title=title)
    if not configured:
        console.note("No feeds are configured. Add [[feeds]] with `preset = NAME` to the settings file.")


@feeds_app.command("try")
def feeds_try(
    preset: Annotated[
        str, typer.Argument(help="The name of a configured feed or a preset, or a feed file ending in .toml.")
    ],
    url: Annotated[
        str | None, typer.Option(help="Another address, or a local file, in the same format.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Download a feed once, and show five mapped rows and the faults of others. Nothing is stored."""
    asyncio.run(_try(preset, url, as_json))


async def _try(preset: str, url: str | None, as_json: bool) -> None:
    from afterdrop.feeds.preset_files import open_feed
    from afterdrop.http.client import open_fetcher

    settings, now = load_settings(), clock.now()
    spec = open_feed(preset, settings, url).of_day(now)
    look = partial(try_feed, spec, settings, now=now, scans=False, anew=True)
    if spec.path is not None:
        trial = await look(None)
    else:
        # The pace towards other hosts holds for the whole deployment: it is kept in the database.
        async with (
            open_existing(settings, temporary=True) as database,
            open_fetcher(settings, database, clock.epoch, clock.rng()) as fetcher,
        ):
            console.note(f"downloading {spec.name}")
            trial = await look(fetcher)
    [record] = trial.records
    if not as_json:
        headings = ("line", "domain", "type", "price", "currency", "bids", "ends_at", "metrics", "notes")
        rows = [
            {
                **row,
                "metrics": " ".join(f"{role}={value}" for role, value in row["metrics"].items()),
                "notes": " ".join(row["notes"]),
            }
            for row in record["rows"]
        ]
        title = f"{spec.title or spec.name}: first rows of {record['read']:,} read"
        console.table(headings, [[row[each] for each in headings] for row in rows], title=title)
    trial.show(as_json=as_json)


def _about(spec: FeedSpec, audience: Audience) -> dict[str, object]:
    return {
        "name": spec.name,
        "title": spec.title,
        "source": spec.source,
        "format": f"{spec.format}" + ("" if spec.container == "plain" else f" in {spec.container}"),
        "complete": "yes" if spec.complete else "no",
        "evidence": spec.evidence,
        "licence": spec.licence,
        "usable": audience == "team" or not spec.own_use,
        "address": spec.url or spec.path,
    }
