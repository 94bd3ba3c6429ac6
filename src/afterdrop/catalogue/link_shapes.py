"""The shapes of the links to a domain: single links and texts, whose they are, and which are there today. Pure.

Names of shapes, without `Json` at their end, are names of schemas in the OpenAPI document, which clients generate code
from: they stay.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from afterdrop.core.json_shapes import Count, Day, Fraction, Percent
from afterdrop.review.page.backlink import LinkPlace, LinkState

RankTrend = Literal["rising", "steady", "falling"]

_Earned = Annotated[
    int | None,
    Field(
        default=None,
        ge=1,
        description="Extension: the owner of the site who earned it, counted from 1 in the order in which they came; "
        "null where nobody knows",
    ),
]


class AnchorJson(TypedDict):
    """One anchor text and how many domains use it."""

    text: Annotated[str, Field(description="The link text")]
    referring_domains: Annotated[Count, Field(description="How many referring domains use it")]
    era: _Earned


class LinkToday(TypedDict):
    """The state of a link on its page today, as we saw it; `note` says why, where the state alone does not."""

    state: Annotated[
        LinkState,
        Field(description="`unread`: nobody can tell, because the page may not or could not be read"),
    ]
    looked_at: Annotated[Day, Field(description="The day of the look")]
    text: Annotated[str | None, Field(description="The link's text today")]
    nofollow: Annotated[
        bool | None, Field(description="Whether the link is nofollow, sponsored or ugc today")
    ]
    sponsored: Annotated[
        bool | None,
        Field(description="Whether the link is marked as sponsored today; null where it was not found"),
    ]
    place: Annotated[LinkPlace | None, Field(description="Where on the page the link stands")]
    note: Annotated[
        str, Field(description="The reason of the state, in words; empty where the state says enough")
    ]


class LinkJson(TypedDict):
    """One link from another domain, as its index saw it. Dates are null where the index gives none."""

    domain: Annotated[str, Field(description="The referring domain")]
    page: Annotated[
        str | None, Field(default=None, description="Extension: the address of the page with the link")
    ]
    rating: Annotated[
        Percent | None,
        Field(default=None, description="Extension: how strong its index rates the linking site"),
    ]
    nofollow: Annotated[
        bool | None,
        Field(default=None, description="Extension: whether search engines are told not to follow it"),
    ]
    today: Annotated[
        LinkToday | None,
        Field(default=None, description="Extension: whether it is there today; null where nobody has looked"),
    ]
    text: Annotated[str, Field(description="The link text")]
    target: Annotated[str | None, Field(description="The address linked to")]
    first_seen: Annotated[Day | None, Field(description="When the index first saw the link")]
    last_seen: Annotated[Day | None, Field(description="When the index last saw the link")]
    era: _Earned


class EraLinks(TypedDict):
    """How many of the known links one owner of the site earned."""

    era: Annotated[int, Field(ge=1, description="The owner, counted from 1 in the order in which they came")]
    links: Annotated[Count, Field(description="How many of the known links the owner earned")]
    share: Annotated[Fraction, Field(description="The same as a fraction of the known links")]


class LinkEras(TypedDict):
    """The known links by owner: referring domains where single links are known, else those of the link texts."""

    known: Annotated[Count, Field(description="How many links are known")]
    unknown: Annotated[Count, Field(description="Links of which nobody knows who earned them")]
    last_era: Annotated[int, Field(ge=1, description="The last owner")]
    eras: Annotated[list[EraLinks], Field(description="One row for each owner that earned links")]


class Anchors(TypedDict):
    """The most used anchor texts."""

    top: Annotated[
        list[AnchorJson] | None,
        Field(description="The most used link texts, the most used first; null if unknown"),
    ]
    spam_share: Annotated[
        Fraction | None, Field(description="The fraction of link texts that read like spam; null if unknown")
    ]


class RankPlace(TypedDict):
    """Where a domain stood in one release of the open web graph. Positions count from 1, the best."""

    release: Annotated[str, Field(description="The name of the release")]
    as_of: Annotated[Day, Field(description="The day on which the release ends")]
    harmonic: Annotated[int, Field(ge=1, description="Position by harmonic centrality")]
    pagerank: Annotated[int, Field(ge=1, description="Position by PageRank")]
    referring_domains: Annotated[
        Count | None, Field(description="Null where the table was made without links")
    ]
    rank: Annotated[float, Field(ge=0, le=100, description="Both positions as one figure, as in `link_rank`")]


class CcRank(TypedDict):
    """The course of a domain's CC rank over the releases that we have read, the oldest first."""

    places: Annotated[list[RankPlace], Field(description="One place for each release, the oldest first")]
    trend: Annotated[
        RankTrend | None,
        Field(description="Null with one release. `steady`: it moved by less than 1.5 points of `rank`"),
    ]
    since: Annotated[Day | None, Field(description="Since when it rises or falls")]


class LinksToday(TypedDict):
    """How many of the strongest known links are there today. `unread` pages may have theirs or not."""

    looked_at: Annotated[Day, Field(description="The day of the look")]
    pages: Annotated[
        Count,
        Field(description="Pages that were looked at; home pages of linking sites where they tell anything"),
    ]
    there: Annotated[Count, Field(description="The link is there")]
    followed: Annotated[
        Count, Field(description="Of those that are there: without nofollow, sponsored or ugc")
    ]
    removed: Annotated[Count, Field(description="The page is there and the link is not")]
    page_gone: Annotated[Count, Field(description="The page of the link is gone")]
    domain_gone: Annotated[Count, Field(description="The referring domain is gone or parked")]
    unread: Annotated[Count, Field(description="The page could not be read or may not be")]
