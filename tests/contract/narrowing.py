"""Finds what a change of the description takes away from clients: removals and narrowings.

`python -m tests.contract.narrowing` writes the present description as the one later ones are held against.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Schema = dict[str, Any]
_METHODS = ("get", "put", "post", "patch", "delete")
_LEAST = ("minimum", "exclusiveMinimum", "minLength", "minItems")
_MOST = ("maximum", "exclusiveMaximum", "maxLength", "maxItems")


class Shape:
    """What a schema allows in all: its references followed, `allOf` put together, alternatives laid over each other."""

    def __init__(self, schema: Schema, components: dict[str, Schema]) -> None:
        self.kinds: set[str] = set()
        # None: any value.
        self.values: set[Any] | None = set()
        self.members: dict[str, list[Schema]] = {}
        self.required: set[str] | None = None
        self.items: list[Schema] = []
        for part in _alternatives(schema, components):
            self._lay_over(part)

    def _lay_over(self, part: Schema) -> None:
        kind = part.get("type", "any")
        self.kinds |= set(kind) if isinstance(kind, list) else {kind}
        values = {part["const"]} if "const" in part else set(part["enum"]) if "enum" in part else None
        if kind != "null":
            self.values = None if values is None or self.values is None else self.values | values
        if kind == "array":
            self.items.append(part.get("items", {}))
        if kind == "object":
            for name, member in part.get("properties", {}).items():
                self.members.setdefault(name, []).append(member)
            own = set(part.get("required", []))
            self.required = own if self.required is None else self.required & own


def _alternatives(schema: Schema, components: dict[str, Schema]) -> Iterator[Schema]:
    if "$ref" in schema:
        yield from _alternatives(components[schema["$ref"].rpartition("/")[2]], components)
        return
    options = schema.get("anyOf") or schema.get("oneOf")
    if options:
        for option in options:
            yield from _alternatives(option, components)
        return
    if "allOf" in schema:
        whole: Schema = {"properties": {}, "required": []}
        for part in schema["allOf"]:
            for found in _alternatives(part, components):
                merged = {**whole["properties"], **found.get("properties", {})}
                required = [*whole["required"], *found.get("required", [])]
                whole = {**whole, **found, "properties": merged, "required": required}
        yield whole
        return
    yield schema


class Comparison:
    """Two documents side by side."""

    def __init__(self, before: dict[str, Any], after: dict[str, Any]) -> None:
        self.before = before["components"]["schemas"]
        self.after = after["components"]["schemas"]

    def given(self, where: str, before: Schema, after: Schema) -> Iterator[str]:
        """Widenings of what a client may receive."""
        old, new = Shape(before, self.before), Shape(after, self.after)
        if not new.kinds <= old.kinds and old.kinds != {"any"}:
            yield f"{where}: gives more types"
        if old.values is not None and (new.values is None or not new.values <= old.values):
            yield f"{where}: gives more values"
        for name, schemas in old.members.items():
            if name not in new.members:
                yield f"{where}.{name}: removed"
            else:
                yield from self.given(f"{where}.{name}", {"anyOf": schemas}, {"anyOf": new.members[name]})
        for name in sorted((old.required or set()) - (new.required or set())):
            yield f"{where}.{name}: no longer always there"
        if old.items and new.items:
            yield from self.given(f"{where}[]", {"anyOf": old.items}, {"anyOf": new.items})

    def asked(self, where: str, before: Schema, after: Schema) -> Iterator[str]:
        """Narrowings of what a client may send."""
        old, new = Shape(before, self.before), Shape(after, self.after)
        if not old.kinds <= new.kinds and new.kinds != {"any"}:
            yield f"{where}: takes fewer types"
        if new.values is not None and (old.values is None or not old.values <= new.values):
            yield f"{where}: takes fewer values"
        for name, schemas in old.members.items():
            if name not in new.members:
                yield f"{where}.{name}: removed"
            else:
                yield from self.asked(f"{where}.{name}", {"anyOf": schemas}, {"anyOf": new.members[name]})
        for name in sorted((new.required or set()) - (old.required or set())):
            yield f"{where}.{name}: required now"
        if old.items and new.items:
            yield from self.asked(f"{where}[]", {"anyOf": old.items}, {"anyOf": new.items})
        yield from _bounds(where, before, after)

    def operation(self, where: str, before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
        """Narrowings of one operation."""
        if before["operationId"] != after["operationId"]:
            yield f"{where}: operationId changed"
        old = {(item["in"], item["name"]): item for item in before.get("parameters", [])}
        new = {(item["in"], item["name"]): item for item in after.get("parameters", [])}
        for key, item in old.items():
            if key not in new:
                yield f"{where}: parameter {key[1]} removed"
            else:
                yield from self.asked(f"{where}: parameter {key[1]}", item["schema"], new[key]["schema"])
                if item["schema"].get("default") != new[key]["schema"].get("default"):
                    yield f"{where}: parameter {key[1]} has another default"
        for key, item in new.items():
            if item.get("required") and not old.get(key, {}).get("required"):
                yield f"{where}: parameter {key[1]} is required now"
        for status, response in before["responses"].items():
            if status not in after["responses"]:
                yield f"{where}: response {status} removed"
            elif "application/json" in response.get("content", {}):
                yield from self.given(f"{where} {status}", _body(response), _body(after["responses"][status]))

    def components(self) -> Iterator[str]:
        """Narrowings of the named schemas."""
        for name, schema in self.before.items():
            if name not in self.after:
                yield f"{name}: removed"
            elif schema.get("additionalProperties") is False:
                yield from self.asked(name, schema, self.after[name])
            else:
                yield from self.given(name, schema, self.after[name])


def narrowed(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    """A line for every removal or narrowing."""
    compare = Comparison(before, after)
    for path, item in before["paths"].items():
        for method in (name for name in _METHODS if name in item):
            now = after["paths"].get(path, {}).get(method)
            if now is None:
                yield f"{method.upper()} {path}: removed"
            else:
                yield from compare.operation(f"{method.upper()} {path}", item[method], now)
    for kind, item in before.get("webhooks", {}).items():
        now = after["webhooks"].get(kind)
        if now is None:
            yield f"webhook {kind}: removed"
        else:
            sent = (_body(each["post"]["requestBody"]) for each in (item, now))
            yield from compare.given(f"webhook {kind}", *sent)
    yield from compare.components()


def _body(part: dict[str, Any]) -> Schema:
    schema: Schema = part["content"]["application/json"]["schema"]
    return schema


def _bounds(where: str, before: Schema, after: Schema) -> Iterator[str]:
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


def present() -> dict[str, Any]:
    """The description this code serves."""
    from afterdrop.core.settings import Settings  # noqa: PLC0415
    from afterdrop.db.engine import open_database  # noqa: PLC0415  # only for the command below
    from afterdrop.web.api.openapi import describe  # noqa: PLC0415
    from afterdrop.web.app import create_api  # noqa: PLC0415
    from afterdrop.web.context import make_web_context  # noqa: PLC0415

    # Nothing is asked of the database: it is not even made.
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_dir=Path(folder))
        database = open_database(f"sqlite+aiosqlite:///{folder}/none.sqlite3")
        return describe(create_api(make_web_context(settings, database)), settings)


def _without_examples(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_examples(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: _without_examples(item) for key, item in value.items() if key not in ("examples", "example")}


if __name__ == "__main__":
    path = Path(__file__).with_name("openapi.json")
    path.write_text(
        json.dumps(_without_examples(present()), indent=1, sort_keys=True, ensure_ascii=False) + "\n",
        encoding="utf-8",
    )
    print(f"wrote {path}")
