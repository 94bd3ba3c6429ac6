"""What `afterdrop doctor` finds out about feeds, sources of metrics and files."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from afterdrop.cli.private_files import open_to_others
from afterdrop.core.errors import AfterdropError, FeedError
from afterdrop.core.settings import Settings

if TYPE_CHECKING:
    from afterdrop.feeds.spec import FeedSpec
    from afterdrop.worker.context import WorkerContext

State = Literal["ok", "off", "warns", "fails"]


@dataclass(frozen=True)
class Finding:
    """The result for one part: ok, off (not configured, which may be intended), warns or fails with the reason."""

    part: str
    name: str
    state: State
    remark: str


async def probe(part: str, name: str, look: Callable[[], Awaitable[str]]) -> Finding:
    """What `look` tells, or why it failed."""
    try:
        return Finding(part, name, "ok", await look())
    except (AfterdropError, OSError) as error:
        return Finding(part, name, "fails", str(error)[:200])


async def check_feeds(context: WorkerContext) -> list[Finding]:
    """Read the first rows of each feed. A file of the last day is used again: some sources allow one download a day."""
    from afterdrop.feeds.download import missing_variables

    if not context.feeds:
        return [
            Finding(
                "feed", "none", "off", "add some under [[feeds]]; `afterdrop feeds list` shows the presets"
            )
        ]
    found = []
    for spec in context.feeds:
        if missing := missing_variables(spec):
            found.append(Finding("feed", spec.name, "fails", f"set {', '.join(missing)}: {_about(spec)}"))
        else:
            found.append(await probe("feed", spec.name, partial(_first_row, context, spec)))
    return found


async def _first_row(context: WorkerContext, spec: FeedSpec) -> str:
    from afterdrop.feeds.containers import Bounds
    from afterdrop.feeds.download import Spool, fetch
    from afterdrop.feeds.trial import try_out

    limits, now = context.settings.scan, context.now()
    spool = Spool(context.settings.data_dir / "spool", limits.spool_max_bytes)
    spooled = await fetch(spec, context.fetcher, spool, fresh_since=now - timedelta(days=1), now=now)
    bounds = Bounds(limits.spool_max_bytes, limits.archive_max_ratio)
    with await asyncio.to_thread(spooled.path.open, "rb") as file:
        trial = await asyncio.to_thread(try_out, spec, file, bounds, limits.sale_zones, 1)
    if not trial.read:
        return f"has no rows right now: {_about(spec)}"
    if not trial.rows:
        reasons = ", ".join(f"{number:,} {reason}" for reason, number in trial.bad.items())
        raise FeedError(spec.name, f"none of its first {trial.read:,} rows can be used ({reasons})")
    return f"reads {trial.rows[0].domain} first: {_about(spec)}"


def _about(spec: FeedSpec) -> str:
    return f"{spec.title or spec.source}, evidence {spec.evidence}, licence {spec.licence}"


def metric_sources(context: WorkerContext, ranks: bool) -> Finding:
    """Whether anything can pass the authority filter: it needs a metric of a name."""
    named = [spec.name for spec in context.feeds if spec.metrics]
    named += [spec.name for spec in context.providers if spec.configured]
    named += ["the link ranks"] if ranks else []
    if named:
        return Finding("metrics", ", ".join(named), "ok", "names can pass the authority filter")
    remark = "nothing can be listed without link ranks, a provider with a key or a feed with metrics; see docs/RANKS.md"
    return Finding("metrics", "none", "warns", remark)


def check_files(settings: Settings, url: str) -> Finding:
    """Whether other users of this machine can read the data folder, the database or the settings file."""
    files = [settings.data_dir, *([Path(url.partition("///")[2])] if url.startswith("sqlite") else [])]
    secret = bool(settings.secret_keys or settings.mail.password or settings.operator_token)
    if settings.file and secret:
        files.append(Path(settings.file))
    if found := open_to_others(files):
        return Finding(
            "files", ", ".join(found), "warns", "other users of this machine can read or change it: chmod go="
        )
    return Finding("files", str(settings.data_dir), "ok", "only the owner can read them")
