"""The id of the request that is being answered: in its log lines, its error and its response's header."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Final

# Empty outside a request. Each request is a task of its own, with a context of its own.
request_id: Final[ContextVar[str]] = ContextVar("request_id", default="")
