"""The envelopes and queries of lists, reports and the revival kit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import ConfigDict, Field, RootModel, create_model
from pydantic.json_schema import SkipJsonSchema

from afterdrop.catalogue.kit_shapes import PageJson
from afterdrop.catalogue.rejections import RejectedFilter, RejectedSummary
from afterdrop.catalogue.shapes import BasicReport, FullReport, Summary
from afterdrop.web.schemas import values as v
from afterdrop.web.schemas.criteria import FilterQuery, query_fields
from afterdrop.web.schemas.envelope import PageMeta, RequestModel, ResponseModel


class ListMeta(PageMeta):
    """Which list, which page, and what else Pro would show."""

    list: Annotated[Literal["live", "available", "archive"], Field(description="The list")]
    plan: Annotated[Literal["free", "pro"], Field(description="Your plan, which decides how much is shown")]
    locked: Annotated[int, Field(ge=0)] | SkipJsonSchema[None] = Field(
        default=None,
        description="Free plan, live and available lists, without `q`: how many more domains match on the Pro list",
    )
    locked_note: str | SkipJsonSchema[None] = Field(default=None, description="`locked` in words")
    filter_note: str | SkipJsonSchema[None] = Field(
        default=None,
        description="Extension: free plan, `min_tf` on a list without `locked`: says that this filter is part of Pro",
    )
    upgrade_url: str | SkipJsonSchema[None] = Field(default=None, description="Free plan: the pricing page")


class DomainList(ResponseModel):
    """One page of a list."""

    data: list[Summary] = Field(description="The domains of the page")
    meta: ListMeta = Field(description="The list and the page")


if TYPE_CHECKING:
    _ListFilters = FilterQuery
else:
    _ListFilters = create_model("_ListFilters", __base__=FilterQuery, **query_fields("api"))


class ListFilters(_ListFilters):
    """Filters and order of the three lists."""

    sort: Literal["score", "dr", "ending", "newest", "price", "ended"] | None = Field(
        default=None, description="Default `score`; on the archive `ended`"
    )


class ExportQuery(ListFilters):
    """Which domains, in which form."""

    format: Literal["ndjson", "csv"] = Field(
        default="ndjson", description="`ndjson`: one JSON object per line; `csv`: values separated by commas"
    )


class ListQuery(ListFilters):
    """Filters, order and page of the three lists."""

    page: v.QueryPage = Field(default=1, description="Page, counted from 1")
    per_page: v.QueryHundred = Field(default=25, description="Items per page, 1-100")


class LiveQuery(ListQuery):
    """The same with the default order of the live and available lists."""

    sort: Literal["score", "dr", "ending", "newest", "price", "ended"] = Field(
        default="score", description="Order of the list"
    )


class ArchiveQuery(ListQuery):
    """The same with the default order of the archive."""

    sort: Literal["score", "dr", "ending", "newest", "price", "ended"] = Field(
        default="ended", description="Order of the list"
    )


class Report(RootModel[Annotated[FullReport | BasicReport, Field(discriminator="detail")]]):
    """A published domain's report; `detail` says which of the two it is."""

    model_config = ConfigDict(json_schema_extra={"type": "object"})


class RejectedQuery(RequestModel):
    """Which rejected names."""

    q: v.QueryText | None = Field(default=None, description="Part of the name")
    tld: v.QueryText | None = Field(default=None, description="The extension, `com` or `.com`")
    spam: v.QueryBool = Field(default=False, description="Only names rejected for spam")
    page: v.QueryPage = Field(default=1, description="Page, from 1")
    per_page: v.QueryHundred = Field(default=25, description="Items per page, 1-100")

    def wanted(self) -> RejectedFilter:
        """The filters that the catalogue is asked for."""
        return RejectedFilter.of(self.q, self.tld, spam=self.spam)


class RejectedList(ResponseModel):
    """One page of the rejected names."""

    data: list[RejectedSummary] = Field(description="The names of the page")
    meta: PageMeta = Field(description="The page")


class PagesMeta(PageMeta):
    """The domain whose pages they are, and the page."""

    domain: Annotated[str, Field(description="The domain whose pages they are")]


class PageList(ResponseModel):
    """One page of the revival kit."""

    data: list[PageJson] = Field(description="The old pages")
    meta: PagesMeta = Field(description="The domain and the page")


class PagesQuery(RequestModel):
    """Which part of the revival kit."""

    include: Literal["content"] | None = Field(default=None, description="`content` adds the archived text")
    era: v.QueryPage | None = Field(
        default=None,
        description="Extension: only the pages of one owner, by the number of `revival_kit.eras`",
    )
    page: v.QueryPage = Field(default=1, description="Page, from 1")
    per_page: v.QueryHundred | None = Field(
        default=None,
        description="Items per page: 1-100, default 50; with `include=content` at most 20, default 10",
    )
