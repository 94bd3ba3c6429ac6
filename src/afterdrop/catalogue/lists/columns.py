"""Facts of a domain: each as a column of the lists in memory, and as a fact for alert rules.

`criteria` has the filters over these columns; the site's lists are sorted by those in `SORTED_BY`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, cast

from afterdrop.catalogue.lists.asking import ListContext
from afterdrop.catalogue.lists.search_index import label, search_text
from afterdrop.catalogue.outcomes import became
from afterdrop.catalogue.purchase import called, first_place
from afterdrop.catalogue.rows import SummaryRow
from afterdrop.catalogue.shapes import Summary
from afterdrop.catalogue.store import SUMMARY_COLUMNS
from afterdrop.catalogue.summary import found_severities
from afterdrop.scoring.conclusion import levels
from afterdrop.sources.registry.release_hours import shown_moment

if TYPE_CHECKING:
    from afterdrop.catalogue.summary import Links

# A stored row: its columns by name, with times as seconds since 1970.
Row = Mapping[str, Any]
Value = int | bool | str | None


class ColumnStorage(NamedTuple):
    """How memory keeps a column.

    As a number, a time in seconds since 1970, a word, a text's first letters as one number, or true and false.
    """

    kind: Literal["number", "time", "word", "letters", "flag"]
    read: Callable[[Row, Links], Value]


@dataclass(frozen=True, slots=True, eq=False)
class ArrayColumn:
    """Something known of a domain: in memory, and as a fact for alert rules.

    `seen` names the column of `kept` that a selection's viewer sees. `full`: only `full` detail shows it.
    `finds_names`: with filters about it one can ask for a certain name. `reads`: what it needs of the table beside a
    summary's columns.
    """

    name: str
    kept: Mapping[str, ColumnStorage] = field(default_factory=dict)
    seen: Callable[[ListContext], str] | None = None
    fact: Callable[[Summary], Value] | None = None
    full: bool = False
    finds_names: bool = False
    reads: tuple[str, ...] = ()

    def in_memory(self, at: ListContext) -> str:
        """Its name in memory, as the viewer of a selection sees it."""
        return self.name if self.seen is None else self.seen(at)


def stored(
    name: str, column: str, fact: Callable[[Summary], Value] | None = None, kind: Any = "number"
) -> ArrayColumn:
    """A column of the table `domains` that everybody sees alike."""
    reads = () if column in SUMMARY_COLUMNS else (column,)
    kept = {name: ColumnStorage(kind, lambda row, _: row[column])}
    return ArrayColumn(name, kept, fact=fact, reads=reads)


def _of_full_detail(
    name: str, column: str, fact: Callable[[Summary], Value] | None = None, *, negated: bool = False
) -> ArrayColumn:
    """A figure that the free plan sees of open domains only; `negated`: a flag, kept as its opposite."""

    def read(row: Row) -> Value:
        value: Value = row[column]
        return value if not negated or value is None else int(not value)

    kept = {
        name: ColumnStorage("number", lambda row, _: read(row) if row["open_now"] else None),
        f"{name}_pro": ColumnStorage("number", lambda row, _: read(row)),
    }
    return ArrayColumn(name, kept, lambda at: f"{name}_pro" if at.pro else name, fact, full=True)


def _known_free(row: Row) -> bool:
    """Whether everybody may know that it is free; Pro knows of every announced one."""
    return bool(row["announced"]) and row["last_open_on"] is not None


def _unless_free(name: str, column: str, free: Callable[[Row, Links], Value], fact: Any) -> ArrayColumn:
    """A column of the listing; what is free to register has another value, for those who know that it is."""

    kept = {
        name: ColumnStorage("number", lambda row, _: row[column]),
        f"{name}_pro": ColumnStorage(
            "number", lambda row, links: free(row, links) if row["announced"] else row[column]
        ),
        f"{name}_free": ColumnStorage(
            "number", lambda row, links: free(row, links) if _known_free(row) else row[column]
        ),
    }

    def seen(at: ListContext) -> str:
        return name if at.which == "live" else f"{name}_pro" if at.pro else f"{name}_free"

    return ArrayColumn(name, kept, seen, fact)


def _no_commas(text: str) -> str | None:
    return " ".join(text.replace(",", " ").split()) or None


def _sold_at(seen: Summary) -> str | None:
    """The same place by a summary."""
    offer = seen["listing"]
    if seen["status"] in ("ended", "available"):
        return _no_commas(offer["source_title"] or offer["source"] or "")
    ways = () if offer["url"] else seen["purchase"]
    return _no_commas(next((way["place"] for way in ways), called(offer)))


def _not_serious(row: Row) -> bool:
    return "serious" not in levels(found_severities(cast(SummaryRow, row))).values()


def _became(row: Row) -> str:
    return became(cast(SummaryRow, row))


SCORE: Final = stored("score", "score", lambda seen: seen["score"])
RATING: Final = stored("dr", "domain_rating", lambda seen: seen["metrics"]["domain_rating"])
TRUST: Final = _of_full_detail("tf", "trust_flow", lambda seen: seen["metrics"]["trust_flow"])
CITATION: Final = _of_full_detail("cf", "citation_flow", lambda seen: seen["metrics"]["citation_flow"])
REFERRING: Final = stored(
    "ref_domains", "referring_domains", lambda seen: seen["metrics"]["referring_domains"]
)
YEARS: Final = stored("years", "archive_years", lambda seen: seen["metrics"]["archive_years"])
FIRST_YEAR: Final = stored(
    "first_year", "archive_first_year", lambda seen: seen["metrics"]["archive_first_year"]
)
PRICE: Final = _unless_free(
    "price", "price_usd", lambda row, links: links.fee(row["tld"]), lambda seen: seen["listing"]["price_usd"]
)
BIDS: Final = _unless_free("bids", "bids", lambda row, links: 0, lambda seen: seen["listing"]["bids"])
TLD: Final = stored("tld", "tld", lambda seen: seen["tld"], "word")
TYPE: Final = stored("type", "type", lambda seen: seen["listing"]["type"], "word")
TOPIC: Final = stored("topic", "topic", lambda seen: seen["topic"], "word")
LANGUAGE: Final = stored("language", "language", lambda seen: seen["language"], "word")
SOURCE: Final = stored("source", "source", lambda seen: seen["listing"]["source"], "word")
# Where the live list leads who wants to buy, and what an ended listing's place was called: without the commas that
# separate words in an address.
MARKETPLACE: Final = ArrayColumn(
    "marketplace",
    {
        "marketplace": ColumnStorage(
            "word", lambda row, links: _no_commas(first_place(cast(SummaryRow, row), links.places))
        ),
        "called": ColumnStorage(
            "word", lambda row, _: _no_commas(row["source_title"] or row["source"] or "")
        ),
    },
    lambda at: "marketplace" if at.which == "live" else "called",
    _sold_at,
)
OUTCOME: Final = ArrayColumn(
    "outcome",
    {
        "outcome": ColumnStorage(
            "word", lambda row, _: _became(row) if row["last_open_on"] is not None else None
        ),
        "outcome_pro": ColumnStorage("word", lambda row, _: _became(row)),
    },
    lambda at: "outcome_pro" if at.pro else "outcome",
)
CLEAN: Final = ArrayColumn(
    "clean",
    {"clean": ColumnStorage("flag", lambda row, _: row["verdict"] == "ok" and row["flag_count"] == 0)},
    fact=lambda seen: seen["verdict"] == "ok" and not seen["flags"],
    reads=("flag_count",),
)
NO_SERIOUS_RISK: Final = ArrayColumn(
    "no_serious_risk",
    {"no_serious_risk": ColumnStorage("flag", lambda row, _: _not_serious(row))},
    fact=lambda seen: "serious" not in seen["flag_levels"].values(),
)
FOUND: Final = stored("found", "found_at", None, "time")


@lru_cache(maxsize=4096)
def _moment(listing_type: str, ending: str, ends_at: int) -> tuple[int, int | None]:
    """`shown_moment` of a name with this ending, in seconds since 1970, and its day as a number."""
    at, day = shown_moment(listing_type, f"x.{ending}", datetime.fromtimestamp(ends_at, UTC))
    return int(at.timestamp()), day.toordinal() if day else None


def _ends(row: Row) -> tuple[int | None, int | None]:
    if row["ends_at"] is None:
        return None, None
    return _moment(row["type"], row["domain"].partition(".")[2], row["ends_at"])


# The moment that is shown of a live listing's end, when it is over, and the day of a drop without an hour; lists of
# ended domains are sorted by the end of the last listing.
DROP_DAY: Final = "drop_day"
OVER: Final = "over"
ENDS: Final = ArrayColumn(
    "ends",
    {
        "ends": ColumnStorage("time", lambda row, _: _ends(row)[0]),
        OVER: ColumnStorage("time", lambda row, _: row["ends_at"]),
        DROP_DAY: ColumnStorage("number", lambda row, _: _ends(row)[1]),
    },
)
END: Final = ArrayColumn(
    "end",
    seen=lambda at: "ends" if at.which == "live" else "until",
)
# The first seven letters: lists are sorted by them, and only names that share them are compared as a whole.
NAME: Final = ArrayColumn(
    "name",
    {
        "name": ColumnStorage(
            "letters", lambda row, _: int.from_bytes(row["domain"].encode()[:7].ljust(7, b"\0"))
        )
    },
    finds_names=True,
)
TEXT: Final = ArrayColumn(
    "text",
    fact=lambda seen: search_text(seen["domain"], seen["title"]),
    finds_names=True,
    reads=("search",),
)


def _of_label(
    name: str,
    kind: Literal["number", "flag"],
    read: Callable[[str], Value],
) -> ArrayColumn:
    """Something about a name without its extension, in its Unicode form."""
    # `search_index.label` of a row, from the second line of its search text.
    kept = {
        name: ColumnStorage(
            kind, lambda row, _: read(str(row["search"]).partition("\n")[2].partition(".")[0])
        )
    }
    fact: Callable[[Summary], Value] = lambda seen: read(label(seen["domain"]))  # noqa: E731  # as all facts are
    return ArrayColumn(name, kept, fact=fact, reads=("search",))


_DIGITS: Final = "0123456789"
LENGTH: Final = _of_label("length", "number", len)
NO_HYPHENS: Final = _of_label("no_hyphens", "flag", lambda text: "-" not in text)
NO_DIGITS: Final = _of_label("no_digits", "flag", lambda text: not set(text) & set(_DIGITS))
# A name has letters, digits and hyphens; the marks of other scripts count as letters.
LETTERS: Final = _of_label("letters_only", "flag", lambda text: not set(text) & set(_DIGITS + "-"))
LABEL: Final = ArrayColumn(
    "label",
    fact=lambda seen: label(seen["domain"]),
    finds_names=True,
    reads=("search",),
)


def _ratio(trust: int | None, citation: int | None) -> int | None:
    return None if trust is None or not citation else trust * 100 // citation


RATIO: Final = ArrayColumn(
    "trust_ratio",
    {
        "trust_ratio": ColumnStorage(
            "number",
            lambda row, _: _ratio(row["trust_flow"], row["citation_flow"]) if row["open_now"] else None,
        ),
        "trust_ratio_pro": ColumnStorage(
            "number", lambda row, _: _ratio(row["trust_flow"], row["citation_flow"])
        ),
    },
    lambda at: "trust_ratio_pro" if at.pro else "trust_ratio",
    lambda seen: _ratio(seen["metrics"].get("trust_flow"), seen["metrics"].get("citation_flow")),
    full=True,
)


def _cents(seen: Summary) -> Value:
    dollars = seen["facts"]["cost_per_click_usd"]
    return None if dollars is None else round(dollars * 100)


def _not_adult(seen: Summary) -> Value:
    adult = seen["facts"]["adult"]
    return None if adult is None else int(not adult)


# What marketplaces say of a name.
VALUATION: Final = _of_full_detail("valuation", "valuation_usd", lambda seen: seen["facts"]["valuation_usd"])
SEARCHES: Final = _of_full_detail("searches", "search_volume", lambda seen: seen["facts"]["search_volume"])
CLICK_COST: Final = _of_full_detail("cpc", "cost_per_click_cents", _cents)
TAKEN: Final = _of_full_detail("taken", "extensions_taken", lambda seen: seen["facts"]["extensions_taken"])
NOT_ADULT: Final = _of_full_detail("not_adult", "adult", _not_adult, negated=True)

# The percentage of the known links that the site's last owner earned.
LAST_OWNER_LINKS: Final = _of_full_detail(
    "last_owner_links", "last_owner_links", lambda seen: seen.get("last_owner_links")
)
# How many of the strongest known links are there today.
LIVE_LINKS: Final = _of_full_detail("live_links", "live_links", lambda seen: seen.get("live_links"))

# What the site's lists are sorted by.
SORTED_BY: Final[Mapping[str, ArrayColumn]] = {
    "score": SCORE,
    "tf": TRUST,
    "cf": CITATION,
    "dr": RATING,
    "ref_domains": REFERRING,
    "years": YEARS,
    "price": PRICE,
    "bids": BIDS,
    "valuation": VALUATION,
    "searches": SEARCHES,
    "cpc": CLICK_COST,
    "taken": TAKEN,
    "live_links": LIVE_LINKS,
    "marketplace": MARKETPLACE,
    "ends": END,
    "name": NAME,
    "found": FOUND,
}

# What decides on which list a row is and for whom, beside what rows are filtered and sorted by.
_MEMBERSHIP: Final[Mapping[str, ColumnStorage]] = {
    "until": ColumnStorage("time", lambda row, _: row["live_until"]),
    "next": ColumnStorage("time", lambda row, _: row["next_listing_at"]),
    "free": ColumnStorage("flag", lambda row, _: bool(row["announced"]) and row["last_open_on"] is not None),
    "free_pro": ColumnStorage("flag", lambda row, _: row["announced"]),
    "opened": ColumnStorage("flag", lambda row, _: row["last_open_on"] is not None),
    "open": ColumnStorage("flag", lambda row, _: row["open_now"]),
}
_EVERY: Final = [each for each in [*globals().values()] if isinstance(each, ArrayColumn)]
# The columns of memory, and what is read of a row of the catalogue to make them, its texts and its summary.
COLUMNS: Final[Mapping[str, ColumnStorage]] = {
    **{name: kept for column in _EVERY for name, kept in column.kept.items()},
    **_MEMBERSHIP,
}
READ: Final = (*SUMMARY_COLUMNS, *dict.fromkeys(name for column in _EVERY for name in column.reads))
