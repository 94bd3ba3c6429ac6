"""`afterdrop ranks …` as an operator types it."""

from __future__ import annotations

import json
import sys
from asyncio import to_thread
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal

import pytest
from typer.testing import CliRunner, Result

from afterdrop import cli
from afterdrop.cli.commands import app
from afterdrop.cli.console import StepProgress
from afterdrop.core import clock
from afterdrop.core.errors import AfterdropError
from afterdrop.sandbox import start
from afterdrop.sandbox.graph_server import RELEASE as SANDBOX_RELEASE
from afterdrop.sources.webgraph.table import Manifest
from afterdrop.sources.webgraph.table_dir import TableDir
from tests.support.graphs import RELEASE, damage, make, write, written


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "afterdrop.toml"
    file.write_text(f'data_dir = "{tmp_path}"\n')
    monkeypatch.setenv("AFTERDROP_SETTINGS", str(file))
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(app, ["ranks", *words])


def said(*words: str) -> str:
    result = run(*words)
    assert result.exit_code == 0, result.output + str(result.exception)
    return " ".join(result.stdout.split())


def refused(*words: str) -> str:
    result = run(*words)
    assert result.exit_code == 1 and isinstance(result.exception, AfterdropError)
    return str(result.exception)


def test_import_status_and_lookup(home: Path) -> None:
    graph = make()
    sources = written(home, graph)
    assert "no link ranks" in said("status")
    assert "has no link ranks" in refused("lookup", "a.com")
    told = said("import", "--file", str(sources.ranks), "--memory", "300MB")
    assert f"{RELEASE}: 200 domains, ranks only" in told
    credit = f"Common Crawl domain-level web graph, release {RELEASE}, https://commoncrawl.org/web-graphs"
    assert credit in told
    shown = said("status")
    assert "in use" in shown and "ranks only" in shown and credit in shown
    name = graph.names[0]
    shown = said("lookup", name.upper(), "absent.com")
    assert f"{name}: link rank 93.46 (harmonic 1, PageRank 2 of 200)" in shown
    assert "absent.com: not in the graph" in shown
    assert credit in shown

    files = ["--file", str(sources.ranks), "--vertices", str(sources.vertices), "--edges", str(sources.edges)]
    manifest = json.loads(said("import", *files, "--links", "--memory", "0.3 GB", "--json"))
    assert manifest["links"] == len(graph.links)
    records = [json.loads(text) for text in run("lookup", name, "absent.com", "--json").stdout.splitlines()]
    assert records[0]["link_rank"]["top"] == graph.linking(0)[:100]
    assert records[0]["release"] == RELEASE and RELEASE in records[0]["attribution"]["text"]
    assert records[1]["link_rank"] is None
    assert f"{len(graph.linking(0))} referring domains (" in said("lookup", name)
    status = [json.loads(text) for text in run("status", "--json").stdout.splitlines()]
    assert [row["in_use"] for row in status] == [True, False]
    assert all(RELEASE in row["attribution"]["text"] for row in status)
    # The files an operator names are his.
    assert all(file.is_file() for file in sources.files())


def test_the_two_newest_releases_stay(home: Path) -> None:
    file = str(written(home, make(), links=False).ranks)
    for release in ("one", "two", "three"):
        said("import", "--file", file, "--release", release, "--memory", "300MB")
    assert [table.name.partition(".")[0] for table in table_dir_of(home).tables()] == ["three", "two"]
    said("import", "--file", file, "--release", "four", "--memory", "300MB")
    assert [table.name.partition(".")[0] for table in table_dir_of(home).tables()] == ["four", "three"]


def table_dir_of(home: Path) -> TableDir:
    return TableDir(home / "ranks")


def test_status_shows_what_is_damaged_or_did_not_end(home: Path) -> None:
    folder = home / "ranks"
    (folder / "next.part").mkdir(parents=True)
    (folder / "old.20261120T160000.duckdb").write_bytes(b"no table")
    (folder / f"{RELEASE}-domain-ranks.txt.gz.download").write_bytes(b"x" * 123)
    shown = said("status")
    assert "unfinished 0.0 downloaded, not imported yet" in shown
    assert "cannot be read" in shown
    assert "an unfinished import" in shown


@pytest.mark.parametrize("where", ["at once", "later"])
def test_a_damaged_table_is_reported_and_imported_again(
    home: Path, where: Literal["at once", "later"]
) -> None:
    graph = make(20_000, 0)
    table_dir_of(home).folder.mkdir()
    file = write(table_dir_of(home).folder, "ranks", graph.ranks())
    said("import", "--file", str(file), "--memory", "300MB")
    [table] = table_dir_of(home).tables()
    damage(table, where)
    shown = run("status")
    assert shown.exit_code == 0 and ("cannot be read" in shown.stdout) == (where == "at once")
    assert f"{table}: cannot be read (Corrupt database file" in refused("lookup", *graph.names[::40])
    # It is not taken for the release in use: what was downloaded is imported.
    assert f"{RELEASE}: 20,000 domains" in said("import", "--release", RELEASE, "--memory", "300MB")
    assert table_dir_of(home).tables()[1:] == [table] and not file.exists()
    assert f"{graph.names[0]}: link rank" in said("lookup", graph.names[0])
    assert RELEASE in said("import", "--release", RELEASE)
    assert len(table_dir_of(home).tables()) == 2


def test_the_deployment_s_status_tells_of_the_table_in_use(home: Path) -> None:
    def status(*words: str) -> str:
        result = CliRunner().invoke(app, ["status", *words])
        assert result.exit_code == 0, result.output + str(result.exception)
        return result.stdout

    assert CliRunner().invoke(app, ["migrate"]).exit_code == 0
    assert "link ranks: none" in status()
    assert json.loads(status("--json"))["link_ranks"] is None
    said("import", "--file", str(written(home, make(), links=False).ranks), "--memory", "300MB")
    [table] = table_dir_of(home).tables()
    assert f"link ranks: {RELEASE}: 200 domains, ranks only, imported 20" in status()
    found = json.loads(status("--json"))["link_ranks"]
    assert (found["file"], found["release"], found["readable"]) == (str(table), RELEASE, True)
    assert abs(clock.now() - datetime.fromisoformat(found["imported_at"])) < timedelta(minutes=5)
    damage(table, "at once")
    assert f"LINK RANKS {table}: cannot be read (Corrupt" in status()
    found = json.loads(status("--json"))["link_ranks"]
    assert (found["file"], found["release"], found["readable"]) == (str(table), None, False)
    assert "cannot be read" in found["remark"]


def test_refusals_say_why(home: Path) -> None:
    sources = written(home, make(), links=False)
    plain = home / "ranks.txt.gz"
    plain.write_bytes(sources.ranks.read_bytes())
    assert "needs --release NAME to download, or --file FILE" in refused("import")
    assert "add --release NAME" in refused("import", "--file", str(plain))
    assert "mine: 200 domains" in said(
        "import", "--file", str(plain), "--release", "Mine", "--memory", "300MB"
    )
    assert "is not a release's name" in refused("import", "--release", "../x")
    assert "--vertices FILE and --edges" in refused("import", "--file", str(sources.ranks), "--links")
    assert "is a number of MB or GB" in refused("import", "--file", str(sources.ranks), "--memory", "much")
    assert "at least 300MB" in refused("import", "--file", str(sources.ranks), "--memory", "1MB")
    assert "only with --file" in refused("import", "--release", RELEASE, "--edges", "edges.gz")
    assert "is a host name" in refused("lookup", "www.example.com")


@pytest.mark.parametrize(("links", "memory"), [(False, 900_000_000), (True, 8_000_000_000)])
def test_the_default_memory_is_small_for_ranks_and_larger_for_links(
    home: Path, monkeypatch: pytest.MonkeyPatch, links: bool, memory: int
) -> None:
    sources = written(home, make(50, 100))
    asked: list[int] = []

    def noted(*words: Any, memory: int, **more: Any) -> Manifest:
        asked.append(memory)
        return Manifest(RELEASE, clock.now(), 1)

    monkeypatch.setattr("afterdrop.sources.webgraph.importer.import_graph", noted)
    more = ["--vertices", str(sources.vertices), "--edges", str(sources.edges)] if links else []
    said("import", "--file", str(sources.ranks), *more)
    assert asked == [memory]


def test_a_failed_import_is_one_line_and_exit_code_2(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(home, "ranks", make().ranks()[1:])
    monkeypatch.setattr(
        sys, "argv", ["afterdrop", "ranks", "import", "--file", str(file), "--memory", "300MB"]
    )
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    told = capsys.readouterr().err.strip().splitlines()
    assert told == [f"afterdrop: {file}: line 2 has harmonic position 2, not 1"]


@pytest.mark.parametrize("links", [False, True], ids=["ranks", "links"])
def test_ctrl_c_during_an_import_is_one_line_and_exit_code_130(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], links: bool
) -> None:
    sources = written(home, make())
    more = ["--links", "--vertices", str(sources.vertices), "--edges", str(sources.edges)] if links else []
    words = ["ranks", "import", "--file", str(sources.ranks), "--memory", "300MB", *(more)]
    monkeypatch.setattr(sys, "argv", ["afterdrop", *words])

    def interrupted(*about: Any) -> None:
        raise RuntimeError("Query interrupted")  # what the library makes of the signal

    with monkeypatch.context() as patched, pytest.raises(SystemExit) as ended:
        patched.setattr("afterdrop.sources.webgraph.importer._sort", interrupted)
        cli.main()
    assert ended.value.code == 130
    told = [line for line in capsys.readouterr().err.splitlines() if line]
    kept = "what is done is kept; repeat the command to continue" if links else "repeat the command"
    assert told[-1] == f"afterdrop: stopped; the table in use stays, {kept}" and len(told) == 1
    assert len(table_dir_of(home).unfinished()) == links
    assert f"{RELEASE}: 200 domains" in said(*words[1:])


async def test_a_release_is_downloaded_from_where_the_settings_say(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with start(1, 40) as running:
        (home / "afterdrop.toml").write_text(
            f'data_dir = "{home}"\ntrusted_origins = ["{running.url}"]\n'
            f'[ranks]\nkeep = 1\nurl = "{running.url}/data.commoncrawl.org/projects/hyperlinkgraph"\n'
            f'releases_url = "{running.url}/index.commoncrawl.org/graphinfo.json"\n'
        )
        told = await to_thread(said, "import", "--release", SANDBOX_RELEASE, "--links", "--memory", "300MB")
        assert f"{SANDBOX_RELEASE}: " in told and " links, imported" in told
        assert not table_dir_of(home).downloads(), "16 GB that are in the table now"
        # A timer may repeat the command: what is in use is not downloaded again, unless the links are missing.
        again = await to_thread(said, "import", "--release", SANDBOX_RELEASE, "--memory", "300MB")
        assert again == told
        assert await to_thread(said, "import", "--release", "latest", "--memory", "300MB") == told
        missing = await to_thread(refused, "import", "--release", "cc-main-1999-jan-feb-mar")
        assert "is this the name of a published release" in missing
        strong = next(story for story in running.world.stories if "graph" in story.metrics.known)
        record = json.loads(await to_thread(said, "lookup", strong.domain, "--json"))
    assert record["link_rank"]["domains"] == strong.metrics.referring_domains


def test_progress_names_the_step_and_the_time_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    moments = iter(range(0, 1000, 10))  # every look at the clock is ten seconds later
    monkeypatch.setattr(clock, "monotonic", lambda: float(next(moments)))
    with StepProgress() as steps:
        steps.show("reading ranks", 0, 100_000_000)
        steps.show("reading ranks", 50_000_000, 100_000_000)
        steps.show("sorting ranks", 0, 7)
        # An earlier run left 80 MB: today's 10 took as long as the last 10 will.
        steps.show("downloading ranks", 80_000_000, 100_000_000)
        steps.show("downloading ranks", 90_000_000, 100_000_000)
    told = capsys.readouterr().err
    assert "reading ranks, MB, 1:00 left: 50 of 100 (" in told and "/s)" in told
    assert "sorting ranks: 0 of 7" in told
    assert "downloading ranks, MB, 1:00 left: 90 of 100" in told
