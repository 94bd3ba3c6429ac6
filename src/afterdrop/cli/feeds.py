"""`afterdrop feeds list` and `try`: the shipped presets, and one feed read for a look before a scan uses it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from afterdrop.cli import console
from afterdrop.cli.bootstrap import load_settings, open_existing
from afterdrop.core import clock
from afterdrop.core.json_shapes import instant

if TYPE_CHECKING:
    from afterdrop.core.audience import Audience
    from afterdrop.core.settings import Settings
    from afterdrop.feeds.mapping import Row
    from afterdrop.feeds.spec import FeedSpec
    from afterdrop.feeds.trial import Trial

feeds_app = typer.Typer(no_args_is_help=True, help="Feed files: list, try.")

# What a feed file rests on (`FeedSpec.evidence`), in words.
EVIDENCE = {
    "sample": "a genuine file",
    "code": "independent code",
    "documentation": "documents only",
    "own": "your own word",
}
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
    """Download a feed once, and show five mapped rows and what could not be mapped. Nothing is stored."""
    asyncio.run(_try(preset, url, as_json))


async def _try(preset: str, url: str | None, as_json: bool) -> None:
    from afterdrop.feeds.preset_files import open_feed

    settings = load_settings()
    spec = open_feed(preset, settings, url).of_day(clock.now())
    trial = await _trial(spec, settings)
    if as_json:
        console.json_line(_as_json(spec, trial))
    else:
        _show(spec, trial)
    if not trial.rows:
        raise typer.Exit(1)


async def _trial(spec: FeedSpec, settings: Settings) -> Trial:
    from afterdrop.feeds.containers import Bounds
    from afterdrop.feeds.download import Spool, fetch
    from afterdrop.feeds.trial import first_pages, try_out
    from afterdrop.http.client import open_fetcher

    limits = settings.scan
    spool = Spool(settings.data_dir / "spool" / "trials")
    if spec.path is not None:
        spooled = await fetch(spec, None, spool, now=clock.now())
    else:
        # The pace towards other hosts holds for the whole deployment: it is kept in the database.
        async with (
            open_existing(settings, temporary=True) as database,
            open_fetcher(settings, database, clock.epoch, clock.rng()) as fetcher,
        ):
            console.note(f"downloading {spec.name}")
            spooled = await fetch(first_pages(spec), fetcher, spool, now=clock.now())
    with spooled.path.open("rb") as file:
        return await asyncio.to_thread(try_out, spec, file, Bounds(), limits.sale_zones)


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


def _row(row: Row) -> dict[str, object]:
    return {
        "line": row.line,
        "domain": row.domain,
        "key": row.key,
        "type": row.type,
        "price": None if row.price is None else str(row.price),
        "currency": row.currency,
        "bids": row.bids,
        "ends_at": instant(row.ends_at),
        "url": row.url,
        "metrics": dict(row.metrics),
        "notes": list(row.notes),
    }


def _as_json(spec: FeedSpec, trial: Trial) -> dict[str, object]:
    return {
        "feed": spec.name,
        "title": spec.title,
        "source": spec.source,
        "read": trial.read,
        "rows": [_row(row) for row in trial.rows],
        "bad": {
            reason: {
                "count": count,
                "line": trial.samples[reason].line,
                "sample": trial.samples[reason].sample,
            }
            for reason, count in trial.bad.items()
        },
        "notes": trial.notes,
        "left_out": {
            name: {"line": line, "reason": each.reason, "sample": each.sample}
            for name, (line, each) in trial.left_out.items()
        },
        "columns": list(trial.columns),
        "unmapped": list(trial.unmapped),
        "not_found": list(trial.not_found),
    }


def _first(trial: Trial, note: str) -> str:
    """Why a value was left out first, and of what row."""
    if note not in trial.left_out:
        return ""
    line, found = trial.left_out[note]
    return f" (line {line}: {found.reason}, in {found.sample})"


def _show(spec: FeedSpec, trial: Trial) -> None:
    headings = ("line", "domain", "type", "price", "currency", "bids", "ends_at", "metrics", "notes")
    shown = []
    for row in trial.rows:
        cells = _row(row)
        cells["metrics"] = " ".join(f"{role}={value}" for role, value in row.metrics.items())
        cells["notes"] = " ".join(row.notes)
        shown.append([cells[key] for key in headings])
    console.table(headings, shown, title=f"{spec.title or spec.name}: first rows of {trial.read:,} read")
    for reason, count in trial.bad.items():
        first = trial.samples[reason]
        console.line(f"not usable, {reason}: {count:,} (line {first.line}: {first.sample})")
    for note, count in trial.notes.items():
        console.line(f"value left out, {note}: {count:,}{_first(trial, note)}")
    if trial.unmapped:
        console.line(f"columns not mapped: {', '.join(trial.unmapped)}")
    if trial.not_found:
        console.line(f"columns the feed file names, but not found: {', '.join(trial.not_found)}")
    if not trial.rows:
        console.line("no row could be used")
