"""Requests, failures, and the time to ask again. Nothing here does I/O."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Generic, Literal, TypeVar

T = TypeVar("T")
Query = Mapping[str, Any]
# The parameter that asks for the next part of an answer.
Paging = Literal["page", "cursor", "after"]
# 520 to 524 are a proxy's words for a service that it did not reach, or that did not answer it.
_RETRIED: Final = frozenset({429, 500, 502, 503, 504, *range(520, 525)})
_LONGEST_BACKOFF: Final = 30.0


@dataclass(frozen=True)
class Ask(Generic[T]):
    """One request, whose answer's `data` is a `T`. `paging`: how the parts after the first are asked for."""

    method: str
    path: str
    query: Query = field(default_factory=dict)
    body: Any = None
    paging: Paging | None = None

    def sent_query(self) -> dict[str, str]:
        """The query as text: lists with commas, what is None left out."""
        return {name: _text(value) for name, value in self.query.items() if value is not None}

    def after(self, answer: Mapping[str, Any]) -> Ask[T] | None:
        """The ask for what follows an answer; None where nothing does."""
        meta = answer.get("meta", {})
        if self.paging == "page":
            more, value = meta["page"] < meta["pages"], meta["page"] + 1
        else:
            value = meta.get("next_cursor")
            more = meta.get("more", value is not None)
        if self.paging is None or not more:
            return None
        return replace(self, query={**self.query, self.paging: value})


class ApiError(Exception):
    """An answer that is no success. `code` is for programs, `fields` has messages by field of a wrong request."""

    def __init__(self, status: int, error: Mapping[str, Any], retry_after: float | None) -> None:
        super().__init__(f"{status} {error.get('code')}: {error.get('message')}")
        self.status = status
        self.code: str = error.get("code", "server_error")
        self.message: str = error.get("message", "")
        self.fields: dict[str, list[str]] = error.get("fields") or {}
        self.request_id: str | None = error.get("request_id")
        self.retry_after = retry_after


def headers_of(ask: Ask[Any], key: str, idempotency_key: str | None) -> dict[str, str]:
    """The headers of every attempt: a POST keeps its key, so that it is executed once however often it is sent."""
    headers = {"Authorization": f"Bearer {key}", "Accept": "application/json"}
    if ask.method == "POST":
        headers["Idempotency-Key"] = idempotency_key or uuid.uuid4().hex
    return headers


def wait_before(attempt: int, status: int | None, retry_after: str | None, longest: float) -> float | None:
    """Seconds until the next attempt after this one (from 1), None for no other. `status` None: there was no answer.

    The service says with `Retry-After` when a next attempt makes sense; a wait over `longest` is the caller's decision.
    """
    if status is not None and status not in _RETRIED:
        return None
    told = seconds(retry_after)
    wait = min(2.0 ** (attempt - 1), _LONGEST_BACKOFF) if told is None else told
    return wait if wait <= longest else None


def seconds(retry_after: str | None) -> float | None:
    """The seconds of a `Retry-After`, None where it says none."""
    return float(retry_after) if retry_after and re.fullmatch("[0-9]+", retry_after) else None


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple | set | frozenset):
        return ",".join(str(item) for item in value)
    return str(value)
