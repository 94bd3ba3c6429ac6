"""The batch commands: one JSON line per file or line, in order, whatever comes."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from afterdrop.cli.review_pages import MANY_FILES, UnreadableFile, review_pages, review_text

KEYS = {"file", "verdict", "category", "kind", "provider", "language", "title", "topic", "evidence", "notes"}


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """A clean page, a spam page and an empty file."""
    pages = {
        "clean.html": "<title>Reading room</title><p>The reading room opens at nine in the morning.</p>",
        "spam.html": "<title>Best online casinos</title><p>No deposit bonus codes and free spins no deposit. "
        "Wagering requirements apply. Play slots online.</p>",
        "empty.html": "",
    }
    for name, text in pages.items():
        (tmp_path / name).write_text(text)
    return [tmp_path / name for name in pages]


def test_one_line_per_file(files: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    review_pages(files, json=True)
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["file"] for row in rows] == [str(path) for path in files]
    assert [row["verdict"] for row in rows] == ["clean", "spam", "error"]
    assert all(set(row) == KEYS for row in rows)
    assert rows[1]["category"] == "gambling"
    assert {"code", "category", "zone", "quote"} <= set(rows[1]["evidence"][0])
    assert rows[1]["evidence"][0]["quote"] in files[1].read_text()
    assert rows[2]["notes"] == ["the body is empty"]


def test_an_unreadable_path_is_named(files: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    missing = files[0].with_name("missing.html")
    with pytest.raises(UnreadableFile, match="1 of 2 files"):
        review_pages([missing, files[0]], json=True)
    shown = capsys.readouterr()
    rows = [json.loads(line) for line in shown.out.splitlines()]
    assert [row["verdict"] for row in rows] == ["error", "clean"]
    assert "No such file" in rows[0]["notes"][0]
    assert str(missing) in shown.err
    with pytest.raises(UnreadableFile):
        review_pages([missing])


def test_many_files_are_read_side_by_side_and_told_in_order(
    files: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    missing = files[0].with_name("missing.html")
    named = [*files, missing] * (MANY_FILES // 4)
    with pytest.raises(UnreadableFile, match="10 of 40 files"):
        review_pages(named, json=True)
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["file"] for row in rows] == [str(path) for path in named]
    assert [row["verdict"] for row in rows] == ["clean", "spam", "error", "error"] * (MANY_FILES // 4)
    assert rows[3]["notes"] == ["the file cannot be read: No such file or directory"]


def test_plain_output_shows_verdict_and_evidence(
    files: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    review_pages(files)
    out = capsys.readouterr().out
    assert "spam gambling [en] Best online casinos" in out
    assert "title: “" in out
    assert "note: the body is empty" in out


def test_texts_line_by_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        json.dumps({"text": "The football team won the championship match in the stadium"}),
        "",
        "not json",
        json.dumps({"text": 5}),
        json.dumps(["text"]),
        json.dumps({"text": ""}),
    ]
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(lines)))
    review_text(json=True)
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert rows[0] == {"language": "en", "topic": "Sports"}
    assert [row.get("error") for row in rows[1:]] == [
        'line 3 is not an object with a string "text"',
        'line 4 is not an object with a string "text"',
        'line 5 is not an object with a string "text"',
        None,
    ]
    assert rows[4] == {"language": None, "topic": None}


def test_texts_as_plain_lines(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO('{"text": "Wo ist der Bahnhof, bitte?"}\n'))
    review_text()
    assert capsys.readouterr().out.split() == ["de", "-", "-"]
