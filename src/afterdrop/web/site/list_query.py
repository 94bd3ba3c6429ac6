"""The address bar of a list: read as strictly as the API's, but forgiving what HTML forms send. Pure."""

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
_LONGEST: Final = 120


def tidy(raw: bytes) -> tuple[str, dict[str, str], bool]:
    """`(query, values, changed)`: empty fields left out, ticked boxes joined by commas. Raises Invalid.

    `changed`: the form sent it another way, so that the tidy address is worth going to.
    """
    try:
        pairs = parse_qsl(raw.decode("utf-8"), keep_blank_values=True, errors="strict", max_num_fields=100)
    except ValueError:
        raise Invalid({"form": ["The address could not be read."]}) from None
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
    return encoded(joined), joined, changed


def encoded(values: Mapping[str, Any]) -> str:
    """A query string that stays readable."""
    return urlencode(values, safe=",:", quote_via=quote)


def rule_members(query: ListQuery) -> dict[str, Any]:
    """The alert rule that matches what this list shows, less what is `unkept`; a highest price of 0 stays in."""
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


def unkept(query: ListQuery) -> list[str]:
    """The filters in use that an alert rule cannot keep, in a few words each."""
    names = [name for name in ("since", "ending_within_hours") if getattr(query, name) is not None]
    times = {name: getattr(query, name) for name in names}
    if "since" in times:
        times["since"] = f"{times['since']:%Y-%m-%d %H:%M} UTC"
    said = filter_words({name: str(value) for name, value in times.items()})
    return [*said.values(), *(["up to $0"] if query.max_price == 0 else [])]


def foreign_langs(query: ListQuery) -> list[str]:
    """The languages of a list that alert rules do not know: without them a rule would match far more."""
    return [lang for lang in query.lang or () if lang not in v.LANGS]


def filter_words(values: Mapping[str, str]) -> dict[str, str]:
    """Each filter of the address in a few words, by its name."""
    shapes = {**_RULE_NAMES, **_OTHER_NAMES}
    # Only words of our own are format strings: the name of an unknown filter is whatever a stranger typed.
    return {
        name: shapes[name].format(_shown(value)) if name in shapes else f"{_cut(name)}: {_shown(value)}"
        for name, value in values.items()
    }


def _shown(value: str) -> str:
    return _cut(value.replace(",", ", ").replace("_", " "))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def rule_name(query: ListQuery) -> str:
    """The filters in a few words, at most 80 characters."""
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
