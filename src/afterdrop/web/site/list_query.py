"""The query string of a list page: as strict as the API's, but with what HTML forms send put right. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import Annotated, Any, Final, cast, get_args
from urllib.parse import parse_qsl, quote, urlencode

from pydantic import AfterValidator, BeforeValidator, Field

from afterdrop.catalogue.filters import SORTS, Order, Sort, SortColumn
from afterdrop.catalogue.status import BECAME
from afterdrop.core.time_zones import time_zone
from afterdrop.desk.rules import BadEntry, tag_of
from afterdrop.web.problems import Invalid
from afterdrop.web.schemas import values as v
from afterdrop.web.schemas.domains import ListQuery

LISTS: Final = ("tld", "type", "topic", "lang", "source", "tag", "outcome")
PER_PAGE: Final = 50
_ORDERED: Final = re.compile(r"([a-z_]+)-(up|down)")
# What an alert rule holds of a list's filters, and how it is said.
_RULE_NAMES: Final = {
    "min_score": "score from {}",
    "min_dr": "DR from {}",
    "min_tf": "TF from {}",
    "min_ref_domains": "{}+ referring domains",
    "min_archive_years": "{}+ archive years",
    "max_price": "up to ${}",
}
_OTHER_NAMES: Final = {
    "q": "“{}”",
    "tld": "extension {}",
    "lang": "language {}",
    "since": "found since {}",
    "ending_within_hours": "ends within {} h",
    "clean": "without flags",
    "min_cf": "CF from {}",
    "min_age": "{}+ years old",
    "min_bids": "{}+ bids",
    "max_bids": "up to {} bids",
    "priced": "with a price",
    "source": "at {}",
    "tag": "tagged {}",
    "outcome": "{}",
    "unseen": "not seen before",
    "unrejected": "without names I rejected",
    "ends_by": "ends by {}",
    "drops_on": "drops on {}",
}
# Filters that only the site has; an alert rule cannot hold them.
_SITE_ONLY: Final = (
    *("since", "ending_within_hours", "min_cf", "min_age", "min_bids", "max_bids", "priced", "source"),
    *("tag", "outcome", "unseen", "unrejected", "ends_by", "drops_on"),
)
_NOT_FILTERS: Final = ("page", "per_page", "sort", "open")
_MAX_SHOWN: Final = 120


def _sort(value: str) -> str:
    """One of the API's sorts, or a column with `-up` or `-down`."""
    found = _ORDERED.fullmatch(value)
    if value not in SORTS and (not found or found[1] not in get_args(SortColumn)):
        raise ValueError("is not a sort order of this list")
    return value


def _identifiers(values: tuple[str, ...]) -> tuple[str, ...]:
    if not all(re.fullmatch(r"[a-z][a-z0-9_]{0,63}", value) for value in values):
        raise ValueError("must be names of marketplaces as the feeds give them")
    return values


def _tags(values: tuple[str, ...]) -> tuple[str, ...]:
    try:
        return tuple(dict.fromkeys(tag_of(value) for value in values))
    except BadEntry as error:
        raise ValueError(error.message) from None


def _became(values: tuple[str, ...]) -> tuple[str, ...]:
    if not set(values) <= set(BECAME):
        raise ValueError(f"should be among {', '.join(BECAME)}")
    return values


def _day(value: object) -> date:
    try:
        day = date.fromisoformat(value if isinstance(value, str) and len(value) == 10 else "")
    except ValueError:
        raise ValueError("must be a date such as 2026-11-20") from None
    if not 1985 <= day.year < 9000:
        raise ValueError("must be a date from 1985 on")
    return day


Words = Annotated[tuple[str, ...], BeforeValidator(v.comma_list)]
Day = Annotated[date, BeforeValidator(_day)]


class SiteQuery(ListQuery):
    """The query of a list page: the API's and what only the site has.

    `priced`: domains without a price do not pass `max_price`. `ends_by`: a date in the reader's zone; `drops_on` in
    UTC. `open` names the domain whose short report stands beside the list.
    """

    min_cf: v.QueryScore | None = None
    min_age: v.QueryYears | None = None
    min_bids: v.QueryCount | None = None
    max_bids: v.QueryCount | None = None
    priced: v.QueryBool | None = None
    source: Annotated[Words, AfterValidator(_identifiers)] | None = None
    tag: Annotated[Words, AfterValidator(_tags)] | None = None
    outcome: Annotated[Words, AfterValidator(_became)] | None = None
    unseen: v.QueryBool | None = None
    unrejected: v.QueryBool | None = None
    ends_by: Day | None = None
    drops_on: Day | None = None
    sort: Annotated[str, AfterValidator(_sort)] | None = None  # type: ignore[assignment]  # more orders than the API
    per_page: v.QueryHundred = PER_PAGE
    open: Annotated[str, Field(max_length=253)] | None = None

    def order(self) -> Order | Sort | None:
        """The order as the catalogue takes it; None is the list's own."""
        found = _ORDERED.fullmatch(self.sort or "")
        return (
            Order(cast(SortColumn, found[1]), found[2] == "down") if found else cast(Sort | None, self.sort)
        )

    def ends_before(self, zone: str) -> datetime | None:
        """The last moment of `ends_by` in the reader's zone."""
        if self.ends_by is None:
            return None
        return datetime.combine(self.ends_by, datetime.max.time().replace(microsecond=0), time_zone(zone))


def tidy_query(raw: bytes) -> tuple[str, dict[str, str], bool]:
    """`(query, values, changed)`: empty fields left out, ticked boxes joined by commas. Raises Invalid.

    `changed`: the form sent it another way, so the browser is redirected to the tidy address.
    """
    try:
        pairs = parse_qsl(raw.decode("utf-8"), keep_blank_values=True, errors="strict", max_num_fields=100)
    except ValueError:
        raise Invalid({"form": ["This address could not be read."]}) from None
    values: dict[str, list[str]] = {}
    for name, value in pairs:
        texts = [part.strip() for part in value.split(",")] if name in LISTS else [value.strip()]
        values.setdefault(name, []).extend(text for text in texts if text)
    kept = {name: texts for name, texts in values.items() if texts}
    changed = len(pairs) != len(kept)
    repeated = [name for name, texts in kept.items() if len(texts) > 1 and name not in LISTS]
    if repeated:
        raise Invalid({name: ["is given more than once"] for name in repeated})
    joined = {name: ",".join(texts) for name, texts in kept.items()}
    return query_string(joined), joined, changed


def query_string(values: Mapping[str, Any]) -> str:
    """A readable query string."""
    return urlencode(values, safe=",:", quote_via=quote)


def rule_members(query: ListQuery) -> dict[str, Any]:
    """The alert rule that matches this list, without the `unkept_filters`. A highest price of 0 stays in."""
    numbers = {name: getattr(query, name) for name in _RULE_NAMES}
    return {
        "name": rule_name(query),
        **{name: value for name, value in numbers.items() if value or (name == "max_price" and value == 0)},
        "tlds": list(query.tld or ()),
        "listing_types": list(query.type or ()),
        "topics": list(query.topic or ()),
        "langs": list(query.lang or ()),
        "keywords": [query.q] if query.q else [],
        "clean_only": bool(query.clean),
    }


def unkept_filters(query: ListQuery) -> list[str]:
    """The filters in use that an alert rule cannot hold, in a few words each."""
    used = {name: value for name in _SITE_ONLY if (value := getattr(query, name, None)) not in (None, False)}
    if query.since is not None:
        used["since"] = f"{query.since:%Y-%m-%d %H:%M} UTC"
    texts = {
        name: ",".join(value) if isinstance(value, tuple) else str(value) for name, value in used.items()
    }
    said = filter_words(texts)
    return [*said.values(), *(["up to $0"] if query.max_price == 0 else [])]


def foreign_langs(query: ListQuery) -> list[str]:
    """The languages of a list that alert rules do not know. A rule without them would match far more."""
    return [lang for lang in query.lang or () if lang not in v.LANGS]


def filters_of(values: Mapping[str, str]) -> dict[str, str]:
    """What of a query narrows the list."""
    return {name: value for name, value in values.items() if name not in _NOT_FILTERS}


def filter_words(values: Mapping[str, str]) -> dict[str, str]:
    """Each filter of the query in a few words, by its name."""
    shapes = {**_RULE_NAMES, **_OTHER_NAMES}
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


def rule_name(query: ListQuery) -> str:
    """A name for a rule: the filters in a few words, at most 80 characters."""
    parts = [f"“{query.q}”"] if query.q else []
    parts += [f".{tld}" for tld in query.tld or ()]
    parts += [
        *(query.topic or ()),
        *(query.lang or ()),
        *(kind.replace("_", " ") for kind in query.type or ()),
    ]
    parts += [words.format(value) for name, words in _RULE_NAMES.items() if (value := getattr(query, name))]
    if query.clean:
        parts.append("no flags")
    name = ", ".join(parts) or "Every new domain"
    return name if len(name) <= 80 else name[:79] + "…"
