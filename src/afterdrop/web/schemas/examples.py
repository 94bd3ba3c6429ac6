"""Examples for the OpenAPI document and the guides: requests, answers, errors and events that a service recorded.

`python -m tests.contract.record_examples` records them anew, from a service over the sandbox.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final, TypedDict

import orjson

FILE: Final = Path(__file__).with_name("examples.json")


class RecordedAnswer(TypedDict):
    """One answer; `name` tells it from others of the same operation."""

    status: int
    name: str
    body: Any


class RecordedOperation(TypedDict):
    """The request that was sent to an operation first, and its answers then and later."""

    path: dict[str, Any]
    query: dict[str, Any]
    body: Any
    answers: list[RecordedAnswer]


class Examples(TypedDict):
    """`operations` by id, `errors` by status and code (`404 not_found`), `events` (whole envelopes) by type."""

    operations: dict[str, RecordedOperation]
    errors: dict[str, Any]
    events: dict[str, Any]


@cache
def examples() -> Examples:
    """The recorded examples."""
    found: Examples = orjson.loads(FILE.read_bytes())
    return found
