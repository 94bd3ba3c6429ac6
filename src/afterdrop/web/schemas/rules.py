"""Alert rules and their matches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field, create_model

from afterdrop.core.json_shapes import Timestamp
from afterdrop.watching.rules import MatchJson
from afterdrop.web.schemas import patterns
from afterdrop.web.schemas import values as v
from afterdrop.web.schemas.criteria import Absent, rule_fields, shown_rule_fields
from afterdrop.web.schemas.envelope import ChangeableModel, RequestModel, ResponseModel

Name = Annotated[
    str, Field(strict=True, min_length=1, max_length=80, pattern=patterns.TEXT), AfterValidator(v.plain_text)
]


class _RuleMembers(ChangeableModel):
    READ_ONLY: ClassVar = frozenset({"id", "match_count", "last_matched_at", "created_at"})

    frequency: Literal["instant", "daily"] = Field(
        default="instant", description="How often matches are mailed"
    )
    mail: v.BodyBool = Field(
        default=True,
        description="Extension: `false` mails no match of the rule; they go to webhook endpoints and `/alerts/matches`",
    )
    active: v.BodyBool = Field(default=True, description="`false` pauses the rule")


if TYPE_CHECKING:
    _RuleBody = _RuleMembers
    _ShownRule = ResponseModel
else:
    _RuleBody = create_model("_RuleBody", __base__=_RuleMembers, **rule_fields())
    _ShownRule = create_model("_ShownRule", __base__=ResponseModel, **shown_rule_fields())


class NewRule(_RuleBody):
    """A rule to create."""

    name: Name = Field(description="Up to 80 characters")


class RuleChange(_RuleBody):
    """Changes to a rule. Only the members you send change; null clears a number."""

    name: Name = Field(default="", description="Up to 80 characters", validate_default=False)


class Rule(_ShownRule):
    """An alert rule."""

    id: int = Field(ge=1, description="The id of the rule")
    name: Annotated[str, Field(description="Your name for the rule")]
    active: Annotated[bool, Field(description="`false` while it is paused")]
    frequency: Annotated[Literal["instant", "daily"], Field(description="How often matches are mailed")]
    mail: bool | Absent = Field(
        default=None, description="Extension: only if `false`, when no match is mailed"
    )
    match_count: int = Field(ge=0, description="How many domains have matched")
    last_matched_at: Annotated[
        Timestamp | None, Field(description="When a domain last matched; null if none has")
    ]
    created_at: Annotated[Timestamp, Field(description="When it was created")]


class MatchesMeta(ResponseModel):
    """Where the matches go on."""

    next_cursor: str | None = Field(
        description="Send it as `cursor` for the next matches; null if there are none"
    )


class MatchListAnswer(ResponseModel):
    """Matches, newest first."""

    data: list[MatchJson] = Field(description="The matches")
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
