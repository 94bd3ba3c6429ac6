"""The arguments of a tool as its schema asks for them, from what agents' clients make of them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from typing import Any, Final

import orjson
from pydantic import BaseModel, ValidationError

# n8n's MCP client adds these to the arguments of every call.
_ADDED: Final = frozenset({"toolCallId", "sessionId", "action", "chatInput"})


def as_asked_for(arguments: Mapping[str, Any], model: type[BaseModel]) -> dict[str, Any]:
    """The arguments without what clients add, and with JSON (RFC 8259) for a text where the schema takes no text.

    A text stays as it was sent where it is no JSON, or where its JSON is no value for that member.
    """
    known = {
        name: value for name, value in arguments.items() if name not in _ADDED or name in model.model_fields
    }
    read: dict[str, Any] = {}
    for name in _no_text(model) & known.keys():
        if isinstance(known[name], str):
            with suppress(orjson.JSONDecodeError):
                read[name] = orjson.loads(known[name])
    if read:
        try:
            model.model_validate(known | read)
        except ValidationError as error:
            for each in error.errors(include_url=False, include_input=False, include_context=False):
                read.pop(str(each["loc"][0]) if each["loc"] else "", None)
    return known | read


@cache
def _no_text(model: type[BaseModel]) -> frozenset[str]:
    """The members whose schemas have no type `string`. One without any type takes texts, too."""
    members = model.model_json_schema()["properties"] if model.model_fields else {}
    return frozenset(
        name
        for name, member in members.items()
        if all(each.get("type", "string") != "string" for each in member.get("anyOf", [member]))
    )
