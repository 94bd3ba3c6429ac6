"""Inputs of live look-ups."""

from __future__ import annotations

from pydantic import Field

from afterdrop.web.schemas import values as v
from afterdrop.web.schemas.envelope import RequestModel


class WhoisQuery(RequestModel):
    """The domain whose registration is looked up."""

    domain: v.QueryName = Field(description="A registrable domain")


class NamesQuery(RequestModel):
    """Which domains."""

    domains: v.QueryNames = Field(description="Comma-separated registrable domains")


class DnsQuery(RequestModel):
    """Which host."""

    host: v.QueryHost = Field(description="A domain or subdomain")
