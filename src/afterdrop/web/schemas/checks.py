"""The bodies, queries and envelope of domain checks."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from afterdrop.checks.batch import MOST_NAMES
from afterdrop.checks.order import CheckDetail, CheckJson, OrderedCheck
from afterdrop.web.schemas import values as v
from afterdrop.web.schemas.envelope import ChangeableModel, PageMeta, RequestModel, ResponseModel


class CheckList(ResponseModel):
    """One page of an account's checks."""

    data: list[CheckJson] = Field(description="The checks of the page")
    meta: PageMeta = Field(description="The page")


class NewCheck(ChangeableModel):
    """The name to check."""

    READ_ONLY: ClassVar = frozenset(
        {*CheckDetail.__annotations__, *OrderedCheck.__annotations__} - {"domain"}
    )

    domain: v.UrlOrDomain = Field(
        description="A domain; a URL or a subdomain is reduced to the registered domain",
    )


class ChecksQuery(RequestModel):
    """Which page."""

    page: v.QueryPage = Field(default=1, description="Page, from 1")
    per_page: v.QueryFifty = Field(default=25, description="Items per page, 1-50")


class NewCheckBatch(RequestModel):
    """Names to check together."""

    domains: Annotated[list[v.UrlOrDomain], Field(min_length=1, max_length=MOST_NAMES)] = Field(
        description="Up to 100 domains; URLs and subdomains are reduced to the registered domain, duplicates removed",
    )
    credits: v.BodyCount | None = Field(
        default=None,
        description="The most credits the order may take. Without it nothing is ordered, and the answer says what "
        "the order would cost",
    )
