"""The small types that JSON shapes are made of: times as the interface writes them, bounded numbers.

A shape is a TypedDict in the feature that makes it; descriptions and bounds stand in its annotations, and the OpenAPI
document is made from them. A member that clients must not rely on has a `default`: it is always sent.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Final, overload

from pydantic import Field, WithJsonSchema

_TIME: Final = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$"

Timestamp = Annotated[str, Field(pattern=_TIME, json_schema_extra={"format": "date-time"})]
# The same, written only when the JSON is.
Moment = Annotated[datetime, WithJsonSchema({"type": "string", "pattern": _TIME, "format": "date-time"})]
Day = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$", json_schema_extra={"format": "date"})]
DomainName = Annotated[str, Field(description="Lowercase, A-labels")]
Count = Annotated[int, Field(ge=0)]
Id = Annotated[int, Field(ge=1)]
Percent = Annotated[int, Field(ge=0, le=100)]
Fraction = Annotated[float, Field(ge=0, le=1)]


@overload
def instant(moment: datetime) -> str: ...
@overload
def instant(moment: None) -> None: ...
@overload
def instant(moment: datetime | None) -> str | None: ...
def instant(moment: datetime | None) -> str | None:
    """A time as the interface writes it."""
    # Several times as fast as strftime, and lists have many times.
    return None if moment is None else moment.astimezone(UTC).isoformat()[:19] + "Z"
