"""The bodies of webhook deliveries, as the OpenAPI document's `webhooks` show them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from afterdrop.web.schemas import values as v
from afterdrop.web.schemas.checks import Check
from afterdrop.web.schemas.domains import Summary, Timestamp
from afterdrop.web.schemas.envelope import RequestModel, ResponseModel
from afterdrop.web.schemas.report import ReportRegistration
from afterdrop.web.schemas.rules import RuleName


class Event(ResponseModel):
    """What every event has. The same event can come more than once: remember `id`, and sort by `created_at`."""

    id: str = Field(pattern="^evt_[0-9A-HJKMNP-TV-Z]{26}$")
    created_at: Timestamp


class AlertMatched(ResponseModel):
    """The rule, and the domain as the rule's owner sees it."""

    alert: RuleName
    domain: Summary


class AlertMatchedEvent(Event):
    """A newly listed domain matched a rule."""

    type: Literal["alert.matched"]
    data: AlertMatched


class DomainAvailable(ResponseModel):
    """The domain, and what the registry says."""

    domain: Summary
    registration: ReportRegistration


class DomainAvailableEvent(Event):
    """A watched or matching domain dropped, and nobody has registered it."""

    type: Literal["domain.available"]
    data: DomainAvailable


class DomainEndingSoon(ResponseModel):
    """The domain, when it ends, and why you are told."""

    domain: Summary
    hours_left: int = Field(ge=1, description="The reminder hour the account chose")
    ends_at: Timestamp
    reason: Literal["watchlist", "alert"]


class DomainEndingSoonEvent(Event):
    """A watched or matched domain ends soon."""

    type: Literal["domain.ending_soon"]
    data: DomainEndingSoon


class CheckCompleted(ResponseModel):
    """The check without its report; its `status` is `done` or `failed`."""

    check: Check


class CheckCompletedEvent(Event):
    """A domain check has finished."""

    type: Literal["check.completed"]
    data: CheckCompleted


class EndpointName(ResponseModel):
    """Which endpoint."""

    id: int = Field(ge=1)
    url: str


class Ping(ResponseModel):
    """A message, and the endpoint it was sent to."""

    message: str
    webhook: EndpointName


class PingEvent(Event):
    """A test event you asked for."""

    type: Literal["ping"]
    data: Ping


class EventsMeta(ResponseModel):
    """Where the events go on."""

    next_cursor: str | None = Field(
        description="Send it as `after` to get later events; null if there have been none yet"
    )
    more: bool = Field(description="Whether there are more events already")


class EventList(ResponseModel):
    """Events as webhooks send them."""

    data: list[AlertMatchedEvent | DomainAvailableEvent | DomainEndingSoonEvent | CheckCompletedEvent]
    meta: EventsMeta


class EventsQuery(RequestModel):
    """Which events."""

    after: v.QueryCursor | None = Field(
        default=None,
        description="`next_cursor` of an earlier response; without it, the oldest events come first",
    )
    type: v.QueryEvents | None = Field(default=None, description="Comma-separated event types")
    limit: v.QueryHundred = Field(default=50, description="At most so many, 1-100")
