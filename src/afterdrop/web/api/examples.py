"""An example value of a JSON schema, from the examples its parts carry. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_PLAIN: Mapping[str, Any] = {"string": "text", "integer": 1, "number": 0.5, "boolean": True, "null": None}


def example_of(schema: Mapping[str, Any], components: Mapping[str, Any]) -> Any:
    """One value that is valid by `schema`; `components` are the schemas its references name."""
    if "$ref" in schema:
        return example_of(components[schema["$ref"].rpartition("/")[2]], components)
    for key in ("examples", "enum"):
        if schema.get(key):
            return schema[key][0]
    if "const" in schema:
        return schema["const"]
    if "anyOf" in schema:
        return example_of(schema["anyOf"][0], components)
    if schema.get("type") == "array":
        return [example_of(schema["items"], components)]
    if schema.get("type") == "object":
        return _object(schema, components)
    return _PLAIN[schema.get("type", "string")]


def _object(schema: Mapping[str, Any], components: Mapping[str, Any]) -> dict[str, Any]:
    members = schema.get("properties")
    if members is None:
        inner = schema.get("additionalProperties")
        return {"A": example_of(inner, components)} if isinstance(inner, Mapping) else {}
    return {name: example_of(member, components) for name, member in members.items()}
