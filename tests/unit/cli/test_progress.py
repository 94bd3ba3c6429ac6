"""A meter that is not drawn says in lines that its task goes on, at most every five seconds."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from afterdrop.cli import console
from afterdrop.core import clock


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The lines that a person sees."""
    lines: list[str] = []
    monkeypatch.setattr(console, "note", lines.append)
    return lines


def seconds(monkeypatch: pytest.MonkeyPatch, *moments: float) -> None:
    passed: Iterator[float] = iter(moments)
    monkeypatch.setattr(clock, "monotonic", lambda: next(passed))


def test_a_quiet_task_says_after_five_seconds_how_long_it_takes(
    monkeypatch: pytest.MonkeyPatch, told: list[str]
) -> None:
    meter = console.ProgressMeter("asking the registries", None, None, started=0, told=0)
    seconds(monkeypatch, 4.9, 5.0, 5.0, 6.0, 10.1, 10.1)
    for _ in range(4):
        meter.tell_if_quiet()
    assert told == ["asking the registries: 5 s", "asking the registries: 10 s"]


def test_a_task_that_shows_its_progress_is_not_told_twice(
    monkeypatch: pytest.MonkeyPatch, told: list[str]
) -> None:
    meter = console.ProgressMeter("reviews", None, None, started=0, told=0)
    seconds(monkeypatch, 6.0, 6.0, 6.0, 8.0)
    meter.show(12, 450)
    meter.tell_if_quiet()
    assert told == ["reviews: 12 of 450 (2.0/s)"]


def test_the_lines_come_while_the_block_runs_and_end_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    said, lines = threading.Event(), []

    def note(text: str) -> None:
        lines.append(text)
        said.set()

    monkeypatch.setattr(console, "note", note)
    monkeypatch.setattr(console, "_BEAT", 0.001)
    monkeypatch.setattr(console, "_TOLD_EVERY", 0)
    with console.progress_meter("starting the service"):
        assert said.wait(60)
    assert lines[0] == "starting the service: 0 s"
    said.clear()
    assert not said.wait(0.05)
