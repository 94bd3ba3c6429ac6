"""The bodies of webhook endpoints, and the events that are sent to them."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field, WithJsonSchema

from afterdrop.checks.order import CheckJson
from afterdrop.core.json_shapes import Timestamp
from afterdrop.delivery.events import (
    ID_PATTERN,
    INTERFACE_EVENTS,
    Event,
    Ping,
    RegistrationEvent,
    TakeoverEvent,
)
from afterdrop.watching.notices import AlertMatched, DomainAvailable, DomainEndingSoon
from afterdrop.watching.registry_news import RegistrationChanged
from afterdrop.watching.takeovers import TakeoverSeen
from afterdrop.web.schemas import patterns
from afterdrop.web.schemas import values as v
from afterdrop.web.schemas.envelope import ChangeableModel, RequestModel, ResponseModel


def _once(values: list[str]) -> list[str]:
    return list(dict.fromkeys(values))


Events = Annotated[list[Event], Field(min_length=1, max_length=100), AfterValidator(_once)]
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
    events: Events = Field(
        default=list(INTERFACE_EVENTS),
        description="Event types; by default the first four",
    )
    active: v.BodyBool = Field(default=True, description="`false` creates the endpoint paused")


class EndpointChange(_EndpointMembers):
    """Changes to an endpoint. Only the members you send change."""

    url: Address = Field(default="", validate_default=False, description=_ADDRESS)
    events: Events = Field(default=[], validate_default=False, description="Event types")
    active: v.BodyBool = Field(
        default=True,
        description="`false` pauses the endpoint; `true` switches it back on and resets its failures",
    )


class EventMembers(ResponseModel):
    """The members of every event. The same event can come more than once: remember `id`, and sort by `created_at`."""

    id: str = Field(pattern=ID_PATTERN, description="The id of the event, the same at every attempt")
    created_at: Timestamp = Field(description="When it happened")


class AlertMatchedEvent(EventMembers):
    """A newly listed domain matched a rule."""

    type: Literal["alert.matched"] = Field(description="The type of the event")
    data: AlertMatched = Field(description="The rule and the domain")


class DomainAvailableEvent(EventMembers):
    """A watched or matching domain dropped, and nobody has registered it."""

    type: Literal["domain.available"] = Field(description="The type of the event")
    data: DomainAvailable = Field(description="The domain and its registration")


class DomainEndingSoonEvent(EventMembers):
    """A watched or matched domain ends soon."""

    type: Literal["domain.ending_soon"] = Field(description="The type of the event")
    data: DomainEndingSoon = Field(description="The domain, its end and the reason")


class CheckCompleted(ResponseModel):
    """The check without its report; its `status` is `done` or `failed`."""

    check: CheckJson = Field(description="The check, without its report")


class CheckCompletedEvent(EventMembers):
    """A domain check has finished."""

    type: Literal["check.completed"] = Field(description="The type of the event")
    data: CheckCompleted = Field(description="The check")


class RegistrationChangedEvent(EventMembers):
    """The registration of a watched domain changed at its registry."""

    type: RegistrationEvent = Field(description="The type of the event")
    data: RegistrationChanged = Field(description="The domain, the change and the registration")


class TakeoverSeenEvent(EventMembers):
    """The home page of a watched domain that has a new holder was read."""

    type: TakeoverEvent = Field(description="The type of the event")
    data: TakeoverSeen = Field(description="The page that stands there now")


class PingEvent(EventMembers):
    """A test event you asked for."""

    type: Literal["ping"] = Field(description="The type of the event")
    data: Ping = Field(description="A message and the endpoint")


class EventsMeta(ResponseModel):
    """Where the events go on."""

    next_cursor: str | None = Field(
        description="Send it as `after` to get later events; null if there have been none yet"
    )
    more: bool = Field(description="Whether there are more events already")


class EventList(ResponseModel):
    """Events as webhooks send them."""

    data: list[
        AlertMatchedEvent
        | DomainAvailableEvent
        | DomainEndingSoonEvent
        | CheckCompletedEvent
        | RegistrationChangedEvent
        | TakeoverSeenEvent
    ] = Field(description="The events, the oldest first")
    meta: EventsMeta = Field(description="Where to continue")


class EventsQuery(RequestModel):
    """Which events."""

    after: v.QueryCursor | None = Field(
        default=None,
        description="`next_cursor` of an earlier response; without it, the oldest events come first",
    )
    type: v.QueryEvents | None = Field(default=None, description="Comma-separated event types")
    limit: v.QueryHundred = Field(default=50, description="At most so many, 1-100")
