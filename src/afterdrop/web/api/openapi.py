"""The OpenAPI 3.1 document: FastAPI's own, completed with what signatures cannot say: webhooks, examples, headers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, Final

from fastapi import APIRouter, Body, FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from starlette.responses import Response

from afterdrop.core.settings import Settings
from afterdrop.web.api import repeats
from afterdrop.web.api.error_responses import BEFORE_THE_KEY, show_scope_refusal
from afterdrop.web.schemas import patterns, webhooks
from afterdrop.web.schemas.examples import RecordedAnswer, examples

VERSION: Final = "1.0.0"
TAGS: Final = {
    "Account": "The account the key belongs to, and the service's figures.",
    "Domains": "Three lists of vetted domains, the report of each, and the revival kit.",
    "Watchlist": "Domains you watch, with a reminder before they end and a notice when they drop.",
    "Alert rules": "Saved filters for newly listed domains, and the domains that matched.",
    "Checks": "Full reports of any domain, one credit each.",
    "Look-ups": "Live questions to registries, rating providers and DNS, counted in domains per hour.",
    "Webhooks": "Addresses that receive signed events, and the result of each delivery.",
    # A tag of their own: generators make one file of each, and would write these over the operations above.
    "Events": "Signed requests that webhook endpoints receive.",
}
_DESCRIPTION: Final = """Expiring, pending-delete and auctioned domain names, vetted daily.

Send an API key with every request: `Authorization: Bearer <API_KEY>`. Responses are `{"data": …}`, lists add `meta`;
an error is `{"error": {"code", "message", "docs", …}}`. Times are UTC, `YYYY-MM-DDTHH:MM:SSZ`. Unknown values are
`null`, never zero.
Parameters that this document does not name are refused, so a misspelt filter cannot return the wrong domains.

The version is part of the path. Within a version we only add things: endpoints, optional parameters, response members
and events. Ignore members you do not know; they can appear at any time. A breaking change ships as a new version, and
we mail every account with an active key 12 months before an old version is retired.
Members whose description starts with "Extension" go beyond the interface.
"""
_RATE_HEADERS: Final = {
    "X-RateLimit-Limit": "Requests allowed in the current minute",
    "X-RateLimit-Remaining": "Requests left in the current minute",
}
_NAMES: Final = re.compile(
    r"Data_(?:list_(?P<items>[A-Za-z]+?)(?:Json)?__|(?P<item>[A-Za-z]+?)(?:Json)?_)|\b(?P<shape>[A-Z][A-Za-z]+)Json\b"
)
_METHODS: Final = ("get", "put", "post", "patch", "delete")


def describe(api: FastAPI, settings: Settings) -> dict[str, Any]:
    """The document, with this deployment's address as its server."""
    document = get_openapi(
        title=f"{settings.site_name} API",
        version=VERSION,
        description=_DESCRIPTION,
        routes=api.routes,
        webhooks=router.routes,
        separate_input_output_schemas=False,
        tags=[{"name": name, "description": text} for name, text in TAGS.items()],
        servers=[{"url": settings.base_url, "description": "This service"}],
        contact={"name": settings.site_name, "url": settings.site_url},
        license_info={"name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"},
    )
    document["security"] = [{"apiKey": []}]
    document = _plain_numbers(document)
    for method, operation in _operations(document):
        if method != "get":
            show_scope_refusal(operation["responses"]["403"])
        _plain_parameters(operation)
        _headers(operation)
        if method == "post":
            _may_be_repeated(operation)
        for response in operation["responses"].values():
            if response["description"] == "Successful Response":
                response["description"] = operation["summary"]
        show_recorded(operation)
    for kind, item in document["webhooks"].items():
        show_event(item["post"], kind)
    _components(document)
    if settings.webhook.allow_loopback:
        _allow_loopback(document["components"]["schemas"])
    named: dict[str, Any] = _plain_names(document)
    return named


def _plain_numbers(value: Any) -> Any:
    """Bounds that are whole become whole numbers."""
    if isinstance(value, dict):
        return {key: _plain_numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain_numbers(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _plain_names(value: Any) -> Any:
    """Python's names of envelopes become the clients', also where a reference names them."""
    if isinstance(value, dict):
        return {_NAMES.sub(_plain_name, key): _plain_names(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain_names(item) for item in value]
    return _NAMES.sub(_plain_name, value) if isinstance(value, str) else value


def _plain_name(found: re.Match[str]) -> str:
    """`Data_list_Rule__` is Python's name of an envelope; clients get `RuleListAnswer`, and `Era` for `EraJson`."""
    if found["shape"]:
        return found["shape"]
    return f"{found['items']}ListAnswer" if found["items"] else f"{found['item']}Answer"


def _operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The method of each operation, and the operation."""
    for path in document["paths"].values():
        yield from ((method, path[method]) for method in _METHODS if method in path)


def _plain_parameters(operation: dict[str, Any]) -> None:
    """A query parameter is there or not; null is a spelling of Python's, not of the query's."""
    for parameter in operation.get("parameters", []):
        schema = parameter["schema"]
        kinds = [kind for kind in schema.pop("anyOf", []) if kind != {"type": "null"}]
        if kinds:
            schema.update(kinds[0] if len(kinds) == 1 else {"anyOf": kinds})
        if schema.get("default", "") is None:
            del schema["default"]
        schema.pop("title", None)
        schema.pop("description", None)


def _headers(operation: dict[str, Any]) -> None:
    for status, response in operation["responses"].items():
        uncounted = status == "401" or int(status) in BEFORE_THE_KEY
        headers = {} if uncounted else {name: _header(name) for name in _RATE_HEADERS}
        if status == "429":
            headers["Retry-After"] = _header("Retry-After")
        if status in ("200", "304") and "304" in operation["responses"]:
            headers["ETag"] = _header("ETag")
        if status == "405":
            headers["Allow"] = _header("Allow")
        if status == "401":
            headers["WWW-Authenticate"] = _header("WWW-Authenticate")
        response["headers"] = headers


def _may_be_repeated(operation: dict[str, Any]) -> None:
    """Describe the key under which a POST can be sent again, and how its answer is told from the first."""
    text = "Executed once within 24 hours: repeat it with the same key, and you get the first response again"
    schema = {"type": "string", "pattern": repeats.PATTERN, "minLength": 1, "maxLength": 255}
    key = {"name": repeats.HEADER, "in": "header", "required": False, "description": text, "schema": schema}
    operation.setdefault("parameters", []).append(key)
    for status, response in operation["responses"].items():
        if status.startswith("2"):
            response["headers"][repeats.REPLAYED] = _header(repeats.REPLAYED)


def _header(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/headers/{name}"}


def _components(document: dict[str, Any]) -> None:
    whole = {"type": "integer", "minimum": 0}
    headers = {name: {"description": text, "schema": whole} for name, text in _RATE_HEADERS.items()}
    headers["Retry-After"] = {
        "description": "Seconds to wait",
        "schema": {"type": "integer", "minimum": 1},
    }
    headers["ETag"] = {"description": "The id of this response", "schema": {"type": "string"}}
    headers["Allow"] = {"description": "The methods the path takes", "schema": {"type": "string"}}
    headers[repeats.REPLAYED] = {
        "description": "`true` if this is the response to an earlier request",
        "schema": {"type": "string", "const": "true"},
    }
    headers["WWW-Authenticate"] = {"description": "`Bearer`", "schema": {"type": "string"}}
    document["components"]["headers"] = headers
    schemas = document["components"]["schemas"]
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    for name, schema in schemas.items():
        if "properties" in schema:
            # Clients ignore members of an answer that they do not know.
            schema.setdefault("additionalProperties", True)
        # A member that is not sent does not change, and what an answer leaves out it does not say: no defaults.
        if name.endswith("Change") or schema.get("additionalProperties") is True:
            for member in schema["properties"].values():
                member.pop("default", None)


def _allow_loopback(schemas: dict[str, Any]) -> None:
    for name in ("NewEndpoint", "EndpointChange"):
        url = schemas[name]["properties"]["url"]
        url["pattern"] = f"{url['pattern']}|{patterns.LOOPBACK_ADDRESS}"


def show_recorded(operation: dict[str, Any]) -> None:
    """Show what was sent to an operation, and what came back."""
    recorded = examples()["operations"][operation["operationId"]]
    sent = {"path": recorded["path"], "query": recorded["query"]}
    for parameter in operation.get("parameters", []):
        value = sent.get(parameter["in"], {}).get(parameter["name"])
        if value is not None:
            parameter["examples"] = {"example": {"value": value}}
    if "requestBody" in operation:
        operation["requestBody"]["content"]["application/json"]["example"] = recorded["body"]
    by_status: dict[int, list[RecordedAnswer]] = {}
    for answer in recorded["answers"]:
        by_status.setdefault(answer["status"], []).append(answer)
    for status, answers in by_status.items():
        shown = {answer["name"]: {"value": answer["body"]} for answer in answers}
        operation["responses"][str(status)]["content"]["application/json"]["examples"] = shown


def show_event(operation: dict[str, Any], kind: str) -> None:
    """Show an event that was sent."""
    content = operation["requestBody"]["content"]["application/json"]
    content["examples"] = {"example": {"value": examples()["events"][kind]}}


router = APIRouter(tags=["Events"])
_EVENTS: Final[dict[str, tuple[type[BaseModel], str]]] = {
    "alert.matched": (
        webhooks.AlertMatchedEvent,
        "A newly listed domain matched a rule: one event for each rule",
    ),
    "domain.available": (
        webhooks.DomainAvailableEvent,
        "A domain you watch, or one that a rule matches at that moment, dropped and nobody has registered it",
    ),
    "domain.ending_soon": (
        webhooks.DomainEndingSoonEvent,
        "A watched or matched domain ends soon: one event for each reminder hour the account chose",
    ),
    "check.completed": (webhooks.CheckCompletedEvent, "A domain check has finished or failed"),
    "registration.renewed": (
        webhooks.RegistrationChangedEvent,
        "A domain you watch was renewed: sent to endpoints that ask for it",
    ),
    "registration.redemption": (
        webhooks.RegistrationChangedEvent,
        "A domain you watch is in redemption: sent to endpoints that ask for it",
    ),
    "registration.pending_delete": (
        webhooks.RegistrationChangedEvent,
        "A domain you watch is pending delete: sent to endpoints that ask for it",
    ),
    "registration.dropped": (
        webhooks.RegistrationChangedEvent,
        "A domain you watch that is on no list dropped: sent to endpoints that ask for it",
    ),
    "registration.registered": (
        webhooks.RegistrationChangedEvent,
        "A domain you watch was registered anew after it ended: sent to endpoints that ask for it",
    ),
    "takeover.seen": (
        webhooks.TakeoverSeenEvent,
        "The page at a domain you watch that has a new holder: sent to endpoints that ask for it",
    ),
    "ping": (webhooks.PingEvent, "Somebody asked for a test event"),
}
_RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    "4XX": {"description": "Like any answer but 2xx: we try again, six times in all within nine hours"},
}
_HEADERS: Final = {
    "Service-Event": "The event's type",
    "Service-Delivery": "The event's id",
    "Service-Signature": "`t=<unix time>,v1=<hex>`, the HMAC-SHA256 of `t`, a dot and the raw body under the secret",
}


def _add(kind: str, model: type[BaseModel], text: str) -> None:
    async def sent(body: Any) -> Response:
        raise NotImplementedError

    sent.__annotations__["body"] = Annotated[model, Body()]
    router.add_api_route(
        kind,
        sent,
        methods=["POST"],
        status_code=204,
        response_class=Response,
        response_description="Any 2xx: you have the event",
        responses=_RESPONSES,
        operation_id=kind.replace(".", "_"),
        summary=text.partition(":")[0],
        description=f"{text}. Verify `Service-Signature` before you trust it.",
        openapi_extra={
            "security": [],
            "parameters": [
                {
                    "name": name,
                    "in": "header",
                    "required": True,
                    "description": about,
                    "schema": {"type": "string"},
                }
                for name, about in _HEADERS.items()
            ],
        },
    )


for _kind, (_model, _text) in _EVENTS.items():
    _add(_kind, _model, _text)
