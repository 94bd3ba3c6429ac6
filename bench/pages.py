"""Archived HTML files judged one by one, for those who change the rules of pages.

python -m bench.pages [--json] FILE…
python -m bench.pages --labels FILE
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

import orjson
import typer
from bench.commands import run
from bench.measured import LABELS, Judged, Label, table

from afterdrop.cli import console
from afterdrop.core.errors import AfterdropError
from afterdrop.review.page.pool import PagePool, PageUnread, ReadingDied
from afterdrop.review.page.reader import read_page
from afterdrop.review.page.values import PageReading

# Told of a reading, or of why a file cannot be read; answers whether that was so.
Tell = Callable[[Path, PageReading | str], bool]
# From this number of files on, starting a reading process for every core saves time.
MANY_FILES = 40
# No page is larger; the reader itself reads the first 1.5 MB.
FILE_BYTES = 64_000_000
_AHEAD = 8


class UnreadableFile(AfterdropError):
    """A path given on the command line cannot be read."""


class UnreadableLabels(AfterdropError):
    """A file of labels has a line that is none."""


def review_pages(
    files: Annotated[list[Path] | None, typer.Argument(help="HTML files.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object per file.")] = False,
    labels: Annotated[
        Path | None, typer.Option(help="Labelled pages: print how often the review agrees.")
    ] = None,
) -> None:
    """Read archived HTML files and say what each is: spam, suspect, parked, error or clean, with its evidence.

    With --json, one line per file in the order given: {"file", "verdict", "category", "language", "title", "topic",
    "evidence": [...]}. A file that is not a page gets the verdict "error" and a note. A path that cannot be
    read gets a line with "error" too, and the command exits with code 2. Many files are read by as many processes as
    there are cores; a page that takes a minute or kills its process is also an error.

    With --labels, a table of shares with their 95% intervals instead. The file has one JSON object per line: {"file",
    "label"} with the label legit, spam or parked, the path relative to the file of labels, and, where several pages
    are of one site, its name as "group".
    """
    if labels is not None:
        _measure(labels)
        return
    chosen = files or []
    failed = _read_all(chosen, lambda path, reading: _tell(path, reading, json))
    if failed:
        raise UnreadableFile("review-pages", f"{failed} of {len(chosen)} files could not be read")


def _read_all(files: Sequence[Path], tell: Tell) -> int:
    """Hand each file's reading to `tell` in the order given; returns how many could not be read."""
    if len(files) < MANY_FILES:
        return sum(tell(path, _attempt(path)) for path in files)
    return asyncio.run(_side_by_side(files, tell))


def _measure(labels: Path) -> None:
    """Print how often verdicts agree with labels."""
    rows = list(_labelled(labels))
    judged: list[Judged] = []
    waiting = iter(rows)

    def tell(path: Path, reading: PageReading | str) -> bool:
        label, group = next(waiting)[1:]
        if isinstance(reading, str):
            console.note(f"{path}: cannot be read: {reading}")
            return True
        judged.append(Judged(label, group, reading.verdict))
        return False

    failed = _read_all([path for path, _, _ in rows], tell)
    for line in table(judged):
        console.line(line)
    if failed:
        raise UnreadableFile("review-pages", f"{failed} of {len(rows)} files could not be read")


def _labelled(labels: Path) -> Iterator[tuple[Path, Label, str]]:
    """The path, label and group of each line. Raises UnreadableLabels."""
    try:
        lines = labels.read_bytes().splitlines()
    except OSError as error:
        raise UnreadableLabels("review-pages", f"{labels}: {error.strerror or error}") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = orjson.loads(line)
            file, label = str(row["file"]), row["label"]
            group = str(row.get("group") or file)
        except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError):
            raise UnreadableLabels("review-pages", f'line {number} has no "file" and "label"') from None
        if label not in LABELS:
            known = ", ".join(sorted(LABELS))
            raise UnreadableLabels(
                "review-pages", f"line {number}: the label {label!r} is none of {known}"
            ) from None
        yield labels.parent / file, label, group


def read_file(path: Path) -> PageReading:
    """The reading of one file of HTML. Raises OSError."""
    with path.open("rb") as file:
        return read_page(file.read(FILE_BYTES), url="")


def _attempt(path: Path) -> PageReading | str:
    """The reading of a file, or why it cannot be read."""
    try:
        return read_file(path)
    except OSError as error:
        return error.strerror or str(error)


async def _side_by_side(files: Sequence[Path], tell: Tell) -> int:
    """The same with one process a core."""
    failed = 0
    ahead: deque[tuple[Path, asyncio.Task[PageReading | str]]] = deque()
    waiting = iter(files)
    cores = os.cpu_count() or 1
    async with PagePool(cores) as pages:

        async def attempt(path: Path) -> PageReading | str:
            try:
                return await pages.run(_attempt, path, subject=str(path))
            except (PageUnread, ReadingDied) as error:
                return error.message

        while True:
            while len(ahead) < cores * _AHEAD and (path := next(waiting, None)) is not None:
                ahead.append((path, asyncio.create_task(attempt(path))))
            if not ahead:
                return failed
            path, reading = ahead.popleft()
            failed += tell(path, await reading)


def _tell(path: Path, reading: PageReading | str, json: bool) -> bool:
    """Print one reading; returns True when the file could not be read."""
    if isinstance(reading, str):
        _unread(path, reading, json)
        return True
    if json:
        console.json_line(page_json(str(path), reading))
    else:
        _show(path, reading)
    return False


def page_json(file: str, reading: PageReading) -> dict[str, object]:
    """One reading as `review-pages --json` prints it."""
    return {
        "file": file,
        "verdict": reading.verdict,
        "category": reading.category,
        "kind": reading.parked_kind or reading.error_kind,
        "provider": reading.provider,
        "language": reading.language,
        "title": reading.title,
        "topic": reading.topic,
        "evidence": [
            {
                "code": item.code,
                "category": item.category,
                "severity": item.severity,
                "zone": item.zone,
                "quote": item.quote,
                "rule": item.rule,
                "lexicon": item.lexicon,
            }
            for item in reading.evidence
        ],
        "notes": list(reading.notes),
    }


def _unread(path: Path, why: str, json: bool) -> None:
    if json:
        blank = dict.fromkeys(("category", "kind", "provider", "language", "title", "topic"))
        note = f"the file cannot be read: {why}"
        console.json_line({"file": str(path), "verdict": "error", **blank, "evidence": [], "notes": [note]})
    console.note(f"{path}: cannot be read: {why}")


def _show(path: Path, reading: PageReading) -> None:
    kind = reading.category or reading.parked_kind or reading.error_kind or ""
    console.line(f"{path}: {reading.verdict} {kind} [{reading.language or '?'}] {reading.title or ''}")
    for item, count in Counter((e.zone, e.quote, e.rule) for e in reading.evidence).items():
        console.line(f"    {item[0]}: “{item[1]}” ({item[2]}){f' ×{count}' if count > 1 else ''}")
    for note in reading.notes:
        console.line(f"    note: {note}")


if __name__ == "__main__":
    run(review_pages)
