"""Who has which turn."""

from __future__ import annotations

import re

import pytest

from tests.gates import turns


def test_turns_cost_the_same_and_nobody_is_forgotten() -> None:
    costs = {f"tests/a.py::test[{number}]": 10.0 / (1 + number) for number in range(400)}
    dealt = turns.deal(costs)
    assert dealt.keys() == costs.keys()
    of_turn = [
        sum(cost for test, cost in costs.items() if dealt[test] == turn) for turn in range(turns.TURNS)
    ]
    assert max(of_turn) - min(of_turn) < 10.0


def test_the_halves_of_a_test_are_two_turns_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "dealt", lambda: {"tests/a.py::test[-x]": 3})
    halves = [f"tests/a.py::test[{database}-x]" for database in ("sqlite", "postgresql")]
    assert [turns.turn_of(half, long=False) for half in halves] == [3, 1]
    assert turns.turn_of("tests/a.py::test_cheap[sqlite]", long=False) is None
    assert turns.turn_of("tests/a.py::test_cheap[sqlite]", long=True) in range(turns.TURNS)


def test_what_changed_last_comes_first_and_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "LATELY", 70.0)
    costs = {"tests/a.py::one": 50.0, "tests/b.py::two": 50.0, "tests/c.py::three": 20.0}
    assert turns.affordable(["tests/b.py::", "tests/a.py::", "tests/c.py::"], costs) == {
        "tests/b.py::two",
        "tests/c.py::three",
    }


@pytest.mark.parametrize("test", turns.FIXED)
def test_a_fixed_test_exists_and_has_no_turn(test: str) -> None:
    file, name = re.fullmatch(r"(.+)::(\w+)(?:\[.*\])?", test).groups()  # type: ignore[union-attr]
    assert f"def {name}(" in (turns.ROOT / file).read_text(encoding="utf-8")
    assert turns.turn_of(test, long=True) is None
