"""Output of the commands: plain lines for scripts, progress bars and tables on a terminal, and the log.

The log goes to standard error, as text or JSON. Where it is JSON, every line is: also a warning of Python's, and what
ends the service.
"""

from __future__ import annotations

import io
import logging
import os
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Final

import orjson

from afterdrop.core import clock
from afterdrop.core.log_lines import JsonLines, OncePerMinute, TextLines
from afterdrop.core.settings_sections import Log

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID


_TOLD_EVERY: Final = 5
_BEAT: Final = 1.0


def open_streams() -> None:
    """Make the standard streams take whatever the commands print, before anything is opened.

    A closed stream leads to the null device, so that no file gets its number and what is meant for the terminal.
    Characters that the terminal's encoding lacks become question marks.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            setattr(sys, name, open(number, mode, closefd=False))  # noqa: SIM115  # as long as the process lives
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper) and mode == "w":
            stream.reconfigure(errors="replace")


def drawing(*, stderr: bool = False) -> Console:
    """A console for what only a terminal shows. It is made where it is used, as Rich takes long to import."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, soft_wrap=True)


def printable(text: object) -> str:
    """Foreign text (titles, names, errors) without the control characters that a terminal would obey."""
    return "".join(character if character.isprintable() else " " for character in str(text))


def line(text: str) -> None:
    """Print one plain line on standard output."""
    print(printable(text), flush=True)


def note(text: str) -> None:
    """Print one line for a person on standard error."""
    print(printable(text), file=sys.stderr, flush=True)


def json_line(value: object) -> None:
    """Print one JSON value on one line, for scripts."""
    # Column names are a string type of SQLAlchemy's own.
    sys.stdout.write(orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS).decode() + "\n")
    sys.stdout.flush()


def table(headings: Sequence[str], rows: Iterable[Sequence[object]], *, title: str | None = None) -> None:
    """Print a table on a terminal, and tab-separated lines elsewhere, the headings first."""
    if not sys.stdout.isatty():
        for row in (headings, *rows):
            sys.stdout.write("\t".join("" if cell is None else printable(cell) for cell in row) + "\n")
        return
    from rich.table import Table
    from rich.text import Text

    drawn = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        drawn.add_column(heading, overflow="fold")
    for row in rows:
        drawn.add_row(*(Text("" if cell is None else printable(cell)) for cell in row))
    drawing().print(drawn)


@dataclass
class ProgressMeter:
    """Progress of one task: a bar with a rate on a terminal, and a line every five seconds elsewhere."""

    label: str
    progress: Progress | None
    task: TaskID | None
    started: float
    told: float
    done: int = 0
    total: int | None = None

    def show(self, done: int, total: int | None = None, text: str | None = None) -> None:
        """Set how much of the task is done; `text` replaces the label."""
        self.done, self.total = done, total if total is not None else self.total
        self.label = printable(text) if text else self.label
        elapsed = max(clock.monotonic() - self.started, 0.001)
        rate = f"{done / elapsed:,.0f}/s" if done / elapsed >= 10 else f"{done / elapsed:.1f}/s"
        if self.progress is not None and self.task is not None:
            self.progress.update(
                self.task, completed=done, total=self.total, description=self.label, rate=rate
            )
        elif clock.monotonic() - self.told >= _TOLD_EVERY:
            self.told = clock.monotonic()
            note(f"{self.label}: {done:,}{f' of {self.total:,}' if self.total else ''} ({rate})")

    def begin(self, step: str) -> None:
        """Go on with another part of the task."""
        self.show(0, text=step)

    def tell_if_quiet(self) -> None:
        """Say that the task goes on, where it has not said so for long."""
        if clock.monotonic() - self.told >= _TOLD_EVERY:
            self.told = clock.monotonic()
            note(f"{self.label}: {self.told - self.started:.0f} s")


@contextmanager
def _beating(meter: ProgressMeter) -> Iterator[None]:
    """Have the meter say that its task goes on, also while the task shows nothing."""
    over = threading.Event()

    def beat() -> None:
        while not over.wait(_BEAT):
            meter.tell_if_quiet()

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextmanager
def progress_meter(label: str, total: int | None = None) -> Iterator[ProgressMeter]:
    """A progress meter that is drawn while the block runs."""
    start = clock.monotonic()
    if not sys.stderr.isatty():
        meter = ProgressMeter(label, None, None, start, start, total=total)
        with _beating(meter):
            yield meter
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
    )

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=drawing(stderr=True), transient=True) as progress:
        yield ProgressMeter(
            label, progress, progress.add_task(label, total=total, rate=""), start, start, total=total
        )


class StepProgress:
    """Progress of a task with several steps: each has its own meter and shows the time left; files count in MB."""

    def __init__(self) -> None:
        self._step: str | None = None
        self._drawn: AbstractContextManager[ProgressMeter] | None = None
        self._meter: ProgressMeter | None = None
        self._since = 0.0
        self._first = 0

    def __enter__(self) -> StepProgress:
        return self

    def __exit__(self, *about: object) -> None:
        self._end()

    def show(self, step: str, done: int, total: int) -> None:
        """Set how far `step` is; a new step ends the one before."""
        if step != self._step:
            self._end()
            self._step, self._since, self._first = step, clock.monotonic(), done
            self._drawn = progress_meter(step, total)
            self._meter = self._drawn.__enter__()
        if self._meter is None:
            return
        unit, size = (", MB", 10**6) if step.startswith(("downloading", "reading")) else ("", 1)
        self._meter.show(done // size, -(-total // size), f"{step}{unit}{self._left(done, total)}")

    def _left(self, done: int, total: int) -> str:
        passed, fresh = clock.monotonic() - self._since, done - self._first
        if passed < 3 or fresh <= 0 or done >= total:
            return ""
        # What an earlier run downloaded says nothing about the rate of this one.
        minutes, seconds = divmod(round(passed * (total - done) / fresh), 60)
        return f", {minutes}:{seconds:02} left"

    def _end(self) -> None:
        if self._drawn is not None:
            self._drawn.__exit__(None, None, None)
            self._drawn = self._meter = None


def print_rows(headings: Sequence[str], rows: Sequence[Mapping[str, object]], as_json: bool) -> None:
    """Print rows as one JSON object per line, or as a table of their values in their order."""
    for row in rows if as_json else ():
        json_line(row)
    if not as_json:
        table(headings, [list(row.values()) for row in rows])


# Libraries that tell at INFO what only their developers want to know.
_CHATTY = ("alembic", "asyncio", "mcp", "uvicorn")


def set_up_logs(chosen: Log, *, service: bool) -> None:
    """Log as the settings say where `service` is set (`serve` and `worker`), else warnings and errors as text."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines() if service and chosen.format == "json" else TextLines())
    handler.addFilter(OncePerMinute(clock.monotonic))
    level = chosen.level.upper() if service else "WARNING"
    logging.basicConfig(level=level, handlers=[handler])
    logging.captureWarnings(capture=True)
    if in_json():
        sys.excepthook = _last_words
    for name in _CHATTY:
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.getLevelName(level)))


def in_json() -> bool:
    """Whether this command's log is JSON."""
    return any(isinstance(handler.formatter, JsonLines) for handler in logging.getLogger().handlers)


def _last_words(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    logging.getLogger("afterdrop.server").critical("ends unexpectedly", exc_info=(kind, error, trace))
