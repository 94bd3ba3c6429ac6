"""Alert rules: made, changed, paused, deleted, and made from a list's filters in one click."""

from __future__ import annotations

from typing import Any, Final

from starlette.responses import Response

from afterdrop.alerts import rules
from afterdrop.alerts.criteria import ARRAYS, NUMBERS, restricting
from afterdrop.alerts.preview import Preview, preview
from afterdrop.core.errors import AfterdropError
from afterdrop.metrics.values import TOPICS
from afterdrop.web.api.schemas import values as v
from afterdrop.web.api.schemas.domains import ListQuery
from afterdrop.web.api.schemas.rules import NewRule
from afterdrop.web.problems import Invalid, not_found, plan_required
from afterdrop.web.site.account_pages import number
from afterdrop.web.site.attributions import credits_for
from afterdrop.web.site.forms import Form, checked
from afterdrop.web.site.list_query import encoded, rule_members, tidy
from afterdrop.web.site.site_request import SiteRequest
from afterdrop.web.strict_input import read_query

_SHOWN_MATCHES: Final = 30
_OWN: Final = ("id", "active", "match_count", "last_matched_at", "created_at")
_NOT_FREE: Final = "a rule cannot hold $0; leave it empty for any price"
_NO_RULE: Final = "There is no such alert rule."


async def rules_page(visit: SiteRequest) -> Response:
    """All rules, and what matched last."""
    async with visit.env.database.read() as conn:
        found = await rules.list_rules(conn, visit.member.id)
        matched = await rules.list_matches(
            conn, visit.viewer, visit.now, visit.env.links, limit=_SHOWN_MATCHES
        )
    return visit.page("rules.html", rules=found, matches=matched)


async def new_page(visit: SiteRequest) -> Response:
    """An empty rule to fill in."""
    return _editor(visit, None)


async def new(visit: SiteRequest) -> Response:
    """Add a rule; or only show what it would have matched."""
    _pro(visit)
    try:
        if visit.form.text("do") == "preview":
            return await _previewed(visit, None, _members(visit.form))
        await _create(visit, _members(visit.form))
    except AfterdropError as error:
        return _refused(visit, None, error)
    return visit.go("/account/rules")


async def from_list(visit: SiteRequest) -> Response:
    """Add the rule that matches what a list shows."""
    _pro(visit)
    sent = {name: form_values[-1] for name, form_values in visit.form.values.items() if name != "csrf"}
    text, _, _ = tidy(encoded(sent).encode())
    members = rule_members(read_query(text.encode(), ListQuery))
    try:
        await _create(visit, members)
    except Invalid as error:
        values = {name: _typed(value) for name, value in members.items()}
        visit.form = Form(values, error.fields or {})
        return _editor(visit, None, 422)
    return visit.go("/account/rules")


async def _create(visit: SiteRequest, members: dict[str, Any]) -> None:
    rule = _rule_of(members)
    async with visit.env.database.write() as conn:
        await rules.create_rule(
            conn, visit.member.id, rule.model_dump(), limit=visit.limits.alert_rules, now=visit.now
        )


async def edit_page(visit: SiteRequest) -> Response:
    """One rule to change."""
    rule = await _rule(visit)
    visit.form = Form({name: _typed(value) for name, value in rule.items()})
    if visit.plan != "pro":
        return _editor(visit, rule)
    visit.count("form")  # a preview takes as long here as with the form
    return await _previewed(visit, rule, rule)


async def edit(visit: SiteRequest) -> Response:
    """Change, pause or delete a rule; or only show what it would have matched."""
    rule = await _rule(visit)
    if visit.form.text("do") == "delete":
        async with visit.env.database.write() as conn:
            await rules.delete_rule(conn, visit.member.id, rule["id"])
        return visit.go("/account/rules")
    _pro(visit)
    if visit.form.text("do") == "pause":
        sent: dict[str, Any] = {"active": not rule["active"]}
    else:
        try:
            if visit.form.text("do") == "preview":
                return await _previewed(visit, rule, _members(visit.form))
            sent = _rule_of({**_members(visit.form), "active": rule["active"]}).model_dump()
        except Invalid as error:
            return _refused(visit, rule, error)
    async with visit.env.database.write() as conn:
        await rules.change_rule(conn, visit.member.id, rule["id"], sent)
    return visit.go("/account/rules")


async def _rule(visit: SiteRequest) -> dict[str, Any]:
    async with visit.env.database.read() as conn:
        found = await rules.get_rule(conn, visit.member.id, number(visit.request.path_params["id"]))
    if found is None:
        raise not_found(_NO_RULE)
    return found


def _rule_of(members: dict[str, Any]) -> NewRule:
    # the API reads 0 as no limit, but whoever types "up to $0" does not mean every price
    if members.get("max_price") == 0:
        raise Invalid({"max_price": [_NOT_FREE]})
    return checked(members, NewRule)


def _members(form: Form) -> dict[str, Any]:
    members: dict[str, Any] = {name: form.number(name) for name in NUMBERS}
    members |= {name: form.all(name) for name in ARRAYS}
    members["keywords"] = form.lines("keywords")
    members |= {"name": form.text("name"), "clean_only": form.has("clean_only")}
    return {**members, "frequency": form.text("frequency") or "instant"}


def _typed(value: Any) -> list[str]:
    """A member as the form would have sent it."""
    if value is None or value is False:
        return []
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


def _refused(visit: SiteRequest, rule: dict[str, Any] | None, error: AfterdropError) -> Response:
    fields = error.fields if isinstance(error, Invalid) else None
    visit.form = visit.form.refused(fields or {"form": [error.message]})
    return _editor(visit, rule, error.status)


async def _previewed(visit: SiteRequest, rule: dict[str, Any] | None, members: dict[str, Any]) -> Response:
    """The editor with what the rule as it stands in the form would have matched. Raises Invalid."""
    # a name is needed for saving, not for looking
    named = {**members, "name": members["name"] or "preview"}
    wanted = _rule_of({name: value for name, value in named.items() if name not in _OWN})
    async with visit.env.database.read() as conn:
        found = await preview(
            conn, restricting(wanted.model_dump()), visit.viewer, visit.now, visit.env.links
        )
    return _editor(visit, rule, found=found)


def _editor(
    visit: SiteRequest, rule: dict[str, Any] | None, status: int = 200, found: Preview | None = None
) -> Response:
    choices = {"topics": TOPICS, "langs": v.LANGS, "listing_types": v.LISTING_TYPES}
    owed = credits_for(visit)
    return visit.page("rule.html", status, rule=rule, choices=choices, preview=found, credits=owed)


def _pro(visit: SiteRequest) -> None:
    if visit.plan != "pro":
        raise plan_required("Alert rules are part of the Pro plan.")
