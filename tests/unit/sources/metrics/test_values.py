"""Reading what a vendor wrote as a value of a role."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterdrop.sources.metrics.model import ROLES, Role
from afterdrop.sources.metrics.values import TOPICS, read_value, shown

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=20), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("role", "raw", "value"),
    [
        ("domain_rating", 46.0, 46),
        ("domain_rating", "45.5", 46),
        ("trust_flow", "12", 12),
        ("trust_flow", 0, 0),
        ("referring_domains", "1,234", 1234),
        ("backlinks", 3.0, 3),
        ("vendor_d_pagerank", "3.456", 3.46),
        ("link_rank", 25, 25.0),
        ("domain_rating", -1, None),
        ("domain_rating", " - ", None),
        ("domain_rating", "", None),
        ("topic", None, None),
        ("topic", "Society/Government", "Society"),
        ("topic", "arts", "Arts"),
        ("topic", "World/Deutsch", None),
        ("top_referring_domains", "A.com, b.org,,bad host", ["a.com", "b.org"]),
        ("top_referring_domains", ["a.com", "A.COM", 7], ["a.com"]),
        ("top_referring_domains", [], []),
        (
            "anchors",
            [{"text": " x\u202e\ny ", "referring_domains": "3"}, {"text": "z"}, "q"],
            [{"text": "x y", "referring_domains": 3}],
        ),
        (
            "topical_trust_flow",
            [{"topic": "Arts/Music", "trust_flow": 12.5}, {"topic": "", "trust_flow": 0}],
            [{"topic": "Arts/Music", "trust_flow": 13}],
        ),
        ("topical_trust_flow", [{"topic": "", "trust_flow": ""}, {"topic": None, "trust_flow": 0}], []),
        ("top_referring_domains", ["", None], []),
    ],
)
def test_values(role: Role, raw: object, value: Any) -> None:
    assert read_value(role, raw) == (value, None)


@pytest.mark.parametrize(
    ("role", "raw", "note"),
    [
        ("domain_rating", "abc", "domain_rating: 'abc' is not a number"),
        ("domain_rating", True, "domain_rating: True is not a number"),
        ("domain_rating", float("nan"), "domain_rating: nan is not a number"),
        ("domain_rating", {"x": 1}, "domain_rating: {'x': 1} is not a number"),
        ("domain_rating", 101, "domain_rating: 101 is beyond 100"),
        ("backlinks", 10**13, "backlinks: 10000000000000 is beyond 1,000,000,000,000"),
        ("referring_domains", 3.4, "referring_domains: 3.4 is not a whole number"),
        ("topic", 3, "topic: 3 is not a text"),
        ("anchors", "text", "anchors: 'text' is not a list"),
        (
            "anchors",
            [{"text": "a", "referring_domains": -2}],
            "anchors: none of its 1 items is well-formed",
        ),
        (
            "topical_trust_flow",
            [{"topic": "Arts", "trust_flow": 300}, 5],
            "topical_trust_flow: none of its 2 items is well-formed",
        ),
    ],
)
def test_wrong_values_say_why(role: Role, raw: object, note: str) -> None:
    assert read_value(role, raw) == (None, note)


def test_lists_are_capped() -> None:
    value, note = read_value("top_referring_domains", [f"d{n}.com" for n in range(250)])
    assert isinstance(value, list) and len(value) == 100 and note is None


def test_foreign_text_in_a_note_is_short_and_printable() -> None:
    text = shown("a\x00\u202eb" + "c" * 5000)
    assert len(text) <= 62 and text.isprintable()
    assert len(shown([["x" * 500] * 50] * 50)) <= 63


@given(role=st.sampled_from(ROLES), raw=JSON)
def test_no_input_raises_and_scales_hold(role: Role, raw: object) -> None:
    value, note = read_value(role, raw)
    assert value is None or note is None
    if isinstance(value, int | float):
        assert 0 <= value <= 10**12
    if role == "topic" and value is not None:
        assert value in TOPICS
