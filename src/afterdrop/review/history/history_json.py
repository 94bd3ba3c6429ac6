"""A review's history as reports store and show it: `History.to_dict`, in part. Pure."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from afterdrop.core.json_shapes import Count, Timestamp
from afterdrop.review.history.verdict import Outcome

EraKind = Literal["site", "suspect", "spam", "parked", "error", "redirect", "failed"]


class EraJson(TypedDict):
    """An era of the home page, from the first to the last capture that is known to show it."""

    kind: Annotated[EraKind, Field(description="The kind of page that stood there")]
    start: Annotated[Timestamp, Field(description="The first capture that shows it")]
    end: Annotated[Timestamp, Field(description="The last capture that shows it")]
    captures: Annotated[Count, Field(description="How many captures show it")]
    days: Annotated[Count, Field(description="How many days there are from the first capture to the last")]
    url: Annotated[str, Field(description="A capture that shows it")]
    language: Annotated[str | None, Field(description="Language of the page, two letters; null if unknown")]
    title: Annotated[str | None, Field(description="Title of the page; null without one")]
    topic: Annotated[str | None, Field(description="Topic of the page; null if unknown")]
    brand: Annotated[list[str], Field(description="Words that name the owner")]
    detail: Annotated[str | None, Field(description="The kind of parking, spam or error")]
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

    code: Annotated[str, Field(description="The kind of finding")]
    severity: Annotated[int, Field(ge=0, le=3, description="From 0 (worth knowing) to 3 (decides alone)")]
    note: Annotated[str, Field(description="The finding, in a sentence")]
    category: Annotated[
        str, Field(description="The trade of spam, or another kind within `code`; empty without one")
    ]
    at: Annotated[Timestamp | None, Field(description="Time of the capture")]
    url: Annotated[str, Field(description="The address of the capture; empty if there is none")]
    zone: Annotated[str, Field(description="The part of the page where `quote` was found")]
    quote: Annotated[
        str, Field(description="Text of the capture, word for word; empty where nothing was quoted")
    ]
    rule: Annotated[str, Field(description="The rule that found it")]
    lexicon: Annotated[str, Field(description="The word list that the rule used; empty without one")]
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
    """The old site as the web archive shows it."""

    reviewed_at: Annotated[Timestamp, Field(description="When the review was made")]
    outcome: NotRequired[Annotated[Outcome | None, Field(description="The conclusion drawn from the pages")]]
    first_capture: Annotated[
        Timestamp | None, Field(description="The first capture of the name; null without any")
    ]
    last_capture: Annotated[
        Timestamp | None, Field(description="The last capture of the name; null without any")
    ]
    captures: Annotated[Count, Field(description="How many captures there are")]
    eras: Annotated[list[EraJson], Field(description="The eras, the oldest first")]
    findings: Annotated[list[FindingJson], Field(description="The findings of the review")]
