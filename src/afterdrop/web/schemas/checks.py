"""Domain checks."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from afterdrop.web.schemas import values as v
from afterdrop.web.schemas.domains import Timestamp, Verdict
from afterdrop.web.schemas.envelope import ChangeableModel, PageMeta, RequestModel, ResponseModel
from afterdrop.web.schemas.report import Report


class Check(ResponseModel):
    """A check as lists and orders show it."""

    id: str = Field(pattern="^chk_[0-9A-HJKMNP-TV-Z]{26}$", examples=["chk_01KAGW4V6N3T5Y8Z2B7C9D1E0F"])
    domain: str = Field(examples=["alpine-hut.org"])
    status: Literal["queued", "running", "done", "failed"]
    created_at: Timestamp
    finished_at: Timestamp | None
    score: int | None = Field(ge=0, le=100)
    verdict: Verdict | None
    report_url: str


class OrderedCheck(Check):
    """A check just ordered, or the one that stands already."""

    queue_position: int | None = Field(
        default=None, ge=1, description="On a new check only: its place in the queue, from 1"
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
    report: Report | None = Field(description="The full report once done")
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
        examples=["https://www.alpine-hut.org/huts/"],
    )


class ChecksQuery(RequestModel):
    """Which page."""

    page: v.QueryPage = Field(default=1, description="Page, from 1")
    per_page: v.QueryFifty = Field(default=25, description="Items per page, 1-50")
