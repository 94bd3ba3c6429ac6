"""One trial of an outside source: a line of `feeds try`, `providers try` or `afterdrop doctor`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal

import orjson
import typer

from afterdrop.cli import console
from afterdrop.core.errors import AfterdropError
from afterdrop.core.json_values import Json
from afterdrop.core.safe_text import blank_controls

if TYPE_CHECKING:
    from afterdrop.core.settings import Settings
    from afterdrop.db.engine import Database
    from afterdrop.feeds.spec import FeedSpec
    from afterdrop.http.client import Fetcher
    from afterdrop.sources.metrics.provider_spec import ProviderSpec
    from afterdrop.sources.registry.client import RegistryClient
    from afterdrop.sources.registry.rdap_answer import RegistryAnswer

# The evidence for the file of a feed or provider, in words.
EVIDENCE: Final = {
    "sample": "a genuine file",
    "code": "independent code",
    "documentation": "documents only",
    "own": "your own word",
}
_LONGEST: Final = 600
_FREE_WORDS: Final = 200
# The values of a feed's row that are shown beside the file's text.
_SHOWN: Final = ("domain", "type", "url", "price", "currency", "bids", "ends_at")
State = Literal["ok", "off", "warns", "fails"]


@dataclass(frozen=True)
class Trial:
    """The result for one part: ok, off (not configured, which may be intended), warns or fails with the reason.

    Of a source that was tried, `records` and `lines` are what it said, for scripts and for people, each value beside
    what it was read from; `good` is whether what was asked for came.
    """

    part: str
    name: str
    state: State
    remark: str
    records: Sequence[Mapping[str, Any]] = ()
    lines: Sequence[str] = ()
    good: bool = True

    def show(self, *, as_json: bool) -> None:
        """Print what the source said. Exits with code 1 if what was asked for did not come."""
        for record in self.records if as_json else ():
            console.json_line(record)
        for line in () if as_json else self.lines:
            console.line(line)
        if not self.good:
            raise typer.Exit(1)


async def probe(part: str, name: str, look: Callable[[], Awaitable[str | Trial]]) -> Trial:
    """The result of `look`, or the reason of its failure."""
    try:
        found = await look()
    except (AfterdropError, OSError) as error:
        return Trial(part, name, "fails", str(error)[:300])
    return found if isinstance(found, Trial) else Trial(part, name, "ok", found)


def _as_written(raw: Json, hide: Callable[[str], str] = str) -> str:
    """A source's answer as JSON on one line, cut short and with secrets hidden by `hide`."""
    text = hide(blank_controls(orjson.dumps(raw).decode()))
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, tuple):
        return ", ".join(map(_plain, value)) or "none"
    return "none" if value in (None, "") else str(value)


def _beside(read: Mapping[str, object], written: Mapping[str, Iterable[Json]]) -> str:
    """Each value that was read or written, beside its source."""
    told = []
    for name, value in read.items():
        source = f" from {' and '.join(map(_as_written, written[name]))}" if name in written else ""
        if source or value is not None:
            told.append(f"{name} {_plain(value)}{source}")
    return "; ".join(told)


def about_feed(spec: FeedSpec) -> str:
    """A source's owner, the evidence for its file, and its licence."""
    return f"{spec.title or spec.source}, rests on {EVIDENCE[spec.evidence]}, licence {spec.licence}"


async def try_feed(
    spec: FeedSpec, settings: Settings, fetcher: Fetcher | None, now: datetime, *, scans: bool, anew: bool
) -> Trial:
    """Read the first rows of a feed. Raises FeedError for one that cannot be read as a whole.

    With `scans` the file is shared with the scans. Unless `anew`, one of the last day is used again: some sources
    allow one download a day.
    """
    from afterdrop.feeds.containers import Bounds
    from afterdrop.feeds.download import Spool, fetch
    from afterdrop.feeds.trial import first_pages, try_out

    # A few pages of many must not be taken for the list by a scan.
    folder = settings.data_dir / "spool" / ("" if scans and not spec.paging else "trials")
    fresh_since = None if anew else now - timedelta(days=1)
    spooled = await fetch(first_pages(spec), fetcher, Spool(folder), fresh_since=fresh_since, now=now)
    with await asyncio.to_thread(spooled.path.open, "rb") as file:
        tried = await asyncio.to_thread(try_out, spec, file, Bounds(), settings.scan.sale_zones)
    state: State = "ok"
    about, lines = about_feed(spec), list[str]()
    if tried.rows:
        row = tried.rows[0]
        remark = f"reads {row['domain']} first: {about}"
        read = {name: row[name] for name in _SHOWN} | row["metrics"]
        lines.append(f"{row['domain']}: {_beside(read, tried.written)}")
    elif tried.read:
        reasons = ", ".join(f"{bad['count']:,} {reason}" for reason, bad in tried.bad.items())
        state, remark = "fails", f"none of its first {tried.read:,} rows can be used ({reasons})"
    else:
        remark = f"has no rows right now: {about}"
    lines += [
        f"not usable, {reason}: {bad['count']:,} (line {bad['line']}: {bad['sample']})"
        for reason, bad in tried.bad.items()
    ]
    for note, count in tried.notes.items():
        first = tried.left_out.get(note)
        why = f" (line {first['line']}: {first['reason']}, in {first['sample']})" if first else ""
        lines.append(f"value left out, {note}: {count:,}{why}")
    for fault, columns in (
        ("not mapped", tried.unmapped), ("the feed file names, but not found", tried.not_found)
    ):  # fmt: skip
        lines += [f"columns {fault}: {', '.join(columns)}"] if columns else []
    lines += [] if tried.rows else [remark]
    record = {"feed": spec.name, "title": spec.title, "source": spec.source, **asdict(tried)}
    return Trial("feed", spec.name, state, remark, [record], lines, bool(tried.rows))


async def try_provider(
    spec: ProviderSpec, names: Sequence[str], fetcher: Fetcher, database: Database, now: datetime
) -> Trial:
    """Query a provider about some names without its cache. The units count against its budget like any others."""
    from afterdrop.sources.metrics.provider_answer import raw_values
    from afterdrop.sources.metrics.provider_client import ProviderClient, RetryPolicy
    from afterdrop.sources.metrics.provider_request import redact
    from afterdrop.sources.metrics.store import units_left

    retry = RetryPolicy(wait=30, pauses=(), cool_down=0)
    client = ProviderClient(fetcher, database, now, retry, keep_items=True).paced([spec])
    result = await client.ask(spec, names, 0)
    async with database.read() as conn:
        left = await units_left(conn, spec.name, spec.budget, now)
    hide = partial(redact, spec=spec)
    records, lines = list[dict[str, object]](), list[str]()
    for name in names:
        metrics, answer = result.values.get(name), result.items.get(name)
        told = None if metrics is None else {metric.role: metric.value for metric in metrics}
        written = raw_values(spec.file, answer) if name in result.items else {}
        record = {"domain": name, "provider": spec.name, "metrics": told, "written": written}
        records.append({**record, "answer": answer})
        known = ", ".join(f"{role} {value}" for role, value in (told or {}).items()) or "not known there"
        lines.append(f"{name}: {'no answer' if told is None else known}")
        for role, raw in written.items():
            lines.append(f"  {role} is read from {spec.file.metrics[role]}: {_as_written(raw, hide)}")
        lines += [f"  answered: {_as_written(answer, hide)}"] if name in result.items else []
    remarks = [*result.notes, *result.faults]
    if result.over_budget:
        remarks.append(f"names not asked because the budget is used up: {result.over_budget}")
    records.append({"asked": result.asked, "units": result.units, "units_left": left, "remarks": remarks})
    budget = "no budget is set" if left is None else f"{left:,} left of the budget"
    lines.append(f"{result.asked} names asked, {result.units} units; {budget}")
    lines += [f"note: {remark}" for remark in remarks]
    state: State = "ok"
    if result.faults:
        state, remark = "fails", result.faults[0][:300]
    elif result.over_budget:
        remark = "not asked: its budget is used up"
    else:
        remark = f"answers ({spec.file.tier}, {spec.file.kind})"
    good = not (result.faults or result.over_budget)
    return Trial("provider", spec.name, state, remark, records, lines, good)


async def try_registry(registry: RegistryClient, extension: str, now: datetime) -> Trial:
    """Query a registry about a registered and an unused name."""
    from afterdrop.sources.registry.client import nobodys_name, registered_name

    names = registered_name(extension, registry.settings), nobodys_name(extension, now)
    taken, free = [await registry.ask(name, now) for name in names]
    said = "; ".join(map(heard, names, (taken, free)))
    state: State
    if taken.reason == "no_rdap":
        state, said = "off", "nothing can be asked; with `registry.whois` perhaps by WHOIS"
    elif taken.state in ("registered", "dropping") and free.state == "available":
        state = "ok"
    elif (
        taken.state == "available"
        or free.state == "registered"
        or "not_believed" in (taken.reason, free.reason)
    ):
        state = "warns"
        said = f"is not believed, so none of its names is announced as free until it is right: {said}"
    else:
        state = "fails"
    return Trial("registry", f".{extension}", state, said)


def heard(name: str, answer: RegistryAnswer) -> str:
    """An answer's values, each beside the registry's text."""
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
        plain = answer.raw[:_FREE_WORDS].decode("utf-8", "replace").strip()
        free = "; ".join(whois_answer.free_lines(answer.raw, dialect)) if dialect else plain
        return f"{said} from {blank_controls(free[:_FREE_WORDS])!r}"
    written = whois_answer.written(answer.raw, dialect) if dialect else rdap_answer.written(answer.raw)
    read: dict[str, object] = {
        "domain": record.domain,
        "statuses": record.statuses,
        "registrar": record.registrar,
        "events": (record.registered_at, record.expires_at, record.updated_at),
        "nameservers": record.nameservers,
        "dnssec": record.dnssec,
    }
    return f"{said}: {_beside(read, {part: [raw] for part, raw in written.items()})}"
