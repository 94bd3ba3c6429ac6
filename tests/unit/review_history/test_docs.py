"""docs/internals/review.md promises what the code does."""

from __future__ import annotations

from pathlib import Path

from afterdrop.review.flags import anchors, link_flags
from afterdrop.review.flags.risk_flags import FLAGS
from afterdrop.review.history import capture_plan as plan
from afterdrop.review.history import parked_history as parked_past
from afterdrop.review.history import timeline, verdict
from afterdrop.review.page.judge import ORDER
from afterdrop.sources.archive.wayback import ROW_LIMIT

TEXT = (Path(__file__).resolve().parents[3] / "docs" / "internals" / "review.md").read_text("utf-8")


def test_every_flag_is_explained_once() -> None:
    rows = [line for line in TEXT.splitlines() if line.startswith("| `")]
    for flag in FLAGS:
        assert sum(row.startswith(f"| `{flag}` |") for row in rows) == 1


def test_who_overrules_whom_is_told_in_order() -> None:
    table = "\n".join(f"| `{line.__name__}` | {line.__doc__} |" for line in ORDER)
    assert f"|---|---|\n{table}\n\n" in TEXT


def test_the_numbers_are_the_codes() -> None:
    said = " ".join(TEXT.split())
    for promise in (
        f"at most **{plan.CAPTURES}** captures",
        f"{ROW_LIMIT:,} rows",
        f"{timeline.GAP_YEARS} whole calendar years",
        f"risk from {parked_past.NOTEWORTHY_SHARE:.0%} of the time",
        f"{anchors.SPAM_REJECT:.0%} of the referring domains, five at least",
        f"of {anchors.SPAM_SHARE:.0%}, three at least",
        f"{anchors.FOREIGN_SCRIPT:.0%} of the domains with telling link texts",
        f"or {anchors.FOREIGN_LANGUAGE:.0%} in another language",
    ):
        assert promise in said, promise
    assert verdict.ALONE_PHRASES == 4
    assert "on three captures, each with four phrases of the trade" in said
    assert (anchors.LEAST_DOMAINS, anchors.SPAM_ANCHORS) == (5, 3)
    assert (verdict.SUSPECTS, verdict.SUSPECTS_ALONE, verdict.PATHS, verdict.PATHS_ALONE) == (2, 3, 3, 10)
    assert (link_flags.SIGNALS, timeline.LONG_ENOUGH.days) == (2, 180)
