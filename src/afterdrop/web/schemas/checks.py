"""Domain checks."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from afterdrop.checks.batch import MOST_NAMES
from afterdrop.web.schemas import values as v
from afterdrop.web.schemas.domains import Timestamp, Verdict
from afterdrop.web.schemas.envelope import ChangeableModel, PageMeta, RequestModel, ResponseModel
from afterdrop.web.schemas.report import CheckReport


class Check(ResponseModel):
    """A check as lists and orders show it."""

    id: str = Field(pattern="^chk_[0-9A-HJKMNP-TV-Z]{26}$")
    domain: str
    status: Literal["queued", "running", "done", "failed"]
    created_at: Timestamp
    finished_at: Timestamp | None
    score: int | None = Field(ge=0, le=100)
    verdict: Verdict | None
    report_url: str


class OrderedCheck(Check):
    """A check just ordered, or the one that stands already."""

    queue_position: Annotated[int, Field(ge=1)] | SkipJsonSchema[None] = Field(
        default=None, description="On a new check only: its place in the queue, from 1"
    )


class CheckRegistration(ResponseModel):
    """The registration found by a check."""

    state: Literal["available", "registered", "dropping", "unknown"]
    registrar: str | None
    registered_at: Timestamp | None
    expires_at: Timestamp | None
    statuses: list[str] | None = Field(description="Null when the state is `unknown`")


class CheckDetail(Check):
    """A check with what it found."""

    would_list: bool | None = Field(description="Whether the domain would have passed the daily vetting")
    reject_reasons: list[str] = Field(description="Why not; empty when it would list")
    report: CheckReport | None = Field(description="The full report once done")
    registration: CheckRegistration | None


class CheckList(ResponseModel):
    """One page of an account's checks."""

    data: list[Check]
    meta: PageMeta


class NewCheck(ChangeableModel):
    """What to check."""

    READ_ONLY: ClassVar = frozenset({*CheckDetail.model_fields, *OrderedCheck.model_fields} - {"domain"})

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
        description="Up to 100 domains; URLs and subdomains are reduced to the registered domain, duplicates folded",
    )
    credits: v.BodyCount | None = Field(
        default=None,
        description="The most credits that this order may take. Without it nothing is ordered: the answer says what "
        "the order would cost",
    )


class _BatchMembers(ResponseModel):
    names: int = Field(ge=1, description="Distinct domains")
    listed: int = Field(ge=0, description="Those whose whole report you see on a list: free")
    checked: int = Field(ge=0, description="Those you had checked within 7 days: free")
    new: int = Field(ge=0, description="Those that take a check")
    cost: int = Field(ge=0, description="Credits that the order takes or took")


class BatchItem(ResponseModel):
    """One name of a batch."""

    domain: str
    known: Literal["listed", "checked", "new"]
    cost: int = Field(ge=0, le=1)
    report_url: str | None = Field(
        description="The page of its report or check; null where there is none yet"
    )
    check: Check | None = Field(description="Null for a listed name, and for a new one before it is ordered")


class BatchProgress(ResponseModel):
    """How many checks of a batch there are in each state."""

    queued: int = Field(ge=0)
    running: int = Field(ge=0)
    done: int = Field(ge=0)
    failed: int = Field(ge=0, description="Their credits have returned")


class CheckBatchPreview(_BatchMembers):
    """What an order of these names would cost. Nothing was spent."""

    ordered: Literal[False]
    credits_available: int = Field(ge=0)
    items: list[BatchItem]


class CheckBatch(_BatchMembers):
    """Names ordered together, and how far their checks are."""

    ordered: Literal[True]
    id: str = Field(pattern="^bat_[0-9A-HJKMNP-TV-Z]{26}$")
    created_at: Timestamp
    progress: BatchProgress
    batch_url: str = Field(description="The batch's page on the site, which opens for its owner")
    items: list[BatchItem]
