"""Tools over the watchlist, the alert rules and their matches."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import orjson
from pydantic import Field

from afterdrop.alerts import rules
from afterdrop.web.api import alerts, watchlist
from afterdrop.web.api.request import ApiRequest
from afterdrop.web.api.schemas import values as v
from afterdrop.web.api.schemas.common import QueryModel
from afterdrop.web.api.schemas.rules import NewRule, RuleChange
from afterdrop.web.mcp import untrusted
from afterdrop.web.mcp.response_paging import Place
from afterdrop.web.mcp.tool import Found, Id, Listed, Name, Tool, after, body_of, one, tool
from afterdrop.web.problems import Invalid
from afterdrop.web.responses import json_bytes

# How many matches of one second a cursor may lie behind.
_MOST_BEHIND = 10_000


class Watched(QueryModel):
    """Which domain."""

    domain: Name = Field(description="A registrable domain, Unicode or A-labels")


class OneRule(QueryModel):
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
async def list_watched(ask: ApiRequest, args: Listed, place: Place) -> Found:
    """The domains the account watches: soonest end first, ended ones after."""
    rows = body_of(await watchlist.watchlist(ask))["data"]
    shown = rows[place.row : place.row + args.limit]
    more = place.row + len(shown) < len(rows)
    return Found([untrusted.summary(row) for row in shown], after(place.row), more, {"total": len(rows)})


@tool("Watch a domain", "add")
async def watch_domain(ask: ApiRequest, args: Watched, place: Place) -> Found:
    """Follow a listed domain: on Pro a reminder before it ends and a notice when it drops unregistered. Following it
    again changes nothing."""
    body = body_of(await watchlist.watch(ask, args.domain))
    return one(untrusted.summary(body["data"]))


@tool("Stop watching a domain", "delete")
async def unwatch_domain(ask: ApiRequest, args: Watched, place: Place) -> Found:
    """Stop following a domain."""
    await watchlist.unwatch(ask, args.domain)
    return one({"domain": args.domain, "watched": False})


@tool("List alert rules", "read")
async def list_rules(ask: ApiRequest, args: Listed, place: Place) -> Found:
    """The account's alert rules, the paused ones included. Every newly listed domain is matched against them."""
    rows = body_of(await alerts.list_rules(ask))["data"]
    shown = rows[place.row : place.row + args.limit]
    return Found(shown, after(place.row), place.row + len(shown) < len(rows), {"total": len(rows)})


@tool("Create an alert rule", "add", pro_only=True, whole="list_rules")
async def create_rule(ask: ApiRequest, args: NewRule, place: Place) -> Found:
    """Match every newly listed domain from now on; matches are mailed at once or daily. Part of Pro."""
    return one(body_of(await alerts.create_rule(ask, args))["data"])


@tool("Change an alert rule", "change", pro_only=True, whole="list_rules")
async def update_rule(ask: ApiRequest, args: ChangedRule, place: Place) -> Found:
    """Change an alert rule: only arguments given change, null clears a number, `active: false` pauses. Part of Pro."""
    sent = args.model_dump(exclude_unset=True, exclude={"rule_id"})
    changed = await alerts.change_rule(ask, args.rule_id, RuleChange.model_validate(sent))
    return one(body_of(changed)["data"])


@tool("Delete an alert rule", "delete")
async def delete_rule(ask: ApiRequest, args: OneRule, place: Place) -> Found:
    """Delete an alert rule and its matches. This cannot be undone; `update_rule` with `active: false` pauses."""
    await alerts.delete_rule(ask, args.rule_id)
    return one({"rule_id": args.rule_id, "deleted": True})


@tool("List what matched", "read")
async def list_matches(ask: ApiRequest, args: Matches, place: Place) -> Found:
    """Domains that matched the account's alert rules, newest match first, each as it is now."""
    if place.row > _MOST_BEHIND:
        raise Invalid({"cursor": ["is not a cursor of an earlier answer"]})
    # A cursor names the second of the last match shown and how many of that second were: new matches move nothing.
    before = args.before if not place.at else datetime.fromtimestamp(place.at, UTC) + timedelta(seconds=1)
    async with ask.env.database.read() as conn:
        found = await rules.list_matches(
            conn,
            ask.viewer,
            ask.now,
            ask.env.links,
            since=args.since,
            before=before,
            limit=place.row + args.limit + 1,
        )
    seconds = [int(match["matched_at"].timestamp()) for match in found]

    def place_of(n: int) -> Place:
        at = seconds[place.row + n - 1] if place.row + n else place.at
        behind = sum(second == at for second in seconds[: place.row + n])
        return Place(row=behind, at=at)

    rows = orjson.loads(json_bytes(found[place.row :]))[: args.limit]
    return Found([untrusted.match(row) for row in rows], place_of, len(found) > place.row + args.limit)


TOOLS: tuple[Tool, ...] = (
    list_watched,
    watch_domain,
    unwatch_domain,
    list_rules,
    create_rule,
    update_rule,
    delete_rule,
    list_matches,
)
