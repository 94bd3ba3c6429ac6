"""Pages for everybody: guides, prices, and the API reference made from the OpenAPI document.

The reference is rendered here: measured in Chromium, Swagger UI 5.35 keeps our content policy but breaks seven rules of
axe-core in 141 places, weighs 1.7 MB and shows nothing without scripts.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypedDict

import orjson
from markupsafe import Markup
from starlette.responses import Response

from afterdrop.scoring.weights import Weights, current
from afterdrop.web.problems import STATUS, not_found
from afterdrop.web.schemas.examples import examples
from afterdrop.web.site.charts import curve_end, curve_points
from afterdrop.web.site.labels import ERRORS, PARTS
from afterdrop.web.site.site_request import SiteRequest
from afterdrop.web.site.templates import fragment

GUIDES: Final = {
    "first-request": "Your first request",
    "lists": "Lists, filters and paging",
    "webhooks": "Webhooks and how to verify them",
    "mcp": "MCP: tools for your assistant",
    "automation": "n8n, Zapier and the like",
    "score": "How the score is made",
    "flags": "What the flags mean",
    "errors": "Errors",
    "versions": "Versions of the API",
    "api": "API reference",
}
_METHODS: Final = ("get", "put", "post", "patch", "delete")


# What the reference reads of the OpenAPI document.
Schema = TypedDict(
    "Schema",
    {
        "$ref": str,
        "type": str | list[str],
        "format": str,
        "description": str,
        "enum": list[str | int | None],
        "const": str | int | bool,
        "minimum": float,
        "maximum": float,
        "items": "Schema",
        "anyOf": "list[Schema]",
        "oneOf": "list[Schema]",
        "properties": "dict[str, Schema]",
        "required": list[str],
    },
    total=False,
)


class Example(TypedDict):
    """A recorded value."""

    value: object


Parameter = TypedDict(
    "Parameter",
    {
        "name": str,
        "in": str,
        "required": bool,
        "description": str,
        "schema": Schema,
        "examples": dict[str, Example],
    },
    total=False,
)


class ParameterRow(Parameter, total=False):
    """A parameter with its type in a few words."""

    kind: str


class MediaType(TypedDict, total=False):
    """A body in one media type."""

    schema: Schema
    example: object
    examples: dict[str, Example]


class Body(TypedDict, total=False):
    """The body of a request or of a response."""

    description: str
    content: dict[str, MediaType]


class Operation(TypedDict, total=False):
    """A method of a path."""

    operationId: str
    summary: str
    description: str
    tags: list[str]
    parameters: list[Parameter]
    requestBody: Body
    responses: dict[str, Body]


class Tag(TypedDict):
    """A group of operations."""

    name: str
    description: str


class Components(TypedDict):
    """The named schemas."""

    schemas: dict[str, Schema]


class ApiDocument(TypedDict):
    """The OpenAPI document."""

    tags: list[Tag]
    paths: dict[str, dict[str, Operation]]
    components: Components


# A schema in a few words, and the name of the schema to link to (empty: none).
Link = tuple[str, str]


@dataclass(frozen=True, slots=True)
class OperationEntry:
    """An operation as the reference shows it; `request` is the rest of its shell command."""

    id: str
    method: str
    path: str
    summary: str
    text: str
    parameters: Sequence[ParameterRow]
    body: Link | None
    request: str
    answers: Sequence[tuple[str, str]]
    responses: Sequence[tuple[str, str, Link | None]]


@dataclass(frozen=True, slots=True)
class SchemaEntry:
    """A named schema as the reference shows it; a member's name, type, link, whether it is required, and text."""

    name: str
    text: str
    members: Sequence[tuple[str, str, Link, bool, str]]


class Reference(TypedDict):
    """Operations by tag, and the schemas they name."""

    tags: Sequence[Tag]
    operations: Mapping[str, Sequence[OperationEntry]]
    schemas: Sequence[SchemaEntry]


async def docs(request: SiteRequest) -> Response:
    """The contents of the guides."""
    return request.page("docs/contents.html", guides=GUIDES, name="")


async def guide(request: SiteRequest) -> Response:
    """One guide."""
    name = request.http.path_params["name"]
    if name not in GUIDES:
        raise not_found("This page does not exist.")
    values: dict[str, object] = {"guides": GUIDES, "title": GUIDES[name], "name": name}
    if name == "errors":
        values["errors"] = [(code, STATUS[code], *ERRORS[code]) for code in ERRORS]
    if name in ("score", "flags"):
        values |= {"weights": current(), "curves": _curves(current())}
    if name == "webhooks":
        values["events"] = {kind: _json(event) for kind, event in examples()["events"].items()}
    if name == "api":
        values["reference"] = _rendered(
            request.http.app.state.api_document, request.context.settings.base_url
        )
    return request.page(f"docs/{name}.html", **values)


def _curves(weights: Weights) -> list[dict[str, str]]:
    """The curves as the page draws them, each with a sentence that says the same."""
    drawn = []
    for name, curve in weights.curves.items():
        money, years = ("$" if name == "price" else ""), (" years" if name == "age" else "")
        full, zero = (f"{money}{figure:,.0f}{years}" for figure in (curve.full, curve.zero))
        about = (
            f"full up to {full}, nothing from {zero}" if curve.kind == "falling_log" else f"full from {full}"
        )
        label = "Page rank, from open link ranks" if name == "link_rank" else PARTS[name][0]
        end = f"{money}{curve_end(curve):,g}{years}"
        drawn.append({"label": label, "about": about, "points": curve_points(curve), "end": end})
    return drawn


async def pricing(request: SiteRequest) -> Response:
    """What the plans show and allow."""
    return request.page("pricing.html", plans=request.context.settings.plans)


# Rendered once for each application: it takes a tenth of a second, and anybody may open the page at any rate.
@lru_cache(maxsize=2)
def _rendered(api_document: Callable[[], ApiDocument], base_url: str) -> Markup:
    return fragment("docs/api_reference.html", {**reference(api_document()), "base_url": base_url})


def reference(document: ApiDocument) -> Reference:
    """The OpenAPI document as the template shows it."""
    by_tag: dict[str, list[OperationEntry]] = {tag["name"]: [] for tag in document["tags"]}
    for path, item in document["paths"].items():
        for method in _METHODS:
            if method in item:
                operation = _operation(method, path, item[method])
                by_tag.setdefault((item[method].get("tags") or ["Other"])[0], []).append(operation)
    schemas = [_schema(name, each) for name, each in sorted(document["components"]["schemas"].items())]
    return {"tags": document["tags"], "operations": by_tag, "schemas": schemas}


def _operation(method: str, path: str, operation: Operation) -> OperationEntry:
    parameters, body = operation.get("parameters", []), _json_body(operation.get("requestBody", {}))
    schema = body.get("schema")
    return OperationEntry(
        operation["operationId"],
        method.upper(),
        path,
        operation.get("summary", ""),
        operation.get("description", ""),
        [{**parameter, "kind": kind_of(parameter.get("schema", {}))} for parameter in parameters],
        _linked(schema) if schema else None,
        _request(method, path, parameters, body.get("example")),
        _answers(operation["responses"]),
        [
            (status, answer.get("description", ""), _answer(answer))
            for status, answer in operation["responses"].items()
        ],
    )


def _json_body(body: Body) -> MediaType:
    return body.get("content", {}).get("application/json", {})


def _request(method: str, path: str, parameters: Sequence[Parameter], body: object) -> str:
    """The rest of a shell command that sends this request, after `curl -H 'Authorization: …'`."""
    query = []
    for parameter in parameters:
        recorded = list((parameter.get("examples") or {}).values())
        value = str(recorded[0]["value"]) if recorded else ""
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", value or f"<{parameter['name']}>")
        elif parameter["in"] == "query" and value and parameter.get("required"):
            query.append(f"{parameter['name']}={value}")
    words = (
        [f"-X {method.upper()}"] if method != "get" and not (method == "post" and body is not None) else []
    )
    if body is not None:
        words += ["-H 'Content-Type: application/json'", f"-d {shlex.quote(orjson.dumps(body).decode())}"]
    return " \\\n  ".join([*words, "'{base}" + path + ("?" + "&".join(query) if query else "") + "'"])


def _answers(responses: Mapping[str, Body]) -> list[tuple[str, str]]:
    """Successful answers as indented JSON, each with its status and, where there are several, its name."""
    return [
        (status if name == "example" else f"{status}, {name}", _json(example["value"]))
        for status, answer in responses.items()
        if status.startswith("2")
        for name, example in _json_body(answer).get("examples", {}).items()
    ]


def _json(value: object) -> str:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def _answer(answer: Body) -> Link | None:
    schema = _json_body(answer).get("schema")
    return _linked(schema) if schema else None


def _schema(name: str, schema: Schema) -> SchemaEntry:
    required = schema.get("required", [])
    members = [
        (member, kind_of(each), _linked(each), member in required, each.get("description", ""))
        for member, each in schema.get("properties", {}).items()
    ]
    return SchemaEntry(name, schema.get("description", ""), members)


def _linked(schema: Schema) -> Link:
    return kind_of(schema), _named(schema)


def _named(schema: Schema) -> str:
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[-1]
    inner = [schema.get("items", {}), *schema.get("anyOf", []), *schema.get("oneOf", [])]
    return next((name for part in inner if part and (name := _named(part))), "")


def kind_of(schema: Schema) -> str:
    """A schema in a few words."""
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[-1]
    if "enum" in schema:
        return "one of " + ", ".join(str(value) for value in schema["enum"])
    if "const" in schema:
        return f"always {schema['const']}"
    options = schema.get("anyOf") or schema.get("oneOf")
    if options:
        return " or ".join(dict.fromkeys(kind_of(part) for part in options))
    if schema.get("type") == "array":
        return f"array of {kind_of(schema.get('items', {}))}"
    kind = schema.get("type", "value")
    text = kind if isinstance(kind, str) else " or ".join(kind)
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        text += f" {low}–{high}"
    return text + (f" ({schema['format']})" if "format" in schema else "")
