"""The daily scan against the sandbox: feeds in, three lists out, held against the world's truth."""

from __future__ import annotations

from pathlib import Path

from afterdrop.db.engine import Database
from afterdrop.sandbox import start
from afterdrop.sandbox.expected import expected_document
from afterdrop.scan.run import run_scan
from tests.support.sandboxes import catalogue, context_for, outcomes
from tests.support.truth import compare
from tests.support.truth import published as reports

SIZE = 60


async def test_what_is_published_is_what_the_truth_says(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    async with start(3, SIZE) as running, context_for(running, database, tmp_path, database_url) as context:
        result = await run_scan(context)
        again = await run_scan(context)
        truth = expected_document(running.world, running.url)["domains"]
    told = compare(await reports(database), truth, running.world)
    assert told.wrong == []
    assert told.counts["reports"] >= 5
    assert told.counts["owner changes"] == told.counts["inside the interval"] >= 1
    assert not told.counts["eras with a read capture of another"] + told.counts["kits with two owners"]
    dated, right = told.counts["dated links"], told.counts["dated links named right"]
    assert right >= 0.95 * dated > 0
    assert not told.counts["links credited wrongly"]
    published, settled = await catalogue(database), await outcomes(database)
    spam = {name for name, entry in truth.items() if any(era["spam"] for era in entry["eras"])}
    assert published
    assert not spam & published.keys(), "a domain with a spam history was listed"
    wanted = {name for name, entry in truth.items() if entry["outcome"] == "published"}
    assert published.keys() <= wanted
    assert settled.keys() >= published.keys()
    assert set(settled.values()) <= {"published", "rejected", "not_reviewed_in_time"}
    assert result["scanned"] >= result["passed_authority_filter"] >= len(published)
    assert all(run["state"] == "done" for run in result["feeds"])
    # The second scan of the same day finds nothing new and reviews nothing again.
    assert again["counts"].get("published", 0) == 0
    assert await catalogue(database) == published
