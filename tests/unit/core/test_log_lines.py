"""Lines of the log: readable by people and programs, forged by nobody, and one for each cause."""

from __future__ import annotations

import json
import logging
import sys
from contextvars import copy_context

from afterdrop.core.log_lines import JsonLines, OncePerMinute, TextLines, figures, request_id


def record(text: str, *args: object, level: int = logging.INFO, **more: object) -> logging.LogRecord:
    """A record made at a known time."""
    made = logging.LogRecord("afterdrop.scan", level, "scan.py", 1, text, args, None)
    made.created = 1_763_827_200.1236
    made.__dict__.update(more)
    return made


def failed(text: str, error: Exception) -> logging.LogRecord:
    """A record with a traceback."""
    try:
        raise error
    except type(error):
        made = record(text, level=logging.ERROR)
        made.exc_info = sys.exc_info()
        return made


def test_a_line_of_text_has_time_level_area_and_message() -> None:
    assert (
        TextLines().format(record("scan %s begins", 12))
        == "2025-11-22T16:00:00.123Z INFO scan: scan 12 begins"
    )


def test_the_request_that_is_answered_is_named() -> None:
    def asked() -> tuple[str, dict[str, str]]:
        request_id.set("9f1c")
        return TextLines().format(record("x")), json.loads(JsonLines().format(record("x")))

    text, line = copy_context().run(asked)
    assert " scan [9f1c]: x" in text
    assert line["request_id"] == "9f1c"
    assert "request_id" not in json.loads(JsonLines().format(record("x")))


def test_foreign_text_cannot_begin_a_line_or_write_to_a_terminal() -> None:
    hostile = record("feed %s", "a\n2025-11-22T16:00:00.123Z INFO scan: forged\x1b[2J\u202e")
    assert "\n" not in TextLines().format(hostile)
    assert TextLines().format(hostile).isprintable()
    traced = TextLines().format(failed("it broke", ValueError("a\n2025 INFO forged\x1b[2J"))).splitlines()
    assert traced[0].endswith("ERROR scan: it broke")
    assert all(line.startswith("  ") and line.isprintable() for line in traced[1:])


def test_json_has_the_figures_and_the_traceback() -> None:
    line = json.loads(JsonLines().format(record("feed %s", "a", **figures(feed="a", seconds=1.5))))
    assert line == {
        "time": "2025-11-22T16:00:00.123Z", "level": "info", "area": "scan", "message": "feed a", "feed": "a",
        "seconds": 1.5,
    }  # fmt: skip
    assert "ValueError: a" in json.loads(JsonLines().format(failed("it broke", ValueError("a"))))["exception"]


def test_the_same_trouble_is_one_line_a_minute_and_counted() -> None:
    now = [0.0]
    once = OncePerMinute(lambda: now[0])

    def told(text: str, *args: object, level: int = logging.WARNING) -> str | None:
        made = record(text, *args, level=level)
        return TextLines().format(made).partition(": ")[2] if once.filter(made) else None

    assert told("provider %s: %s", "a", "no answer") == "provider a: no answer"
    assert [told("provider %s: %s", "a", f"about {name}") for name in range(7641)] == [None] * 7641
    assert told("provider %s: %s", "b", "no answer") == "provider b: no answer"
    assert (
        told("provider %s", "a", level=logging.INFO)
        == told("provider %s", "a", level=logging.INFO)
        == "provider a"
    )
    now[0] = 60
    assert (
        told("provider %s: %s", "a", "still")
        == "provider a: still (and 7,641 times more since the last line)"
    )
    assert told("provider %s: %s", "a", "still") is None


def test_different_exceptions_are_different_causes_and_memory_is_bounded() -> None:
    once = OncePerMinute(lambda: 0.0)
    assert [once.filter(failed("x", error)) for error in (ValueError(), ValueError(), KeyError())] == [
        True, False, True
    ]  # fmt: skip
    assert all(once.filter(record("%s", number, level=logging.WARNING)) for number in range(3000))
    assert len(once._told) <= 1000
