"""Pages for everybody: guides, prices, and the API reference made from the OpenAPI document.

The reference is rendered here: measured in Chromium, Swagger UI 5.35 keeps our content policy but breaks seven rules of
axe-core in 141 places, weighs 1.7 MB and shows nothing without scripts.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

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


async def docs(request: SiteRequest) -> Response:
    """The contents of the guides."""
    return request.page("docs/contents.html", guides=GUIDES, name="")


async def guide(request: SiteRequest) -> Response:
    """One guide."""
    name = request.http.path_params["name"]
    if name not in GUIDES:
        raise not_found("This page does not exist.")
    values: dict[str, Any] = {"guides": GUIDES, "title": GUIDES[name], "name": name}
    if name == "errors":
        values["errors"] = [(code, STATUS[code], *ERRORS[code]) for code in ERRORS]
    if name == "score":
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
    shown = []
    for name, curve in weights.curves.items():
        money, years = ("$" if name == "price" else ""), (" years" if name == "age" else "")
        full, zero = (f"{money}{figure:,.0f}{years}" for figure in (curve.full, curve.zero))
        about = (
            f"full up to {full}, nothing from {zero}" if curve.kind == "falling_log" else f"full from {full}"
        )
        label = "Page rank, from open link ranks" if name == "link_rank" else PARTS[name][0]
        end = f"{money}{curve_end(curve):,g}{years}"
        shown.append({"label": label, "about": about, "points": curve_points(curve), "end": end})
    return shown


async def pricing(request: SiteRequest) -> Response:
    """What the plans show and allow."""
    return request.page("pricing.html", plans=request.context.settings.plans)


# Rendered once for each application: it takes a tenth of a second, and anybody may open the page at any rate.
@lru_cache(maxsize=2)
def _rendered(api_document: Callable[[], Mapping[str, Any]], base_url: str) -> Markup:
    return fragment("docs/api_reference.html", {**reference(api_document()), "base_url": base_url})


def reference(document: Mapping[str, Any]) -> dict[str, Any]:
    """The OpenAPI document as the template shows it: operations by tag, and the schemas they name."""
    by_tag: dict[str, list[dict[str, Any]]] = {tag["name"]: [] for tag in document.get("tags", [])}
    for path, item in document["paths"].items():
        for method in _METHODS:
            if method in item:
                operation = _operation(method, path, item[method])
                by_tag.setdefault((item[method].get("tags") or ["Other"])[0], []).append(operation)
    schemas = [_schema(name, each) for name, each in sorted(document["components"]["schemas"].items())]
    return {"tags": document.get("tags", []), "operations": by_tag, "schemas": schemas}


def _operation(method: str, path: str, operation: dict[str, Any]) -> dict[str, Any]:
    sent = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    body = sent.get("schema")
    return {
        "id": operation["operationId"],
        "method": method.upper(),
        "path": path,
        "summary": operation.get("summary", ""),
        "text": operation.get("description", ""),
        "parameters": [
            {**parameter, "kind": kind_of(parameter.get("schema", {}))}
            for parameter in operation.get("parameters", [])
        ],
        "body": _linked(body) if body else None,
        "request": _request(method, path, operation.get("parameters", []), sent.get("example")),
        "answers": _answers(operation["responses"]),
        "responses": [
            (status, answer.get("description", ""), _answer(answer))
            for status, answer in operation["responses"].items()
        ],
    }


def _request(method: str, path: str, parameters: list[dict[str, Any]], body: Any) -> str:
    """The rest of a shell command that sends this request, after `curl -H 'Authorization: …'`."""
    asked = []
    for parameter in parameters:
        examples = list((parameter.get("examples") or {}).values())
        value = str(examples[0]["value"]) if examples else ""
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", value or f"<{parameter['name']}>")
        elif parameter["in"] == "query" and value and parameter.get("required"):
            asked.append(f"{parameter['name']}={value}")
    words = (
        [f"-X {method.upper()}"] if method != "get" and not (method == "post" and body is not None) else []
    )
    if body is not None:
        words += ["-H 'Content-Type: application/json'", f"-d {shlex.quote(orjson.dumps(body).decode())}"]
    return " \\\n  ".join([*words, "'{base}" + path + ("?" + "&".join(asked) if asked else "") + "'"])


def _answers(responses: dict[str, Any]) -> list[tuple[str, str]]:
    """Successful answers as indented JSON, each with its status and, where there are several, its name."""
    return [
        (status if name == "example" else f"{status}, {name}", _json(example["value"]))
        for status, answer in responses.items()
        if status.startswith("2")
        for name, example in answer.get("content", {}).get("application/json", {}).get("examples", {}).items()
    ]


def _json(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def _answer(answer: dict[str, Any]) -> tuple[str, str] | None:
    schema = answer.get("content", {}).get("application/json", {}).get("schema")
    return _linked(schema) if schema else None


def _schema(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    required = schema.get("required", [])
    members = [
        (member, kind_of(each), _linked(each), member in required, each.get("description", ""))
        for member, each in schema.get("properties", {}).items()
    ]
    return {"name": name, "text": schema.get("description", ""), "members": members}


def _linked(schema: dict[str, Any]) -> tuple[str, str]:
    """A schema in a few words, and the name of the schema to link to (empty: none)."""
    name = _named(schema)
    return kind_of(schema), name


def _named(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
    inner = [schema.get("items", {}), *schema.get("anyOf", []), *schema.get("oneOf", [])]
    return next((name for part in inner if part and (name := _named(part))), "")


def kind_of(schema: dict[str, Any]) -> str:
    """A schema in a few words."""
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
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
