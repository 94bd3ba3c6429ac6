"""The filters of the lists: one frozen value, and whether a domain summary passes it. Pure."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final, Literal, NamedTuple, Self, TypedDict, Unpack, get_args

from afterdrop.catalogue.status import ListName
from afterdrop.core.domain_names import unicode_name

Sort = Literal["score", "dr", "ending", "newest", "price", "ended"]
SORTS: Final[tuple[Sort, ...]] = ("score", "dr", "ending", "newest", "price", "ended")
# fmt: off
SortColumn = Literal[
    "score", "tf", "cf", "dr", "ref_domains", "years", "price", "bids", "marketplace", "ends", "name", "found",
]
# fmt: on
SORT_COLUMNS: Final[tuple[SortColumn, ...]] = get_args(SortColumn)
TIME_FORM: Final = "%Y-%m-%dT%H:%M:%SZ"
_FIRST: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LAST: Final = datetime(9998, 1, 1, tzinfo=UTC)
_SECOND: Final = timedelta(seconds=1)


class Order(NamedTuple):
    """A column to sort by. Rows without a value come last in both directions, ties go by latest found, then name."""

    column: SortColumn
    descending: bool


# The API's sorts, each a column in the direction that its readers want.
_ORDERS: Final[Mapping[Sort, Order]] = {
    "score": Order("score", descending=True),
    "dr": Order("dr", descending=True),
    "ending": Order("ends", descending=False),
    "ended": Order("ends", descending=True),
    "newest": Order("found", descending=True),
    "price": Order("price", descending=False),
}


def default_sort(which: ListName) -> Sort:
    """The order without a `sort`: best score first, in the archive the most recent end first."""
    return "ended" if which == "archive" else "score"


def order_of(which: ListName, sort: Sort | Order | None) -> Order:
    """The column and direction of a sort; None is the list's default."""
    return sort if isinstance(sort, Order) else _ORDERS[sort or default_sort(which)]


def fold(text: str) -> str:
    """One spelling for letters that differ in case or composition only."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def search_text(domain: str, title: str | None) -> str:
    """The text that `q` and keywords search: the name, its Unicode form and the old title, each on a line."""
    return "\n".join(fold(part) for part in (domain, unicode_name(domain), title or ""))


class FilterValues(TypedDict, total=False):
    """What `ListFilter.of` takes: values in range, not yet folded."""

    q: str | None
    min_score: int | None
    min_dr: int | None
    min_tf: int | None
    min_cf: int | None
    min_ref_domains: int | None
    min_archive_years: int | None
    min_age: int | None
    min_bids: int | None
    max_bids: int | None
    max_price: int | None
    unpriced: bool
    tlds: Iterable[str]
    types: Iterable[str]
    topics: Iterable[str]
    langs: Iterable[str]
    sources: Iterable[str]
    outcomes: Iterable[str]
    clean: bool
    since: datetime | None
    ending_within_hours: int | None
    ends_after: datetime | None
    ends_before: datetime | None
    drops_on: date | None
    only: Iterable[str] | None
    without: Iterable[str]


@dataclass(frozen=True, slots=True)
class ListFilter:
    """The filters of the three lists, hashable; None or empty is no restriction. Make one with `of`.

    `tlds` without a leading dot in lower case, `topics` as the contract spells them, `langs` in lower case. The API
    has some of them, the site all. `min_age`: years since the first capture. `unpriced`: whether domains without a
    price pass `max_price`. `sources`: marketplaces' identifiers. Ends are those of live listings: after `ends_after`,
    at `ends_before` at the latest. `drops_on`: pending deletes that end on this date in UTC. `only`: none but these
    names (None: all); `without`: not these.
    """

    q: str | None = None
    min_score: int | None = None
    min_dr: int | None = None
    min_tf: int | None = None
    min_cf: int | None = None
    min_ref_domains: int | None = None
    min_archive_years: int | None = None
    min_age: int | None = None
    min_bids: int | None = None
    max_bids: int | None = None
    max_price: int | None = None
    unpriced: bool = True
    tlds: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()
    topics: frozenset[str] = frozenset()
    langs: frozenset[str] = frozenset()
    sources: frozenset[str] = frozenset()
    outcomes: frozenset[str] = frozenset()
    clean: bool = False
    since: datetime | None = None
    ending_within_hours: int | None = None
    ends_after: datetime | None = None
    ends_before: datetime | None = None
    drops_on: date | None = None
    only: frozenset[str] | None = None
    without: frozenset[str] = frozenset()

    @classmethod
    def of(cls, **values: Unpack[FilterValues]) -> Self:
        """From a caller's values in range: `min_*` of 0 is no filter, spellings are folded."""
        return cls(**{name: _FOLDS.get(name, _as_it_is)(value) for name, value in values.items()})

    @property
    def needs_full(self) -> bool:
        """Whether it asks for figures that only `full` detail shows."""
        return self.min_tf is not None or self.min_cf is not None

    def without_trust_flow(self) -> Self:
        """The same filter without Trust Flow and Citation Flow, which only `full` detail shows."""
        return replace(self, min_tf=None, min_cf=None)

    def window(self, now: datetime) -> tuple[datetime, datetime] | None:
        """After when and until when a live listing must end; None without a filter about its end."""
        bounds = (self.ending_within_hours, self.ends_after, self.ends_before, self.drops_on)
        if all(bound is None for bound in bounds):
            return None
        after, until = max(now, self.ends_after or now), self.ends_before or _LAST
        if self.ending_within_hours is not None:
            until = min(until, now + timedelta(hours=self.ending_within_hours))
        if self.drops_on is not None:
            day = datetime.combine(self.drops_on, time(tzinfo=UTC))
            after, until = max(after, day - _SECOND), min(until, day + timedelta(days=1) - _SECOND)
        return after, until

    def digest(self) -> bytes:
        """A short cache key: equal for equal filters, however long they are."""
        values = (getattr(self, name) for name in self.__slots__)
        listed = [sorted(value) if isinstance(value, frozenset) else value for value in values]
        return hashlib.blake2b(repr(listed).encode("utf-8", "surrogatepass"), digest_size=16).digest()

    def __bool__(self) -> bool:
        """Whether it restricts anything."""
        return self != type(self)()


def _as_it_is(value: Any) -> Any:
    return value


def _some(value: int | None) -> int | None:
    return value or None


def _whole(since: datetime | None) -> datetime | None:
    """The first whole second at or after `since`, in UTC and within the years a time can be written in."""
    if since is None:
        return None
    since = min(max(since, _FIRST), _LAST).astimezone(UTC)
    return since if since.microsecond == 0 else since.replace(microsecond=0) + timedelta(seconds=1)


_FOLDS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "q": lambda q: fold(q) if q else None,
    **dict.fromkeys(("min_score", "min_dr", "min_tf", "min_cf", "min_ref_domains"), _some),
    **dict.fromkeys(("min_archive_years", "min_age", "min_bids"), _some),
    "tlds": lambda tlds: frozenset(tld.strip(".").lower() for tld in tlds),
    "topics": lambda topics: frozenset(topic.capitalize() for topic in topics),
    "langs": lambda langs: frozenset(lang.lower() for lang in langs),
    **dict.fromkeys(("types", "sources", "outcomes", "without"), frozenset),
    "only": lambda names: None if names is None else frozenset(names),
    **dict.fromkeys(("since", "ends_after", "ends_before"), _whole),
}


def accepts(wanted: ListFilter, summary: Mapping[str, Any], now: datetime) -> bool:
    """Whether the domain of this summary (as its viewer sees it) passes every filter at `now`.

    A filter by outcome needs a `SiteRow`.
    """
    return (
        _texts(wanted, summary)
        and _figures(wanted, summary)
        and _price(wanted, summary["listing"]["price_usd"])
        and _times(wanted, summary, now)
        and not (wanted.clean and (summary["verdict"] != "ok" or summary["flags"]))
        and (not wanted.outcomes or _became(summary) in wanted.outcomes)
    )


def _became(summary: Mapping[str, Any]) -> str | None:
    outcome = summary["outcome"]
    return None if outcome is None else str(outcome["became"])


def _texts(wanted: ListFilter, summary: Mapping[str, Any]) -> bool:
    chosen = (
        (wanted.tlds, summary["tld"]),
        (wanted.types, summary["listing"]["type"]),
        (wanted.topics, summary["topic"]),
        (wanted.langs, summary["language"]),
        (wanted.sources, summary["listing"]["source"]),
    )
    return (
        all(not values or value in values for values, value in chosen)
        and (wanted.only is None or summary["domain"] in wanted.only)
        and summary["domain"] not in wanted.without
        and (wanted.q is None or _found(wanted.q, summary))
    )


def _found(q: str, summary: Mapping[str, Any]) -> bool:
    # A match never spans two lines of the search text.
    return "\n" not in q and q in search_text(summary["domain"], summary["title"])


def _figures(wanted: ListFilter, summary: Mapping[str, Any]) -> bool:
    metrics, bids = summary["metrics"], summary["listing"]["bids"]
    least = (
        (wanted.min_score, summary["score"]),
        (wanted.min_dr, metrics["domain_rating"]),
        (wanted.min_tf, metrics.get("trust_flow")),
        (wanted.min_cf, metrics.get("citation_flow")),
        (wanted.min_ref_domains, metrics["referring_domains"]),
        (wanted.min_archive_years, metrics["archive_years"]),
        (wanted.min_bids, bids),
    )
    return all(bound is None or (value is not None and value >= bound) for bound, value in least) and (
        wanted.max_bids is None or bids <= wanted.max_bids
    )


def _price(wanted: ListFilter, price: int | None) -> bool:
    if wanted.max_price is None:
        return True
    return wanted.unpriced if price is None else price <= wanted.max_price


def _times(wanted: ListFilter, summary: Mapping[str, Any], now: datetime) -> bool:
    if wanted.since is not None and summary["found_at"] < wanted.since.strftime(TIME_FORM):
        return False
    if wanted.min_age is not None and not _old_enough(wanted.min_age, summary, now):
        return False
    window = wanted.window(now)
    if window is None:
        return True
    ends_at: str | None = summary["listing"]["ends_at"]
    if ends_at is None or (wanted.drops_on is not None and summary["status"] != "pending_delete"):
        return False
    after, until = (moment.strftime(TIME_FORM) for moment in window)
    return after < ends_at <= until


def _old_enough(years: int, summary: Mapping[str, Any], now: datetime) -> bool:
    first: int | None = summary["metrics"]["archive_first_year"]
    return first is not None and bool(now.year - first >= years)
