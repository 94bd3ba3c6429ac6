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
    """A check without its report."""

    id: str = Field(pattern="^chk_[0-9A-HJKMNP-TV-Z]{26}$")
    domain: str
    status: Literal["queued", "running", "done", "failed"]
    created_at: Timestamp
    finished_at: Timestamp | None
    score: int | None = Field(ge=0, le=100)
    verdict: Verdict | None
    report_url: str


class OrderedCheck(Check):
    """A new check, or the one you already have."""

    queue_position: Annotated[int, Field(ge=1)] | SkipJsonSchema[None] = Field(
        default=None, description="Only on a new check: its place in the queue, counted from 1"
    )


class CheckRegistration(ResponseModel):
    """The registration found by a check."""

    state: Literal["available", "registered", "dropping", "unknown"]
    registrar: str | None
    registered_at: Timestamp | None
    expires_at: Timestamp | None
    statuses: list[str] | None = Field(description="Null when the state is `unknown`")


class CheckDetail(Check):
    """A check with its result."""

    would_list: bool | None = Field(description="Whether the daily scan would have listed the domain")
    reject_reasons: list[str] = Field(description="Why not; empty if it would have been listed")
    report: CheckReport | None = Field(description="The full report, once the check is done")
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
        description="Up to 100 domains; URLs and subdomains are reduced to the registered domain, duplicates removed",
    )
    credits: v.BodyCount | None = Field(
        default=None,
        description="The most credits the order may take. Without it nothing is ordered, and the answer says what "
        "the order would cost",
    )


class _BatchMembers(ResponseModel):
    names: int = Field(ge=1, description="How many different domains there are")
    listed: int = Field(ge=0, description="Domains whose full report you can already see on a list: free")
    checked: int = Field(ge=0, description="Domains you checked within the last 7 days: free")
    new: int = Field(ge=0, description="Domains that need a new check")
    cost: int = Field(ge=0, description="Credits that the order takes or took")


class BatchItem(ResponseModel):
    """One name of a batch."""

    domain: str
    known: Literal["listed", "checked", "new"]
    cost: int = Field(ge=0, le=1)
    report_url: str | None = Field(description="The page of its report or check; null if there is none yet")
    check: Check | None = Field(description="Null for a listed name, and for a new one before it is ordered")


class BatchProgress(ResponseModel):
    """How many checks of the batch are in each state."""

    queued: int = Field(ge=0)
    running: int = Field(ge=0)
    done: int = Field(ge=0)
    failed: int = Field(ge=0, description="Failed checks; their credits have been returned")


class CheckBatchPreview(_BatchMembers):
    """What an order of these names would cost. Nothing was spent."""

    ordered: Literal[False]
    credits_available: int = Field(ge=0)
    items: list[BatchItem]


class CheckBatch(_BatchMembers):
    """Names ordered together, and how far their checks have got."""

    ordered: Literal[True]
    id: str = Field(pattern="^bat_[0-9A-HJKMNP-TV-Z]{26}$")
    created_at: Timestamp
    progress: BatchProgress
    batch_url: str = Field(description="The batch's page on the site; only its owner can open it")
    items: list[BatchItem]
