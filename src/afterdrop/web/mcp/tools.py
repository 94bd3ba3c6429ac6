"""One call of a tool: counted as one request, checked in the API's order, answered within bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from afterdrop.accounts.key_cache import KeyOwner
from afterdrop.db.conflicts import repeated
from afterdrop.web.account_request import ApiRequest, admit_owner, was_deleted
from afterdrop.web.actions import reports
from afterdrop.web.context import WebContext
from afterdrop.web.mcp import (
    account_tools,
    check_tools,
    desk_tools,
    domain_tools,
    lookup_tools,
    untrusted,
    watching_tools,
)
from afterdrop.web.mcp.arguments import as_asked_for
from afterdrop.web.mcp.response_paging import (
    ANSWER_CHARS,
    Position,
    cursor_tag,
    fitting,
    json_text,
    read_cursor,
    write_cursor,
)
from afterdrop.web.mcp.tool import Tool
from afterdrop.web.mcp.untrusted import visible_json
from afterdrop.web.problems import (
    Invalid,
    Problem,
    as_problem,
    plan_required,
    problem_body,
    read_only_key,
    unauthenticated,
)
from afterdrop.web.strict_input import validated

TOOLS: Final[Mapping[str, Tool]] = {
    tool.name: tool
    for module in (
        domain_tools,
        watching_tools,
        desk_tools,
        check_tools,
        lookup_tools,
        account_tools,
    )
    for tool in module.TOOLS
}
# What stands around the rows: names, brackets and the cursor.
_ENVELOPE: Final = 400
_MOST_MESSAGES: Final = 3


async def answer_call(
    context: WebContext, owner: KeyOwner, tool: Tool, arguments: Mapping[str, Any]
) -> tuple[dict[str, Any], bool]:
    """The answer to a call with the key of `owner`, and whether it is an error (in the API's shape with its code)."""
    try:
        return await _answer(context, owner, tool, arguments), False
    except Exception as error:  # noqa: BLE001  # the call's edge: every failure becomes its answer
        if await was_deleted(context, owner.account, error):
            return error_body(unauthenticated(), context), True
        return error_body(as_problem(error), context), True


async def read_report(context: WebContext, owner: KeyOwner, domain: str) -> dict[str, Any]:
    """A domain's whole report as a resource: one request. Raises what the actions raise."""
    admission = await admit_owner(context, owner)
    if admission.refusal:
        raise admission.refusal
    found = await reports.report(ApiRequest(context, admission), domain)
    shown: dict[str, Any] = visible_json(untrusted.report(found))
    return shown


def error_body(problem: Problem, context: WebContext) -> dict[str, Any]:
    """The API's error. The seconds of the API's header `Retry-After` stand in its member `retry_after`."""
    body = problem_body(problem, context.settings)
    if problem.fields:
        fields = {name: messages[:_MOST_MESSAGES] for name, messages in problem.fields.items()}
        body["error"]["fields"] = fields
    if problem.headers and "Retry-After" in problem.headers:
        body["error"]["retry_after"] = int(problem.headers["Retry-After"])
    return body


async def _answer(
    context: WebContext, owner: KeyOwner, tool: Tool, arguments: Mapping[str, Any]
) -> dict[str, Any]:
    admission = await admit_owner(context, owner)
    if admission.refusal:
        raise admission.refusal
    if admission.scope == "read_only" and not tool.reads:
        raise read_only_key()
    if tool.pro_only and admission.plan != "pro":
        raise plan_required()
    args = validated(as_asked_for(arguments, tool.arguments), tool.arguments, {})
    tag = cursor_tag(tool.name, args.model_dump(mode="json"))
    position = _position(getattr(args, "cursor", None), tag)
    request = ApiRequest(context, admission)
    result = await repeated(lambda: tool.run(request, args, position))
    # `data`, `meta` where there is some, and `next_cursor`; as many rows as fit. One object is given whole.
    found = visible_json(result.rows)
    if result.single:
        return {"data": found[0], "next_cursor": None}
    rows = fitting(found, ANSWER_CHARS - _ENVELOPE - len(json_text(result.meta)))
    answer: dict[str, Any] = {"data": rows, "next_cursor": None}
    if result.meta:
        answer["meta"] = dict(result.meta)
    if result.more or len(rows) < len(found):
        answer["next_cursor"] = write_cursor(tag, result.position_of(len(rows)))
    return answer


def _position(cursor: str | None, tag: str) -> Position:
    if cursor is None:
        return Position()
    try:
        return read_cursor(cursor, tag)
    except ValueError as error:
        raise Invalid({"cursor": [str(error)]}) from None
