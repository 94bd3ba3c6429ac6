"""No paid key, no metric column in any feed, only our own link ranks: the scan still publishes a sensible list."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from afterdrop.db.engine import Database
from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.feeds import metric_values
from afterdrop.jobs.gear import Gear
from afterdrop.jobs.scan_run import run_scan
from afterdrop.ranks.download import download
from afterdrop.ranks.importing import import_graph
from afterdrop.ranks.shelf import open_shelf
from afterdrop.sandbox import start
from afterdrop.sandbox.running import Running
from afterdrop.sandbox.truth import document
from afterdrop.settings import Settings
from tests.integration.ranks.graphs import MEMORY
from tests.integration.scan.worlds import catalogue, gear_for, outcomes

# The sandbox's feeds that carry metrics; pending deletes and the other markets carry none.
MEASURED = {"godaddy_auctions", "namecheap_market"}


def bare(settings: Settings) -> Settings:
    """Without providers and without feeds that know metrics."""
    feeds = tuple(feed for feed in settings.feeds if feed.preset not in MEASURED)
    return settings.model_copy(update={"providers": (), "feeds": feeds})


async def import_graph_of(running: Running, gear: Gear, *, links: bool) -> str:
    """What `ranks import --release` does; the release."""
    graph = document(running.world, running.url)["graph"]
    base = graph["ranks"].partition(f"/{graph['release']}/")[0]
    shelf = open_shelf(gear.settings)
    sources = await download(
        gear.fetcher.session, base, graph["release"], shelf.folder, lambda *step: None, links=links
    )
    import_graph(shelf, graph["release"], sources, gear.now(), memory=MEMORY, progress=lambda *step: None)
    return str(graph["release"])


@pytest.mark.timeout(170)
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("links", [False, True], ids=["ranks", "links"])
async def test_a_scan_with_link_ranks_only(
    database: Database, database_url: str, tmp_path: Path, links: bool
) -> None:
    async with (
        start(3, 60) as running,
        gear_for(running, database, tmp_path, database_url, change=bare) as gear,
    ):
        release = await import_graph_of(running, gear, links=links)
        result = await run_scan(gear)
        truth = document(running.world, running.url)["domains"]
    published, settled = await catalogue(database), await outcomes(database)
    # Every passing name was judged by the graph; names it does not know are counted, not guessed.
    assert all(
        run["state"] == "done" and run["passed"] < run["good"] for run in result["feeds"] if run["good"]
    )
    # The graph has no anchor texts: what only they give away needs a vendor.
    strong = {
        name
        for name, entry in truth.items()
        if entry["outcome"] == "published" or entry["reasons"] == ["spam:anchors"]
    }
    below = {name for name, entry in truth.items() if entry["outcome"] in ("below_filter", "no_metrics")}
    spam = {name for name, entry in truth.items() if any(era["spam"] for era in entry["eras"])}
    assert len(published) >= 5
    assert published.keys() <= strong
    assert not below & settled.keys(), "a name without links was worth a review"
    assert not spam & published.keys()
    async with database.read() as conn:
        values = (await conn.execute(sa.select(metric_values))).all()
    assert {row.provider for row in values} == {"link_ranks"}
    roles = {"link_rank", "referring_domains", "top_referring_domains"} if links else {"link_rank"}
    assert {row.role for row in values} == roles
    for row in await shown(database):
        metrics, notes = row.report["metrics"], row.report["score_notes"]
        assert metrics["link_rank"] >= 10 or (links and row.referring_domains >= 10)
        # A link rank is no vendor's figure: it stands under its own name, the release named, the score's note says so.
        assert row.domain_rating is row.trust_flow is metrics["<vendor_d>_pagerank"] is None
        assert any(release in credit["text"] for credit in row.report["attributions"])
        assert f"open link rank ({metrics['link_rank']})" in notes["<vendor_d>_pagerank"]
        if links:
            assert row.referring_domains == truth[row.domain]["metrics"]["referring_domains"]
            assert len(row.report["top_referring_domains"]) == min(row.referring_domains, 100)


async def shown(database: Database) -> Sequence[Any]:
    """The published rows."""
    async with database.read() as conn:
        rows: Sequence[Any] = (await conn.execute(sa.select(domains))).all()
        return rows
