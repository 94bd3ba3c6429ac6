"""Webhook endpoints and deliveries."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field, WithJsonSchema

from afterdrop.web.schemas import patterns
from afterdrop.web.schemas import values as v
from afterdrop.web.schemas.domains import Timestamp
from afterdrop.web.schemas.envelope import ChangeableModel, ResponseModel


def _once(values: list[str]) -> list[str]:
    return list(dict.fromkeys(values))


Events = Annotated[list[v.Event], Field(min_length=1, max_length=100), AfterValidator(_once)]
Address = Annotated[
    str,
    Field(strict=True, min_length=1),
    WithJsonSchema({"type": "string", "pattern": patterns.ADDRESS}),
]
_ADDRESS = "`https://`, a public host name, port 443 or above 1023; no user name, IP address or fragment"


class _EndpointMembers(ChangeableModel):
    READ_ONLY: ClassVar = frozenset(
        {"id", "disabled_at", "consecutive_failures", "last_delivered_at", "created_at", "secret"}
    )


class NewEndpoint(_EndpointMembers):
    """An endpoint to create."""

    url: Address = Field(description=_ADDRESS)
    events: Events = Field(default=list(v.EVENTS), description="Event types; all four by default")
    active: v.BodyBool = Field(default=True, description="`false` creates the endpoint paused")


class EndpointChange(_EndpointMembers):
    """What to change in an endpoint. Only the members you send change."""

    url: Address = Field(default="", validate_default=False, description=_ADDRESS)
    events: Events = Field(default=[], validate_default=False, description="Event types")
    active: v.BodyBool = Field(
        default=True,
        description="`false` pauses the endpoint; `true` switches it back on and resets its failures",
    )


class Endpoint(ResponseModel):
    """A webhook endpoint."""

    id: int = Field(ge=1)
    url: str
    events: list[v.Event]
    active: bool
    disabled_at: Timestamp | None = Field(description="When it was switched off because of failures")
    consecutive_failures: int = Field(ge=0)
    last_delivered_at: Timestamp | None
    created_at: Timestamp


class CreatedEndpoint(Endpoint):
    """A webhook endpoint with its signing secret, which is shown only once."""

    secret: str = Field(pattern="^whsec_")


class Delivery(ResponseModel):
    """One event on its way to an endpoint."""

    id: str = Field(pattern="^evt_[0-9A-HJKMNP-TV-Z]{26}$")
    event: Literal["alert.matched", "domain.available", "domain.ending_soon", "check.completed", "ping"]
    status: Literal["pending", "delivered", "failed"]
    attempts: int = Field(ge=0)
    response_code: int | None
    error: str | None
    created_at: Timestamp
    delivered_at: Timestamp | None
