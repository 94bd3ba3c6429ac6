"""The query of a list: its address, as strict as the API's but with what HTML forms send put right, in words, chips
and tabs. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Final
from urllib.parse import parse_qsl, quote, urlencode

from pydantic import AfterValidator, BeforeValidator, Field, create_model

from afterdrop.catalogue.lists.columns import SORTED_BY
from afterdrop.catalogue.lists.comparisons import Days
from afterdrop.catalogue.lists.criteria import CRITERIA, RULE_CRITERIA, Criterion
from afterdrop.catalogue.lists.snapshot import Occurring
from afterdrop.catalogue.lists.sort_orders import MOST_ORDERS, SORTS, Order, Sort
from afterdrop.catalogue.lists.wider import Wider
from afterdrop.catalogue.status import ListName
from afterdrop.core.json_shapes import instant
from afterdrop.core.time_zones import time_zone
from afterdrop.sources.metrics.values import TOPICS
from afterdrop.watching.criteria import as_filter, restricting
from afterdrop.watching.desk_rules import FILTER_NAME_LENGTH
from afterdrop.web.problems import Invalid
from afterdrop.web.schemas import values as v
from afterdrop.web.schemas.criteria import query_fields
from afterdrop.web.schemas.domains import ListQuery
from afterdrop.web.site.labels import OUTCOMES, TYPES, language_name
from afterdrop.web.site.typed_query import typed_query
from afterdrop.web.strict_input import read_pairs, read_query

_ON_SITE: Final = [each for each in CRITERIA.values() if "site" in each.places]
LISTS: Final = tuple(each.name for each in _ON_SITE if each.takes.many)
PER_PAGE: Final = 50
_ORDERED: Final = re.compile(r"([a-z_]+)-(up|down)")
_NOT_FILTERS: Final = ("page", "per_page", "sort", "open", "saved")
_MAX_SHOWN: Final = 120
# A member of an alert rule as a query or a form gives it, before it is validated.
RuleMember = str | int | list[str] | None
PATHS: Final[dict[ListName, str]] = {
    "live": "/domains",
    "available": "/domains/available",
    "archive": "/domains/archive",
}
_ENDINGS: Final = (("Caught", "caught"), ("Renewed", "renewed"), ("Sold", "sold"), ("Free", "free"))


@dataclass(frozen=True, slots=True)
class FilterGroup:
    """Filters that stand together in the form above a list, and what it says they are about."""

    title: str
    about: str
    filters: Sequence[Criterion]

    def used(self, names: Collection[str]) -> bool:
        """Whether one of the names is that of a filter of the group."""
        return any(each.name in names for each in self.filters)


def _group(title: str, about: str, *names: str) -> FilterGroup:
    return FilterGroup(title, about, [CRITERIA[name] for name in names])


FILTER_GROUPS: Final = (
    _group(
        "Strength", "score, ratings, links",
        "min_score", "min_dr", "min_tf", "min_cf", "min_trust_ratio",
        "min_ref_domains", "min_last_owner_links", "min_live_links",
    ),
    _group(
        "Past", "risks, age, language, topic",
        "min_archive_years", "min_age", "max_first_year", "no_serious_risk", "clean", "lang", "topic",
    ),
    _group(
        "Name", "extension, length, words",
        "tld", "exclude_tld", "any", "exclude", "starts_with", "ends_with", "min_length", "max_length",
        "min_extensions_taken", "no_hyphens", "no_digits", "letters_only", "not_adult",
    ),
    _group(
        "Market", "where, how and when",
        "ending_within_hours", "since", "min_bids", "max_bids", "type", "marketplace", "outcome",
    ),
    _group("Money", "price, worth", "max_price", "min_valuation", "priced"),
    _group("Yours", "tags, seen, rejected", "tag", "unseen", "unrejected"),
)  # fmt: skip
# What may be chosen of filters whose choices are always the same.
OPTIONS: Final[Mapping[str, Sequence[tuple[str, str]]]] = {
    "types": [*TYPES.items()],
    "topics": [(topic, topic) for topic in TOPICS],
    "langs": [(code, language_name(code)) for code in v.LANGS],
    "outcomes": [*OUTCOMES.items()],
}


def list_options(
    which: ListName, occurring: Occurring, values: Mapping[str, str]
) -> dict[str, Sequence[tuple[str, str]]]:
    """The options of a list: languages, topics and marketplaces are those that occur or are in use, counted."""
    found = {**OPTIONS, "langs": _counted(occurring["language"], values.get("lang", ""), language_name)}
    found["topics"] = _counted(occurring["topic"], values.get("topic", ""), str)
    found["places"] = _counted(occurring["marketplace"], values.get("marketplace", ""), str)
    if which != "archive":
        del found["outcomes"]
    if which == "available":
        del found["places"]
    return found


def _counted(
    occurring: Mapping[str, int], chosen: str, title: Callable[[str], str]
) -> Sequence[tuple[str, str]]:
    counts = {**occurring, **{word: 0 for word in chosen.split(",") if word and word not in occurring}}
    return [(word, f"{title(word)} ({count:,})") for word, count in counts.items()]


def _sort(value: str) -> str:
    """One of the API's sorts, or up to three columns with `-up` or `-down`."""
    parts = [_ORDERED.fullmatch(part) for part in value.split(",")]
    columns = [part[1] for part in parts if part and part[1] in SORTED_BY]
    if value not in SORTS and (len(columns) < len(parts) or len({*columns}) < len(columns)):
        raise ValueError("is not a sort order of this list")
    if len(parts) > MOST_ORDERS:
        raise ValueError(f"should have at most {MOST_ORDERS} columns")
    return value


if TYPE_CHECKING:
    _SiteFilters = ListQuery
else:
    _SiteFilters = create_model("_SiteFilters", __base__=ListQuery, **query_fields("site", beside="api"))


class SiteQuery(_SiteFilters):
    """The query of a list page: the API's and what only the site has.

    `ends_by` and `drops_on` are dates in the reader's zone. `open` names the domain whose short report stands beside
    the list, `saved` the account's filter that is shown or changed. `q` is without what was typed as a filter and is
    none.
    """

    q: Annotated[v.QueryText | None, BeforeValidator(lambda text: typed_query(text or "").q or None)] = None
    sort: Annotated[str, AfterValidator(_sort)] | None = None  # type: ignore[assignment]  # more orders than the API
    per_page: v.QueryHundred = PER_PAGE
    open: Annotated[str, Field(max_length=253)] | None = None
    saved: Annotated[str, Field(max_length=FILTER_NAME_LENGTH)] | None = None

    def order(self) -> Sequence[Order] | Order | Sort | None:
        """The order as the catalogue takes it; None is the list's own."""
        if self.sort is None or self.sort in SORTS:
            return self.sort
        names = (part.rpartition("-") for part in self.sort.split(","))
        orders = tuple(Order(name, way == "down") for name, _, way in names)
        return orders if len(orders) > 1 else orders[0]

    def days(self, zone: str) -> dict[str, Days]:
        """The days that are asked for, in the reader's zone."""
        asked, local = self.asked(), time_zone(zone)
        days = {"ends_by": (None, asked.get("ends_by")), "drops_on": (asked.get("drops_on"),) * 2}
        return {name: Days.of(first, last, local) for name, (first, last) in days.items() if last is not None}


def tidy_query(raw: bytes) -> tuple[str, dict[str, str], bool]:
    """`(query, values, changed)`: what says nothing left out, ticked boxes joined by commas. Raises Invalid.

    Filters that were typed into the search box become filters. `changed`: the form sent it another way, so the browser
    is redirected to the tidy address.
    """
    try:
        pairs = read_pairs(raw, "form", 100)
    except Invalid:
        raise Invalid({"form": ["This address could not be read."]}) from None
    values: dict[str, list[str]] = {}
    for name, value in pairs:
        texts = [part.strip() for part in value.split(",")] if name in LISTS else [value.strip()]
        values.setdefault(name, []).extend(text for text in texts if text)
    # The form always sends how many rows a page has.
    usual = {"per_page": [str(PER_PAGE)]}
    kept = {name: texts for name, texts in values.items() if texts and usual.get(name) != texts}
    changed = len(pairs) != len(kept)
    repeated = [name for name, texts in kept.items() if len(texts) > 1 and name not in LISTS]
    if repeated:
        raise Invalid({name: ["is given more than once"] for name in repeated})
    joined = {name: ",".join(texts) for name, texts in kept.items()}
    typed = typed_query(joined.get("q", ""))
    if typed.filters:
        both = {name: joined[name] for name in typed.filters.keys() & joined.keys() & {*LISTS}}
        joined |= {
            name: ",".join(filter(None, (both.get(name), value))) for name, value in typed.filters.items()
        }
        joined = {name: value for name, value in {**joined, "q": typed.left}.items() if value}
    return query_string(joined), joined, changed or bool(typed.filters)


def query_string(values: Mapping[str, str | int]) -> str:
    """A readable query string."""
    return urlencode(values, safe=",:", quote_via=quote)


def rule_members(query: ListQuery) -> dict[str, RuleMember]:
    """The members of the alert rule that matches this list, without the `unkept_filters`."""
    asked = query.asked()
    members: dict[str, RuleMember] = {}
    for member, each in RULE_CRITERIA.items():
        value = asked.get(each.name, asked.get("any")) if member == "keywords" else asked.get(each.name)
        if isinstance(each.nothing, list):
            members[member] = [value] if isinstance(value, str) else [*(value or ())]
        elif value is not None and each.fold(value) is not None:
            members[member] = value
    return members


def rule_values(criteria: Mapping[str, Any]) -> dict[str, str]:
    """The filters of a list that ask for what an alert rule does, by name; several keywords are `any`."""
    values = {}
    for member, value in criteria.items():
        name = RULE_CRITERIA[member].name
        if member == "keywords" and len(value) > 1:
            name = "any"
        values[name] = (
            ",".join(value)
            if isinstance(value, list)
            else str(value).lower()
            if value is True
            else str(value)
        )
    return values


def rule_query(criteria: Mapping[str, Any]) -> str | None:
    """The query of the list that shows what an alert rule matches; None for one that no address asks for.

    A word with a comma is such, and one that the search reads as a filter.
    """
    try:
        text, _, _ = tidy_query(query_string(rule_values(criteria)).encode())
        same = as_filter(restricting(rule_members(read_query(text.encode(), SiteQuery)))) == as_filter(
            criteria
        )
    except Invalid:
        return None
    return text if same else None


def unkept_filters(query: ListQuery) -> list[str]:
    """The filters in use that an alert rule cannot hold, in a few words each."""
    asked = query.asked()
    used = {
        name: value
        for name, value in asked.items()
        if value is not False and not _kept(CRITERIA[name], value)
    }
    if "q" not in asked:
        used.pop("any", None)
    if "since" in used:
        used["since"] = f"{used['since']:%Y-%m-%d %H:%M} UTC"
    texts = {
        name: ",".join(value) if isinstance(value, tuple) else str(value) for name, value in used.items()
    }
    said = filter_words(texts)
    return [*said.values()]


def _kept(each: Criterion, value: Any) -> bool:
    """Whether an alert rule holds the filter; one by 0 is none there, and it knows some languages."""
    if each.takes.kind == "langs":
        return {*value} <= {*v.LANGS}
    return bool(each.rule) and (value != 0 or each.fold(value) is None)


def filters_of(values: Mapping[str, str]) -> dict[str, str]:
    """The part of a query that narrows the list."""
    return {name: value for name, value in values.items() if name not in _NOT_FILTERS}


def filter_words(values: Mapping[str, str]) -> dict[str, str]:
    """Each filter of the query in a few words, by its name."""
    shapes = {each.name: each.said for each in _ON_SITE}
    hours = values.get("ending_within_hours", "")
    days = {"ending_within_hours": "ends within {} days"} if _whole_days(hours) else {}
    values = {**values, **({"ending_within_hours": str(int(hours) // 24)} if days else {})}
    shapes |= days
    # Only words of our own are format strings; a stranger may have typed the name of an unknown filter.
    return {
        name: shapes[name].format(shown(value)) if name in shapes else f"{_cut(name)}: {shown(value)}"
        for name, value in values.items()
    }


def _whole_days(hours: str) -> bool:
    """Whether so many hours are better said in days."""
    return (
        hours.isascii() and hours.isdecimal() and len(hours) < 5 and int(hours) >= 72 and int(hours) % 24 == 0
    )


def shown(value: str) -> str:
    """A value of the address as people read it, cut short."""
    return _cut(value.replace(",", ", ").replace("_", " "))


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "…"


def filter_name(query: str) -> str:
    """A name for the filter of a list with this query: its filters in a few words, at most 80 characters."""
    words = ", ".join(filter_words(filters_of(dict(parse_qsl(query)))).values()) or "Everything"
    return words if len(words) <= FILTER_NAME_LENGTH else words[: FILTER_NAME_LENGTH - 1] + "…"


def sorted_by(column: str, falling: bool, orders: Sequence[Order], chosen: bool) -> str:
    """The `sort` of a click on a column: it comes first, or turns round; what was `chosen` before follows it."""
    first = orders[0]
    clicked = Order(column, not first.descending if first.column == column else falling)
    others = [order for order in orders if order.column != column] if chosen else []
    return _said_orders([clicked, *others][:MOST_ORDERS])


def then_by(column: str, falling: bool, orders: Sequence[Order]) -> str:
    """The `sort` of a click on a column with the shift key: it comes last, or turns round where it stands."""
    kept = list(orders)
    at = next((at for at, order in enumerate(kept) if order.column == column), None)
    if at is None:
        return _said_orders([*kept[: MOST_ORDERS - 1], Order(column, falling)])
    kept[at] = Order(column, not kept[at].descending)
    return _said_orders(kept)


def _said_orders(orders: Sequence[Order]) -> str:
    return ",".join(f"{name}-{'down' if descending else 'up'}" for name, descending in orders)


def list_path(which: ListName, query: str = "") -> str:
    """The address of a list with a query string."""
    return PATHS[which] + (f"?{query}" if query else "")


@dataclass(frozen=True, slots=True)
class Tab:
    """A tab: a list with filters. `own` ones are the account's saved filters."""

    title: str
    which: ListName
    values: Mapping[str, str]
    own: bool = False

    @property
    def href(self) -> str:
        """Its address."""
        return list_path(self.which, query_string(self.values))

    def shows(self, which: ListName, values: Mapping[str, str]) -> bool:
        """Whether a page with this query is the tab's."""
        return self.which == which and filters_of(self.values) == filters_of(values)


def presets(which: ListName, now: datetime, zone: str, since: datetime | None) -> list[Tab]:
    """The presets of a list; `since` is when the account last looked at it."""
    if which == "archive":
        endings = [Tab(title, "archive", {"outcome": word}) for title, word in _ENDINGS]
        return [Tab("All", "archive", {}), *endings]
    if which == "available":
        return [Tab("All", "available", {})]
    local = now.astimezone(time_zone(zone))
    tabs = [
        Tab("All", "live", {}),
        Tab("Ending today", "live", {"ends_by": f"{local:%Y-%m-%d}"}),
        Tab("Under $100", "live", {"max_price": "100", "priced": "true"}),
        Tab("Drops tomorrow", "live", {"drops_on": f"{local + timedelta(days=1):%Y-%m-%d}"}),
        Tab("Free now", "available", {}),
    ]
    if since is not None:
        seen = since.astimezone(time_zone(zone))
        day = f"{seen:%A}" if now - since < timedelta(days=6) else f"{seen.day} {seen:%b}"
        when = f"{seen:%H:%M}" if seen.date() == local.date() else day
        tabs.append(Tab(f"New since {when}", "live", {"since": instant(since)}))
    return tabs


# Filters that most hunts begin with, each one click away.
_SUGGESTED: Final[tuple[tuple[str, Mapping[str, str]], ...]] = (
    ("English", {"lang": "en"}),
    ("No serious risk", {"no_serious_risk": "true"}),
    ("TF ≥ 20", {"min_tf": "20"}),
    ("≤ $100", {"max_price": "100", "priced": "true"}),
    ("48 h", {"ending_within_hours": "48"}),
)


def suggested(which: ListName, filters: Mapping[str, str]) -> list[tuple[str, Mapping[str, str]]]:
    """Filters to offer beside those in use, as their words and what they add to the address."""
    ends = {"ending_within_hours", "ends_by", "drops_on"}
    used = {*filters, *(ends if ends & set(filters) or which != "live" else ())}
    return [(title, values) for title, values in _SUGGESTED if not used & set(values)]


def chips_of(values: Mapping[str, str]) -> list[tuple[str, tuple[str, ...]]]:
    """The filters of the query as chips: a few words, and the names that go when the chip is taken away."""
    said = filter_words(values)
    known = ((name, CRITERIA[name].chip) for name in values if name in CRITERIA)
    said |= {name: chip.format(shown(values[name])) for name, chip in known if chip}
    if "lang" in values:
        said["lang"] = ", ".join(language_name(code) for code in values["lang"].split(",")[:4])
    if "priced" in said and "max_price" in said:
        said.pop("priced")
        said["max_price"] = f"≤ ${shown(values['max_price'])}"
    chips = [(text[:1].upper() + text[1:], (name,)) for name, text in said.items() if name != "q"]
    return [(text, ("max_price", "priced") if names == ("max_price",) else names) for text, names in chips]


def widened(
    ways: Iterable[tuple[Wider, int]], here: Callable[..., str], chips: Mapping[str, str]
) -> list[tuple[str, str, int]]:
    """Ways to widen an empty list, as words, address and how many domains there are then."""
    rows = []
    for way, total in ways:
        # A highest price goes with whether domains without one pass.
        gone = ("max_price", "priced") if way.name == "max_price" and way.value is None else (way.name,)
        if way.value is None:
            text = "Without: " + ", ".join(chips[each] for each in gone if each in chips)
        else:
            text = filter_words({way.name: str(way.value)})[way.name]
            text = text[:1].upper() + text[1:]
        changes = {each: None if way.value is None else str(way.value) for each in gone}
        rows.append((text, here(page=None, open=None, **changes), total))
    return rows
