"""Tools for choosing: reports side by side, own tags and notes, what drops when, and what became of domains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date
from typing import Annotated, Any, Final

from pydantic import Field

from afterdrop.catalogue.drops import countdown, drops
from afterdrop.catalogue.lists.chosen_store import chosen
from afterdrop.catalogue.lists.comparisons import Days
from afterdrop.catalogue.lists.pages import SITE_ROWS
from afterdrop.catalogue.status import Outcome
from afterdrop.watching import desk_store as desk
from afterdrop.watching.desk_rules import NOTE_LENGTH, TAG_LENGTH, note_of, tag_of
from afterdrop.web.account_request import ApiRequest
from afterdrop.web.actions import reports
from afterdrop.web.actions.lists import MOST_DROPS, dropping
from afterdrop.web.actions.lookups import only_exact
from afterdrop.web.mcp import untrusted
from afterdrop.web.mcp.response_paging import ROWS, Position
from afterdrop.web.mcp.tool import Listed, Name, Tool, ToolResult, counted_from, single, tool
from afterdrop.web.problems import Problem
from afterdrop.web.schemas.envelope import RequestModel

_MOST_COMPARED: Final = 4
# What a comparison shows of a report: figures and verdicts, no texts.
_COMPARED: Final = frozenset(
    {
        "domain",
        "status",
        "score",
        "verdict",
        "flags",
        "flag_levels",
        "conclusion",
        "standing",
        "score_breakdown",
        "score_confidence",
    }
    | {"topic", "metrics", "listing", "risk_checks", "spam", "detail", "report_url"}
)
Names = Annotated[list[Name], Field(min_length=1, max_length=ROWS)]
_NAMES: Final = "Up to 25 registrable domains"


class Compared(Listed):
    """Which domains."""

    domains: Annotated[list[Name], Field(min_length=2, max_length=_MOST_COMPARED)] = Field(
        description="Two to four listed domains"
    )


class Tagged(RequestModel):
    """Which domains, and which tag."""

    domains: Names = Field(description=_NAMES)
    tag: Annotated[str, Field(strict=True, min_length=1, max_length=TAG_LENGTH)] = Field(
        description="`shortlist`, `bidding`, `won`, `lost`, `rejected`, or a word of your own"
    )


class Noted(RequestModel):
    """Which domain, and what to write."""

    domain: Name = Field(description="A registrable domain")
    note: Annotated[str, Field(strict=True, max_length=NOTE_LENGTH)] = Field(
        description="The note; empty deletes it"
    )


class Marked(Listed):
    """Which marks."""

    tags: Annotated[list[str], Field(max_length=10)] = Field(
        default=[], description="Only domains with one of these tags; empty = every tag or note"
    )


class DropDay(Listed):
    """Which day."""

    day: date | None = Field(default=None, description="A day (UTC), such as 2026-11-21; today by default")


class Several(Listed):
    """Which domains."""

    domains: Names = Field(description=_NAMES)


@tool("Compare domains", "read")
async def compare_domains(request: ApiRequest, args: Compared, position: Position) -> ToolResult:
    """Two to four listed domains side by side: score and its parts, link figures, risk checks, listing. Differences in
    `score_breakdown` show why one scores below another. `meta.refused` says why a domain is missing."""
    rows: list[dict[str, Any]] = []
    refused: dict[str, str] = {}
    for name in dict.fromkeys(args.domains):
        try:
            found = untrusted.report(await reports.report(request, name))
            rows.append({member: found[member] for member in found if member in _COMPARED})
        except Problem as problem:
            refused[name[:80]] = problem.message
    return _part(rows, args.limit, position, {"refused": refused})


@tool("List domains about to drop", "read")
async def list_drops(request: ApiRequest, args: DropDay, position: Position) -> ToolResult:
    """Pending deletes of one day (UTC): which names drop in which window of their registry, best score first in each.
    `window.opens` is null if the hour is not known; `window.day` is then the registry's day. `window.closes` is null if
    the registry publishes no end."""
    today = request.now.astimezone(UTC).date()
    day = args.day or today
    # Today has what has begun to drop before and is not over.
    days = Days.of(None if day == today else day, day, UTC)
    found = await request.context.lists.page(dropping(request, days), 1, MOST_DROPS, SITE_ROWS)
    rows = [
        {
            **untrusted.summary(_plain(item)),
            "window": {
                "opens": drop.window.opens,
                "closes": drop.window.closes,
                "day": drop.window.day and drop.window.day.isoformat(),
                "countdown": countdown(drop, request.now),
            },
        }
        for drop in drops(found.rows)
        for item in drop.domains
    ]
    return _part(rows, args.limit, position, {"day": day.isoformat(), "total": len(rows)})


@tool("Read what became of domains", "read")
async def get_outcomes(request: ApiRequest, args: Several, position: Position) -> ToolResult:
    """The outcomes of ended domains: `renewed`, `sold`, `caught` (with the number of days after the drop; the registrar
    is under `untrusted_text`), `free` or `unknown`. `outcome` is null while a domain is live and where it is part of
    Pro; `status` is null if the account cannot see the domain."""
    names = only_exact("domains", args.domains, request.sale_zones)
    async with request.context.database.read() as conn:
        seen = await chosen(conn, names, request.viewer, request.now, request.context.links)
    rows = []
    for name in names:
        item = seen.get(name)
        row = {"domain": name, "status": item["status"] if item else None}
        rows.append({**row, **told(item["outcome"] if item else None)})
    return _part(rows, args.limit, position)


def told(outcome: Outcome | None) -> dict[str, Any]:
    """The outcome of a domain; the registrar's name is a stranger's text."""
    if outcome is None:
        return {"outcome": None}
    shown: dict[str, Any] = {"outcome": {"became": outcome["became"], "days": outcome["days"]}}
    if outcome["registrar"]:
        shown[untrusted.UNTRUSTED] = {"registrar": outcome["registrar"]}
    return shown


@tool("List tagged domains", "read")
async def list_tagged(request: ApiRequest, args: Marked, position: Position) -> ToolResult:
    """The domains the account has tagged or written a note on, each as the lists show it now (`listed` is null if they
    do not)."""
    async with request.context.database.read() as conn:
        marks = await desk.marks(conn, request.account.id)
        wanted = {tag_of(tag) for tag in args.tags}
        names = [name for name in sorted(marks) if not wanted or wanted & set(marks[name].tags)]
        page = names[position.row : position.row + args.limit]
        seen = await chosen(conn, page, request.viewer, request.now, request.context.links)
    rows = []
    for name in page:
        item = seen.get(name)
        mark = marks[name]
        shown = untrusted.listed(item) if item else None
        rows.append({"domain": name, "tags": list(mark.tags), "note": mark.note, "listed": shown})
    more = position.row + len(rows) < len(names)
    return ToolResult(rows, counted_from(position.row), more, {"total": len(names)})


@tool("Tag domains", "change")
async def tag_domains(request: ApiRequest, args: Tagged, position: Position) -> ToolResult:
    """Tag domains; only the account sees its tags. A decision (`shortlist`, `bidding`, `won`, `lost`, `rejected`)
    replaces the previous one; other words are added to it."""
    names, tag = only_exact("domains", args.domains, request.sale_zones), tag_of(args.tag)
    async with request.context.database.write() as conn:
        await desk.add_tag(conn, request.account.id, names, tag, request.now)
    return single({"domains": names, "tag": tag})


@tool("Remove a tag", "delete")
async def untag_domains(request: ApiRequest, args: Tagged, position: Position) -> ToolResult:
    """Remove a tag from domains."""
    names, tag = only_exact("domains", args.domains, request.sale_zones), tag_of(args.tag)
    async with request.context.database.write() as conn:
        await desk.remove_tag(conn, request.account.id, names, tag)
    return single({"domains": names, "removed": tag})


@tool("Write a note", "change")
async def write_note(request: ApiRequest, args: Noted, position: Position) -> ToolResult:
    """Write the account's note on a domain, replacing the previous one; an empty note deletes it."""
    (name,) = only_exact("domain", [args.domain], request.sale_zones)
    note = note_of(args.note)
    async with request.context.database.write() as conn:
        await desk.write_note(conn, request.account.id, name, note, request.now)
    return single({"domain": name, "note": note})


def _plain(item: Mapping[str, Any]) -> dict[str, Any]:
    """A row of the site's list as the API's summary."""
    return {name: value for name, value in item.items() if name != "outcome"}


def _part(
    rows: Sequence[Mapping[str, Any]], limit: int, position: Position, meta: Mapping[str, Any] | None = None
) -> ToolResult:
    """The rows from `position` on."""
    shown = rows[position.row : position.row + limit]
    more = position.row + len(shown) < len(rows)
    return ToolResult(shown, counted_from(position.row), more, meta or {})


TOOLS: tuple[Tool, ...] = (
    compare_domains,
    list_drops,
    get_outcomes,
    list_tagged,
    tag_domains,
    untag_domains,
    write_note,
)
