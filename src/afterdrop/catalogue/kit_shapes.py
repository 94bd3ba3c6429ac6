"""The shapes of the revival kit: a name's old pages, one kit for each owner of the site. Pure."""

from __future__ import annotations

from typing import Annotated, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from afterdrop.core.json_shapes import Count, Day, Timestamp


class KitEra(TypedDict):
    """The pages that were archived while one owner's site stood."""

    era: Annotated[int, Field(ge=1, description="The owner, counted from 1 in the order in which they came")]
    start: Annotated[Timestamp, Field(description="The first capture read of the owner's site")]
    end: Annotated[Timestamp, Field(description="The last capture read of it")]
    pages: Annotated[Count, Field(description="How many pages there are to revive")]


class RevivalKit(TypedDict):
    """How many archived pages there are to revive, and where to find them."""

    pages: Annotated[Count, Field(description="How many pages there are to revive")]
    url: Annotated[str | None, Field(description="Null in a check of a domain that is not on the list")]
    eras: Annotated[
        list[KitEra],
        Field(
            default=[],
            description="Extension: one kit for each owner of the site, at most three, the longest time first. "
            "`era` of the pages endpoint gives one of them",
        ),
    ]


class PageJson(TypedDict):
    """One old page. `content` is there only with `include=content`."""

    path: Annotated[str, Field(description="The path of the page on the old site")]
    url: Annotated[str, Field(description="The address that the page had")]
    captures: Annotated[Count, Field(description="How many captures of it there are")]
    last_capture: Annotated[Day | None, Field(description="The day of the last capture; null if unknown")]
    title: Annotated[str | None, Field(description="Title of the page; null if unknown")]
    words: Annotated[Count | None, Field(description="How many words its text has; null if not read")]
    webarchive_url: Annotated[str, Field(description="The capture in the web archive")]
    has_content: Annotated[bool, Field(description="Whether its text is kept")]
    era: Annotated[
        int,
        Field(
            default=1,
            ge=1,
            description="Extension: whose page it was. Captures, date, title and text are from that owner's time",
        ),
    ]
    content: NotRequired[
        Annotated[str | None, Field(description="The archived text as Markdown; null if it is not stored")]
    ]
