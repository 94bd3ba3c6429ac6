"""Whatever fails outside during a scan costs it time and nothing else: every fault of the sandbox, in turn."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.queue import loop
from afterdrop.sandbox import start
from afterdrop.sandbox.feed_server import FEEDS
from afterdrop.sandbox.running import RunningSandbox
from afterdrop.sandbox.state import KINDS
from afterdrop.scan.run import run_scan
from tests.support import ON_SQLITE
from tests.support.sandboxes import catalogue, context_for, emptied, outcomes

SIZE = 20
# How long a fault takes; those of half a minute would only make the test slow.
LASTING: dict[str, dict[str, Any]] = {
    "429": {"retry_after": 1},
    "timeout": {"seconds": 1},
    "slow": {"seconds": 0.5},
}
# Another document in place of a capture is a capture, for all that a reader can tell; in place of a feed it makes the
# feed suspect until the next day, as `tests/integration/feeds` show.
OTHER_DOCUMENTS = ("html", "wrong_json")
# What nobody can decode was archived so: it is read no second time, and the review goes on without that page.
ARCHIVED_SO = ("dcz",)


def _rules(kind: str) -> list[dict[str, Any]]:
    """Two of five of the archive's answers fail, up to 40, and the first three for feeds, where it costs only time."""
    fault = {"kind": kind, **LASTING.get(kind, {})}
    captures_too = kind not in (*OTHER_DOCUMENTS, *ARCHIVED_SO)
    archive = {**fault, "server": "archive", "share": 0.4, "count": 40, "path": "" if captures_too else "cdx"}
    feeds = "|".join(re.escape(feed.path.partition("?")[0]) for feed in FEEDS.values())
    of_feeds = {**fault, "server": "main", "path": feeds, "count": 3}
    return [archive] if kind in OTHER_DOCUMENTS else [archive, of_feeds]


def _patient(settings: Settings) -> Settings:
    """Failed reviews are tried again at once."""
    scan = settings.scan.model_copy(update={"review_retry_seconds": 0.05})
    archive = settings.archive.model_copy(update={"timeout_seconds": 3})
    return settings.model_copy(update={"scan": scan, "archive": archive})


@pytest.mark.long
@ON_SQLITE
async def test_every_fault_of_the_sandbox_costs_a_scan_time_and_nothing_else(
    database: Database, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "_UNREACHED_AGAIN", 0.1)
    # Reviews are tried more often than so many requests can fail, and pauses are short.
    monkeypatch.setattr("afterdrop.scan.candidates._REVIEW_ATTEMPTS", 12)
    monkeypatch.setattr("afterdrop.http.circuit_breaker._FIRST_PAUSE", 0.1)
    monkeypatch.setattr("afterdrop.http.circuit_breaker.LONGEST_PAUSE", 1)
    async with start(5, SIZE) as running:

        async def scanned(kind: str) -> tuple[int, Any]:
            """How often the fault struck, and what two scans come to: a feed that failed is read by the next one."""
            running.state.faults.put(_rules(kind) if kind else [])
            struck = await _scan_twice(running, database, tmp_path, database_url)
            # The second scan brings up to date what the first published while another feed of it could not be read.
            settled = await outcomes(database)
            same = {
                name: outcome.replace("refreshed", "published")
                for name, outcome in settled.items()
                if outcome
            }
            found = await catalogue(database), same
            await emptied(database)
            return struck, found

        _, undisturbed = await scanned("")
        assert len(undisturbed[0]) > 3
        for kind in KINDS:
            struck, found = await scanned(kind)
            print(f"{kind}: {struck} answers failed")
            assert struck >= 3, kind
            changed = [_differences(one, other) for one, other in zip(undisturbed, found, strict=True)]
            assert changed == [{}, {}], kind


def _differences(undisturbed: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """What is not as it was when nothing failed, by domain: what it was and what it is."""
    names = undisturbed.keys() | found.keys()
    both = {name: (undisturbed.get(name), found.get(name)) for name in names}
    return {name: pair for name, pair in both.items() if pair[0] != pair[1]}


async def _scan_twice(running: RunningSandbox, database: Database, folder: Path, url: str) -> int:
    async with context_for(running, database, folder, url, change=_patient) as context:
        await run_scan(context)
        struck = sum(rule.done for rule in running.state.faults.rules)
        running.state.faults.put([])
        await run_scan(context)
    return struck
