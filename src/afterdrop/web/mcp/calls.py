"""One call of a tool: counted as one request, checked in the API's order, answered within bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from afterdrop.accounts.account import Account
from afterdrop.web.admission import admit_account, without_account
from afterdrop.web.api.request import ApiRequest
from afterdrop.web.environment import Environment
from afterdrop.web.mcp import account_tools, check_tools, domain_tools, following_tools, lookup_tools
from afterdrop.web.mcp.response_paging import (
    ANSWER_CHARS,
    Place,
    pack,
    question_tag,
    read_cursor,
    text_of,
    write_cursor,
)
from afterdrop.web.mcp.tool import Found, Tool
from afterdrop.web.mcp.untrusted import plain
from afterdrop.web.problems import Invalid, Problem, as_problem, plan_required, problem_body, unauthenticated
from afterdrop.web.strict_input import validated

TOOLS: Final[Mapping[str, Tool]] = {
    tool.name: tool
    for module in (domain_tools, following_tools, check_tools, lookup_tools, account_tools)
    for tool in module.TOOLS
}
# What stands around the rows: names, brackets and the cursor.
_ENVELOPE: Final = 400
_MOST_MESSAGES: Final = 3


async def answer_call(
    env: Environment, account: Account, tool: Tool, arguments: Mapping[str, Any]
) -> tuple[dict[str, Any], bool]:
    """The answer to a call by `account`, and whether it is an error (in the API's shape with its code)."""
    try:
        return await _answered(env, account, tool, arguments), False
    except Exception as error:  # noqa: BLE001  # the call's edge: every failure becomes its answer
        if await without_account(env, account, error):
            return error_body(unauthenticated(), env), True
        return error_body(as_problem(error), env), True


def error_body(problem: Problem, env: Environment) -> dict[str, Any]:
    """The API's error; what stands in its `Retry-After` header there is `retry_after` here."""
    body = problem_body(problem, env.settings)
    if problem.fields:
        body["error"]["fields"] = {name: told[:_MOST_MESSAGES] for name, told in problem.fields.items()}
    if problem.headers and "Retry-After" in problem.headers:
        body["error"]["retry_after"] = int(problem.headers["Retry-After"])
    return body


async def _answered(
    env: Environment, account: Account, tool: Tool, arguments: Mapping[str, Any]
) -> dict[str, Any]:
    admission = await admit_account(env, account)
    if admission.refusal:
        raise admission.refusal
    if tool.pro_only and admission.plan != "pro":
        raise plan_required()
    args = validated(dict(arguments), tool.arguments, {})
    tag = question_tag(tool.name, args.model_dump(mode="json"))
    place = _place(getattr(args, "cursor", None), tag)
    found = await tool.run(ApiRequest(env, admission), args, place)
    return _composed(tool, found, place, tag)


def _place(cursor: str | None, tag: str) -> Place:
    if cursor is None:
        return Place()
    try:
        return read_cursor(cursor, tag)
    except ValueError as error:
        raise Invalid({"cursor": [str(error)]}) from None


def _composed(tool: Tool, found: Found, place: Place, tag: str) -> dict[str, Any]:
    """`data`, `meta` where there is some, and `next_cursor`; as many rows as fit."""
    rows = plain(list(found.rows))
    packed = pack(rows, place.piece, ANSWER_CHARS - _ENVELOPE - len(text_of(found.meta)))
    answer: dict[str, Any] = {"data": next(iter(packed.rows), {}) if found.one else packed.rows}
    if found.meta:
        answer["meta"] = dict(found.meta)
    answer["next_cursor"] = None
    if packed.rest is not None and tool.whole:
        answer["note"] = f"The answer is cut; {tool.whole} shows the whole."
    elif packed.rest is not None:
        number, piece = packed.rest
        answer["next_cursor"] = write_cursor(tag, found.place_of(number)._replace(piece=piece))
        if piece:
            answer["note"] = "The last row goes on in the next answer." if not found.one else "It goes on."
    elif found.more:
        answer["next_cursor"] = write_cursor(tag, found.place_of(len(rows)))
    return answer
