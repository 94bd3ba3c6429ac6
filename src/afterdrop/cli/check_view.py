"""How `afterdrop check` prints a check for a person: would it list, why not, the score's parts, registry, report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from afterdrop.cli.console import line, table

_ABSENT = "–"


def show_check(detail: Mapping[str, Any]) -> None:
    """Print a check's detail as the interface has it."""
    line(f"{detail['domain']}: {_outcome(detail)}")
    for reason in detail["reject_reasons"]:
        line(f"  - {reason}")
    report = detail["report"]
    if report is not None:
        _score(report)
        _registration(detail["registration"])
        _summary(report)
    line(f"Report: {detail['report_url']}")


def _outcome(detail: Mapping[str, Any]) -> str:
    if detail["status"] == "failed":
        return "the check failed; its credit has returned"
    listed = "would be listed" if detail["would_list"] else "would not be listed"
    return f"score {detail['score']}, {detail['verdict']}; {listed}"


def _score(report: Mapping[str, Any]) -> None:
    parts = report["score_breakdown"]
    table(
        ("part", "fraction"),
        [(name, _ABSENT if value is None else f"{value:.2f}") for name, value in parts.items()],
        title="Score",
    )


def _registration(registration: Mapping[str, Any]) -> None:
    said = [f"Registry: {registration['state']}"]
    for name, word in (("registrar", "with"), ("registered_at", "since"), ("expires_at", "until")):
        if registration[name]:
            said.append(f"{word} {registration[name]}")
    if registration["statuses"]:
        said.append(f"({', '.join(registration['statuses'])})")
    line(" ".join(said))


def _summary(report: Mapping[str, Any]) -> None:
    metrics = report["metrics"]
    years = f"{metrics['archive_first_year'] or _ABSENT} to {metrics['archive_last_year'] or _ABSENT}"
    line(f"Title: {report['title'] or _ABSENT}")
    line(f"Language: {report['language'] or _ABSENT}, topic: {report['topic'] or _ABSENT}")
    line(f"Archive: {_figure(metrics['archive_years'])} years with captures, {years}")
    names = ("domain_rating", "trust_flow", "citation_flow", "referring_domains", "backlinks")
    line("Links: " + ", ".join(f"{name.replace('_', ' ')} {_figure(metrics[name])}" for name in names))
    table(
        ("flag", "result", "severity", "note"),
        [
            (check["flag"], check["result"], check["severity"], check["note"])
            for check in report["risk_checks"]
        ],
        title="Risk checks",
    )
    line(f"Archived pages worth reviving: {report['revival_kit']['pages']}")


def _figure(value: object) -> str:
    return _ABSENT if value is None else f"{value:,}"
