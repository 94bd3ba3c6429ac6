"""`afterdrop init`: as a person types it on a terminal, and as a script runs it without one."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import select
import signal
import stat
import subprocess
import sys
import termios
import time
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from afterdrop.cli import init as command
from afterdrop.core.errors import AfterdropError
from afterdrop.core.settings_file import load
from afterdrop.sandbox import settings_toml, start
from afterdrop.sandbox.feed_server import FEEDS
from afterdrop.sandbox.running import PROVIDERS, RunningSandbox
from tests.support.commands import run_afterdrop

_KEY = "a-key-that-nobody-may-see"
_PASSWORD = "correct horse battery"
# A job in the background ignores SIGINT, and so would what it starts.
_HEEDS_SIGINT = (
    "import os, signal, sys; signal.signal(2, signal.SIG_DFL); os.execvp(sys.argv[1], sys.argv[1:])"
)


def environment(running: RunningSandbox) -> dict[str, str]:
    """Where the sandbox plays the outside world, as variables: `init` itself knows nothing of it."""
    content = tomllib.loads(settings_toml(running))
    asked = ("feeds", "providers", "contact", "audience")
    sections = {name: json.dumps(value) for name, value in content.items() if name not in asked}
    return {f"AFTERDROP_{name.upper()}": value for name, value in sections.items()}


class Terminal:
    """A person at a terminal: waits for words to appear and types."""

    def __init__(self, process: subprocess.Popen[bytes], screen: int) -> None:
        self.process = process
        self._screen = screen
        self.seen = self.log = ""

    def wait_for(self, words: str, seconds: float = 180) -> None:
        """Read what appears until it has `words`. What comes after them is `seen` next, and everything is in `log`."""
        end = time.monotonic() + seconds
        while words not in self.seen:
            chunk = self._read()
            assert chunk is not None and time.monotonic() < end, f"{words!r} is not in:\n{self.seen}"
            self.seen += chunk
        self.seen = self.seen.partition(words)[2]

    def type(self, text: str) -> None:
        """Type a line."""
        os.write(self._screen, text.encode() + b"\n")

    def interrupt(self) -> str:
        """Press Ctrl-C, which the terminal makes a signal of; gives what appears until the command ends.

        A person presses it again where nothing happens: Python drops an interrupt that comes while it destroys an
        object.
        """
        while True:
            os.write(self._screen, b"\x03")
            end = time.monotonic() + 5
            while time.monotonic() < end:
                chunk = self._read()
                if chunk is None:
                    return self.seen
                self.seen += chunk

    def answer(self, question: str, text: str) -> None:
        """Wait for a question and answer it."""
        self.wait_for(question)
        self.type(text)

    def answer_hidden(self, question: str, text: str) -> None:
        """Answer once the terminal does not show any longer what is typed."""
        self.wait_for(question)
        end = time.monotonic() + 180
        while termios.tcgetattr(self._screen)[3] & termios.ECHO:
            assert time.monotonic() < end, "what is typed would be shown"
            time.sleep(0.02)
        self.type(text)

    def rest(self) -> str:
        """What else appears until the command ends."""
        while (chunk := self._read()) is not None:
            self.seen += chunk
        return self.seen

    def _read(self) -> str | None:
        """What appeared within a moment; None once the command has ended."""
        ended = self.process.poll() is not None
        if select.select([self._screen], [], [], 0 if ended else 0.2)[0]:
            chunk = os.read(self._screen, 65536).decode(errors="replace")
            self.log += chunk
            return chunk
        return None if ended else ""


@contextmanager
def terminal(folder: Path, *words: str, **environ: str) -> Iterator[Terminal]:
    """`afterdrop` on a terminal of its own. The shell opens it, so that it is the process's controlling terminal."""
    plain = {key: value for key, value in os.environ.items() if not key.startswith("AFTERDROP_")}
    screen, line = pty.openpty()
    shell = ["sh", "-c", 'exec "$@" <"$TTY" >"$TTY" 2>&1', "sh"]
    process = subprocess.Popen(
        [sys.executable, "-c", _HEEDS_SIGINT, *shell, sys.executable, "-m", "afterdrop", *words],
        cwd=folder, start_new_session=True,
        env={**plain, "TERM": "dumb", "COLUMNS": "200", "TTY": os.ttyname(line), **environ},
    )  # fmt: skip
    try:
        yield Terminal(process, screen)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.wait()
        os.close(line)
        os.close(screen)


@pytest.mark.long
async def test_from_nothing_to_a_printed_list(tmp_path: Path) -> None:
    async with start(1, 120) as running:
        told = await asyncio.to_thread(_person, tmp_path, running.url, environment(running))
    assert "Ready. `afterdrop serve` answers on http://127.0.0.1:8000" in told, told
    [listed] = [line for line in told.splitlines() if "Live list: " in line]
    assert int(listed.split()[-2]) > 3, "the first scan shows no list"
    assert not (tmp_path / "afterdrop.toml.unfinished").exists()
    code, rows = await run_afterdrop(tmp_path, "account", "list", "--json", AFTERDROP_AUDIENCE="team")
    assert code == 0 and json.loads(rows)["operator"] and json.loads(rows)["plan"] == "pro"


def _person(folder: Path, url: str, environ: Mapping[str, str]) -> str:
    """Set the service up with an interruption in the middle; what was on the screen in the second sitting."""
    feeds = [f"{name}={url}{FEEDS[name].path}" for name in ("godaddy_auctions", "sedo_auctions")]
    with terminal(folder, "init", **environ) as first:
        first.answer("or public [team]", "friends")
        first.wait_for("must be team or public")
        first.answer("or public [team]", "")
        first.answer("page about you", "nobody")
        first.wait_for("must be an e-mail address")
        first.answer("page about you", "you@example.org")
        first.answer("reach the site [", "")
        first.answer("Which feeds [", "no_such_feed")
        first.wait_for("is no shipped preset")
        first.answer("Which feeds [", " ".join(feeds))
        first.wait_for("Which providers [")
        assert "it goes on here" in first.interrupt()
    draft = folder / "afterdrop.toml.unfinished"
    assert stat.S_IMODE(draft.stat().st_mode) == 0o600 and not (folder / "afterdrop.toml").exists()
    with terminal(folder, "init", **environ) as second:
        second.wait_for("Going on with the answers")
        second.answer("Which providers [", f"majestic={url}{PROVIDERS['majestic']}")
        second.answer_hidden("MAJESTIC_API_KEY, for majestic", _KEY)
        second.answer("Ask them over WHOIS, politely [Y/n]", "")
        second.wait_for("mail address of your account [you@example.org]")
        written = folder / "afterdrop.toml"
        assert stat.S_IMODE(written.stat().st_mode) == 0o600
        assert _KEY in written.read_text() and _KEY not in draft.read_text()
        assert load({}, written).registry.whois
        second.type("")
        second.answer("Download link ranks [y/N]", "y")
        second.answer_hidden("Password", "short")
        second.answer_hidden("epeat", "short")
        second.answer_hidden("Password", _PASSWORD)
        second.answer_hidden("epeat", _PASSWORD)
        second.rest()
        assert second.process.returncode == 0, second.log
    assert "page about you" not in second.log, "it asks again what was answered"
    assert _KEY not in second.log and _PASSWORD not in second.log
    return second.log


async def test_without_a_terminal_a_contact_must_be_given(tmp_path: Path) -> None:
    code, _ = await run_afterdrop(tmp_path, "init", "--no-ranks")
    assert code == 2 and not (tmp_path / "afterdrop.toml").exists()


def test_options_answer_and_the_rest_is_proposed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NAMESILO_KEY", raising=False)
    monkeypatch.delenv("AFTERDROP_AUDIENCE")
    draft = command._Draft.beside(Path("afterdrop.toml"))
    feeds = ["namesilo_auctions", "own.toml"]
    given = command._Given("public", "https://example.org/about", None, feeds, None, None, None)
    (tmp_path / "own.toml").write_text("format = 'csv'\n")
    with pytest.raises(AfterdropError, match=r"own\.toml"):
        command._answer(draft, replace(given, feeds=["own.toml"]), asks=False)
    own = Path(__file__).parents[3] / "src/afterdrop/feeds/presets/dns_pl.toml"
    (tmp_path / "own.toml").write_bytes(own.read_bytes())
    with pytest.raises(AfterdropError, match="feeds: namesilo_auctions: its licence is for your own use"):
        command._answer(draft, given, asks=False)
    draft.file.unlink()
    answers = command._answer(draft, replace(given, audience=None), asks=False)
    assert (answers.ranks, answers.operator, answers.keys) == (True, "", None)
    assert "NAMESILO_KEY" in capsys.readouterr().err
    settings = load({}, tmp_path / "afterdrop.toml")
    assert (settings.audience, settings.sign_up) == ("team", "invite")
    assert [feed.preset for feed in settings.feeds] == ["namesilo_auctions", str(tmp_path / "own.toml")]
    # A second run keeps the file and what was answered.
    again = command._answer(
        draft, command._Given(None, None, None, None, None, False, "you@b.org"), asks=False
    )
    assert (again.ranks, again.operator) == (True, "")
