"""An account's filters: saved from a list, told of by mail or webhook as alert rules, changed and deleted."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import Response

from afterdrop.catalogue.status import ListName
from afterdrop.core.errors import AfterdropError
from afterdrop.core.safe_text import one_line
from afterdrop.watching import desk_store as desk
from afterdrop.watching import rules
from afterdrop.watching.desk_rules import filter_name_of
from afterdrop.web.actions import lists
from afterdrop.web.problems import Invalid, not_found
from afterdrop.web.schemas.rules import NewRule, RuleChange
from afterdrop.web.site.forms import own_path, validated
from afterdrop.web.site.list_pages import asked_by
from afterdrop.web.site.list_query import (
    PATHS,
    SiteQuery,
    filter_name,
    query_string,
    rule_members,
    tidy_query,
    unkept_filters,
)
from afterdrop.web.site.own_filters import WEBHOOK, OwnFilter, own_filters
from afterdrop.web.site.site_request import SiteRequest
from afterdrop.web.strict_input import read_query

_OF_A_PAGE: Final = ("page", "per_page", "open", "saved")
_PART: Final = "Alert rules"


async def filters_page(request: SiteRequest, status: int = 200) -> Response:
    """All filters: what each asks for, how many names it matches now, and how its new matches are told."""
    async with request.context.database.read() as conn:
        mine = await own_filters(conn, request.member.id)
        asked = {}
        for each in mine:
            with suppress(Invalid):  # a filter that an earlier version could read
                asked[each.key] = await asked_by(conn, request, each)
    matched = dict(zip(asked, await lists.visible_totals(request, list(asked.values())), strict=True))
    return request.page("filters.html", status, filters=mine, matched=matched)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A filter as it is to be kept: its name, the list with its query, and how matches are told (empty: not)."""

    name: str
    which: ListName
    query: str
    told: str


async def change_filters(request: SiteRequest) -> Response:
    """Save the filter of a list (`list`, `query`, `name`, `frequency`); change how one's matches are told (`key`,
    `frequency`), or delete it (`delete`)."""
    form = request.form
    try:
        async with request.context.database.write() as conn:
            mine = await own_filters(conn, request.member.id)
            if form.text("delete"):
                if asked := await _delete(conn, request, _named(mine, form.text("delete"))):
                    return asked
            elif form.text("key"):
                await _tell(conn, request, mine, _named(mine, form.text("key")))
            else:
                query = _tidy(form.text("query"))
                name = filter_name_of(form.text("name") or filter_name(query))
                await _keep(
                    conn,
                    request,
                    mine,
                    _Wanted(name, _list_of(form.text("list")), query, form.text("frequency")),
                )
    except AfterdropError as error:
        if error.status in (403, 404):
            raise
        request.form = form.refused(error)
        return await filters_page(request, error.status)
    return request.redirect(own_path(form.text("back"), "/account/filters"))


def _named(mine: list[OwnFilter], key: str) -> OwnFilter:
    for each in mine:
        if each.key == key:
            return each
    raise not_found("This filter does not exist.")


async def _delete(conn: AsyncConnection, request: SiteRequest, gone: OwnFilter) -> Response | None:
    """The page that asks first; None once it is deleted."""
    text = (
        "This cannot be undone."
        if gone.rule is None
        else "Its matches are deleted too. To stop it for a while, choose “not”."
    )
    if asked := request.ask_once(f"Delete “{one_line(gone.name, 80)}”?", text, "Delete the filter"):
        return asked
    if gone.rule is None:
        await desk.delete_filter(conn, request.member.id, int(gone.key[1:]))
    else:
        await rules.delete_rule(conn, request.member.id, gone.rule["id"])
    return None


async def _tell(conn: AsyncConnection, request: SiteRequest, mine: list[OwnFilter], own: OwnFilter) -> None:
    """Tell of a filter's matches in another way, or no longer."""
    told = request.form.text("frequency")
    if own.rule is not None:
        request.require_pro(_PART)
        sent = (
            validated(_told(told), RuleChange).model_dump(exclude_unset=True) if told else {"active": False}
        )
        await rules.change_rule(conn, request.member.id, own.rule["id"], sent)
    elif told:
        await _keep(conn, request, mine, _Wanted(own.name, own.which, own.query or "", told))


async def _keep(conn: AsyncConnection, request: SiteRequest, mine: list[OwnFilter], wanted: _Wanted) -> None:
    """Keep a filter in place of one of its name: as an alert rule where its matches are told, or once were.

    Raises Invalid where a rule cannot ask for it, TooMany and TooManyRules.
    """
    account_id = request.member.id
    named = [each for each in mine if each.name == wanted.name]
    held = [each.rule["id"] for each in named if each.rule is not None]
    if not wanted.told and not held:
        await desk.save_filter(conn, account_id, wanted.name, (wanted.which, wanted.query), request.now)
        return
    request.require_pro(_PART)
    if len(held) > 1:
        raise Invalid({"name": ["is that of more than one of your alert rules; choose another"]})
    # The members of the rule that matches what a list with this query shows. Raises Invalid where a rule
    # cannot ask for a filter: left out, it would tell of domains that the list does not show.
    if wanted.which != "live":
        raise Invalid({"form": ["Alert rules tell of new domains on the live list alone."]})
    asked = read_query(wanted.query.encode(), SiteQuery)
    if unkept := unkept_filters(asked):
        text = f"Alert rules cannot ask for: {', '.join(unkept)}. Take it away, or save the filter without alerts."
        raise Invalid({"form": [text]})
    members = {**rule_members(asked), **_told(wanted.told), "name": wanted.name}
    rule = validated({**members, "active": bool(wanted.told)}, NewRule).model_dump()
    twin = await rules.twin_of(conn, account_id, rule, held[0] if held else None)
    if twin is not None:
        told = f"“{one_line(twin, 80)}” asks for the same. Change that one, or ask for something else here."
        raise Invalid({"form": [told]})
    if held:
        await rules.change_rule(conn, account_id, held[0], rule)
    else:
        await rules.create_rule(conn, account_id, rule, limit=request.limits.alert_rules, now=request.now)
    for each in named:
        if each.rule is None:
            await desk.delete_filter(conn, account_id, int(each.key[1:]))


def _told(chosen: str) -> dict[str, object]:
    """The members of a rule that say how its matches are told."""
    return {
        "frequency": "instant" if chosen in ("", WEBHOOK) else chosen,
        "mail": chosen != WEBHOOK,
        "active": True,
    }


def _list_of(text: str) -> ListName:
    for name in PATHS:
        if name == text:
            return name
    raise Invalid({"form": ["does not name a list"]})


def _tidy(query: str) -> str:
    """The query string as a list's address has it, without what belongs to one page of it. Raises Invalid."""
    _, values, _ = tidy_query(query.encode("utf-8", "replace"))
    tidy = query_string({name: value for name, value in values.items() if name not in _OF_A_PAGE})
    read_query(tidy.encode(), SiteQuery)
    return tidy
