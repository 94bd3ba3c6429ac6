"""Whatever the terminal is: its encoding lacks characters, it is closed, or nobody reads to the end."""

from __future__ import annotations

import subprocess
import sys
from itertools import cycle
from pathlib import Path

import pytest

from tests.support import plain_environment

FEED = """
name = "lots"
title = "Lots"
home = "https://market.example/"
path = "lots.csv"
format = "csv"
licence = "own_use"
complete = true
zone = "UTC"

[fields]
domain = "Domain"
type = { const = "auction" }
price = { from = "Price", convert = ["money"] }
currency = "Currency"
"""
COMMANDS = {
    "--help": 0,
    "feeds try lots.toml": 0,
    "feeds list": 0,
    "version": 0,
    "feeds try \N{WHITE CHESS KING}.toml": 2,
    "status": 2,
    "no-such-command": 2,
}
# Each start takes a second: commands go in turn with what they meet.
ENCODINGS = ("latin-1", "ascii", "cp1252")
CLOSED = (">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-")


def shell(
    folder: Path, command: str, redirected: str = "", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """One command as a shell runs it."""
    plain = plain_environment(("AFTERDROP_", "PYTHONIO")) | {"AFTERDROP_AUDIENCE": "team"}
    (folder / "lots.toml").write_text(FEED, encoding="utf-8")
    (folder / "lots.csv").write_text("Domain,Price,Currency\nmill.org,5,Kč ♔\n" * 3_000, encoding="utf-8")
    line = f"{sys.executable} -m afterdrop {command} {redirected}"
    return subprocess.run(
        ["sh", "-c", line], cwd=folder, env={**plain, **environment}, capture_output=True, timeout=300
    )


@pytest.mark.parametrize(
    ("command", "encoding"),
    [
        *zip(COMMANDS, cycle(ENCODINGS), strict=False),
        ("feeds try lots.toml", "latin-1"),
        ("feeds try lots.toml", "cp1252"),
    ],
)
def test_what_an_encoding_lacks_is_a_question_mark(tmp_path: Path, command: str, encoding: str) -> None:
    done = shell(tmp_path, command, PYTHONIOENCODING=encoding)
    assert (done.returncode, b"Traceback" in done.stderr) == (COMMANDS[command], False)
    assert (done.stdout + done.stderr).decode(encoding)
    if command.startswith("feeds try lots"):
        assert b"\tK? ?\t" in done.stdout if encoding != "cp1252" else b" ?\t" in done.stdout
    if "CHESS" in command:
        assert b"afterdrop: ?.toml: cannot be read" in done.stderr


@pytest.mark.parametrize(("command", "closed"), [*zip(COMMANDS, cycle(CLOSED), strict=False)])
def test_a_closed_stream_changes_nothing(tmp_path: Path, command: str, closed: str) -> None:
    done = shell(tmp_path, command, closed)
    assert (done.returncode, b"Traceback" in done.stderr + done.stdout) == (COMMANDS[command], False)


@pytest.mark.parametrize("command", ["--help", "feeds try lots.toml"])
def test_a_reader_may_leave(tmp_path: Path, command: str) -> None:
    done = shell(tmp_path, command, "| head -n 1")
    assert (done.returncode, b"Traceback" in done.stderr, b"Exception" in done.stderr) == (0, False, False)
