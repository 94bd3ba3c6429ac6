"""For schemathesis: leaves requests out whose names match the patterns, but which no name can have.

Only the tables of IDNA and the list of public suffixes tell these. What a pattern refuses is still sent, to be refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import schemathesis

from afterdrop.core.domain_names import domain_of_url, exact_domain
from afterdrop.core.errors import BadName
from afterdrop.delivery.webhooks.address_rules import address_fault
from afterdrop.sources.dns.answers import lookup_host
from afterdrop.web.api.repeats import HEADER
from afterdrop.web.schemas import patterns
from afterdrop.web.schemas.values import comma_list, extension

Read = Callable[[str], object]


def _address(text: str) -> None:
    if address_fault(text):
        raise ValueError


_EXTENSIONS: Final[tuple[str, Read]] = (
    patterns.EXTENSION_LIST,
    lambda text: [extension(item) for item in text.split(",")],
)
_QUERY: Final[Mapping[str, tuple[str, Read]]] = {
    "tld": _EXTENSIONS,
    "exclude_tld": _EXTENSIONS,
    "domain": (patterns.REGISTRABLE, exact_domain),
    "domains": (patterns.REGISTRABLE_LIST, lambda text: [exact_domain(item) for item in text.split(",")]),
    "host": (patterns.HOST, lookup_host),
    "exclude": (patterns.word_list(20), comma_list),
}
_BODY: Final[Mapping[str, tuple[str, Read]]] = {
    "domain": (patterns.URL_OR_DOMAIN, domain_of_url),
    "domains": (patterns.URL_OR_DOMAIN, domain_of_url),
    "url": (patterns.ADDRESS, _address),
    "tlds": (patterns.EXTENSION, extension),
    "exclude_tlds": (patterns.EXTENSION, extension),
}


def possible(values: Any, names: Mapping[str, tuple[str, Read]]) -> bool:
    """Whether every value that a pattern takes is a name."""
    if not isinstance(values, Mapping):
        return True
    for member, (pattern, read) in names.items():
        value = values.get(member)
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and re.search(pattern, text):
                try:
                    read(text)
                except (BadName, ValueError):
                    return False
    return True


@schemathesis.hook
def filter_query(context: Any, query: Any) -> bool:
    """Whether a query is worth sending."""
    return possible(query, _QUERY)


@schemathesis.hook
def filter_body(context: Any, body: Any) -> bool:
    """Whether a body is worth sending."""
    return possible(body, _BODY)


@schemathesis.hook
def before_load_schema(context: Any, raw_schema: Any) -> None:
    """Leave the key of an order out: another order under a used one is refused. It has tests of its own."""
    for path in raw_schema["paths"].values():
        for operation in path.values():
            kept = [each for each in operation.get("parameters", []) if each.get("name") != HEADER]
            operation["parameters"] = kept
