"""The webhooks of the OpenAPI document: what is sent to an account's endpoints. Nothing here is ever routed to."""

from __future__ import annotations

from typing import Annotated, Any, Final

from fastapi import APIRouter, Body
from pydantic import BaseModel
from starlette.responses import Response

from afterdrop.web.schemas import events

router = APIRouter(tags=["Webhooks"])
_EVENTS: Final[dict[str, tuple[type[BaseModel], str]]] = {
    "alert.matched": (
        events.AlertMatchedEvent,
        "A newly listed domain matched a rule: one event for each rule",
    ),
    "domain.available": (
        events.DomainAvailableEvent,
        "A domain you watch, or one that a rule matches at that moment, dropped and nobody has registered it",
    ),
    "domain.ending_soon": (
        events.DomainEndingSoonEvent,
        "A watched or matched domain ends soon: one event for each reminder hour the account chose",
    ),
    "check.completed": (events.CheckCompletedEvent, "A domain check has finished or failed"),
    "ping": (events.PingEvent, "Somebody asked for a test event"),
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
