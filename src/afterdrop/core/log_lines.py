"""How a log record becomes a line, as text or as JSON, and how the same trouble is told once a minute only.

Foreign text (names, errors, headers) loses its control characters: nobody forges a line or writes to a terminal. A
record's attribute `fields`, given as `extra=figures(…)`, holds values that programs read.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Final, TypedDict

from afterdrop.core.safe_text import blank_controls

_REPEATED_AFTER: Final = 60.0
_MOST_REMEMBERED: Final = 1000


class Figures(TypedDict):
    """The `extra` of a log call."""

    fields: dict[str, object]


def figures(**values: object) -> Figures:
    """The `extra` of a log call, with values that programs read."""
    return {"fields": values}


class TextLines(logging.Formatter):
    """`2026-11-22T16:00:00.123Z INFO scan: scan 12 began`; a traceback follows on lines of its own, indented."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        asked = request_id.get()
        within = f" [{asked}]" if asked else ""
        head = f"{_moment(record)} {record.levelname} {_area(record)}{within}: {_message(record)}"
        if not record.exc_info:
            return head
        trace = self.formatException(record.exc_info).splitlines()
        return "\n".join([head, *(f"  {blank_controls(line)}" for line in trace)])


class JsonLines(logging.Formatter):
    """One JSON object a line: time, level, area, message, and where there are any request_id, fields, exception."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        line: dict[str, object] = {
            "time": _moment(record),
            "level": record.levelname.lower(),
            "area": _area(record),
            "message": _message(record),
        }
        if asked := request_id.get():
            line["request_id"] = asked
        line |= getattr(record, "fields", {})
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


def _moment(record: logging.LogRecord) -> str:
    moment = datetime.fromtimestamp(record.created, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z"


def _area(record: logging.LogRecord) -> str:
    return record.name.removeprefix("afterdrop.")


def _message(record: logging.LogRecord) -> str:
    again = getattr(record, "again", 0)
    return blank_controls(record.getMessage()) + (
        f" (and {again:,} times more since the last line)" if again else ""
    )


class OncePerMinute(logging.Filter):
    """Passes a warning or an error with the same cause once a minute, with the number of those left out.

    The same cause is the same message about the same first value (a feed, a provider), or the same exception.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        super().__init__()
        self._monotonic = monotonic
        self._told: dict[tuple[object, ...], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to log the record."""
        if record.levelno < logging.WARNING:
            return True
        now, key = self._monotonic(), _cause(record)
        at, left_out = self._told.get(key, (None, 0))
        if at is not None and now - at < _REPEATED_AFTER:
            self._told[key] = (at, left_out + 1)
            return False
        if len(self._told) >= _MOST_REMEMBERED:
            self._told.clear()
        self._told[key] = (now, 0)
        record.again = left_out
        return True


def _cause(record: logging.LogRecord) -> tuple[object, ...]:
    about = str(record.args[0]) if isinstance(record.args, tuple) and record.args else ""
    failure = record.exc_info[0] if record.exc_info else None
    return record.name, record.msg, about, failure


# Empty outside a request. Each request is a task of its own, with a context of its own.
request_id: Final[ContextVar[str]] = ContextVar("request_id", default="")
