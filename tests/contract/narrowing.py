"""Finds what a change of the description takes away from clients: removals and narrowings.

`python -m tests.contract.narrowing` writes the present description as the one later ones are held against.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_METHODS = ("get", "put", "post", "patch", "delete")
_LEAST = ("minimum", "exclusiveMinimum", "minLength", "minItems")
_MOST = ("maximum", "exclusiveMaximum", "maxLength", "maxItems")


def narrowed(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    """A line for every removal or narrowing."""
    for path, item in before["paths"].items():
        for method in (name for name in _METHODS if name in item):
            now = after["paths"].get(path, {}).get(method)
            where = f"{method.upper()} {path}"
            if now is None:
                yield f"{where}: removed"
                continue
            yield from _operation(where, item[method], now)
    schemas = after["components"]["schemas"]
    for name, schema in before["components"]["schemas"].items():
        if name not in schemas:
            yield f"{name}: removed"
        else:
            yield from _members(name, schema, schemas[name])


def _operation(where: str, before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    if before["operationId"] != after["operationId"]:
        yield f"{where}: operationId changed"
    old = {(item["in"], item["name"]): item for item in before.get("parameters", [])}
    new = {(item["in"], item["name"]): item for item in after.get("parameters", [])}
    for key, item in old.items():
        if key not in new:
            yield f"{where}: parameter {key[1]} removed"
        else:
            yield from _asked(f"{where}: parameter {key[1]}", item["schema"], new[key]["schema"])
            if item["schema"].get("default") != new[key]["schema"].get("default"):
                yield f"{where}: parameter {key[1]} has another default"
    for key, item in new.items():
        if item.get("required") and not old.get(key, {}).get("required"):
            yield f"{where}: parameter {key[1]} is required now"
    for status in before["responses"]:
        if status not in after["responses"]:
            yield f"{where}: response {status} removed"


def _members(name: str, before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    asked = before.get("additionalProperties") is False
    for member, schema in before.get("properties", {}).items():
        now = after.get("properties", {}).get(member)
        if now is None:
            yield f"{name}.{member}: removed"
        elif asked:
            yield from _asked(f"{name}.{member}", schema, now)
        else:
            yield from _given(f"{name}.{member}", schema, now)
    old, new = set(before.get("required", [])), set(after.get("required", []))
    for member in sorted(new - old if asked else old - new):
        yield f"{name}.{member}: {'required now' if asked else 'no longer always there'}"


def _asked(where: str, before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    """Narrowings of what a client may send."""
    if not _kinds(before) <= _kinds(after):
        yield f"{where}: takes fewer types"
    missing = set(before.get("enum", [])) - set(after.get("enum", before.get("enum", [])))
    if missing or ("enum" in after and "enum" not in before):
        yield f"{where}: takes fewer values"
    for bound in _LEAST:
        if after.get(bound, before.get(bound)) is not None and (
            before.get(bound) is None or after.get(bound, before[bound]) > before[bound]
        ):
            yield f"{where}: {bound} rose"
    for bound in _MOST:
        if after.get(bound, before.get(bound)) is not None and (
            before.get(bound) is None or after.get(bound, before[bound]) < before[bound]
        ):
            yield f"{where}: {bound} fell"


def _given(where: str, before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    """Widenings of what a client may receive."""
    if not _kinds(after) <= _kinds(before):
        yield f"{where}: gives more types"
    if "enum" in before and not set(after.get("enum", [object()])) <= set(before["enum"]):
        yield f"{where}: gives more values"


def _kinds(schema: dict[str, Any]) -> set[str]:
    if "anyOf" in schema:
        return set().union(*(_kinds(kind) for kind in schema["anyOf"]))
    if "$ref" in schema:
        return {schema["$ref"]}
    kind = schema.get("type", "any")
    return set(kind) if isinstance(kind, list) else {kind}


def present() -> dict[str, Any]:
    """The description this code serves."""
    from afterdrop.core.settings import Settings  # noqa: PLC0415
    from afterdrop.db.engine import open_database  # noqa: PLC0415  # only for the command below
    from afterdrop.web.api.openapi import describe  # noqa: PLC0415
    from afterdrop.web.app import create_api  # noqa: PLC0415
    from afterdrop.web.context import make_web_context  # noqa: PLC0415

    async def made() -> dict[str, Any]:
        with tempfile.TemporaryDirectory() as folder:
            settings = Settings(data_dir=Path(folder))
            database = open_database(f"sqlite+aiosqlite:///{folder}/none.sqlite3")
            api = create_api(make_web_context(settings, database))
            found = describe(api, settings)
            await database.close()
            return found

    return asyncio.run(made())


if __name__ == "__main__":
    path = Path(__file__).with_name("openapi.json")
    path.write_text(
        json.dumps(present(), indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    print(f"wrote {path}")
