"""First steps: a filter, an alert, a webhook or mail, each with its result shown at once."""

from __future__ import annotations

from typing import Any, Final

from starlette.responses import Response

from afterdrop.accounts import store as accounts
from afterdrop.alerts import rules
from afterdrop.alerts.criteria import restricting
from afterdrop.alerts.preview import Preview
from afterdrop.desk import store
from afterdrop.web import account_export
from afterdrop.web.actions import domains
from afterdrop.web.actions.account import account_usage
from afterdrop.web.actions.desk import lives_of
from afterdrop.web.problems import Invalid
from afterdrop.web.schemas.rules import NewRule
from afterdrop.web.site.attributions import attributions_for
from afterdrop.web.site.filter_pages import filter_values
from afterdrop.web.site.forms import Form, validated
from afterdrop.web.site.list_pages import asked_of
from afterdrop.web.site.list_query import (
    SiteQuery,
    filters_of,
    query_string,
    rule_members,
    rule_name,
    tidy_query,
)
from afterdrop.web.site.site_request import SiteRequest
from afterdrop.web.strict_input import read_query

SHOWN: Final = 5
# What the first filter may hold; the lists have more.
FIELDS: Final = ("q", "tld", "min_score", "min_tf", "max_price", "lang")
MAILS: Final = ("mail_alerts", "mail_watches", "mail_weekly")


async def start(request: SiteRequest) -> Response:
    """The three steps: what is done, and the next one with what it would bring."""
    async with request.context.database.read() as conn:
        saved = await store.filters_of(conn, request.member.id)
        kept = await account_export.account_row(conn, request.member.id)
        ruled = await rules.list_rules(conn, request.member.id)
    found, status = await _first_filter(request)
    newest = max(saved, key=lambda each: each["saved_at"], default=None)
    values = {"saved": saved, "newest": newest, "rules": ruled, "kept": kept, **found}
    if newest is not None:
        held = filters_of(filter_values(newest))
        values |= {"held": held, "told": await _told(request, held)}
    used = await account_usage(request)
    return request.page("start.html", status, **values, used=used, credits=attributions_for(request))


async def keep_mails(request: SiteRequest) -> Response:
    """Switch the mails on or off; back to the steps."""
    chosen: dict[str, Any] = {name: request.form.has(name) for name in MAILS}
    async with request.context.database.write() as conn:
        await accounts.change_account(conn, request.member.id, **chosen)
    return request.redirect("/start#send")


async def _first_filter(request: SiteRequest) -> tuple[dict[str, Any], int]:
    """What the filter in the address matches now; nothing before one was given."""
    nothing: dict[str, Any] = {"found": None, "query": "", "name": "", "held": {}, "told": None, "lives": {}}
    try:
        _, values, _ = tidy_query(request.http.scope["query_string"])
        values = {name: value for name, value in values.items() if name in FIELDS}
        request.form.values = {name: [value] for name, value in values.items()}
        if not values:
            return nothing, 200
        query = read_query(query_string(values).encode(), SiteQuery)
    except Invalid as error:
        request.form = Form(request.form.values, error.fields or {})
        return nothing, 422
    async with request.context.database.read() as conn:
        asked = await asked_of(conn, request, "live", query)
    page = await domains.site_page(request, asked, 1, SHOWN)
    shown = {"found": page, "query": query_string(values), "name": rule_name(query)}
    return {**nothing, **shown, "lives": await lives_of(request, page.rows)}, 200


async def _told(request: SiteRequest, held: dict[str, str]) -> Preview | None:
    """What a rule with this filter would have matched; None where rules cannot hold it, or are not in the plan."""
    if request.plan != "pro":
        return None
    try:
        members = rule_members(read_query(query_string(held).encode(), SiteQuery))
        criteria = restricting(validated(members, NewRule).model_dump())
    except Invalid:
        return None
    request.count("form")  # it costs as much as the preview of a rule
    return await domains.rule_preview(request, criteria)
