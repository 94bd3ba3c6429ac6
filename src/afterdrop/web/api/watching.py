"""Alert rules with their matches, and the watchlist."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Final

from fastapi import APIRouter, Body, Query
from starlette.responses import Response

from afterdrop.catalogue.shapes import Summary
from afterdrop.watching import rules
from afterdrop.watching.store import MatchesWanted, MatchPlace
from afterdrop.watching.watchlist import FollowedNames
from afterdrop.web.actions import reports, watching
from afterdrop.web.actions.checks import all_names
from afterdrop.web.api.error_responses import error_responses
from afterdrop.web.api.route import PRO_ONLY, AdmittedRequest, StrictRoute
from afterdrop.web.problems import not_found
from afterdrop.web.responses import data_response, no_content
from afterdrop.web.schemas.envelope import Data
from afterdrop.web.schemas.rules import MatchListAnswer, MatchQuery, NewRule, Rule, RuleChange
from afterdrop.web.schemas.watchlist import NamesToWatch
from afterdrop.web.strict_input import DomainPath, IdPath, path_id

watchlist_router = APIRouter(route_class=StrictRoute, tags=["Watchlist"])
rules_router = APIRouter(route_class=StrictRoute, tags=["Alert rules"])
_LAST_SECOND: Final = 253_402_300_799  # of the year 9999


@rules_router.get(
    "/alerts",
    response_model=Data[list[Rule]],
    operation_id="listRules",
    summary="Your alert rules",
    responses=error_responses(),
)
async def list_rules(request: AdmittedRequest) -> Response:
    """All rules in order of id, including paused ones."""
    async with request.context.database.read() as conn:
        return data_response(await rules.list_rules(conn, request.account.id))


@rules_router.post(
    "/alerts",
    response_model=Data[Rule],
    status_code=201,
    operation_id="createRule",
    summary="Create an alert rule",
    responses=error_responses("plan_required", "limit_reached"),
    dependencies=[PRO_ONLY],
)
async def create_rule(request: AdmittedRequest, body: Annotated[NewRule, Body()]) -> Response:
    """The rule is compared with every domain listed from now on. Pro, up to 10 rules."""
    async with request.context.database.write() as conn:
        rule = await rules.create_rule(
            conn, request.account.id, body.model_dump(), limit=request.limits.alert_rules, now=request.now
        )
    return data_response(rule, status=201)


@rules_router.get(
    "/alerts/matches",
    response_model=MatchListAnswer,
    operation_id="listMatches",
    summary="Matches of your alert rules",
    responses=error_responses(),
)
async def matches(request: AdmittedRequest, query: Annotated[MatchQuery, Query()]) -> Response:
    """Matches of all rules, newest first. Each domain is shown as it is now. If `meta.next_cursor` is not null, send
    it as `cursor`, with the other parameters unchanged, for the next matches."""
    wanted = MatchesWanted(query.since, query.before, _place(query.cursor), query.limit)
    async with request.context.database.read() as conn:
        found = await rules.list_matches(conn, request.viewer, request.now, request.context.links, wanted)
    cursor = f"{int(found.rest.matched_at.timestamp())}-{found.rest.id}" if found.rest else None
    return data_response(found.rows, meta={"next_cursor": cursor})


def _place(cursor: str | None) -> MatchPlace | None:
    if cursor is None:
        return None
    at, number = cursor.split("-")
    return MatchPlace(datetime.fromtimestamp(min(int(at), _LAST_SECOND), UTC), int(number))


@rules_router.get(
    "/alerts/{id:rule}",
    response_model=Data[Rule],
    operation_id="getRule",
    summary="One alert rule",
    responses=error_responses("not_found"),
)
async def get_rule(request: AdmittedRequest, id: IdPath) -> Response:
    """One of your rules."""
    async with request.context.database.read() as conn:
        rule = await rules.get_rule(conn, request.account.id, path_id(id))
    if rule is None:
        raise not_found()
    return data_response(rule)


@rules_router.patch(
    "/alerts/{id:rule}",
    response_model=Data[Rule],
    operation_id="changeRule",
    summary="Change an alert rule",
    responses=error_responses("not_found", "plan_required"),
    dependencies=[PRO_ONLY],
)
async def change_rule(request: AdmittedRequest, id: IdPath, body: Annotated[RuleChange, Body()]) -> Response:
    """Only the members you send change. Null clears a number; `active: false` pauses the rule."""
    async with request.context.database.write() as conn:
        rule = await rules.change_rule(
            conn, request.account.id, path_id(id), body.model_dump(exclude_unset=True)
        )
    if rule is None:
        raise not_found()
    return data_response(rule)


@rules_router.delete(
    "/alerts/{id:rule}",
    status_code=204,
    response_class=Response,
    operation_id="deleteRule",
    summary="Delete an alert rule",
    responses=error_responses("not_found"),
)
async def delete_rule(request: AdmittedRequest, id: IdPath) -> Response:
    """Deletes the rule and its matches."""
    async with request.context.database.write() as conn:
        if not await rules.delete_rule(conn, request.account.id, path_id(id)):
            raise not_found()
    return no_content()


@watchlist_router.get(
    "/watchlist",
    response_model=Data[list[Summary]],
    operation_id="listWatched",
    summary="Watched domains",
    responses=error_responses(),
)
async def watchlist(request: AdmittedRequest) -> Response:
    """The domains you watch: those ending soonest first, then ended ones, most recent first."""
    return data_response(await watching.watched(request))


@watchlist_router.post(
    "/watchlist",
    response_model=Data[FollowedNames],
    operation_id="followDomains",
    summary="Follow many domains",
    responses=error_responses("plan_required", "limit_reached"),
)
async def follow(request: AdmittedRequest, body: Annotated[NamesToWatch, Body()]) -> Response:
    """Follow up to 1,000 domains, on the lists or not, all of them or none. For those on no list their registries are
    asked: `registration.*` events tell what becomes of them, and `GET /watchlist` has no summary of them."""
    return data_response(await watching.follow(request, all_names(body.domains, request.sale_zones)))


@watchlist_router.put(
    "/watchlist/{domain}",
    response_model=Data[Summary],
    operation_id="watchDomain",
    summary="Watch a domain",
    responses=error_responses("not_found", "plan_required", "limit_reached"),
)
async def watch(request: AdmittedRequest, domain: DomainPath) -> Response:
    """Watch a listed domain. Watching it again changes nothing."""
    return data_response(await watching.watch(request, domain))


@watchlist_router.delete(
    "/watchlist/{domain}",
    status_code=204,
    response_class=Response,
    operation_id="unwatchDomain",
    summary="Stop watching",
    responses=error_responses("not_found"),
)
async def unwatch(request: AdmittedRequest, domain: DomainPath) -> Response:
    """Stop watching a domain."""
    if not await watching.unwatch(request, domain):
        raise not_found(reports.NOT_LISTED)
    return no_content()
