"""Input of lists: a stranger's words are no format strings, and lists in filters are bounded."""

from __future__ import annotations

import pytest

from afterdrop.web.problems import Invalid
from afterdrop.web.schemas.domains import LiveQuery
from afterdrop.web.schemas.patterns import MOST_ITEMS
from afterdrop.web.site.list_query import filter_words
from afterdrop.web.strict_input import read_query


@pytest.mark.parametrize("name", ["{", "}", "{:>1500000000}", "{0.__class__}", "{}{}", "{x}", "%s", "%(x)s"])
def test_the_name_of_an_unknown_filter_is_shown_as_it_is(name: str) -> None:
    assert filter_words({name: "{}", "q": "{0}"}) == {name: f"{name}: {{}}", "q": "“{0}”"}


def test_long_names_and_values_are_cut() -> None:
    [(_, words)] = filter_words({"x" * 5000: "y" * 5000}).items()
    assert len(words) < 300


@pytest.mark.parametrize(
    ("name", "item"), [("tld", "a{}"), ("topic", "Arts"), ("lang", "en"), ("type", "bid")]
)
def test_a_list_in_a_filter_has_at_most_a_hundred_items(name: str, item: str) -> None:
    def asked(count: int) -> bytes:
        return f"{name}={','.join(item.format(n) for n in range(count))}".encode()

    read_query(asked(MOST_ITEMS), LiveQuery)
    with pytest.raises(Invalid) as refused:
        read_query(asked(MOST_ITEMS + 1), LiveQuery)
    assert refused.value.fields == {name: ["should have at most 100 items"]}


def test_an_extension_is_no_longer_than_a_name() -> None:
    for long in ("a." * 30_000 + "a", "ü" * 20_000):
        with pytest.raises(Invalid) as refused:
            read_query(f"tld={long}".encode(), LiveQuery)
        assert list(refused.value.fields or {}) == ["tld"]
