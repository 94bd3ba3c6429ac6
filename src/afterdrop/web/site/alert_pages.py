"""Alert rules: created, changed, paused and deleted, and created from a list's filters in one click."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import Response

from afterdrop.catalogue.lists.criteria import RULE_CRITERIA, Takes
from afterdrop.core.errors import AfterdropError
from afterdrop.core.safe_text import one_line
from afterdrop.watching import rules
from afterdrop.watching.criteria import as_filter, restricting
from afterdrop.watching.rules import Preview
from afterdrop.watching.store import MatchesWanted
from afterdrop.web.actions.lists import Asked, attributions_for, list_totals
from afterdrop.web.actions.watching import rule_preview
from afterdrop.web.problems import Invalid, not_found
from afterdrop.web.schemas.rules import NewRule
from afterdrop.web.site.forms import Form, own_path, validated, whole_number
from afterdrop.web.site.list_query import (
    RuleMember,
    SiteQuery,
    query_string,
    rule_members,
    tidy_query,
    unkept_filters,
)
from afterdrop.web.site.site_request import SiteRequest
from afterdrop.web.strict_input import read_query

_SHOWN_MATCHES: Final = 30
_NOT_SETTABLE: Final = ("id", "active", "match_count", "last_matched_at", "created_at")
_NOT_FREE: Final = "cannot be $0 in a rule; leave it blank for any price"
_NO_RULE: Final = "This alert rule does not exist."


async def rules_page(request: SiteRequest) -> Response:
    """All rules, how many names each matches on the live list now, and what matched last."""
    async with request.context.database.read() as conn:
        every = await rules.list_rules(conn, request.member.id)
        wanted = MatchesWanted(limit=_SHOWN_MATCHES)
        matched = await rules.list_matches(conn, request.viewer, request.now, request.context.links, wanted)
    listed = await list_totals(request, [Asked("live", as_filter(restricting(rule))) for rule in every])
    return request.page("rules.html", rules=list(zip(every, listed, strict=True)), matches=matched.rows)


async def new_page(request: SiteRequest) -> Response:
    """An empty rule to fill in."""
    return _editor(request, None)


async def create_or_preview(request: SiteRequest) -> Response:
    """Create a rule; or only show what it would have matched."""
    request.require_pro("Alert rules")
    try:
        if request.form.text("do") == "preview":
            return await _previewed(request, None, _members(request.form))
        async with request.context.database.write() as conn:
            await create(conn, request, _members(request.form))
    except AfterdropError as error:
        return _with_error(request, None, error)
    return request.redirect("/account/rules")


async def create_from_list(request: SiteRequest) -> Response:
    """Create the rule that matches what a list shows."""
    request.require_pro("Alert rules")
    sent = {name: form_values[-1] for name, form_values in request.form.values.items() if name != "csrf"}
    # Besides the filter: a saved filter's name, how to tell, and where the form stood.
    own = {name: sent.pop(name, "") for name in ("named", "frequency", "back")}
    text, _, _ = tidy_query(query_string(sent).encode())
    query = read_query(text.encode(), SiteQuery)
    try:
        async with request.context.database.write() as conn:
            await create(conn, request, members_of(query, own["named"], own["frequency"]))
    except Invalid as error:
        request.form = Form(_as_form(rule_members(query) | _told_by(own["frequency"])), error.fields or {})
        return _editor(request, None, 422)
    return request.redirect(own_path(own["back"], "/account/rules"))


def members_of(query: SiteQuery, name: str, told: str) -> dict[str, RuleMember]:
    """The rule that matches what a list with this query shows, under a name, told as a form chose.

    Raises Invalid where a rule cannot ask for a filter: left out, it would tell of domains that the list does not show.
    """
    if unkept := unkept_filters(query):
        text = f"Alert rules cannot ask for: {', '.join(unkept)}. Take it away, or save the filter without mails."
        raise Invalid({"form": [text]})
    members = rule_members(query)
    return members | {"name": name or members["name"], **_told_by(told)}


async def create(conn: AsyncConnection, request: SiteRequest, members: Mapping[str, object]) -> None:
    """Create a rule. Raises Invalid where it is none, or asks for the same as another."""
    rule = _rule_of(members).model_dump()
    await _refuse_twin(conn, request, rule)
    await rules.create_rule(conn, request.member.id, rule, limit=request.limits.alert_rules, now=request.now)


async def _refuse_twin(
    conn: AsyncConnection, request: SiteRequest, members: Mapping[str, object], but: int | None = None
) -> None:
    """Raises Invalid where a rule of the account asks for the same: each match would be told twice."""
    twin = await rules.twin_of(conn, request.member.id, members, but)
    if twin is not None:
        told = f"Your rule “{one_line(twin, 80)}” asks for the same. Change that one, or ask for something else here."
        raise Invalid({"form": [told]})


async def edit_page(request: SiteRequest) -> Response:
    """One rule to change."""
    rule = await _rule(request)
    request.form = Form(_as_form(rule))
    if request.plan != "pro":
        return _editor(request, rule)
    request.count("form")  # the preview costs as much here as after a form
    return await _previewed(request, rule, rule)


async def change_or_preview(request: SiteRequest) -> Response:
    """Change, pause or delete a rule; or only show what it would have matched."""
    rule = await _rule(request)
    if request.form.text("do") == "delete":
        text = "Its matches are deleted too. To stop its mails for a while, pause it instead."
        if asked := request.ask_once(
            f"Delete the rule “{one_line(rule['name'], 80)}”?", text, "Delete the rule"
        ):
            return asked
        async with request.context.database.write() as conn:
            await rules.delete_rule(conn, request.member.id, rule["id"])
        return request.redirect("/account/rules")
    request.require_pro("Alert rules")
    if request.form.text("do") == "pause":
        sent: dict[str, Any] = {"active": not rule["active"]}
    else:
        try:
            if request.form.text("do") == "preview":
                return await _previewed(request, rule, _members(request.form))
            sent = _rule_of({**_members(request.form), "active": rule["active"]}).model_dump()
        except Invalid as error:
            return _with_error(request, rule, error)
    try:
        async with request.context.database.write() as conn:
            if "name" in sent:
                await _refuse_twin(conn, request, sent, but=rule["id"])
            await rules.change_rule(conn, request.member.id, rule["id"], sent)
    except Invalid as error:
        return _with_error(request, rule, error)
    return request.redirect("/account/rules")


async def _rule(request: SiteRequest) -> dict[str, Any]:
    async with request.context.database.read() as conn:
        rule = await rules.get_rule(conn, request.member.id, whole_number(request.http.path_params["id"]))
    if rule is None:
        raise not_found(_NO_RULE)
    return rule


def _rule_of(members: Mapping[str, object]) -> NewRule:
    # The API reads 0 as no limit, but a person who types "up to $0" does not mean every price.
    if members.get("max_price") == 0:
        raise Invalid({"max_price": [_NOT_FREE]})
    return validated(members, NewRule)


def _members(form: Form) -> dict[str, RuleMember]:
    members = {name: _member(form, name, each.of_rule) for name, each in RULE_CRITERIA.items()}
    return {**members, "name": form.text("name"), **_told_by(form.text("frequency"))}


_WEBHOOK: Final = "webhook"


def _told_by(chosen: str) -> dict[str, RuleMember]:
    """How the form says that matches are told: by mail at once or daily, or by webhook alone."""
    return {"frequency": "instant" if chosen in ("", _WEBHOOK) else chosen, "mail": chosen != _WEBHOOK}


def _as_form(members: Mapping[str, object]) -> dict[str, list[str]]:
    """A rule's members as the form would have sent them."""
    values = {name: _form_values(value) for name, value in members.items()}
    if members.get("mail") is False:
        values["frequency"] = [_WEBHOOK]
    return values


def _member(form: Form, name: str, takes: Takes) -> RuleMember:
    if takes.kind == "words":
        return form.lines(name)
    if takes.many:
        return form.all(name)
    if takes.kind == "flag":
        return form.has(name)
    return form.number(name) if takes.kind == "number" else form.text(name) or None


def _form_values(value: object) -> list[str]:
    """A member of a rule as the form would have sent it."""
    if value is None or value is False:
        return []
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


def _with_error(request: SiteRequest, rule: Mapping[str, object] | None, error: AfterdropError) -> Response:
    request.form = request.form.refused(error)
    return _editor(request, rule, error.status)


async def _previewed(
    request: SiteRequest, rule: Mapping[str, object] | None, members: Mapping[str, object]
) -> Response:
    """The editor with what the rule in the form would have matched. Raises Invalid."""
    # A rule needs a name to be saved, not to be previewed.
    named = {**members, "name": members["name"] or "preview"}
    wanted = _rule_of({name: value for name, value in named.items() if name not in _NOT_SETTABLE})
    preview = await rule_preview(request, restricting(wanted.model_dump()))
    return _editor(request, rule, preview=preview)


def _editor(
    request: SiteRequest, rule: Mapping[str, object] | None, status: int = 200, preview: Preview | None = None
) -> Response:
    credits = attributions_for(request)
    return request.page("rule.html", status, rule=rule, preview=preview, credits=credits)
