"""The facts about one invented domain: its history on the web, its metrics, its listing and its registration over time.

Pure. Feeds, registry answers, archive, vendors and DNS are all computed from these values.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal

SaleType = Literal["bid", "auction", "buy_now", "drop"]
EraKind = Literal["site", "parked", "spam", "hacked", "doorway", "injected", "placeholder"]
RegistryState = Literal[
    "active",
    "auto_renew",
    "redemption",
    "pending_restore",
    "pending_delete",
    "free",
    "blocked",
    "registry_404",
]
ExpectedOutcome = Literal["published", "rejected", "below_filter", "no_metrics", "low_score"]


@dataclass(frozen=True, slots=True)
class Brand:
    """The owner of a site: invented name, town, person and contacts."""

    name: str
    city: str
    person: str
    phone: str
    founded: int


@dataclass(frozen=True, slots=True)
class Era:
    """A time in which one owner ran one site. `key` is a genre, a parked page or a kind of spam, by `scene`.

    `look` counts redesigns; `second` is the other language of a bilingual site; `spam` is the kind of spam
    that a hacked, doorway or injected site has beside its own pages.
    """

    scene: EraKind
    start: datetime
    end: datetime
    language: str
    key: str
    brand: Brand
    look: int = 0
    second: str = ""
    spam: str = ""


@dataclass(frozen=True, slots=True)
class KnownAnchor:
    """One anchor text and how many referring domains use it."""

    text: str
    referring_domains: int


@dataclass(frozen=True, slots=True)
class Link:
    """One link from another site; its index gives both dates or none. `era` earned it: an owner, counted from 1.

    It stood on `page`, where it is `today` as `link_pages` shows it.
    """

    domain: str
    text: str
    target: str
    first: date | None
    last: date | None
    era: int
    page: str
    rating: int
    nofollow: bool
    today: str


@dataclass(frozen=True, slots=True)
class LinkMetrics:
    """The figures of link indexes about a name. `known` holds the providers that have the name at all."""

    domain_rating: int
    trust_flow: int
    citation_flow: int
    referring_domains: int
    backlinks: int
    authority_score: int
    domain_authority: int
    pagerank: float
    indexed_pages: int
    anchors: tuple[KnownAnchor, ...]
    referrers: tuple[str, ...]
    topics: tuple[tuple[str, int], ...]
    known: frozenset[str]
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Listing:
    """One offer in one feed, listed from `start` until `end` (None: no end) or until it is withdrawn."""

    feed: str
    sale: SaleType
    start: datetime
    end: datetime | None
    withdrawn: datetime | None
    currency: str
    first_price: float | None
    number: int

    def there(self, moment: datetime) -> bool:
        """Whether the feed carries the offer at `moment`."""
        gone = self.withdrawn or self.end
        if gone and self.sale == "drop":  # drop lists carry a name to the end of its day
            gone = datetime.combine(gone.date() + timedelta(days=1), time(0), UTC)
        return self.start <= moment and (gone is None or moment < gone)

    def bids(self, moment: datetime) -> int:
        """Bids until `moment`: about one in nine hours on two of three auctions, none on fixed prices."""
        if self.sale not in ("bid", "auction") or self.number % 3 == 0:
            return 0
        return int((moment - self.start).total_seconds() // (9 * 3600)) + self.number % 2

    def price(self, moment: datetime) -> float | None:
        """The price at `moment`; each bid adds about an eighth."""
        if self.first_price is None:
            return None
        return round(self.first_price * (1 + 0.125 * self.bids(moment)), 2)


@dataclass(frozen=True, slots=True)
class Phase:
    """A name's state at the registry from `start` on. Times are None where the registry has no such object."""

    start: datetime
    state: RegistryState
    registered_at: datetime | None = None
    expires_at: datetime | None = None
    changed_at: datetime | None = None
    registrar: int = 0
    delegated: bool = True
    parked_at: str = ""


@dataclass(frozen=True, slots=True)
class Story:
    """One domain from its first page to the end of its listing, with the expected result of its review.

    `flags` must be found, `may` may be found too; `reasons` say why it is not published. `topic` is the topic of
    the backlink profile, which stays after a change of owner.
    """

    index: int
    domain: str
    scenario: str
    eras: tuple[Era, ...]
    phases: tuple[Phase, ...]
    listing: Listing
    metrics: LinkMetrics
    outcome: ExpectedOutcome
    reasons: tuple[str, ...]
    flags: tuple[str, ...]
    may: tuple[str, ...]
    language: str
    topic: str

    @property
    def tld(self) -> str:
        """The extension, as one or two labels."""
        return self.domain.partition(".")[2]

    def phase(self, moment: datetime) -> Phase | None:
        """The name's phase at `moment`; None before the first registration."""
        found = None
        for phase in self.phases:
            if phase.start <= moment:
                found = phase
        return found
