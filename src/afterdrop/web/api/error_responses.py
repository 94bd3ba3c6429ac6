"""The errors an endpoint can answer, as its OpenAPI responses."""

from __future__ import annotations

from typing import Any, Final

from afterdrop.web.problems import STATUS, Code
from afterdrop.web.schemas.envelope import ErrorBody

_ALWAYS: Final[tuple[Code, ...]] = (
    "unauthenticated",
    "email_unverified",
    "validation_failed",
    "rate_limited",
    "server_error",
)
_WHEN: Final[dict[str, str]] = {
    "unauthenticated": "Key missing, mistyped or revoked",
    "no_checks_left": "No check credits left",
    "email_unverified": "The account's e-mail address is not verified",
    "plan_required": "The domain or feature is part of Pro",
    "not_found": "No such resource, or the domain is not on the list",
    "limit_reached": "The plan's limit is reached",
    "validation_failed": "A parameter or the body is missing or invalid",
    "rate_limited": "Too many requests in the minute or day",
    "lookup_quota_exceeded": "The hour's quota of looked-up domains is used up",
    "server_error": "A fault on our side; safe to retry",
}
_MESSAGE: Final[dict[str, str]] = {
    "unauthenticated": "The API key is missing, mistyped or revoked.",
    "validation_failed": "Not valid: min_score.",
}


def error_responses(*codes: Code) -> dict[int | str, dict[str, Any]]:
    """OpenAPI responses of the errors every endpoint has, and of `codes` beside them."""
    by_status: dict[int | str, list[str]] = {}
    for code in dict.fromkeys((*_ALWAYS, *codes)):
        by_status.setdefault(STATUS[code], []).append(code)
    return {status: _response(by_status[status]) for status in sorted(by_status, key=int)}


def _response(codes: list[str]) -> dict[str, Any]:
    return {
        "model": ErrorBody,
        "description": "; ".join(f"`{code}`: {_WHEN[code]}" for code in codes),
        "content": {"application/json": {"examples": {code: {"value": _example(code)} for code in codes}}},
    }


def _example(code: str) -> dict[str, Any]:
    site = "https://afterdrop.example"
    error: dict[str, Any] = {"code": code, "message": _MESSAGE.get(code, _WHEN[code] + ".")}
    if code == "plan_required":
        error["upgrade_url"] = f"{site}/pricing"
    if code == "validation_failed":
        error["fields"] = {"min_score": ["should be less than or equal to 100"]}
    return {"error": {**error, "docs": f"{site}/docs/errors#{code}"}}


# A conditional GET: what it may send, and what it may get.
CONDITIONAL: Final[dict[str, Any]] = {
    "parameters": [
        {
            "name": "If-None-Match",
            "in": "header",
            "required": False,
            "description": "The `ETag` of an earlier answer: 304 without a body when nothing changed",
            "schema": {"type": "string"},
            "example": '"b1946ac92492d2347c6235b4"',
        }
    ]
}
NOT_MODIFIED: Final[dict[int | str, dict[str, Any]]] = {
    304: {"description": "Nothing changed since that `ETag`"}
}
