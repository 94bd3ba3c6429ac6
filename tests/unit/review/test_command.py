"""`bench.pages` and `bench.text`: one JSON line per file or line, in order, whatever comes."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from bench.measured import table
from bench.pages import MANY_FILES, UnreadableFile, UnreadableLabels, review_pages
from bench.text import review_text

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


def labelled(folder: Path, *rows: dict[str, str]) -> Path:
    """A file of labels."""
    path = folder / "labels.jsonl"
    path.write_text("\n".join([*map(json.dumps, rows), "", ""]))
    return path


def test_labels_make_a_table_of_how_often_the_review_agrees(
    files: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    lander = files[0].with_name("lander.html")
    lander.write_text("<title>old.example is for sale</title><p>Buy this domain.</p>")
    rows = [
        {"file": "clean.html", "label": "legit"},
        {"file": "spam.html", "label": "spam", "group": "a"},
        {"file": "clean.html", "label": "spam", "group": "a"},
        {"file": "spam.html", "label": "spam", "group": "b"},
        {"file": "lander.html", "label": "parked"},
    ]
    review_pages(labels=labelled(files[0].parent, *rows))
    shown = dict(
        line.split("  ", 1) for line in capsys.readouterr().out.replace("  with", " with").splitlines()
    )
    told = {name: figure.strip() for name, figure in shown.items()}
    assert told["honest pages called spam or parked"].startswith("0 of 1  0.0%")
    assert told["spam pages called spam"].startswith("2 of 3  66.7%  [20.8%, 93.9%]")
    assert told["spam, mean over sites, called spam"] == "0.750 over 2"
    assert told["parked pages called parked"].startswith("1 of 1")


def test_a_table_has_the_labels_that_occur(files: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    for row, lines in (("legit", 2), ("spam", 4), ("parked", 1)):
        review_pages(labels=labelled(files[0].parent, {"file": "clean.html", "label": row}))
        assert len(capsys.readouterr().out.splitlines()) == lines
    assert list(table([])) == []


def test_labels_that_are_none_are_named(files: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    folder = files[0].parent
    with pytest.raises(UnreadableLabels, match="line 1: the label 'good' is none of legit, parked, spam"):
        review_pages(labels=labelled(folder, {"file": "clean.html", "label": "good"}))
    with pytest.raises(UnreadableLabels, match='line 1 has no "file" and "label"'):
        review_pages(labels=labelled(folder, {"file": "clean.html"}))
    with pytest.raises(UnreadableLabels, match="No such file"):
        review_pages(labels=folder / "none.jsonl")
    with pytest.raises(UnreadableFile, match="1 of 2 files"):
        review_pages(
            labels=labelled(
                folder, {"file": "none.html", "label": "legit"}, {"file": "clean.html", "label": "legit"}
            )
        )
    shown = capsys.readouterr()
    assert "none.html: cannot be read" in shown.err
    assert "0 of 1" in shown.out
