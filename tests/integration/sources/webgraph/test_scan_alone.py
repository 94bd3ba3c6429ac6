"""No paid key, no metric column in any feed, only our own link ranks: the scan still publishes a sensible list."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from afterdrop.cli.scan import show_plan
from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.db.tables.feeds import metric_values
from afterdrop.sandbox import start
from afterdrop.sandbox.expected import expected_document
from afterdrop.sandbox.running import RunningSandbox
from afterdrop.scan.feed_intake import take_feeds_in
from afterdrop.scan.run import begin, run_scan
from afterdrop.sources.metrics.model import BUYER_FACTS, LINKS_TODAY
from afterdrop.sources.webgraph.download import Publisher, download
from afterdrop.sources.webgraph.importer import import_graph
from afterdrop.sources.webgraph.table_dir import open_table_dir
from afterdrop.worker_context import WorkerContext
from tests.support import ON_SQLITE
from tests.support.graphs import MEMORY
from tests.support.rows import REPORTED
from tests.support.sandboxes import catalogue, context_for, outcomes

# The sandbox's feeds that carry metrics; pending deletes and the other markets carry none.
MEASURED = {"godaddy_auctions", "namecheap_market"}


def bare(settings: Settings) -> Settings:
    """Without providers and without feeds that know metrics."""
    feeds = tuple(feed for feed in settings.feeds if feed.preset not in MEASURED)
    return settings.model_copy(update={"providers": (), "feeds": feeds})


async def import_graph_of(running: RunningSandbox, context: WorkerContext, *, links: bool) -> str:
    """What `ranks import --release` does; the release."""
    graph = expected_document(running.world, running.url)["graph"]
    base = graph["ranks"].partition(f"/{graph['release']}/")[0]
    table_dir = open_table_dir(context.settings)
    sources = await download(
        Publisher(context.fetcher.session, base),
        graph["release"],
        table_dir.folder,
        lambda *step: None,
        links=links,
    )
    import_graph(
        table_dir, graph["release"], sources, context.now(), memory=MEMORY, progress=lambda *step: None
    )
    return str(graph["release"])


@ON_SQLITE
@pytest.mark.parametrize("links", [False, True], ids=["ranks", "links"])
async def test_a_scan_with_link_ranks_only(
    database: Database, database_url: str, tmp_path: Path, links: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    async with (
        start(3, 60) as running,
        context_for(running, database, tmp_path, database_url, change=bare) as context,
    ):
        release = await import_graph_of(running, context, links=links)
        plan = await planned(context, capsys)
        result = await run_scan(context)
        truth = expected_document(running.world, running.url)["domains"]
    published, settled = await catalogue(database), await outcomes(database)
    # Every passing name was judged by the graph; names it does not know are counted, not guessed.
    assert all(
        run["state"] == "done" and run["passed"] < run["good"] for run in result["feeds"] if run["good"]
    )
    # The plan before said so: with nobody to ask, what passes on the ranks is what is reviewed.
    [local] = plan["providers"]
    assert (local["provider"], local["requests"], local["units"]) == ("link_ranks", 0, 0)
    assert local["ask"] >= local["names"] >= plan["passing_on_link_ranks"] >= len(settled) > 0
    assert plan["passing_on_feed_metrics"] == plan["may_pass_after_asking"] == 0
    assert plan["reviews_today_at_most"] == plan["passing_on_link_ranks"]
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
        # what files say besides, as a valuation, is no figure of links, and today's pages are looked at in any case
        others = {*BUYER_FACTS, LINKS_TODAY}
        asked = sa.select(metric_values).where(metric_values.c.role.not_in(others))
        values = (await conn.execute(asked)).all()
    assert {row.provider.partition(":")[0] for row in values} == {"link_ranks"}
    roles = {"link_rank", "referring_domains", "top_referring_domains"} if links else {"link_rank"}
    assert {row.role for row in values} == {*roles, "link_place"}
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


async def planned(context: WorkerContext, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """What `scan --dry-run --json` says."""
    await show_plan(context, context.feeds, json=True)
    plan: dict[str, Any] = json.loads(capsys.readouterr().out)
    return plan


@ON_SQLITE
async def test_a_plan_counts_names_that_providers_may_let_pass(
    database: Database, database_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def unmeasured(settings: Settings) -> Settings:
        return settings.model_copy(update={"feeds": bare(settings).feeds})

    async with (
        start(3, 60) as running,
        context_for(running, database, tmp_path, database_url, change=unmeasured) as context,
    ):
        alone = await planned(context, capsys)
        assert alone["passing_on_link_ranks"] == 0
        assert "link_ranks" not in {line["provider"] for line in alone["providers"]}
        await import_graph_of(running, context, links=False)
        plan = await planned(context, capsys)
        assert plan["providers"][0]["provider"] == "link_ranks"
        await show_plan(context, context.feeds, json=False)
        shown = " ".join(capsys.readouterr().out.split())
        assert f"metrics and {plan['passing_on_link_ranks']} more on the local link ranks. 0 of them" in shown
        assert f"At most {plan['reviews_today_at_most']} reviews, up to" in shown
        await take_feeds_in(context, await begin(context))
        for told in (alone, plan):
            assert told["passing_on_feed_metrics"] == 0
            passing = told["passing_on_link_ranks"] + told["may_pass_after_asking"]
            assert told["reviews_today_at_most"] == passing >= len(await outcomes(database)) > 0
    free, paid = ([line for line in plan["providers"] if line["tier"] == tier] for tier in ("free", "paid"))
    assert sum(line["ask"] for line in free) > 0
    # A paid provider is asked about what passes on what is known, no other.
    assert all(line["ask"] <= plan["passing_on_link_ranks"] for line in paid)


async def shown(database: Database) -> Sequence[Any]:
    """The published rows."""
    async with database.read() as conn:
        rows: Sequence[Any] = (await conn.execute(REPORTED)).all()
        return rows
