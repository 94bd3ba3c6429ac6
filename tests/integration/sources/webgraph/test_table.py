"""The table as a metric provider: right values that name the release, swaps while running, and damage."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pytest

from afterdrop.sources.metrics.model import (
    LINK_PLACE,
    LINK_RANK,
    REFERRING_DOMAINS,
    TOP_REFERRING_DOMAINS,
)
from afterdrop.sources.webgraph.errors import RanksError
from afterdrop.sources.webgraph.file_format import reverse
from afterdrop.sources.webgraph.table import LISTED_MOST, LinkRank, LinkRanks, Table, open_table
from afterdrop.sources.webgraph.table_dir import TableDir
from tests.support.graphs import NOW, RELEASE, Graph, damage, damaged, import_into, make, written


@pytest.fixture
def table_dir(tmp_path: Path) -> TableDir:
    return TableDir(tmp_path / "ranks", keep=1)


async def test_ranks_as_metrics(table_dir: TableDir, tmp_path: Path) -> None:
    graph = make()
    import_into(table_dir, written(tmp_path, graph))
    async with LinkRanks(table_dir) as ranks:
        first = graph.names[0]
        found = await ranks.metrics_of([first, "absent.com"])
        assert found.keys() == {first}
        by_role = {metric.role: metric for metric in found[first]}
        assert by_role.keys() == {LINK_RANK, LINK_PLACE, REFERRING_DOMAINS, TOP_REFERRING_DOMAINS}
        rank = by_role[LINK_RANK]
        assert rank.value == 93.46  # positions 1 and 2 of 200
        assert rank.provider == ranks.name == "link_ranks"
        assert rank.attribution is not None and RELEASE in rank.attribution["text"]
        # As old as the crawls it was made from: a vendor asked since then is preferred.
        assert rank.fetched_at == datetime(2026, 6, 30, 23, 59, 59, tzinfo=UTC)
        assert by_role[REFERRING_DOMAINS].value == len(graph.linking(0))
        assert by_role[TOP_REFERRING_DOMAINS].value == graph.linking(0)[:100]
        assert await ranks.metrics_of([]) == {}
        # A scan's thousands do not need the referring domains' names, nor their places in every release.
        many = await ranks.metrics_of([*graph.names, first])
        assert len(many) == 200 > LISTED_MOST
        assert {metric.role for metric in many[first]} == {LINK_RANK, REFERRING_DOMAINS}


async def test_an_import_comes_into_use_without_a_restart(table_dir: TableDir, tmp_path: Path) -> None:
    graph = make()
    name = graph.names[0]
    async with LinkRanks(table_dir) as ranks:
        assert await ranks.metrics_of([name]) == {}
        import_into(table_dir, written(tmp_path, graph, links=False))
        before = (await ranks.metrics_of([name]))[name]
        assert [metric.role for metric in before] == [LINK_RANK, LINK_PLACE]
        turned = Graph(graph.names[::-1], set())
        import_into(table_dir, written(tmp_path, turned), NOW + timedelta(1), "another")
        after = (await ranks.metrics_of([name]))[name]
        # Nobody links to it in the new graph; the release tells no time, so its import does.
        assert [(metric.role, metric.value) for metric in after if metric.role != LINK_PLACE] == [
            *((LINK_RANK, 0.0), (REFERRING_DOMAINS, 0), (TOP_REFERRING_DOMAINS, [])),
        ]
        assert [metric.provider for metric in after if metric.role == LINK_PLACE] == ["link_ranks:another"]
        assert after[0].fetched_at == NOW + timedelta(1)


async def test_a_running_look_up_is_answered_by_its_own_table(table_dir: TableDir, tmp_path: Path) -> None:
    graph = make()
    sources = written(tmp_path, graph, links=False)
    import_into(table_dir, sources)
    async with LinkRanks(table_dir) as ranks:
        before = ranks.current()
        assert before is not None
        import_into(table_dir, sources, NOW + timedelta(1), "another")
        after = ranks.current()
        assert after is not None and after.file != before.file
        assert not before.file.exists(), "only one is kept"
        # The first thread goes on as if nothing had happened.
        assert len(before.look_up(graph.names)) == len(graph.names)
        assert (await ranks.metrics_of([graph.names[0]])).keys() == {graph.names[0]}


def test_until_the_last_step_of_an_import_the_old_table_answers(table_dir: TableDir, tmp_path: Path) -> None:
    graph = make()
    import_into(table_dir, written(tmp_path, graph, links=False))
    before = table_dir.in_use()
    steps: list[str] = []
    assert before is not None

    def look(step: str, done: int, total: int) -> None:
        assert table_dir.tables() == [before]
        with closing(open_table(before)) as table:
            assert len(table.look_up(graph.names[:5])) == 5
        steps.append(step)

    import_into(table_dir, written(tmp_path, graph), NOW + timedelta(1), progress=look)
    assert {"reading ranks", "reading links", "sorting links", "writing links"} <= set(steps)
    assert table_dir.in_use() != before and not table_dir.unfinished()


async def test_look_ups_never_run_on_the_event_loop(
    table_dir: TableDir, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = make()
    import_into(table_dir, written(tmp_path, graph))
    threads: list[threading.Thread] = []
    usual = Table.look_up

    def noted(table: Table, domains: Sequence[str], *, top: bool = False) -> dict[str, LinkRank]:
        threads.append(threading.current_thread())
        return usual(table, domains, top=top)

    monkeypatch.setattr(Table, "look_up", noted)
    async with LinkRanks(table_dir) as ranks:
        await ranks.metrics_of(graph.names[:1])
        await ranks.metrics_of(graph.names)
    assert len(threads) == 2
    assert threading.main_thread() not in threads


async def test_a_damaged_table_gives_nothing_and_is_logged(
    table_dir: TableDir, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    import_into(table_dir, written(tmp_path, make(), links=False))
    file = table_dir.in_use()
    assert file is not None
    file.write_bytes(file.read_bytes()[:5000])
    async with LinkRanks(table_dir) as ranks:
        with caplog.at_level(logging.WARNING):
            assert await ranks.metrics_of(["a.com"]) == {}
    assert str(file) in caplog.text


@pytest.mark.parametrize("links", [False, True], ids=["ranks", "links"])
def test_damage_anywhere_is_an_error_with_the_file_s_name(
    table_dir: TableDir, tmp_path: Path, links: bool
) -> None:
    graph = make(20_000, 20_000)
    import_into(table_dir, written(tmp_path, graph, links=links))
    file = table_dir.in_use()
    assert file is not None
    places, complaints = set(), []
    for where in damaged(file):
        places.add(where)
        try:
            with closing(open_table(file)) as table:
                with suppress(RanksError):
                    assert len(table.look_up(graph.names[::80], top=True)) == 250
                table.read_through()
            assert where == "nowhere"
        except RanksError as error:
            assert where != "nowhere"
            complaints.append((error.subject, error.message[:32]))
    assert {"at once", "later"} <= places or links
    assert set(complaints) == {(str(file), "cannot be read (Corrupt database")}


async def test_a_table_with_damage_beyond_its_start_gives_nothing_and_is_logged(
    table_dir: TableDir, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    graph = make(20_000, 0)
    import_into(table_dir, written(tmp_path, graph, links=False))
    file = table_dir.in_use()
    assert file is not None
    damage(file, "later")
    async with LinkRanks(table_dir) as ranks:
        assert ranks.current() is not None
        with caplog.at_level(logging.WARNING):
            assert await ranks.metrics_of(graph.names) == {}
    assert f"link ranks: {file}: cannot be read" in caplog.text


def test_a_table_of_another_version_must_be_imported_again(tmp_path: Path) -> None:
    file = tmp_path / "other.duckdb"
    with duckdb.connect(str(file)) as conn:
        conn.execute("CREATE TABLE manifest AS SELECT 0 AS shape, '{}' AS content")
    with pytest.raises(RanksError, match="import it again"):
        open_table(file)
    bare = tmp_path / "bare.duckdb"
    duckdb.connect(str(bare)).close()
    with pytest.raises(RanksError, match="import it again"):
        open_table(bare)


async def test_hostile_names_of_the_graph_are_never_shown(table_dir: TableDir, tmp_path: Path) -> None:
    graph = make(60, 0)
    hostile = ["<script>alert(1)</script>.com", "a\x1b[2J.com", "evil.com/x", "-a.com"]
    graph.names[3:7] = hostile
    graph.links = {(place, 0) for place in range(1, 12)}
    import_into(table_dir, written(tmp_path, graph))
    async with LinkRanks(table_dir) as ranks:
        found = await ranks.metrics_of([graph.names[0]])
    by_role = {metric.role: metric.value for metric in found[graph.names[0]]}
    assert by_role[REFERRING_DOMAINS] == 11
    assert by_role[TOP_REFERRING_DOMAINS] == [*graph.names[1:3], *graph.names[7:12]]


async def test_a_quote_in_a_name_cannot_inject_sql(table_dir: TableDir, tmp_path: Path) -> None:
    import_into(table_dir, written(tmp_path, make(), links=False))
    async with LinkRanks(table_dir) as ranks:
        assert await ranks.metrics_of(["a'); DROP TABLE ranks; --.com"]) == {}
        assert await ranks.metrics_of(["\x00.com", "x'.com"]) == {}
        name = make().names[0]
        assert reverse(name) and name in await ranks.metrics_of([name])
