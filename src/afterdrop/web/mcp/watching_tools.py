"""Tools over the watchlist, the alert rules and their matches."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated

from pydantic import Field

from afterdrop.watching import rules
from afterdrop.watching.store import MatchesWanted
from afterdrop.web.account_request import ApiRequest
from afterdrop.web.actions import reports, watching
from afterdrop.web.actions.checks import all_names
from afterdrop.web.mcp import untrusted
from afterdrop.web.mcp.response_paging import Position
from afterdrop.web.mcp.tool import Id, Listed, Name, Tool, ToolResult, counted_from, single, tool
from afterdrop.web.problems import Invalid, not_found
from afterdrop.web.schemas import values as v
from afterdrop.web.schemas.envelope import RequestModel
from afterdrop.web.schemas.rules import NewRule, RuleChange

# How many matches of one second a cursor may lie behind.
_MOST_BEHIND = 10_000


class WatchedDomain(RequestModel):
    """Which domain."""

    domain: Name = Field(description="A registrable domain, Unicode or A-labels")


class WantedDomains(RequestModel):
    """Which domains."""

    domains: Annotated[list[v.UrlOrDomain], Field(min_length=1, max_length=100)] = Field(
        description="Up to 100 domains; URLs and subdomains are reduced to the registered domain"
    )


class OneRule(RequestModel):
    """Which rule."""

    rule_id: Id = Field(description="The rule's `id`")


class ChangedRule(RuleChange):
    """Which rule, and what to change in it."""

    rule_id: Id = Field(description="The rule's `id`")


class Matches(Listed):
    """Which matches."""

    since: v.QueryMoment | None = Field(
        default=None, description="Only matches at or after this time (ISO 8601)"
    )
    before: v.QueryMoment | None = Field(default=None, description="Only matches before this time (ISO 8601)")


@tool("List watched domains", "read")
async def list_watched(request: ApiRequest, args: Listed, position: Position) -> ToolResult:
    """The domains the account watches: those ending soonest first, then ended ones."""
    rows = await watching.watched(request)
    shown = [untrusted.summary(row) for row in rows[position.row : position.row + args.limit]]
    more = position.row + len(shown) < len(rows)
    return ToolResult(shown, counted_from(position.row), more, {"total": len(rows)})


@tool("Watch a domain", "add")
async def watch_domain(request: ApiRequest, args: WatchedDomain, position: Position) -> ToolResult:
    """Watch a listed domain. On Pro you get a reminder before it ends and a notice when it drops. Watching it again
    changes nothing."""
    return single(untrusted.summary(await watching.watch(request, args.domain)))


@tool("Follow many domains", "add")
async def follow_domains(request: ApiRequest, args: WantedDomains, position: Position) -> ToolResult:
    """Follow up to 100 domains, on the lists or not, all of them or none. Registries are asked about those on no list;
    on Pro you are told when one is renewed, is about to drop or is free."""
    return single({**await watching.follow(request, all_names(args.domains, request.sale_zones))})


@tool("Stop watching a domain", "delete")
async def unwatch_domain(request: ApiRequest, args: WatchedDomain, position: Position) -> ToolResult:
    """Stop watching a domain."""
    if not await watching.unwatch(request, args.domain):
        raise not_found(reports.NOT_LISTED)
    return single({"domain": args.domain, "watched": False})


@tool("List alert rules", "read")
async def list_rules(request: ApiRequest, args: Listed, position: Position) -> ToolResult:
    """The account's alert rules, including paused ones. Every newly listed domain is compared with them."""
    async with request.context.database.read() as conn:
        rows = await rules.list_rules(conn, request.account.id)
    shown = rows[position.row : position.row + args.limit]
    more = position.row + len(shown) < len(rows)
    return ToolResult(shown, counted_from(position.row), more, {"total": len(rows)})


@tool("Create an alert rule", "add", pro_only=True)
async def create_rule(request: ApiRequest, args: NewRule, position: Position) -> ToolResult:
    """Compare every domain listed from now on with this rule; matches are mailed at once or daily. Part of Pro."""
    async with request.context.database.write() as conn:
        rule = await rules.create_rule(
            conn, request.account.id, args.model_dump(), limit=request.limits.alert_rules, now=request.now
        )
    return single(rule)


@tool("Change an alert rule", "change", pro_only=True)
async def update_rule(request: ApiRequest, args: ChangedRule, position: Position) -> ToolResult:
    """Change an alert rule. Only what you give changes; null clears a number; `active: false` pauses. Part of Pro."""
    sent = args.model_dump(exclude_unset=True, exclude={"rule_id"})
    async with request.context.database.write() as conn:
        rule = await rules.change_rule(conn, request.account.id, args.rule_id, sent)
    if rule is None:
        raise not_found()
    return single(rule)


@tool("Delete an alert rule", "delete")
async def delete_rule(request: ApiRequest, args: OneRule, position: Position) -> ToolResult:
    """Delete an alert rule and its matches. This cannot be undone. `update_rule` with `active: false` pauses a rule."""
    async with request.context.database.write() as conn:
        if not await rules.delete_rule(conn, request.account.id, args.rule_id):
            raise not_found()
    return single({"rule_id": args.rule_id, "deleted": True})


@tool("List matches", "read")
async def list_matches(request: ApiRequest, args: Matches, position: Position) -> ToolResult:
    """Domains that matched the account's alert rules, newest match first. Each is shown as it is now."""
    if position.row > _MOST_BEHIND:
        raise Invalid({"cursor": ["is not a cursor from an earlier answer"]})
    # A cursor names the second of the last match shown and how many of that second were: new matches move nothing.
    before = (
        args.before if not position.at else datetime.fromtimestamp(position.at, UTC) + timedelta(seconds=1)
    )
    end = position.row + args.limit
    async with request.context.database.read() as conn:
        found = await rules.list_matches(
            conn,
            request.viewer,
            request.now,
            request.context.links,
            MatchesWanted(since=args.since, before=before, limit=end),
        )
    seconds = [int(match["matched_at"].timestamp()) for match in found.rows]

    def position_of(n: int) -> Position:
        at = seconds[position.row + n - 1] if position.row + n else position.at
        behind = sum(second == at for second in seconds[: position.row + n])
        return Position(row=behind, at=at)

    rows = [untrusted.match(row) for row in found.rows[position.row : end]]
    return ToolResult(rows, position_of, found.rest is not None)


TOOLS: tuple[Tool, ...] = (
    list_watched,
    watch_domain,
    follow_domains,
    unwatch_domain,
    list_rules,
    create_rule,
    update_rule,
    delete_rule,
    list_matches,
)
