"""Live look-ups."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from afterdrop.dns.answers import ReplyStatus
from afterdrop.web.schemas import values as v
from afterdrop.web.schemas.domains import Day, Timestamp
from afterdrop.web.schemas.envelope import RequestModel, ResponseModel


class RegistrationRecord(ResponseModel):
    """What the registry says about a name."""

    domain: str
    state: Literal["available", "registered", "dropping", "unknown"]
    registrar: str | None
    registrar_iana_id: str | None
    registered_at: Timestamp | None
    expires_at: Timestamp | None
    updated_at: Timestamp | None
    statuses: list[str] | None = Field(description="Null when the state is `unknown`")
    nameservers: list[str] | None = Field(description="Null when the state is `unknown`")
    dnssec: bool | None


class DropEstimate(ResponseModel):
    """When the name may drop: a window, exact only where a registry names the day."""

    stage: Literal["active", "expired", "redemption", "pending_delete", "available", "unknown"]
    earliest: Day | None
    latest: Day | None
    exact: bool
    drop_hour_utc: int | None = Field(ge=0, le=23)


class WhoisRecord(RegistrationRecord):
    """A registration record with its drop estimate."""

    drop_estimate: DropEstimate


class RatingRow(ResponseModel):
    """One Domain Rating."""

    domain: str
    domain_rating: int | None = Field(ge=0, le=100)
    error: Literal["busy_retry_later"] | None


class DnsRecord(ResponseModel):
    """One record."""

    value: str
    ttl: int = Field(ge=0)
    extra: str | None = Field(description="The priority of an MX record")


class DnsResult(ResponseModel):
    """The records of a host, and what they show."""

    host: str
    records: dict[str, list[DnsRecord]] = Field(description="By type: A, AAAA, CNAME, MX, NS, TXT, SOA, CAA")
    has_mail: bool | None = Field(description="Null if no name server answered the query for MX records")
    spf: bool | None = Field(description="Null if the query for TXT records got no answer")
    dmarc: bool | None = Field(description="Null if the query for the policy at `_dmarc` got no answer")
    parked_at: str | None = Field(description="The parking provider, if the domain is parked")
    status: ReplyStatus = Field(description="Extension: `ok` if any query was answered, otherwise the reason")
    errors: dict[str, ReplyStatus] = Field(description="Extension: queries without an answer, by record type")
    withheld: int = Field(
        ge=0, description="Extension: how many records are not shown because their address is not public"
    )


class WhoisQuery(RequestModel):
    """Whose registration."""

    domain: v.QueryName = Field(description="A registrable domain")


class NamesQuery(RequestModel):
    """Which domains."""

    domains: v.QueryNames = Field(description="Comma-separated registrable domains")


class DnsQuery(RequestModel):
    """Which host."""

    host: v.QueryHost = Field(description="A domain or subdomain")
