"""What `afterdrop doctor` finds out about feeds, providers and registries; with `--live` also what they wrote."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Final, Literal

from afterdrop.cli.feeds import EVIDENCE
from afterdrop.core.errors import AfterdropError, FeedError
from afterdrop.core.json_values import Json
from afterdrop.core.safe_text import blank_controls

if TYPE_CHECKING:
    from afterdrop.feeds.spec import FeedSpec
    from afterdrop.sources.metrics.provider_spec import ProviderSpec
    from afterdrop.sources.registry.rdap_answer import RegistryAnswer
    from afterdrop.worker.context import WorkerContext

_WELL_KNOWN: Final = "iana.org"
# The values of a feed's row that are told beside what the file says, and how much of that.
_SHOWN: Final = ("domain", "type", "url", "price", "currency", "bids", "ends_at")
_LONGEST: Final = 200
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
        return Finding(part, name, "fails", str(error)[:300])


async def check_feeds(context: WorkerContext, *, live: bool = False) -> list[Finding]:
    """Read the first rows of each feed. A file of the last day is used again: some sources allow one download a day.

    With `live` it is downloaded anew, and each value of the first row is told beside what the file says.
    """
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
            found.append(await probe("feed", spec.name, partial(_first_row, context, spec, live)))
    return found


async def _first_row(context: WorkerContext, spec: FeedSpec, live: bool) -> str:
    from afterdrop.feeds.containers import Bounds
    from afterdrop.feeds.download import Spool, fetch
    from afterdrop.feeds.trial import first_pages, try_out

    limits, now = context.settings.scan, context.now()
    folder = context.settings.data_dir / "spool"
    # A few pages of many must not be taken for the list by a scan.
    spool = Spool(folder / "trials" if spec.paging else folder)
    fresh_since = None if live else now - timedelta(days=1)
    spooled = await fetch(first_pages(spec), context.fetcher, spool, fresh_since=fresh_since, now=now)
    with await asyncio.to_thread(spooled.path.open, "rb") as file:
        trial = await asyncio.to_thread(try_out, spec, file, Bounds(), limits.sale_zones, 1)
    if not trial.read:
        return f"has no rows right now: {_about(spec)}"
    if not trial.rows:
        reasons = ", ".join(f"{number:,} {reason}" for reason, number in trial.bad.items())
        raise FeedError(spec.name, f"none of its first {trial.read:,} rows can be used ({reasons})")
    if not live:
        return f"reads {trial.rows[0].domain} first: {_about(spec)}"
    first = trial.rows[0]
    read: dict[str, object] = {name: getattr(first, name) for name in _SHOWN} | first.metrics
    pairs = [
        f"{name} {_plain(value)}{_from(*trial.written[name]) if name in trial.written else ''}"
        for name, value in read.items()
        if value is not None or name in trial.written
    ]
    return f"reads {first.domain} first: {'; '.join(pairs)}: {_about(spec)}"


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, tuple):
        return ", ".join(map(_plain, value)) or "none"
    return "none" if value in (None, "") else str(value)


def _from(*written: Json) -> str:
    """What a value was read from, as JSON on one line and not too long."""
    import orjson

    texts = (blank_controls(orjson.dumps(raw).decode()) for raw in written)
    return f" from {' and '.join(f'{text[:_LONGEST]} …' if len(text) > _LONGEST else text for text in texts)}"


def _about(spec: FeedSpec) -> str:
    return f"{spec.title or spec.source}, rests on {EVIDENCE[spec.evidence]}, licence {spec.licence}"


async def check_providers(context: WorkerContext, *, live: bool = False) -> list[Finding]:
    """Whether the providers answer. One that is paid for is not asked; what it last refused is told.

    With `live` paid ones are asked, too, and what they wrote is told.
    """
    from afterdrop.sources.metrics import store

    if not context.providers:
        return [Finding("provider", "none", "off", "no provider is asked for link figures")]
    async with context.database.read() as conn:
        given_up = await store.given_up(conn)
    found = []
    for spec in context.providers:
        if not spec.configured:
            found.append(Finding("provider", spec.name, "off", f"set {', '.join(spec.missing)}"))
        elif live:
            found.append(await probe("provider", spec.name, partial(_ask_live, context, spec)))
        elif spec.file.tier == "free":
            found.append(await probe("provider", spec.name, partial(_ask, context, spec)))
        elif note := given_up.get(spec.name):
            found.append(
                Finding(
                    "provider", spec.name, "fails", f"was given up: {note}; {_try_it(spec)} once it is mended"
                )
            )
        else:
            found.append(
                Finding("provider", spec.name, "ok", f"not asked: an answer costs units; {_try_it(spec)}")
            )
    return found


def _try_it(spec: ProviderSpec) -> str:
    return f"`afterdrop providers try {spec.name} {_WELL_KNOWN}` asks"


async def _ask(context: WorkerContext, spec: ProviderSpec) -> str:
    from afterdrop.sources.metrics.provider_client import ProviderClient, RetryPolicy

    retry = RetryPolicy(wait=15, pauses=(), cool_down=0)
    client = ProviderClient(context.fetcher, context.database, context.now(), retry).paced([spec])
    answer = await client.ask(spec, [_WELL_KNOWN], 0)
    if answer.over_budget:
        return "not asked: its budget is used up"
    if answer.faults:
        raise AfterdropError("", answer.faults[0])
    return f"answers ({spec.file.tier}, {spec.file.kind})"


async def _ask_live(context: WorkerContext, spec: ProviderSpec) -> str:
    """The values of a well-known name beside what the provider wrote, the units it took and those left."""
    from afterdrop.cli.providers import ask_once, written_as
    from afterdrop.sources.metrics.provider_answer import raw_values

    answer, left = await ask_once(context.fetcher, context.database, spec, [_WELL_KNOWN])
    if answer.over_budget:
        return "not asked: its budget is used up"
    if answer.faults:
        raise AfterdropError("", answer.faults[0])
    values = {metric.role: metric.value for metric in answer.values.get(_WELL_KNOWN, ())}
    written = raw_values(spec.file, answer.items.get(_WELL_KNOWN))
    pairs = [f"{role} {values.get(role)} from {written_as(raw, spec)}" for role, raw in written.items()]
    budget = "no budget" if left is None else f"{left:,} left"
    said = (
        "; ".join([*pairs, *answer.notes]) if _WELL_KNOWN in answer.items else f"does not know {_WELL_KNOWN}"
    )
    return f"{said} ({answer.units} units, {budget})"


async def check_registries(context: WorkerContext) -> list[Finding]:
    """Ask the registries about a registered and an unused name of each extension that feeds or canaries name.

    Each value is told beside what the registry wrote.
    """
    named = {extension for spec in context.feeds for extension in spec.extensions}
    return [
        await _registry(context, extension)
        for extension in sorted(named | context.settings.registry.canaries.keys())
    ]


async def _registry(context: WorkerContext, extension: str) -> Finding:
    from afterdrop.sources.registry.client import nobodys_name, registered_name

    registry, now = context.sources.registry, context.now()
    names = registered_name(extension, registry.settings), nobodys_name(extension, now)
    taken, free = [await registry.ask(name, now) for name in names]
    said = "; ".join(map(heard, names, (taken, free)))
    state: State
    if taken.reason == "no_rdap":
        state, remark = "off", "nothing can be asked; with `registry.whois` perhaps by WHOIS"
    elif taken.state in ("registered", "dropping") and free.state == "available":
        state, remark = "ok", said
    elif (
        taken.state == "available"
        or free.state == "registered"
        or "not_believed" in (taken.reason, free.reason)
    ):
        state = "warns"
        remark = f"is not believed, so none of its names is announced as free until it is right: {said}"
    else:
        state, remark = "fails", said
    return Finding("registry", f".{extension}", state, remark)


def _text(raw: bytes) -> str:
    return raw[:_LONGEST].decode("utf-8", "replace").strip()


def heard(name: str, answer: RegistryAnswer) -> str:
    """An answer's values, each beside what the registry wrote."""
    from afterdrop.sources.registry import rdap_answer, whois_answer
    from afterdrop.sources.registry.whois_servers import whois_table

    said = f"{name} is {answer.state}{f' ({answer.reason})' if answer.reason else ''} by {answer.source}"
    if answer.notes:
        said += f" ({'; '.join(answer.notes)})"
    record, server = answer.record, whois_table().server(name)
    dialect = server.dialect if server is not None and answer.source == "whois" else None
    if answer.state == "unknown":
        # The answer may name people, who are not shown. The notes say what was wrong with it.
        return said
    if answer.state == "available":
        free = "; ".join(whois_answer.free_lines(answer.raw, dialect)) if dialect else _text(answer.raw)
        return f"{said} from {blank_controls(free[:_LONGEST])!r}"
    written = whois_answer.written(answer.raw, dialect) if dialect else rdap_answer.written(answer.raw)
    read: dict[str, object] = {
        "domain": record.domain,
        "statuses": record.statuses,
        "registrar": record.registrar,
        "events": (record.registered_at, record.expires_at, record.updated_at),
        "nameservers": record.nameservers,
        "dnssec": record.dnssec,
    }
    return f"{said}: " + ", ".join(
        f"{part} {_plain(value)}{_from(written.get(part))}" for part, value in read.items()
    )
