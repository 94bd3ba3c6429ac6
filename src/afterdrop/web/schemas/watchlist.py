"""The body with which many names are followed."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from afterdrop.web.schemas import values as v
from afterdrop.web.schemas.envelope import RequestModel


class NamesToWatch(RequestModel):
    """Names to follow together."""

    domains: Annotated[list[v.UrlOrDomain], Field(min_length=1, max_length=1000)] = Field(
        description="Up to 1,000 domains; URLs and subdomains are reduced to the registered domain",
    )
