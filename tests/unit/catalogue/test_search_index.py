"""The index of letters finds what reading every text finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterdrop.catalogue.lists.criteria import CRITERIA
from afterdrop.catalogue.lists.search_index import SearchIndex, fold, label, search_text


def among(index: SearchIndex, q: str, rows: list[bool]) -> list[bool]:
    found: list[bool] = index.containing(q, np.array(rows, dtype=np.bool_)).tolist()
    return found


letters = st.text(alphabet="ab.1- äöß中\n🙂", max_size=6)


@given(st.lists(letters, max_size=30), letters, st.integers(0, 2))
def test_it_finds_what_reading_finds(texts: list[str], q: str, every: int) -> None:
    index = SearchIndex(8)
    index.add(texts)
    rows = [number % (every + 1) == 0 for number in range(len(texts))]
    expected = [asked and q in text and "\n" not in q for text, asked in zip(texts, rows, strict=True)]
    assert among(index, q, rows) == expected
    # A row that is not visible yet is found by nobody.
    assert among(index, q, rows[:-1]) == expected[:-1]


some = st.lists(letters, max_size=20)


@given(some, some, some, letters)
def test_it_is_restored_without_what_was_added_meanwhile(
    texts: list[str], meanwhile: list[str], later: list[str], q: str
) -> None:
    index = SearchIndex(64)
    index.add(texts)
    kept = index.arrays()
    index.add(meanwhile)
    again = SearchIndex.restored({name: array.copy() for name, array in kept.items()}, len(texts))
    again.add(later)
    expected = [q in text and "\n" not in q for text in (*texts, *later)]
    assert among(again, q, [True] * len(expected)) == expected


@pytest.mark.parametrize("q", ["\x00", "\ud800", "a\nb"])
def test_what_no_text_holds_is_found_nowhere(q: str) -> None:
    index = SearchIndex(8)
    index.add(["a\nb", "ab"])
    assert not any(among(index, q, [True, True]))


def test_it_grows_past_its_first_size() -> None:
    index = SearchIndex(8)
    index.add([f"name-{number}" for number in range(1000)])
    found = among(index, "name-99", [True] * 1000)
    assert np.flatnonzero(found).tolist() == [99, *range(990, 1000)]


names = st.text(alphabet="abé-1", min_size=1, max_size=6).map(lambda name: f"{name}.co.uk")


@given(st.lists(names, max_size=30), st.text(alphabet="abé-1", max_size=3), st.booleans())
def test_it_finds_how_labels_begin_and_end(domains: list[str], part: str, at_end: bool) -> None:
    index = SearchIndex(8)
    index.add([search_text(name, "An old title") for name in domains])
    found = index.with_affix(part, np.ones(len(domains), dtype=np.bool_), at_end=at_end).tolist()
    test = str.endswith if at_end else str.startswith
    assert found == [test(label(name), part) for name in domains]


@pytest.mark.parametrize(
    ("q", "title"),
    [
        ("al\u00adpine", "Alpine huts"),
        ("alpine", "Al\u00adpine huts"),
        ("alpine\u200b", "Alpine\u200b huts"),
        ("\ufeffalpine", "alpine"),
        ("\u200ealpine\u200f", "alpine"),
        ("al\u2060pine", "ALPINE"),
        ("İstanbul", "istanbul otelleri"),
        ("istanbul", "İSTANBUL OTELLERİ"),
        ("i̇stanbul", "Istanbul hotels"),
        ("DİYARBAKIR", "diyarbakir"),
    ],
)
def test_what_is_not_seen_and_a_dotted_capital_change_no_search(q: str, title: str) -> None:
    assert fold(q) in search_text("a.com", title)


def test_a_search_for_what_is_not_seen_is_none() -> None:
    assert CRITERIA["q"].fold("\u00ad\u200b") is None
    assert CRITERIA["q"].fold("\u200b huts \u200b") == {"huts"}
