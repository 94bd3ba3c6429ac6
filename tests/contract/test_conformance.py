"""The conformance table keeps to the tests there are."""

from __future__ import annotations

from tests.contract.conformance import ELSEWHERE, HERE, TESTS, checked, ids_of, names_in, sentences
from tests.contract.ruled import RULED


def test_every_test_the_table_names_is_there() -> None:
    for file, name in ELSEWHERE.values():
        assert name in names_in(TESTS / file), (file, name)
    for test in (test for tests in RULED.values() for test in tests):
        ruled_file, _, ruled_name = test.partition("::")
        assert ruled_name in names_in(TESTS / ruled_file), test
    known = sentences()
    assert set(checked()) <= set(known)
    for sentence in (line.split("|")[1].strip() for line in _rows()):
        assert sentence in known


def _rows() -> list[str]:
    lines = (HERE / "README.md").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.startswith("| ") and not line.startswith("| |")]


def test_every_sentence_is_checked_and_the_table_says_where() -> None:
    known = [sentence for sentence in sentences() if not sentence.startswith("## ")]
    tested = checked()
    assert [sentence for sentence in known if sentence not in tested] == []
    assert len(_rows()) == len(known)
    assert not [line for line in _rows() if line.endswith("| – |")]


def test_names_say_which_sentences() -> None:
    assert list(ids_of("test_l_24_x")) == ["L-24"]
    assert list(ids_of("test_d_05_to_d_10_status")) == [f"D-{number:02}" for number in range(5, 11)]
    assert list(ids_of("test_lm_02_lm_03_total")) == ["LM-02", "LM-03"]
    assert list(ids_of("test_anything_else")) == []
