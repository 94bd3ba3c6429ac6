"""The errors an endpoint can answer, as its OpenAPI responses."""

from __future__ import annotations

from typing import Any, Final

from afterdrop.web.problems import STATUS, Code
from afterdrop.web.schemas.envelope import ErrorBody
from afterdrop.web.schemas.examples import examples

_ALWAYS: Final[tuple[Code, ...]] = (
    "unauthenticated",
    "email_unverified",
    "validation_failed",
    "rate_limited",
    "server_error",
)
_WHEN: Final[dict[str, str]] = {
    "unauthenticated": "The API key is missing, mistyped or revoked",
    "no_checks_left": "You have no check credits left",
    "email_unverified": "The account's e-mail address is not confirmed",
    "plan_required": "The domain or feature is part of Pro",
    "not_found": "The resource does not exist, or the domain is not on the list",
    "limit_reached": "The plan's limit is reached",
    "validation_failed": "A parameter or the body is missing or invalid",
    "rate_limited": "Too many requests in this minute or day",
    "lookup_quota_exceeded": "This hour's look-ups are used up",
    "server_error": "Something went wrong on our side; it is safe to try again",
}
# Refusals before anybody knows whose request it is: they never count, and carry no rate headers.
BEFORE_THE_KEY: Final[dict[int, tuple[Code, str]]] = {
    400: ("validation_failed", "The request is not valid HTTP, or names another host"),
    405: ("method_not_allowed", "The path takes other methods; `Allow` lists them"),
    408: ("validation_failed", "The request took too long to arrive"),
    431: ("validation_failed", "Request line and headers are too large"),
    503: ("server_error", "Too many connections are open; try again in a moment"),
}


def error_responses(*codes: Code) -> dict[int | str, dict[str, Any]]:
    """OpenAPI responses of the errors every endpoint has, and of `codes` beside them."""
    by_status: dict[int, dict[str, str]] = {
        status: {code: text} for status, (code, text) in BEFORE_THE_KEY.items()
    }
    for code in dict.fromkeys((*_ALWAYS, *codes)):
        by_status.setdefault(STATUS[code], {})[code] = _WHEN[code]
    return {status: _response(status, by_status[status]) for status in sorted(by_status)}


def show_scope_refusal(response: dict[str, Any]) -> None:
    """Add to the 403 of an operation that changes something what a read-only key is told."""
    key = "403 validation_failed"
    response["description"] += "; `validation_failed`: the key is read-only or may not spend credits"
    response["content"]["application/json"]["examples"]["validation_failed"] = {
        "value": examples()["errors"][key]
    }


def _response(status: int, codes: dict[str, str]) -> dict[str, Any]:
    shown = {code: {"value": examples()["errors"][f"{status} {code}"]} for code in codes}
    return {
        "model": ErrorBody,
        "description": "; ".join(f"`{code}`: {text}" for code, text in codes.items()),
        "content": {"application/json": {"examples": shown}},
    }


# A conditional GET: what it may send, and what it may get.
CONDITIONAL: Final[dict[str, Any]] = {
    "parameters": [
        {
            "name": "If-None-Match",
            "in": "header",
            "required": False,
            "description": "The `ETag` of an earlier response: 304 without a body if nothing has changed",
            "schema": {"type": "string"},
        }
    ]
}
NOT_MODIFIED: Final[dict[int | str, dict[str, Any]]] = {
    304: {"description": "Nothing has changed since that `ETag`"}
}
