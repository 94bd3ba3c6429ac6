"""The filters and orders of domains: one table, from which everything that names a filter is derived.

An entry of `CRITERIA` is one filter: the column it is about, how it compares, what values it takes, who may use it and
how it is said. Lists in memory, the matching of alert rules (`watching.criteria`), the models of
queries, bodies and MCP arguments (`web.schemas.criteria`), the site's form, chips and words, and the table in
docs/integrate/api.md follow from it. A new filter is an entry here and its test.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal, NamedTuple

from afterdrop.catalogue.lists import columns
from afterdrop.catalogue.lists.columns import ArrayColumn, Value
from afterdrop.catalogue.lists.comparisons import (
    Affix,
    AtLeast,
    AtMost,
    Comparison,
    Contains,
    EndsWithin,
    Facts,
    IsTrue,
    Known,
    Named,
    OnDays,
    OneOf,
    YearsAgo,
)
from afterdrop.catalogue.lists.search_index import fold
from afterdrop.catalogue.shapes import Summary

MOST: Final = 2**31 - 1
_SECOND: Final = timedelta(seconds=1)
_FIRST: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LAST: Final = datetime(9998, 1, 1, tzinfo=UTC)


# Values


# fmt: off
Kind = Literal[
    "number", "flag", "text", "words", "extensions", "types", "topics", "langs", "sources", "places", "tags",
    "outcomes", "moment", "day",
]
# fmt: on


class Takes(NamedTuple):
    """The values that a filter takes: their kind, the bounds of a number, the most items of a list."""

    kind: Kind
    least: int = 0
    most: int = MOST
    items: int = 100

    @property
    def bounded(self) -> bool:
        """Whether a number has an upper bound that means something."""
        return self.kind == "number" and self.most < MOST

    @property
    def many(self) -> bool:
        """Whether it is a list."""
        return self.kind not in ("number", "flag", "text", "moment", "day")


PERCENT: Final = Takes("number", 0, 100)
YEAR_COUNT: Final = Takes("number", 0, 30)
COUNT: Final = Takes("number")
FLAG: Final = Takes("flag")
_LETTERS: Final = Takes("number", 0, 63)


def _texts(words: Any) -> frozenset[str] | None:
    """Words to look for, folded; one text is one word."""
    found = frozenset(fold(word).strip() for word in ([words] if isinstance(words, str) else words))
    return (found - {""}) or None


def _whole(since: datetime) -> datetime:
    """The first whole second at or after `since`, in UTC and within the years a time can be written in."""
    since = min(max(since, _FIRST), _LAST).astimezone(UTC)
    return since if since.microsecond == 0 else since.replace(microsecond=0) + _SECOND


def _some(words: Any) -> frozenset[str] | None:
    return frozenset(words) or None


_FOLDS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "number": lambda value: value,
    "flag": lambda value: value or None,
    "text": _texts,
    "words": _texts,
    "extensions": lambda values: _some(value.strip(".").lower() for value in values),
    "topics": lambda values: _some(value.capitalize() for value in values),
    "langs": lambda values: _some(value.lower() for value in values),
    **dict.fromkeys(("types", "sources", "places", "outcomes", "tags"), _some),
    "moment": _whole,
    "day": lambda value: value,
}


# The filters

Place = Literal["api", "mcp", "site"]
EVERYWHERE: Final[frozenset[Place]] = frozenset({"api", "mcp", "site"})
_SITE: Final[frozenset[Place]] = frozenset({"site"})


@dataclass(frozen=True, slots=True)
class Criterion:
    """One filter.

    `name` is its name in queries, MCP arguments and `ListFilter`; `rule` that of an alert rule's member, where rules
    have it, which takes `rule_takes` if not the same. `title` stands on its field, `said` names it in a sentence,
    `chip` where room is short. `about` is its description; the API's or that of
    rules, where they say it another way, is `in_api` and `in_rule`. `steps` are the values that people think in,
    `halves`: without them it is made wider by half. `extension`: the interface does not know it.
    """

    name: str
    column: ArrayColumn
    test: Comparison[Any]
    takes: Takes
    title: str
    said: str
    about: str
    chip: str = ""
    in_api: str = ""
    in_rule: str = ""
    rule: str = ""
    rule_takes: Takes | None = None
    places: frozenset[Place] = EVERYWHERE
    example: str = ""
    steps: tuple[int, ...] = ()
    halves: bool = False
    extension: bool = False

    @property
    def of_rule(self) -> Takes:
        """The values that an alert rule's member takes."""
        return self.rule_takes or self.takes

    @property
    def nothing(self) -> Value | list[str]:
        """The value that an alert rule shows where it asks for nothing."""
        if self.of_rule.many:
            return []
        return False if self.takes.kind == "flag" else None

    def fold(self, value: Any) -> Any:
        """The value asked for, one spelling for each meaning; None where that is nothing."""
        if isinstance(self.test, Named):
            return frozenset(value) if value or not self.test.others else None
        folded = _FOLDS[self.takes.kind](value)
        return None if folded == 0 and isinstance(self.test, AtLeast | YearsAgo) else folded


def _minimum(name: str, column: ArrayColumn, takes: Takes, said: str, about: str, **more: Any) -> Criterion:
    """A lowest value; 0 asks for nothing."""
    what = said.removesuffix(" from {}")
    words = {"title": f"{what} from", "said": said, "about": about, "chip": f"{what} ≥ {{}}"}
    return Criterion(name, column, AtLeast(), takes, **{**words, "halves": True, **more})


_ZERO: Final = "; 0 means no filter"
# Asked for one name and then for all others, `locked` would tell what became of it.
_NO_LOCKED: Final = ". As with `q`, `meta.locked` is not given"
# A value that the caller may not see is none for a filter, so that no filter tells what a page hides.
_STATED: Final = ", as far as a marketplace states it and you may see it"
_TABLE: Final = (
    Criterion(
        "q", columns.TEXT, Contains(), Takes("text", most=60), "Words in the name or old title", "“{}”",
        "Part of the domain name or the old site's title",
        in_api="Search in the domain name and the title of the old site, up to 60 characters",
        in_rule="The domain name or the old title contains one of these; empty = any", rule="keywords",
        rule_takes=Takes("words"),
    ),
    # Several keywords of an alert rule; one is `q`.
    Criterion(
        "any", columns.TEXT, Contains(), Takes("words"), "Any of the words", "one of “{}”",
        "Words of which the domain name or the old title contains one", places=_SITE, example="club, verein",
    ),
    _minimum(
        "min_score", columns.SCORE, PERCENT, "score from {}", "Lowest score",
        title="Score from", chip="Score ≥ {}", in_api=f"Lowest score, 0-100{_ZERO}", rule="min_score",
    ),
    _minimum(
        "min_dr", columns.RATING, PERCENT, "DR from {}", "Lowest Domain Rating",
        in_api=f"Lowest Domain Rating, 0-100{_ZERO}", rule="min_dr",
    ),
    _minimum(
        "min_tf", columns.TRUST, PERCENT, "TF from {}", "Lowest Trust Flow",
        in_api=f"Lowest Trust Flow, 0-100{_ZERO}. The free plan matches only domains seen in full", rule="min_tf",
    ),
    _minimum(
        "min_cf", columns.CITATION, PERCENT, "CF from {}", "Lowest Citation Flow", places=_SITE,
        rule="min_cf", extension=True,
    ),
    _minimum(
        "min_trust_ratio", columns.RATIO, Takes("number", 0, 1000), "Trust Flow from {}% of Citation Flow",
        "Lowest Trust Flow in percent of Citation Flow: 70 is a ratio of 0.7",
        title="Trust ratio (TF ÷ CF) from, in %", chip="TF ≥ {}% of CF",
        in_api="Lowest Trust Flow in percent of Citation Flow, 0-1000: 70 is a ratio of 0.7. The free plan matches "
        "only domains seen in full", rule="min_trust_ratio", extension=True,
    ),
    _minimum(
        "min_ref_domains", columns.REFERRING, COUNT, "{}+ referring domains", "Fewest referring domains",
        title="Ref. domains from", chip="Ref. domains ≥ {}", rule="min_ref_domains",
    ),
    _minimum(
        "min_archive_years", columns.YEARS, YEAR_COUNT, "{}+ archive years", "Fewest years in the archive",
        title="Archive years from", chip="Years ≥ {}", in_api="Fewest years with archive captures, 0-30",
        rule="min_archive_years",
    ),
    Criterion(
        "min_age", columns.FIRST_YEAR, YearsAgo(), YEAR_COUNT, "Age in years from", "{}+ years old",
        "Fewest years since the first capture", "Age ≥ {}", places=_SITE, halves=True,
    ),
    Criterion(
        "max_first_year", columns.FIRST_YEAR, AtMost(), Takes("number", 0, 2100), "First archived by the year",
        "first archived by {}", "Latest year of the first capture in the archive", "First archived by {}",
        rule="max_first_year", extension=True, steps=(1998, 2000, 2005, 2010, 2015, 2020),
    ),
    Criterion(
        "max_price", columns.PRICE, AtMost(unknown=True), COUNT, "Price up to $", "up to ${}",
        "Highest price in US dollars; domains without a price pass", "Up to ${}, or no price yet",
        in_api="Highest current price in USD; domains without a price always pass",
        in_rule="Highest price in USD; 0 or null = no limit; domains without a price pass", rule="max_price",
        steps=(50, 100, 250, 500, 1000, 5000),
    ),
    Criterion(
        "priced", columns.PRICE, Known(), FLAG, "With a price", "with a price", "Only domains with a price",
        places=_SITE, rule="priced", extension=True,
    ),
    _minimum(
        "min_bids", columns.BIDS, COUNT, "{}+ bids", "Fewest bids", title="Bids from", chip="Bids ≥ {}", places=_SITE,
        halves=False, rule="min_bids", extension=True,
    ),
    Criterion(
        "max_bids", columns.BIDS, AtMost(), COUNT, "Bids up to", "up to {} bids", "Most bids", "Bids ≤ {}",
        places=_SITE, rule="max_bids", extension=True,
    ),
    Criterion(
        "tld", columns.TLD, OneOf(), Takes("extensions"), "Extensions", "extension {}", "Extensions", ".{}",
        in_api="Comma-separated extensions, `com` or `.com`", rule="tlds", example="com, org",
    ),
    Criterion(
        "topic", columns.TOPIC, OneOf(), Takes("topics"), "Topic", "topic: {}", "Topics, in any case",
        in_api="Comma-separated topics, in any case", rule="topics",
    ),
    Criterion(
        "lang", columns.LANGUAGE, OneOf(), Takes("langs"), "Language", "language {}", "Languages",
        in_api="Comma-separated two-letter language codes", rule="langs",
    ),
    Criterion(
        "type", columns.TYPE, OneOf(), Takes("types"), "Listing", "type: {}", "Listing types",
        in_api="Comma-separated: `bid`, `buy_now`, `pending_delete`, `auction`", rule="listing_types",
    ),
    Criterion(
        "exclude_tld", columns.TLD, OneOf(others=True), Takes("extensions", items=20), "Not these extensions",
        "not at .{}", "Extensions to leave out, up to 20", "Not .{}", rule="exclude_tlds",
        example="xyz, top", in_api="Comma-separated extensions to leave out, up to 20", extension=True,
    ),
    Criterion(
        "exclude", columns.TEXT, Contains(none=True), Takes("words", items=20), "Without the words", "without “{}”",
        "Words that neither the domain name nor the old title contains, up to 20", "Not “{}”",
        rule="exclude_keywords", example="casino, loan",
        in_api="Comma-separated words that neither the domain name nor the old title contains, up to 20"
        + _NO_LOCKED,
        extension=True,
    ),
    _minimum(
        "min_length", columns.LENGTH, _LETTERS, "{}+ characters", "Fewest characters of the name without its extension",
        title="Length from", chip="Length ≥ {}", rule="min_length", extension=True, halves=False,
    ),
    Criterion(
        "max_length", columns.LENGTH, AtMost(), _LETTERS, "Length up to", "up to {} characters",
        "Most characters of the name without its extension", "Length ≤ {}", rule="max_length", extension=True,
        steps=(5, 8, 12, 20, 63),
    ),
    Criterion(
        "starts_with", columns.LABEL, Affix(), Takes("text", most=60), "Starts with", "starts with “{}”",
        "How the name starts", in_api="How the name starts" + _NO_LOCKED, rule="starts_with", extension=True,
    ),
    Criterion(
        "ends_with", columns.LABEL, Affix(at_end=True), Takes("text", most=60), "Ends with", "ends with “{}”",
        "How the name without its extension ends",
        in_api="How the name without its extension ends" + _NO_LOCKED, rule="ends_with", extension=True,
    ),
    Criterion(
        "no_hyphens", columns.NO_HYPHENS, IsTrue(), FLAG, "No hyphens", "no hyphens", "Only names without a hyphen",
        rule="no_hyphens", extension=True,
    ),
    Criterion(
        "no_digits", columns.NO_DIGITS, IsTrue(), FLAG, "No digits", "no digits", "Only names without a digit",
        rule="no_digits", extension=True,
    ),
    Criterion(
        "letters_only", columns.LETTERS, IsTrue(), FLAG, "Letters only", "letters only",
        "Only names of letters, without digits and hyphens", rule="letters_only", extension=True,
    ),
    Criterion(
        "clean", columns.CLEAN, IsTrue(), FLAG, "No flags at all", "without flags", "Only domains without risk flags",
        "No flags",
        in_api="Only domains with the verdict `ok` and no risk flags; `false` means no filter", rule="clean_only",
    ),
    Criterion(
        "no_serious_risk", columns.NO_SERIOUS_RISK, IsTrue(), FLAG, "No serious risk", "no serious risk",
        "Leaves out domains with a serious risk", places=_SITE, rule="no_serious_risk", extension=True,
    ),
    Criterion(
        "since", columns.FOUND, AtLeast(), Takes("moment"), "Found since", "found since {}",
        "Only domains found at or after this time (ISO 8601)", example="2026-11-20",
    ),
    Criterion(
        "ending_within_hours", columns.ENDS, EndsWithin(), Takes("number", 1, 720), "Ends within hours",
        "ends within {} h", "Only listings ending within this many hours", steps=(24, 48, 120, 336, 720),
        in_api="Only listings ending within this many hours, 1-720",
    ),
    _minimum(
        "min_valuation", columns.VALUATION, COUNT, "valuation from ${}",
        f"Lowest appraisal of the name in US dollars{_STATED}", title="Valuation from $", chip="Valuation ≥ ${}",
        rule="min_valuation", extension=True,
    ),
    _minimum(
        "min_searches", columns.SEARCHES, COUNT, "{}+ searches a month",
        f"Fewest searches a month for the name's words{_STATED}", title="Searches a month from", chip="Searches ≥ {}",
        rule="min_searches", extension=True,
    ),
    _minimum(
        "min_cpc", columns.CLICK_COST, COUNT, "cost per click from {} cents",
        f"Lowest cost per click in US cents{_STATED}", title="Cost per click from, ¢", chip="CPC ≥ {} ¢",
        rule="min_cpc", extension=True,
    ),
    _minimum(
        "min_extensions_taken", columns.TAKEN, COUNT, "taken under {}+ extensions",
        f"Fewest other extensions under which the name is registered{_STATED}",
        title="Registered under other extensions, from", chip="Taken ≥ {}", rule="min_extensions_taken", extension=True,
    ),
    Criterion(
        "not_adult", columns.NOT_ADULT, IsTrue(), FLAG, "Not adult", "not adult",
        f"Only names that are listed as not adult{_STATED}", rule="not_adult", extension=True,
    ),
    _minimum(
        "min_last_owner_links", columns.LAST_OWNER_LINKS, PERCENT, "{}%+ of the known links are the last owner's",
        "Lowest percentage of the known links that the site's last owner earned, as far as the sources tell and "
        "you may see it", title="Links the last owner earned, from %", chip="Last owner's ≥ {}% of known links",
        rule="min_last_owner_links", extension=True,
    ),
    _minimum(
        "min_live_links", columns.LIVE_LINKS, COUNT, "{}+ links are still there",
        "Lowest number of the strongest known links that are there today, as far as anybody has looked and you may "
        "see it", title="Links still there, from", chip="Still there ≥ {}", rule="min_live_links", extension=True,
    ),
    Criterion(
        "marketplace", columns.MARKETPLACE, OneOf(), Takes("places"), "Marketplace", "at {}",
        "Marketplaces, and catchers of what drops, as lists call them", places=_SITE, rule="marketplaces",
        extension=True,
    ),
    # What 1.0's addresses and saved filters have for a marketplace.
    Criterion(
        "source", columns.SOURCE, OneOf(), Takes("sources"), "Feed", "from {}", "Identifiers of feeds", places=_SITE,
        rule="sources", extension=True,
    ),
    Criterion(
        "tag", columns.NAME, Named(), Takes("tags"), "Your tags", "tagged {}", "Only domains with one of your tags",
        places=_SITE, example="shortlist",
    ),
    Criterion(
        "outcome", columns.OUTCOME, OneOf(over=True), Takes("outcomes", items=5), "Outcome", "{}",
        "The outcome of ended domains: only these (with `list` = archive). On the free plan only domains that were "
        "open on some day match", places=frozenset({"mcp", "site"}),
    ),
    Criterion(
        "unseen", columns.NAME, Named(others=True), FLAG, "Not seen before", "not seen before",
        "Leaves out domains that you have seen", places=_SITE,
    ),
    Criterion(
        "unrejected", columns.NAME, Named(others=True), FLAG, "Hide names I rejected", "without names I rejected",
        "Leaves out domains that you rejected", places=_SITE,
    ),
    Criterion(
        "ends_by", columns.ENDS, OnDays(), Takes("day"), "Ends by", "ends by {}",
        "Only listings that end on this day of the reader or before", places=_SITE,
    ),
    Criterion(
        "drops_on", columns.ENDS, OnDays("pending_delete"), Takes("day"), "Drops on", "drops on {}",
        "Only pending deletes that begin to drop on this day of the reader", places=_SITE,
    ),
)  # fmt: skip
CRITERIA: Final[Mapping[str, Criterion]] = {each.name: each for each in _TABLE}
# Those that alert rules have, by the names of their members.
RULE_CRITERIA: Final[Mapping[str, Criterion]] = {each.rule: each for each in _TABLE if each.rule}


def facts_of(summary: Summary) -> Facts:
    """The facts that alert rules are matched with, from a domain's summary with `full` detail."""
    return {
        each.column.name: each.column.fact(summary) for each in RULE_CRITERIA.values() if each.column.fact
    }
