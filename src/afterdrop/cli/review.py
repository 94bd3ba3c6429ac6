"""`afterdrop review`: the review of one domain, with its evidence."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from afterdrop.cli import console
from afterdrop.cli.bootstrap import load_settings, worker_context
from afterdrop.core import clock

if TYPE_CHECKING:
    from afterdrop.core.settings import Settings
    from afterdrop.review.flags.trademarks import Marks
    from afterdrop.review.history.domain_history import History
    from afterdrop.scoring.judge import Judgement

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
        str | None, typer.Option(help="A domain in the file; by default the one with the most pages.")
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
    """The judgement from the history alone: link metrics and price are unknown here."""
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
