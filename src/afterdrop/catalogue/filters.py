"""The filters of the lists: one frozen value, and whether a domain summary passes it. Pure."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal, Self

from afterdrop.catalogue.status import ListName
from afterdrop.core.domain_names import unicode_name

Sort = Literal["score", "dr", "ending", "newest", "price", "ended"]
SORTS: Final[tuple[Sort, ...]] = ("score", "dr", "ending", "newest", "price", "ended")
TIME_FORM: Final = "%Y-%m-%dT%H:%M:%SZ"
_FIRST: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LAST: Final = datetime(9998, 1, 1, tzinfo=UTC)


def default_sort(which: ListName) -> Sort:
    """The order without a `sort`: best score first, in the archive the most recent end first."""
    return "ended" if which == "archive" else "score"


def fold(text: str) -> str:
    """One spelling for letters that differ in case or composition only."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def search_text(domain: str, title: str | None) -> str:
    """The text that `q` and keywords search: the name, its Unicode form and the old title, each on a line."""
    return "\n".join(fold(part) for part in (domain, unicode_name(domain), title or ""))


@dataclass(frozen=True, slots=True)
class ListFilter:
    """The filters of the three lists, hashable; None or empty is no restriction. Make one with `of`.

    `tlds` without a leading dot in lower case, `topics` as the contract spells them, `langs` in lower case.
    """

    q: str | None = None
    min_score: int | None = None
    min_dr: int | None = None
    min_tf: int | None = None
    min_ref_domains: int | None = None
    min_archive_years: int | None = None
    max_price: int | None = None
    tlds: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()
    topics: frozenset[str] = frozenset()
    langs: frozenset[str] = frozenset()
    clean: bool = False
    since: datetime | None = None
    ending_within_hours: int | None = None

    @classmethod
    def of(
        cls,
        *,
        q: str | None = None,
        min_score: int | None = None,
        min_dr: int | None = None,
        min_tf: int | None = None,
        min_ref_domains: int | None = None,
        min_archive_years: int | None = None,
        max_price: int | None = None,
        tlds: Iterable[str] = (),
        types: Iterable[str] = (),
        topics: Iterable[str] = (),
        langs: Iterable[str] = (),
        clean: bool = False,
        since: datetime | None = None,
        ending_within_hours: int | None = None,
    ) -> Self:
        """From a caller's values in range: `min_*` of 0 is no filter, spellings are folded."""
        return cls(
            q=fold(q) if q else None,
            min_score=min_score or None,
            min_dr=min_dr or None,
            min_tf=min_tf or None,
            min_ref_domains=min_ref_domains or None,
            min_archive_years=min_archive_years or None,
            max_price=max_price,
            tlds=frozenset(tld.strip(".").lower() for tld in tlds),
            types=frozenset(types),
            topics=frozenset(topic.capitalize() for topic in topics),
            langs=frozenset(lang.lower() for lang in langs),
            clean=clean,
            since=None if since is None else _whole(since),
            ending_within_hours=ending_within_hours,
        )

    def without_trust_flow(self) -> Self:
        """The same filter without Trust Flow, which only `full` detail shows."""
        return replace(self, min_tf=None)

    def digest(self) -> bytes:
        """A short cache key: equal for equal filters, however long they are."""
        values = (getattr(self, name) for name in self.__slots__)
        listed = [sorted(value) if isinstance(value, frozenset) else value for value in values]
        return hashlib.blake2b(repr(listed).encode("utf-8", "surrogatepass"), digest_size=16).digest()

    def __bool__(self) -> bool:
        """Whether it restricts anything."""
        return self != type(self)()


def _whole(since: datetime) -> datetime:
    """The first whole second at or after `since`, in UTC and within the years a time can be written in."""
    since = min(max(since, _FIRST), _LAST).astimezone(UTC)
    return since if since.microsecond == 0 else since.replace(microsecond=0) + timedelta(seconds=1)


def accepts(wanted: ListFilter, summary: Mapping[str, Any], now: datetime) -> bool:
    """Whether the domain of this summary (as its viewer sees it) passes every filter at `now`."""
    return (
        _texts(wanted, summary)
        and _figures(wanted, summary)
        and _times(wanted, summary, now)
        and not (wanted.clean and (summary["verdict"] != "ok" or summary["flags"]))
    )


def _texts(wanted: ListFilter, summary: Mapping[str, Any]) -> bool:
    chosen = (
        (wanted.tlds, summary["tld"]),
        (wanted.types, summary["listing"]["type"]),
        (wanted.topics, summary["topic"]),
        (wanted.langs, summary["language"]),
    )
    return all(not values or value in values for values, value in chosen) and (
        wanted.q is None or _found(wanted.q, summary)
    )


def _found(q: str, summary: Mapping[str, Any]) -> bool:
    # A match never spans two lines of the search text.
    return "\n" not in q and q in search_text(summary["domain"], summary["title"])


def _figures(wanted: ListFilter, summary: Mapping[str, Any]) -> bool:
    metrics = summary["metrics"]
    least = (
        (wanted.min_score, summary["score"]),
        (wanted.min_dr, metrics["domain_rating"]),
        (wanted.min_tf, metrics.get("trust_flow")),
        (wanted.min_ref_domains, metrics["referring_domains"]),
        (wanted.min_archive_years, metrics["archive_years"]),
    )
    price = summary["listing"]["price_usd"]
    return all(bound is None or (value is not None and value >= bound) for bound, value in least) and (
        wanted.max_price is None or price is None or price <= wanted.max_price
    )


def _times(wanted: ListFilter, summary: Mapping[str, Any], now: datetime) -> bool:
    if wanted.since is not None and summary["found_at"] < wanted.since.strftime(TIME_FORM):
        return False
    if wanted.ending_within_hours is None:
        return True
    ends_at = summary["listing"]["ends_at"]
    last = (now + timedelta(hours=wanted.ending_within_hours)).strftime(TIME_FORM)
    return ends_at is not None and now.strftime(TIME_FORM) < ends_at <= last
