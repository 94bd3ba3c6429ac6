"""Pages for everybody: guides, prices, and the API reference made from the OpenAPI document.

The reference is rendered here: measured in Chromium, Swagger UI 5.35 keeps our content policy but breaks seven rules of
axe-core in 141 places, weighs 1.7 MB and shows nothing without scripts.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
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
from afterdrop.web.site.templates import fragment, markdown

# Those for buyers are pages of docs/guide.
FOR_BUYERS: Final = {
    "choose-a-name": "Choose a name",
    "read-a-report": "Read a report",
    "how-names-drop": "How names drop",
    "accuracy": "How accurate it is",
    "glossary": "Glossary",
}
GUIDES: Final = FOR_BUYERS | {
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

# What the reference reads of the OpenAPI document: JSON, whose shape OpenAPI 3.1 gives.
Node = Mapping[str, Any]


async def docs(request: SiteRequest) -> Response:
    """The contents of the guides."""
    return request.page("docs/contents.html", guides=GUIDES, name="")


async def guide(request: SiteRequest) -> Response:
    """One guide."""
    name = request.http.path_params["name"]
    if name not in GUIDES:
        raise not_found("This page does not exist.")
    values: dict[str, object] = {"guides": GUIDES, "title": GUIDES[name], "name": name}
    if name in FOR_BUYERS:
        return request.page("docs/guide.html", **values, text=_guide(name))
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


@lru_cache(maxsize=len(FOR_BUYERS))
def _guide(name: str) -> Markup:
    """A guide as HTML, from the package, or from docs/ in a checkout. Its links lead to the other guides."""
    shipped = Path(__file__).parents[1] / "guide"
    folder = shipped if shipped.is_dir() else Path(__file__).parents[4] / "docs" / "guide"
    text = (folder / f"{name}.md").read_text(encoding="utf-8")
    drawn = markdown(re.sub(r"\]\(([a-z-]+)\.md\)", r"](/docs/\1)", text))
    # Wide tables scroll on a phone.
    inside = drawn.replace(Markup("<table>"), Markup('<div class="scroll" tabindex="0"><table>'))
    return inside.replace(Markup("</table>"), Markup("</table></div>"))


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
    """The plans, with all that they show and allow."""
    return request.page("pricing.html", plans=request.context.settings.plans)


# Rendered once for each application: it takes a tenth of a second, and anybody may open the page at any rate.
@lru_cache(maxsize=2)
def _rendered(api_document: Callable[[], Node], base_url: str) -> Markup:
    document = api_document()
    calls = [
        (method, path, item[method])
        for path, item in document["paths"].items()
        for method in _METHODS
        if method in item
    ]
    groups = [(tag, [call for call in calls if tag["name"] in call[-1]["tags"]]) for tag in document["tags"]]
    values = {
        "base_url": base_url,
        "groups": [(tag, its) for tag, its in groups if its],
        "schemas": document["components"]["schemas"],
    }
    readers = {"kind": _kind, "shape": _shape, "json_of": _json_of, "command": _command, "indented": _json}
    return fragment("docs/api_reference.html", values | readers)


def _json_of(body: Node) -> Node:
    """A body in JSON: its schema and its examples."""
    found: Node = body.get("content", {}).get("application/json", {})
    return found


def _command(call: Node, method: str, url: str) -> str:
    """The rest of a shell command that sends this request, after `curl -H 'Authorization: …'`."""
    query, body = [], _json_of(call.get("requestBody", {})).get("example")
    for parameter in call.get("parameters", ()):
        recorded = list(parameter.get("examples", {}).values())
        value = str(recorded[0]["value"]) if recorded else ""
        if parameter["in"] == "path":
            url = url.replace(f"{{{parameter['name']}}}", value or f"<{parameter['name']}>")
        elif parameter["in"] == "query" and value and parameter.get("required"):
            query.append(f"{parameter['name']}={value}")
    words = [] if method == "get" or (method == "post" and body is not None) else [f"-X {method.upper()}"]
    if body is not None:
        words += ["-H 'Content-Type: application/json'", f"-d {shlex.quote(_json(body, indent=False))}"]
    return " \\\n  ".join([*words, f"'{url}{'?' if query else ''}{'&'.join(query)}'"])


def _json(value: object, *, indent: bool = True) -> str:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 if indent else None).decode()


def _shape(schema: Node) -> str:
    """The named schema to link to; empty for none."""
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
    inner = [schema.get("items", {}), *schema.get("anyOf", ()), *schema.get("oneOf", ())]
    return next(filter(None, map(_shape, filter(None, inner))), "")


def _kind(schema: Node) -> str:
    """A schema in a few words."""
    if "$ref" in schema:
        return _shape(schema)
    if "enum" in schema:
        return "one of " + ", ".join(map(str, schema["enum"]))
    if "const" in schema:
        return f"always {schema['const']}"
    if options := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(dict.fromkeys(map(_kind, options)))
    if schema.get("type") == "array":
        return f"array of {_kind(schema.get('items', {}))}"
    named = schema.get("type", "value")
    text = named if isinstance(named, str) else " or ".join(named)
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        text += f" {low}–{high}"
    return text + (f" ({schema['format']})" if "format" in schema else "")
