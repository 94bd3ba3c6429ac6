"""Errors of the API: their codes, their one JSON shape, and any failure of a request as such an error."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final, Literal, get_args

import orjson
from starlette.responses import Response

from afterdrop.core.errors import AfterdropError, NotReady
from afterdrop.core.log_lines import request_id
from afterdrop.core.settings import Settings
from afterdrop.db.conflicts import is_conflict
from afterdrop.db.outages import is_outage, outage

Code = Literal[
    "unauthenticated",
    "no_checks_left",
    "email_unverified",
    "plan_required",
    "not_found",
    "method_not_allowed",
    "limit_reached",
    "validation_failed",
    "rate_limited",
    "lookup_quota_exceeded",
    "server_error",
]
STATUS: Final[Mapping[str, int]] = {
    "unauthenticated": 401,
    "no_checks_left": 402,
    "email_unverified": 403,
    "plan_required": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "limit_reached": 409,
    "validation_failed": 422,
    "rate_limited": 429,
    "lookup_quota_exceeded": 429,
    "server_error": 500,
}
CODES: Final[tuple[str, ...]] = get_args(Code)
_OUTAGE_RETRY_SECONDS: Final = "5"
_log = logging.getLogger(__name__)


class Problem(AfterdropError):
    """A failure that the API tells its caller. `fields`: messages by field; `headers` go on the response."""

    def __init__(
        self,
        code: Code,
        message: str,
        *,
        status: int | None = None,
        fields: Mapping[str, list[str]] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__("", message)
        self.code: str = code
        self.status = STATUS[code] if status is None else status
        self.fields = fields
        self.headers = headers


class Invalid(Problem):
    """422 `validation_failed` with messages by field (`body` for the body as a whole)."""

    def __init__(self, fields: Mapping[str, list[str]]) -> None:
        named = ", ".join(sorted(fields))
        super().__init__("validation_failed", f"Not valid: {named}.", fields=fields)


def unauthenticated() -> Problem:
    """401: there is no API key, or it is not one of ours."""
    return Problem(
        "unauthenticated",
        "The API key is missing, mistyped or revoked. Send it as the header `Authorization: Bearer <API_KEY>`.",
        headers={"WWW-Authenticate": "Bearer"},
    )


def not_found(message: str = "This resource does not exist.") -> Problem:
    """404: there is no such thing, or it is not the caller's."""
    return Problem("not_found", message)


def too_many(message: str, seconds: int, code: Code = "rate_limited") -> Problem:
    """429: the caller may ask again in so many seconds."""
    return Problem(code, message, headers={"Retry-After": str(seconds)})


def out_of_scope(message: str) -> Problem:
    """403: the account may do this, but not with this key."""
    return Problem("validation_failed", message, status=403, fields={"Authorization": [message]})


def read_only_key() -> Problem:
    """403: the key only reads."""
    return out_of_scope("This API key is read-only. Use a key with another scope to make changes.")


def plan_required(message: str = "This is part of the Pro plan.") -> Problem:
    """403: only the Pro plan has it."""
    return Problem("plan_required", message)


def as_problem(error: Exception) -> Problem:
    """Any failure of a request as the error the caller is told. A fault of our own is logged and not told."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, AfterdropError) and error.status < 500:
        fields = {"body": [error.message]} if error.code == "validation_failed" else None
        return Problem(error.code, _sentence(error.message), fields=fields)  # type: ignore[arg-type]  # checked by STATUS
    if isinstance(error, NotReady):
        wait = str(error.retry_seconds)
        return Problem(
            "server_error", _sentence(error.message), status=error.status, headers={"Retry-After": wait}
        )
    if is_outage(error):
        outage.failed(error)
        return Problem(
            "server_error",
            "The database is not answering right now. Try again in a few seconds.",
            status=503,
            headers={"Retry-After": _OUTAGE_RETRY_SECONDS},
        )
    if is_conflict(error):
        return Problem(
            "server_error",
            "Others change the same data right now. Try again in a few seconds.",
            status=503,
            headers={"Retry-After": _OUTAGE_RETRY_SECONDS},
        )
    _log.error("a request failed", exc_info=error)
    return Problem("server_error", "Something went wrong on our side. It is safe to try again.")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."


def problem_body(problem: Problem, settings: Settings) -> dict[str, Any]:
    """The JSON of an error."""
    error: dict[str, Any] = {"code": problem.code, "message": problem.message}
    if problem.code == "plan_required":
        error["upgrade_url"] = f"{settings.site_url}/pricing"
    if problem.fields is not None:
        error["fields"] = problem.fields
    error["docs"] = f"{settings.site_url}/docs/errors#{problem.code}"
    if asked := request_id.get():
        error["request_id"] = asked
    return {"error": error}


def problem_response(problem: Problem, settings: Settings) -> Response:
    """The response to a request that failed."""
    headers = {"Cache-Control": "no-store", **(problem.headers or {})}
    return Response(
        orjson.dumps(problem_body(problem, settings)),
        status_code=problem.status,
        headers=headers,
        media_type="application/json",
    )
