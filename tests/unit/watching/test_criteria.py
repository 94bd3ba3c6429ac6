"""Alert rules as a whole; tests/integration/catalogue/test_criteria_property.py looks at each of their members."""

from __future__ import annotations

from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from afterdrop.catalogue.lists.filters import ListFilter
from afterdrop.watching.criteria import as_filter, matches

DOMAIN: dict[str, Any] = dict(
    score=60, dr=20, tf=10, ref_domains=50, years=9, price=100, tld="com",
    type="bid", topic="Arts", language="de", clean=True, text="xn--bcher-kva.de\nbücher.de\nalte bücher kaufen",
)  # fmt: skip


@given(
    st.dictionaries(st.sampled_from(["min_score", "min_dr", "max_price"]), st.integers(0, 200), max_size=3)
)
def test_a_rule_matches_when_each_of_its_restrictions_does(criteria: dict[str, Any]) -> None:
    assert matches(criteria, DOMAIN) == all(
        matches({name: bound}, DOMAIN) for name, bound in criteria.items()
    )


def test_a_rule_is_the_filter_of_a_list() -> None:
    criteria = cast(Any, {"min_score": 60, "tlds": ["com"], "max_price": None, "keywords": []})
    assert as_filter(criteria) == ListFilter.of(min_score=60, tld=["com"])
