"""`afterdrop review-pages` and `review-text`: the page reader over files and lines, for scripts and measurements."""

from __future__ import annotations

import asyncio
import os
import sys
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import orjson
import typer

from afterdrop.cli import console
from afterdrop.core.errors import AfterdropError

if TYPE_CHECKING:
    from afterdrop.review.page.reading import PageReading


# From this number of files on, starting a reading process for every core saves time.
MANY_FILES = 40
# No page is larger; the reader itself reads the first 1.5 MB.
FILE_BYTES = 64_000_000
_AHEAD = 8


class UnreadableFile(AfterdropError):
    """A path given on the command line cannot be read."""


def review_pages(
    files: Annotated[list[Path], typer.Argument(help="HTML files.")],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object per file.")] = False,
) -> None:
    """Read archived HTML files and say what each is: spam, suspect, parked, error or clean, with its evidence.

    With --json, one line per file in the order given: {"file", "verdict", "category", "language", "title", "topic",
    "evidence": [...]}. A file that is not a page gets the verdict "error" and a note. A path that cannot be
    read gets a line with "error" too, and the command exits with code 2. Many files are read by as many processes as
    there are cores; a page that takes a minute or kills its process is also an error.
    """
    if len(files) < MANY_FILES:
        failed = sum(_tell(path, _attempt(path), json) for path in files)
    else:
        failed = asyncio.run(_side_by_side(files, json))
    if failed:
        raise UnreadableFile("review-pages", f"{failed} of {len(files)} files could not be read")


def read_file(path: Path) -> PageReading:
    """The reading of one file of HTML. Raises OSError."""
    from afterdrop.review.page.reader import read_page
    from afterdrop.review.page.subjects import nearest_topic

    with path.open("rb") as file:
        return read_page(file.read(FILE_BYTES), url="", nearest=nearest_topic())


def _attempt(path: Path) -> PageReading | str:
    """The reading of a file, or why it cannot be read."""
    try:
        return read_file(path)
    except OSError as error:
        return error.strerror or str(error)


async def _side_by_side(files: Sequence[Path], json: bool) -> int:
    """Print the reading of each file in the order given, with one process a core; returns how many were unreadable."""
    from afterdrop.review.page.pool import PagePool, PageUnread

    failed = 0
    ahead: deque[tuple[Path, asyncio.Task[PageReading | str]]] = deque()
    waiting = iter(files)
    cores = os.cpu_count() or 1
    async with PagePool(cores) as pages:

        async def attempt(path: Path) -> PageReading | str:
            try:
                return await pages.run(_attempt, path, subject=str(path))
            except PageUnread as error:
                return error.message

        while True:
            while len(ahead) < cores * _AHEAD and (path := next(waiting, None)) is not None:
                ahead.append((path, asyncio.create_task(attempt(path))))
            if not ahead:
                return failed
            path, reading = ahead.popleft()
            failed += _tell(path, await reading, json)


def _tell(path: Path, reading: PageReading | str, json: bool) -> bool:
    """Print one reading; returns True when the file could not be read."""
    if isinstance(reading, str):
        _unread(path, reading, json)
        return True
    if json:
        console.json_line(as_json(str(path), reading))
    else:
        _show(path, reading)
    return False


def review_text(
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")] = False,
) -> None:
    """Read lines of {"text": …} on standard input; print {"language", "topic"} for each, in order.

    A line that is not such an object gets nulls and an "error"; the command continues.
    """
    for answer in read_texts(sys.stdin):
        if json:
            sys.stdout.write(orjson.dumps(answer).decode() + "\n")
        else:
            console.line("\t".join(str(answer.get(key) or "-") for key in ("language", "topic", "error")))
    sys.stdout.flush()


def read_texts(lines: TextIO | Iterable[str]) -> Iterator[dict[str, Any]]:
    """The result for each line that is not blank."""
    from afterdrop.review.page.language import detect_language
    from afterdrop.review.page.subjects import nearest_topic
    from afterdrop.review.page.topics import topic_of_text

    nearest = nearest_topic()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            text = orjson.loads(line)["text"]
        except (orjson.JSONDecodeError, KeyError, TypeError):
            text = None
        if not isinstance(text, str):
            yield {
                "language": None,
                "topic": None,
                "error": f'line {number} is not an object with a string "text"',
            }
            continue
        language = detect_language(text).language
        yield {"language": language, "topic": topic_of_text(text, language, nearest)}


def as_json(file: str, reading: PageReading) -> dict[str, Any]:
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
