"""`afterdrop review`, `review-pages`, `review-text`: a review with its evidence; the page reader for scripts."""

from __future__ import annotations

import asyncio
import os
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import orjson
import typer

from afterdrop.cli import console
from afterdrop.cli.bootstrap import load_settings, worker_context
from afterdrop.core import clock
from afterdrop.core.errors import AfterdropError

if TYPE_CHECKING:
    from afterdrop.core.settings import Settings
    from afterdrop.review.flags.trademarks import Marks
    from afterdrop.review.history.domain_history import History
    from afterdrop.review.measured import Label
    from afterdrop.review.page.reading import PageReading
    from afterdrop.scoring.judge import Judgement

    # Told of a reading, or of why a file cannot be read; answers whether that was so.
    Tell = Callable[[Path, PageReading | str], bool]
# A file costs no requests, so more captures are read from it than from the live archive.
FILE_CAPTURES = 16
# A target with such an ending is a file, also when the file is missing, and never a domain.
_FILE_ENDINGS = (".warc", ".warc.gz", ".arc", ".arc.gz")
_KINDS = {
    "site": "the site itself",
    "suspect": "suspect",
    "spam": "SPAM",
    "parked": "parked",
    "error": "an error page",
    "redirect": "a redirect",
    "failed": "not readable",
}


def review(
    target: Annotated[str, typer.Argument(help="A domain, or a WARC or ARC file (plain or gzipped).")],
    json: Annotated[bool, typer.Option("--json", help="Print the full result as one JSON object.")] = False,
    domain: Annotated[
        str | None, typer.Option(help="Which of the file's domains; by default the one with the most pages.")
    ] = None,
) -> None:
    """Review the history of one domain in the web archive or in a local archive file."""
    path = Path(target)
    settings = load_settings()
    local = path.is_file() or path.name.lower().endswith(_FILE_ENDINGS)
    history, others = asyncio.run(_file(path, domain, settings) if local else _live(target, settings))
    judgement = judged(history)
    if json:
        console.json_line({**as_json(judgement), "other_domains": others})
        return
    show(judgement)
    if others:
        names = ", ".join(f"{name} ({count})" for name, count in list(others.items())[:8])
        console.line(f"Other domains in the file (pages): {names}. Choose one with --domain.")


async def _live(target: str, settings: Settings) -> tuple[History, dict[str, int]]:
    from afterdrop.core.domain_names import domain_of_url
    from afterdrop.review.run import review_domain

    name = domain_of_url(target.strip(), settings.scan.sale_zones)
    async with worker_context(settings, missing="temporary") as context:
        reviewed = await review_domain(
            context.archives.of(),
            context.pages.read,
            name,
            context.now(),
            listing_url=f"{settings.archive.public_url}/*/{name}",
            marks=own_marks(settings),
        )
    return reviewed.history, {}


async def _file(path: Path, domain: str | None, settings: Settings) -> tuple[History, dict[str, int]]:
    from afterdrop.review.page.pool import PagePool
    from afterdrop.review.run import review_domain
    from afterdrop.sources.archive.capture_file import CaptureFileError, open_captures

    captures = open_captures(path, settings.archive.public_url)
    name = domain.lower() if domain else captures.domains.most_common(1)[0][0]
    if name not in captures.domains:
        listed = ", ".join(list(captures.domains)[:8])
        raise CaptureFileError(str(path), f"has no page of {name}; it has {listed}")
    async with PagePool(settings.scan.page_processes) as pages:
        reviewed = await review_domain(
            captures, pages.read, name, clock.now(), most=FILE_CAPTURES, marks=own_marks(settings)
        )
    damage = tuple(f"{count} times in the file: {what}." for what, count in captures.faults.items())
    others = {other: count for other, count in captures.domains.most_common() if other != name}
    return reviewed.history.with_notes(damage), others


def own_marks(settings: Settings) -> Marks | None:
    """The shipped trade marks with the operator's own; None when the operator has none."""
    from afterdrop.review.flags.trademarks import famous_marks

    return famous_marks().plus(settings.review.marks) if settings.review.marks else None


def judged(history: History) -> Judgement:
    """What the history alone comes to: link metrics and price are unknown here."""
    from afterdrop.scoring.judge import judge
    from afterdrop.sources.metrics.model import NOTHING_KNOWN

    return judge(history, NOTHING_KNOWN, None, history.reviewed_at)


def as_json(judgement: Judgement) -> dict[str, object]:
    """The result for scripts: first the verdict, then everything on which it rests.

    `verdict` is `unknown` where no page could be read, or none but error pages.
    """
    history, concluded = judgement.history, judgement.history_concludes
    verdicts = {"rejected": "spam", "unknown": "unknown", "unread": "unknown"}
    return {
        "domain": history.domain,
        "verdict": "unknown" if history.errors_only else verdicts.get(concluded, judgement.verdict),
        "conclusion": concluded,
        "rejected": judgement.spam,
        "flags": judgement.flags,
        **{key: value for key, value in history.to_dict().items() if key != "domain"},
        "risk_checks": [check.to_dict() for check in judgement.checks],
    }


def show(judgement: Judgement) -> None:
    """Print the timeline for a person."""
    from afterdrop.scoring.conclusion import VERDICTS, level

    history = judgement.history
    words = VERDICTS[judgement.history_concludes]
    console.line(f"{history.domain}: {words.word}. {words.sentence} (Judged by its history alone.)")
    for reason in history.reasons:
        console.line(f"  {reason}")
    console.line(
        f"{history.archive_years or 0} years with captures ({history.first_year or '–'} to"
        f" {history.last_year or '–'}), {history.captures:,} captures of {history.archived_urls or 0:,} addresses;"
        f" language {history.language or 'unknown'}, topic {history.topic or 'unknown'} (estimated)"
    )
    console.table(
        ("from", "to", "what was there", "lang", "title", "see"),
        [
            (
                era.start.date(),
                era.end.date(),
                _KINDS[era.kind] + (f" ({era.detail})" if era.detail else ""),
                era.language,
                (era.title or "")[:50],
                era.url,
            )
            for era in history.eras
        ],
        title="Timeline",
    )
    console.table(
        ("flag", "result", "severity", "note"),
        [
            (check.label, check.result, level(check.flag, check.severity), check.note)
            for check in judgement.checks
        ],
        title="Risk checks",
    )
    for finding in history.findings:
        console.line(f"- {finding.note} {finding.url}")
    for note in history.notes:
        console.line(f"Note: {note}")


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
    from afterdrop.review.measured import Judged, table

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
    from afterdrop.review.measured import LABELS

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
    from afterdrop.review.page.reader import read_page

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
    from afterdrop.review.page.pool import PagePool, PageUnread, ReadingDied

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


def read_texts(lines: TextIO | Iterable[str]) -> Iterator[dict[str, str | None]]:
    """The result for each line that is not blank."""
    from afterdrop.review.page.language import detect_language
    from afterdrop.review.page.topics import topic_of_text

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
        yield {"language": language, "topic": topic_of_text(text, language)}


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
