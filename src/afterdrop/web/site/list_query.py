"""The query string of a list page: as strict as the API's, but with what HTML forms send put right. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qsl, quote, urlencode

from afterdrop.web.problems import Invalid
from afterdrop.web.schemas import values as v
from afterdrop.web.schemas.domains import ListQuery

LISTS: Final = ("tld", "type", "topic", "lang")
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
}
_MAX_SHOWN: Final = 120


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
    names = [name for name in ("since", "ending_within_hours") if getattr(query, name) is not None]
    times = {name: getattr(query, name) for name in names}
    if "since" in times:
        times["since"] = f"{times['since']:%Y-%m-%d %H:%M} UTC"
    said = filter_words({name: str(value) for name, value in times.items()})
    return [*said.values(), *(["up to $0"] if query.max_price == 0 else [])]


def foreign_langs(query: ListQuery) -> list[str]:
    """The languages of a list that alert rules do not know. A rule without them would match far more."""
    return [lang for lang in query.lang or () if lang not in v.LANGS]


def filter_words(values: Mapping[str, str]) -> dict[str, str]:
    """Each filter of the query in a few words, by its name."""
    shapes = {**_RULE_NAMES, **_OTHER_NAMES}
    # Only words of our own are format strings; a stranger may have typed the name of an unknown filter.
    return {
        name: shapes[name].format(_shown(value)) if name in shapes else f"{_cut(name)}: {_shown(value)}"
        for name, value in values.items()
    }


def _shown(value: str) -> str:
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
