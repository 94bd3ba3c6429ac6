"""Alert rules and their matches."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field, WithJsonSchema

from afterdrop.feeds.spec import ListingType
from afterdrop.metrics.values import TOPICS, Topic
from afterdrop.web.schemas import patterns
from afterdrop.web.schemas import values as v
from afterdrop.web.schemas.domains import Summary, Timestamp
from afterdrop.web.schemas.envelope import ChangeableModel, RequestModel, ResponseModel


def _once(values: list[str]) -> list[str]:
    return list(dict.fromkeys(values))


def _words(values: list[str]) -> list[str]:
    return _once([v.plain_text(value) for value in values])


_text = Field(strict=True, min_length=1, max_length=60, pattern=patterns.TEXT)
Text60 = Annotated[str, _text]
Extension = Annotated[
    str,
    Field(strict=True),
    AfterValidator(v.extension),
    WithJsonSchema({"type": "string", "pattern": patterns.EXTENSION}),
]
AnyCaseTopic = Annotated[
    str,
    Field(strict=True),
    AfterValidator(v.topic),
    WithJsonSchema(
        {"anyOf": [{"type": "string", "enum": list(TOPICS)}, {"type": "string", "pattern": patterns.TOPIC}]}
    ),
]
Array = Field(max_length=100)
Extensions = Annotated[list[Extension], Array, AfterValidator(_once)]
Topics = Annotated[list[AnyCaseTopic], Array, AfterValidator(_once)]
Types = Annotated[list[ListingType], Array, AfterValidator(_once)]
Langs = Annotated[list[v.Lang], Array, AfterValidator(_once)]
Keywords = Annotated[list[Text60], Array, AfterValidator(_words)]
Name = Annotated[
    str, Field(strict=True, min_length=1, max_length=80, pattern=patterns.TEXT), AfterValidator(v.plain_text)
]


class _RuleMembers(ChangeableModel):
    READ_ONLY: ClassVar = frozenset({"id", "match_count", "last_matched_at", "created_at"})

    frequency: Literal["instant", "daily"] = Field(
        default="instant", description="How often matches are mailed"
    )
    active: v.BodyBool = Field(default=True, description="`false` pauses the rule")
    min_score: v.BodyScore | None = Field(default=None, description="Lowest score; 0 or null = no limit")
    min_dr: v.BodyScore | None = Field(default=None, description="Lowest Domain Rating; 0 or null = no limit")
    min_tf: v.BodyScore | None = Field(default=None, description="Lowest Trust Flow; 0 or null = no limit")
    min_ref_domains: v.BodyCount | None = Field(
        default=None, description="Fewest referring domains; 0 or null = no limit"
    )
    min_archive_years: v.BodyYears | None = Field(
        default=None, description="Fewest years in the archive; 0 or null = no limit"
    )
    max_price: v.BodyCount | None = Field(
        default=None, description="Highest price in USD; 0 or null = no limit; domains without a price pass"
    )
    tlds: Extensions = Field(default=[], description="Extensions; empty = any")
    listing_types: Types = Field(default=[], description="Listing types; empty = any")
    topics: Topics = Field(default=[], description="Topics, in any case; empty = any")
    langs: Langs = Field(default=[], description="Languages; empty = any")
    clean_only: v.BodyBool = Field(default=False, description="Only domains without risk flags")
    keywords: Keywords = Field(
        default=[], description="The domain name or the old title contains one of these; empty = any"
    )


class NewRule(_RuleMembers):
    """A rule to create."""

    name: Name = Field(description="Up to 80 characters")


class RuleChange(_RuleMembers):
    """What to change in a rule. Only the members you send change; null clears a number."""

    name: Name = Field(default="", description="Up to 80 characters", validate_default=False)


class Rule(ResponseModel):
    """An alert rule."""

    id: int = Field(ge=1)
    name: str
    active: bool
    frequency: Literal["instant", "daily"]
    min_score: int | None
    min_dr: int | None
    min_tf: int | None
    min_ref_domains: int | None
    min_archive_years: int | None
    max_price: int | None
    tlds: list[str]
    listing_types: list[ListingType]
    topics: list[Topic]
    langs: list[v.Lang]
    clean_only: bool
    keywords: list[str]
    match_count: int = Field(ge=0)
    last_matched_at: Timestamp | None
    created_at: Timestamp


class RuleName(ResponseModel):
    """Which rule."""

    id: int = Field(ge=1)
    name: str


class Match(ResponseModel):
    """A newly listed domain that matched a rule."""

    matched_at: Timestamp
    alert: RuleName
    domain: Summary


class MatchesMeta(ResponseModel):
    """Where the matches go on."""

    next_cursor: str | None = Field(
        description="Send it as `cursor` for the next matches; null if there are none"
    )


class MatchListAnswer(ResponseModel):
    """Matches, newest first."""

    data: list[Match]
    meta: MatchesMeta = Field(description="Extension: where to continue")


class MatchQuery(RequestModel):
    """Which matches."""

    since: v.QueryMoment | None = Field(default=None, description="Only matches at or after this time")
    before: v.QueryMoment | None = Field(default=None, description="Only matches before this time")
    limit: v.QueryHundred = Field(default=50, description="The most matches to return, 1-100")
    cursor: v.QueryMatchCursor | None = Field(
        default=None,
        description="`next_cursor` of the previous response; the other parameters must stay the same",
    )
