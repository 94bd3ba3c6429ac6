"""A review's history as reports store and show it: `History.to_dict`, in part. Pure."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from afterdrop.core.json_shapes import Count, Timestamp
from afterdrop.review.spam.verdict import Outcome

EraKind = Literal["site", "suspect", "spam", "parked", "error", "redirect", "failed"]


class EraJson(TypedDict):
    """What was on the home page from the first to the last capture that is known to show it."""

    kind: EraKind
    start: Timestamp
    end: Timestamp
    captures: Count
    days: Count
    url: Annotated[str, Field(description="A capture that shows it")]
    language: str | None
    title: str | None
    topic: str | None
    brand: Annotated[list[str], Field(description="Words that name the owner")]
    detail: Annotated[str | None, Field(description="What kind of parking, spam or error it was")]
    excerpt: NotRequired[Annotated[str | None, Field(description="An excerpt of the page's text")]]
    at: NotRequired[
        Annotated[Timestamp | None, Field(description="Extension: when the capture at `url` was taken")]
    ]
    owner: NotRequired[
        Annotated[
            int | None,
            Field(
                description="Extension: whose site it was. Owners are counted from 1 in the order in which they come;"
                " null where no site stood."
            ),
        ]
    ]
    perhaps_other: NotRequired[
        Annotated[
            bool,
            Field(description="Extension: nothing clearly says that the site is the same owner's as before"),
        ]
    ]


class FindingJson(TypedDict):
    """One thing found in the history, with its evidence."""

    code: str
    severity: Annotated[int, Field(ge=0, le=3, description="From 0 (worth knowing) to 3 (decides alone)")]
    note: str
    category: str
    at: Annotated[Timestamp | None, Field(description="Time of the capture")]
    url: Annotated[str, Field(description="The address of the capture; empty if there is none")]
    zone: Annotated[str, Field(description="The part of the page where `quote` was found")]
    quote: str
    rule: str
    lexicon: str
    years: NotRequired[
        Annotated[list[int] | None, Field(description="Extension: first and last year of a gap")]
    ]
    before: NotRequired[
        Annotated[
            Timestamp | None, Field(description="Extension: the capture before a change, which `at` shows")
        ]
    ]
    before_url: NotRequired[Annotated[str, Field(description="Extension: where it can be opened")]]
    changed: NotRequired[
        Annotated[list[str], Field(description="Extension: flags that a change of owner raises")]
    ]


class SiteHistory(TypedDict):
    """What the web archive shows of the old site."""

    reviewed_at: Timestamp
    outcome: NotRequired[Annotated[Outcome | None, Field(description="The conclusion drawn from the pages")]]
    first_capture: Timestamp | None
    last_capture: Timestamp | None
    captures: Count
    eras: list[EraJson]
    findings: list[FindingJson]
