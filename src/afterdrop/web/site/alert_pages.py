"""Alert rules: created, changed, paused and deleted, and created from a list's filters in one click."""

from __future__ import annotations

from typing import Any, Final

from starlette.responses import Response

from afterdrop.alerts import rules
from afterdrop.alerts.criteria import ARRAYS, NUMBERS, restricting
from afterdrop.alerts.preview import Preview
from afterdrop.alerts.store import MatchesWanted
from afterdrop.core.errors import AfterdropError
from afterdrop.delivery.mail.message import one_line
from afterdrop.metrics.values import TOPICS
from afterdrop.web.actions.domains import rule_preview
from afterdrop.web.problems import Invalid, not_found, plan_required
from afterdrop.web.schemas import values as v
from afterdrop.web.schemas.rules import NewRule
from afterdrop.web.site.attributions import attributions_for
from afterdrop.web.site.forms import Form, own_path, validated, whole_number
from afterdrop.web.site.list_query import SiteQuery, query_string, rule_members, tidy_query
from afterdrop.web.site.site_request import SiteRequest
from afterdrop.web.strict_input import read_query

_SHOWN_MATCHES: Final = 30
_NOT_SETTABLE: Final = ("id", "active", "match_count", "last_matched_at", "created_at")
_NOT_FREE: Final = "cannot be $0 in a rule; leave it blank for any price"
_NO_RULE: Final = "This alert rule does not exist."


async def rules_page(request: SiteRequest) -> Response:
    """All rules, and what matched last."""
    async with request.context.database.read() as conn:
        found = await rules.list_rules(conn, request.member.id)
        wanted = MatchesWanted(limit=_SHOWN_MATCHES)
        matched = await rules.list_matches(conn, request.viewer, request.now, request.context.links, wanted)
    return request.page("rules.html", rules=found, matches=matched.rows)


async def new_page(request: SiteRequest) -> Response:
    """An empty rule to fill in."""
    return _editor(request, None)


async def create_or_preview(request: SiteRequest) -> Response:
    """Create a rule; or only show what it would have matched."""
    _require_pro(request)
    try:
        if request.form.text("do") == "preview":
            return await _previewed(request, None, _members(request.form))
        await _create(request, _members(request.form))
    except AfterdropError as error:
        return _with_error(request, None, error)
    return request.redirect("/account/rules")


async def create_from_list(request: SiteRequest) -> Response:
    """Create the rule that matches what a list shows."""
    _require_pro(request)
    sent = {name: form_values[-1] for name, form_values in request.form.values.items() if name != "csrf"}
    # Besides the filter: a saved filter's name, how often to mail, and where the form stood.
    own = {name: sent.pop(name, "") for name in ("named", "frequency", "back")}
    text, _, _ = tidy_query(query_string(sent).encode())
    members = rule_members(read_query(text.encode(), SiteQuery))
    members |= {"name": own["named"] or members["name"], "frequency": own["frequency"] or "instant"}
    try:
        await _create(request, members)
    except Invalid as error:
        values = {name: _form_values(value) for name, value in members.items()}
        request.form = Form(values, error.fields or {})
        return _editor(request, None, 422)
    return request.redirect(own_path(own["back"], "/account/rules"))


async def _create(request: SiteRequest, members: dict[str, Any]) -> None:
    rule = _rule_of(members)
    async with request.context.database.write() as conn:
        await rules.create_rule(
            conn, request.member.id, rule.model_dump(), limit=request.limits.alert_rules, now=request.now
        )


async def edit_page(request: SiteRequest) -> Response:
    """One rule to change."""
    rule = await _rule(request)
    request.form = Form({name: _form_values(value) for name, value in rule.items()})
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
    _require_pro(request)
    if request.form.text("do") == "pause":
        sent: dict[str, Any] = {"active": not rule["active"]}
    else:
        try:
            if request.form.text("do") == "preview":
                return await _previewed(request, rule, _members(request.form))
            sent = _rule_of({**_members(request.form), "active": rule["active"]}).model_dump()
        except Invalid as error:
            return _with_error(request, rule, error)
    async with request.context.database.write() as conn:
        await rules.change_rule(conn, request.member.id, rule["id"], sent)
    return request.redirect("/account/rules")


async def _rule(request: SiteRequest) -> dict[str, Any]:
    async with request.context.database.read() as conn:
        found = await rules.get_rule(conn, request.member.id, whole_number(request.http.path_params["id"]))
    if found is None:
        raise not_found(_NO_RULE)
    return found


def _rule_of(members: dict[str, Any]) -> NewRule:
    # The API reads 0 as no limit, but a person who types "up to $0" does not mean every price.
    if members.get("max_price") == 0:
        raise Invalid({"max_price": [_NOT_FREE]})
    return validated(members, NewRule)


def _members(form: Form) -> dict[str, Any]:
    members: dict[str, Any] = {name: form.number(name) for name in NUMBERS}
    members |= {name: form.all(name) for name in ARRAYS}
    members["keywords"] = form.lines("keywords")
    members |= {"name": form.text("name"), "clean_only": form.has("clean_only")}
    return {**members, "frequency": form.text("frequency") or "instant"}


def _form_values(value: Any) -> list[str]:
    """A member of a rule as the form would have sent it."""
    if value is None or value is False:
        return []
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


def _with_error(request: SiteRequest, rule: dict[str, Any] | None, error: AfterdropError) -> Response:
    request.form = request.form.refused(error)
    return _editor(request, rule, error.status)


async def _previewed(request: SiteRequest, rule: dict[str, Any] | None, members: dict[str, Any]) -> Response:
    """The editor with what the rule in the form would have matched. Raises Invalid."""
    # A rule needs a name to be saved, not to be previewed.
    named = {**members, "name": members["name"] or "preview"}
    wanted = _rule_of({name: value for name, value in named.items() if name not in _NOT_SETTABLE})
    found = await rule_preview(request, restricting(wanted.model_dump()))
    return _editor(request, rule, found=found)


def _editor(
    request: SiteRequest, rule: dict[str, Any] | None, status: int = 200, found: Preview | None = None
) -> Response:
    choices = {"topics": TOPICS, "langs": v.LANGS, "listing_types": v.LISTING_TYPES}
    credits = attributions_for(request)
    return request.page("rule.html", status, rule=rule, choices=choices, preview=found, credits=credits)


def _require_pro(request: SiteRequest) -> None:
    if request.plan != "pro":
        raise plan_required("Alert rules are part of the Pro plan.")
