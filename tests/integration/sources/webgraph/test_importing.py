"""Importing: whole files give exact tables; a file broken anywhere names the place and leaves the old table in use."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import duckdb
import pytest

from afterdrop.sources.webgraph import importer, referring_domains
from afterdrop.sources.webgraph.build_dir import BuildDir
from afterdrop.sources.webgraph.errors import RanksError
from afterdrop.sources.webgraph.file_format import HEADER, key_sql, reverse
from afterdrop.sources.webgraph.graph_files import GraphFiles
from afterdrop.sources.webgraph.table import open_table
from afterdrop.sources.webgraph.table_dir import TableDir
from tests.support.graphs import NOW, RELEASE, import_into, make, write, written


@pytest.fixture
def table_dir(tmp_path: Path) -> TableDir:
    return TableDir(tmp_path / "ranks", keep=2)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table that was imported before."""
    folder = tmp_path_factory.mktemp("finished")
    table_dir = TableDir(folder / "ranks")
    import_into(table_dir, written(folder, GRAPH, links=False))
    return in_use(table_dir)


def put_before(table_dir: TableDir, finished: Path) -> Path:
    """Put a finished table into use."""
    table_dir.folder.mkdir(parents=True)
    return Path(shutil.copy(finished, table_dir.folder))


def in_use(table_dir: TableDir) -> Path:
    file = table_dir.in_use()
    assert file is not None
    return file


def test_ranks_alone(table_dir: TableDir, tmp_path: Path) -> None:
    graph = make()
    steps: list[tuple[str, int, int]] = []
    manifest = import_into(
        table_dir, written(tmp_path, graph, links=False), progress=lambda *step: steps.append(step)
    )
    assert (manifest.nodes, manifest.links, manifest.release) == (200, None, RELEASE)
    with closing(open_table(in_use(table_dir))) as table:
        assert table.manifest == manifest
        found = table.look_up([*graph.names, "absent.com"], top=True)
    assert {name: rank.harmonic for name, rank in found.items()} == {
        name: place + 1 for place, name in enumerate(graph.names)
    }
    assert found[graph.names[0]].pagerank == 2
    assert all(rank.domains is None and rank.top is None for rank in found.values())
    assert not table_dir.unfinished()
    size = manifest.sources[f"{RELEASE}-domain-ranks.txt.gz"]
    assert ("reading ranks", size, size) in steps


def test_links_are_counted_exactly_and_the_best_are_kept(table_dir: TableDir, tmp_path: Path) -> None:
    graph = make(400, 9000)
    manifest = import_into(table_dir, written(tmp_path, graph))
    assert manifest.links == len(graph.links)
    with closing(open_table(in_use(table_dir))) as table:
        found = table.look_up(graph.names, top=True)
    assert max(rank.domains or 0 for rank in found.values()) > referring_domains.TOP
    for place, name in enumerate(graph.names):
        linking = graph.linking(place)
        assert found[name].domains == len(linking)
        assert list(found[name].top or ()) == linking[: referring_domains.TOP]
        assert (found[name].rating == 0) == (not linking)


def test_many_small_buckets_and_one_too_large_give_the_same(
    table_dir: TableDir, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = make(400, 9000)
    sources = written(tmp_path, graph)
    monkeypatch.setattr(referring_domains, "_SHARE", 10**9)  # the least there is: a megabyte a bucket
    monkeypatch.setattr(referring_domains, "_PACKED", 0.05)
    monkeypatch.setattr(referring_domains, "_AT_ONCE", 500)
    import_into(table_dir, sources)
    many = in_use(table_dir)
    monkeypatch.setattr(referring_domains, "_PACKED", 10.0**9)
    monkeypatch.setattr(
        referring_domains.LinkImport, "limit", property(lambda self: 9000, lambda self, value: None), False
    )
    import_into(table_dir, sources, NOW + timedelta(1))
    assert many != in_use(table_dir)
    whole = []
    for file in (many, in_use(table_dir)):
        with duckdb.connect(str(file), read_only=True) as conn:
            whole.append([conn.execute(f"SELECT * FROM {t}").fetchall() for t in ("ranks", "links", "names")])
    assert whole[0] == whole[1]
    assert sum(row[5] for row in whole[0][0]) == len(graph.links)


def test_links_of_a_name_to_itself_do_not_count(table_dir: TableDir, tmp_path: Path) -> None:
    graph = make(50, 200)
    graph.links |= {(3, 3), (4, 4)}
    manifest = import_into(table_dir, written(tmp_path, graph))
    assert (manifest.links, manifest.self_links) == (len(graph.links) - 2, 2)
    with closing(open_table(in_use(table_dir))) as table:
        assert table.look_up([graph.names[3]])[graph.names[3]].domains == len(graph.linking(3))


def cut(graph_lines: list[str], place: int, line: str) -> list[str]:
    return [*graph_lines[:place], line, *graph_lines[place + 1 :]]


GRAPH = make()
RANKS, VERTICES, EDGES = GRAPH.ranks(), GRAPH.vertices(), GRAPH.edges()
BAD_RANKS: dict[str, tuple[Callable[[Path], Path], str]] = {
    "unsorted": (
        lambda f: write(f, "ranks", [*RANKS[:50], RANKS[51], RANKS[50], *RANKS[52:]]),
        "line 52 has harmonic position 52, not 51",
    ),
    "a value that rises": (
        lambda f: write(f, "ranks", cut(RANKS, 50, RANKS[50].replace(".", "9.", 1))),
        "line 52 has a higher harmonic value than the line before it",
    ),
    "rows missing at the end": (
        lambda f: write(f, "ranks", RANKS[:101]),
        "has PageRank position 102, but only 101 rows",
    ),
    "a row missing": (
        lambda f: write(f, "ranks", RANKS[:70] + RANKS[71:]),
        "line 72 has harmonic position 72, not 71",
    ),
    "PageRank position twice": (
        lambda f: write(
            f, "ranks", cut(RANKS, 50, RANKS[50].replace(f"\t{RANKS[50].split()[2]}\t", "\t7\t"))
        ),
        "has PageRank position 7 twice, at lines 9 and 52",
    ),
    "a fault below an empty line": (
        lambda f: write(f, "ranks", ["", "x", *RANKS]),
        "Line: 3 Original Line: x",
    ),
    "no harmonic position": (
        lambda f: write(f, "ranks", cut(RANKS, 50, RANKS[50][2:])),
        "line 52 has harmonic position none, not 51",
    ),
    "no PageRank position": (
        lambda f: write(
            f, "ranks", [*RANKS[:-1], "\t".join([*RANKS[-1].split("\t")[:2], "", "1", "com.a", "1"])]
        ),
        "line 201 has no PageRank position",
    ),
    "no PageRank value": (
        lambda f: write(f, "ranks", cut(RANKS, 50, "51\t1.1E7\t51\t\tcom.a\t1")),
        "line 52 has a value",
    ),
    "no header": (
        lambda f: write(f, "ranks", RANKS[1:], header=RANKS[0].encode()),
        "line 1 is not the header",
    ),
    "another header": (
        lambda f: write(f, "ranks", RANKS, header=HEADER.replace(b"host", b"hosts")),
        "line 1 is not the header",
    ),
    "an empty name": (
        lambda f: write(f, "ranks", cut(RANKS, 50, "51\t1.1E7\t51\t1\t\t1")),
        "line 52 has no name",
    ),
    "no number": (
        lambda f: write(f, "ranks", cut(RANKS, 50, "51\tmany\t51\t1\tcom.a\t1")),
        'Line: 52 Original Line: 51 many 51 1 com.a 1 Error when converting column "harmonic_value"',
    ),
    "not a number": (
        lambda f: write(f, "ranks", cut(RANKS, 50, "51\tNaN\t51\t1\tcom.a\t1")),
        "line 52 has a value",
    ),
    "too few columns": (
        lambda f: write(f, "ranks", cut(RANKS, 50, "51\t1")),
        "Line: 52 Original Line: 51 1 Expected",
    ),
    "a control sequence": (
        lambda f: write(f, "ranks", cut(RANKS, 50, "51\t\x1b[2J\t51\t1\tcom.a\t1")),
        "Line: 52 Original Line: 51 [2J 51 1 com.a 1",
    ),
    "no text": (
        lambda f: write(f, "ranks", cut(RANKS, 50, "51\t1\t51\t1\tcom.\udcff\t1")),
        "Line: 52 Original Line: 51 1 51 1 com.",
    ),
    "no rows": (lambda f: write(f, "ranks", []), "has a header and no rows"),
    "half a line at the end": (lambda f: write(f, "ranks", RANKS, end=""), "in the middle of line 201"),
    "cut off": (
        lambda f: _bytes(write(f, "ranks", RANKS), lambda data: data[: len(data) // 2]),
        "is cut off: it ends after line",
    ),
    "damaged": (
        lambda f: _bytes(write(f, "ranks", RANKS), lambda data: data[:900] + b"\x00\xff" * 50 + data[1000:]),
        "is ",
    ),
    "a wrong checksum": (
        lambda f: _bytes(write(f, "ranks", RANKS), lambda data: data[:-8] + b"\x00" * 8),
        "incorrect data check",
    ),
    "rubbish behind": (
        lambda f: _bytes(write(f, "ranks", RANKS), lambda data: data + b"<html>busy</html>"),
        "after line 201",
    ),
    "not gzip": (
        lambda f: _bytes(write(f, "ranks", RANKS), lambda data: b"<html>not found</html>"),
        "is not a gzip file",
    ),
    "empty": (lambda f: _bytes(write(f, "ranks", RANKS), lambda data: b""), "line 1 is not the header"),
}


def _bytes(file: Path, change: Callable[[bytes], bytes]) -> Path:
    file.write_bytes(change(file.read_bytes()))
    return file


@pytest.mark.parametrize("fault", BAD_RANKS)
def test_a_broken_ranks_file_is_refused_and_the_old_table_stays(
    table_dir: TableDir, tmp_path: Path, finished: Path, fault: str
) -> None:
    before = put_before(table_dir, finished)
    make_it, message = BAD_RANKS[fault]
    with pytest.raises(RanksError) as caught:
        import_into(table_dir, GraphFiles(make_it(tmp_path)), NOW + timedelta(1))
    assert message in str(caught.value)
    assert str(tmp_path) in str(caught.value), "the message names the file"
    assert str(caught.value).isprintable()
    assert table_dir.tables() == [before]
    assert not table_dir.unfinished()
    with closing(open_table(before)) as table:
        assert len(table.look_up(GRAPH.names)) == len(GRAPH.names)


@pytest.mark.parametrize("links", [False, True])
def test_a_name_that_stands_twice_keeps_its_better_place(
    table_dir: TableDir, tmp_path: Path, caplog: pytest.LogCaptureFixture, links: bool
) -> None:
    """The table is that of the release without the worse lines."""
    sources = written(tmp_path / "whole", GRAPH, links=links)
    import_into(table_dir, sources)
    with closing(open_table(in_use(table_dir))) as table:
        right = table.look_up(GRAPH.names, top=True)
    lines = [line.split("\t") for line in RANKS]
    for place, name in ((60, 20), (61, 20), (150, 100), (len(lines), 3)):
        value = lines[place - 1][1]
        for line in lines:
            line[2] = str(int(line[2]) + (int(line[2]) > place))
        lines.insert(place, ["", value, str(place + 1), "1", reverse(GRAPH.names[name]), "1"])
    for number, line in enumerate(lines, 1):
        line[0] = str(number)
    doubled = replace(sources, ranks=write(tmp_path, "ranks", map("\t".join, lines)))
    manifest = import_into(table_dir, doubled, NOW + timedelta(1))
    assert (manifest.nodes, manifest.doubles) == (len(GRAPH.names), 4)
    with closing(open_table(in_use(table_dir))) as table:
        assert table.manifest == manifest
        assert table.look_up(GRAPH.names, top=True) == right
    first = reverse(GRAPH.names[20])
    assert (
        f"4 names stand twice and keep their better places; the first is {first}, at lines 22 and 62"
        in caplog.text
    )


SWAPPED = [f"{i}\t{line.partition(chr(9))[2]}" for i, line in enumerate([*VERTICES[1::-1], *VERTICES[2:]])]
BAD_LINKS: dict[str, tuple[str, list[str], str]] = {
    "vertices not numbered from 0": ("vertices", VERTICES[1:], "line 1 has number 1, not 0"),
    "vertices unsorted": (
        "vertices",
        SWAPPED,
        "line 2 names com.d0004, which is not after the name before it",
    ),
    "a vertex twice": (
        "vertices",
        cut(VERTICES, 9, "9" + VERTICES[8][1:]),
        "line 10 names com.d0068, which is not",
    ),
    "a strange vertex": (
        "vertices",
        [*VERTICES[:-1], "199\tzz.zz\t1"],
        "line 200 names zz.zz, which the ranks file does not have",
    ),
    "vertices missing": ("vertices", VERTICES[:-1], "has 199 names, the ranks file 200"),
    "a vertex without a number": (
        "vertices",
        cut(VERTICES, 9, "nine\tcom.a\t1"),
        "Line: 10 Original Line: nine com.a 1 Error",
    ),
    "edges unsorted": ("edges", [*EDGES[:9], EDGES[10], EDGES[9], *EDGES[11:]], "line 11 belongs before"),
    "an edge twice": ("edges", cut(EDGES, 9, EDGES[8]), "line 10 has the same link"),
    "an edge from nowhere": ("edges", [*EDGES, "200\t1"], f"line {len(EDGES) + 1:,} names a vertex beyond"),
    "no edge": ("edges", cut(EDGES, 9, "1,2"), "line 10 is not two tab-separated numbers: '1,2'"),
}


@pytest.mark.parametrize("fault", BAD_LINKS)
def test_broken_links_are_refused_and_the_old_table_stays(
    table_dir: TableDir, tmp_path: Path, finished: Path, fault: str
) -> None:
    before = put_before(table_dir, finished)
    part, lines, message = BAD_LINKS[fault]
    bad = written(tmp_path / "bad", GRAPH)
    write(tmp_path / "bad", part, lines)
    with pytest.raises(RanksError) as caught:
        import_into(table_dir, bad, NOW + timedelta(1))
    assert message in str(caught.value)
    assert f"{part}.txt.gz" in str(caught.value)
    assert table_dir.tables() == [before]


@pytest.mark.parametrize("part", ["vertices", "edges"])
def test_links_cut_off_in_the_middle_are_refused(
    table_dir: TableDir, tmp_path: Path, finished: Path, part: str
) -> None:
    before = put_before(table_dir, finished)
    bad = written(tmp_path / "bad", GRAPH)
    file = bad.vertices if part == "vertices" else bad.edges
    assert file is not None
    _bytes(file, lambda data: data[: len(data) // 2])
    with pytest.raises(RanksError, match="is cut off: it ends after line") as caught:
        import_into(table_dir, bad, NOW + timedelta(1))
    assert caught.value.subject == str(file)
    assert table_dir.tables() == [before]


def test_mended_files_are_imported_from_the_start(table_dir: TableDir, tmp_path: Path) -> None:
    sources = written(tmp_path, GRAPH)
    write(tmp_path, "edges", ["1,2"])
    with pytest.raises(RanksError, match="line 1 is not"):
        import_into(table_dir, sources)
    write(tmp_path, "edges", EDGES)
    steps: set[str] = set()
    assert import_into(table_dir, sources, progress=lambda step, at, total: steps.add(step)).links == len(
        EDGES
    )
    assert "reading ranks" in steps


def test_an_interrupted_import_of_links_goes_on_where_it_was(
    table_dir: TableDir, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = written(tmp_path, GRAPH)
    monkeypatch.setattr(referring_domains, "_SHARE", 10**9)
    monkeypatch.setattr(referring_domains, "_PACKED", 0.02)
    done: list[str] = []

    def stop_at_third(step: str, at: int, total: int) -> None:
        done.append(step)
        if step == "sorting links" and at == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_into(table_dir, sources, progress=stop_at_third)
    assert table_dir.unfinished() and table_dir.in_use() is None
    state = json.loads((table_dir.unfinished()[0] / "state.json").read_bytes())
    assert {"ranks", "vertices", "edges", "bucket 0", "bucket 1"} == state["steps"].keys()
    again: list[str] = []
    manifest = import_into(table_dir, sources, progress=lambda step, at, total: again.append(step))
    assert manifest.links == len(GRAPH.links)
    assert "reading ranks" not in again and "reading links" not in again
    with closing(open_table(in_use(table_dir))) as table:
        found = table.look_up(GRAPH.names)
    assert [found[name].domains for name in GRAPH.names] == [
        len(GRAPH.linking(place)) for place in range(200)
    ]
    assert not table_dir.unfinished()


_KILLED = """
import os, signal, sys
from pathlib import Path
from afterdrop.sources.webgraph.graph_files import GraphFiles
from afterdrop.sources.webgraph.table_dir import TableDir
from tests.support.graphs import RELEASE, import_into
folder = Path(sys.argv[1])
parts = [folder / f"{RELEASE}-domain-{part}.txt.gz" for part in ("ranks", "vertices", "edges")]
def progress(step, done, total):
    if step == sys.argv[2]:
        os.kill(os.getpid(), signal.SIGKILL)
import_into(TableDir(folder / "ranks"), GraphFiles(*parts), progress=progress)
"""


@pytest.mark.parametrize("step", ["sorting ranks", "placing vertices", "reading links", "writing links"])
def test_an_import_killed_anywhere_ends_like_one_left_alone(
    tmp_path: Path, table_dir: TableDir, step: str
) -> None:
    sources = written(tmp_path, GRAPH)
    ran = subprocess.run(
        [sys.executable, "-c", _KILLED, str(tmp_path), step], capture_output=True, check=False
    )
    assert ran.returncode == -9, ran.stderr
    assert table_dir.in_use() is None
    assert import_into(table_dir, sources).links == len(GRAPH.links)
    with closing(open_table(in_use(table_dir))) as table:
        found = table.look_up(GRAPH.names, top=True)
    assert [(found[name].domains, list(found[name].top or ())) for name in GRAPH.names] == [
        (len(GRAPH.linking(place)), GRAPH.linking(place)[: referring_domains.TOP]) for place in range(200)
    ]


def test_the_remains_of_a_finished_import_are_not_continued(table_dir: TableDir, tmp_path: Path) -> None:
    sources = written(tmp_path, GRAPH)
    import_into(table_dir, sources)
    left = BuildDir(table_dir.build_folder(RELEASE))
    left.begin(sources)
    left.finish("ranks", nodes=200, salt="")
    assert import_into(table_dir, sources, NOW + timedelta(1)).links == len(GRAPH.links)
    with closing(open_table(in_use(table_dir))) as table:
        assert len(table.look_up(GRAPH.names, top=True)) == 200


def test_names_that_share_a_key_get_another_salt(
    table_dir: TableDir, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = key_sql
    monkeypatch.setattr(
        importer, "key_sql", lambda salt: usual(salt) if salt else f"{usual(salt)} // 1000000000000000000"
    )
    assert import_into(table_dir, written(tmp_path, GRAPH, links=False)).salt == "1"
    with closing(open_table(in_use(table_dir))) as table:
        assert len(table.look_up(GRAPH.names)) == len(GRAPH.names)


def test_only_the_latest_tables_are_kept_and_the_last_import_is_in_use(
    table_dir: TableDir, tmp_path: Path
) -> None:
    sources = written(tmp_path, GRAPH, links=False)
    for day, release in enumerate(("b", "a", "c")):
        import_into(table_dir, sources, NOW + timedelta(day), release)
    assert [file.name.partition(".")[0] for file in table_dir.tables()] == ["c", "a"]
    # A clock that was put back does not keep a new table from coming into use.
    import_into(table_dir, sources, NOW, "d")
    assert in_use(table_dir).name.startswith("d.")


def test_two_imports_do_not_run_at_once(table_dir: TableDir, tmp_path: Path) -> None:
    with table_dir.importing(), pytest.raises(RanksError, match="another import is already running"):
        import_into(table_dir, written(tmp_path, GRAPH, links=False))


def test_missing_files_and_too_little_memory_or_disk_are_refused(
    table_dir: TableDir, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = written(tmp_path, GRAPH)
    with pytest.raises(RanksError, match="is not there"):
        import_into(table_dir, GraphFiles(tmp_path / "none.gz"))
    with pytest.raises(RanksError, match="need both"):
        import_into(table_dir, GraphFiles(sources.ranks, sources.vertices))
    with pytest.raises(RanksError, match="--memory: must be at least 300MB"):
        importer.import_graph(table_dir, RELEASE, sources, NOW, memory=10**8, progress=lambda *step: None)
    monkeypatch.setattr(importer, "BYTES_A_VERTEX", 10**8)
    with pytest.raises(RanksError, match=r"--memory: must be at least 40\.0GB for the links of 200 names"):
        import_into(table_dir, sources)
    table_dir.clear(table_dir.build_folder(RELEASE))
    monkeypatch.setattr("shutil.disk_usage", lambda folder: type("Usage", (), {"free": 10}))
    with pytest.raises(RanksError, match="needs about"):
        import_into(table_dir, sources)
    assert table_dir.in_use() is None


def test_the_files_of_an_interrupted_import_count_as_free_space(
    table_dir: TableDir, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = written(tmp_path, GRAPH)
    ranks, *others = (file.stat().st_size for file in sources.files())
    needed = 3 * ranks + 4 * sum(others)
    monkeypatch.setattr("shutil.disk_usage", lambda folder: type("Usage", (), {"free": needed - 2000}))
    with pytest.raises(RanksError, match=r"has 0\.\d MB free; this import needs about 0\.\d MB"):
        import_into(table_dir, sources)
    table_dir.build_folder(RELEASE).mkdir()
    (table_dir.build_folder(RELEASE) / "pairs-000").write_bytes(b"x" * 1999)
    with pytest.raises(RanksError, match="this import needs about"):
        import_into(table_dir, sources)
    (table_dir.build_folder(RELEASE) / "spill").mkdir()
    (table_dir.build_folder(RELEASE) / "spill" / "one").write_bytes(b"x")
    assert import_into(table_dir, sources).links == len(GRAPH.links)


_FULL = """
import resource, sys
from pathlib import Path
from afterdrop.core.errors import AfterdropError
from afterdrop.sources.webgraph.graph_files import GraphFiles
from afterdrop.sources.webgraph.table_dir import TableDir
from tests.support.graphs import NOW, RELEASE, import_into
from datetime import timedelta
folder = Path(sys.argv[1])
parts = [folder / f"{RELEASE}-domain-{part}.txt.gz" for part in ("ranks", "vertices", "edges")]
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
try:
    import_into(TableDir(folder / "ranks"), GraphFiles(*parts), NOW + timedelta(1))
except AfterdropError as error:
    print("REFUSED", error)
"""


@pytest.mark.parametrize("limit", [30_000, 600_000])
def test_a_disk_that_is_full_in_the_middle_leaves_the_old_table_in_use(
    tmp_path: Path, finished: Path, limit: int
) -> None:
    # A limit on the size of written files stands for the full disk: writing fails in the same calls.
    table_dir = TableDir(tmp_path / "ranks")
    before = put_before(table_dir, finished)
    written(tmp_path, make(3000, 30_000))
    ran = subprocess.run(
        [sys.executable, "-c", _FULL, str(tmp_path), str(limit)], capture_output=True, text=True, check=True
    )
    assert "REFUSED" in ran.stdout, ran.stdout + ran.stderr
    assert str(tmp_path / "ranks") in ran.stdout
    assert "File too large" in ran.stdout, "the message says what the system said"
    assert table_dir.tables() == [before]
    with closing(open_table(before)) as table:
        assert len(table.look_up(GRAPH.names)) == len(GRAPH.names)


def test_an_import_whose_disk_was_full_can_be_continued(table_dir: TableDir, tmp_path: Path) -> None:
    sources = written(tmp_path, GRAPH)

    def full(step: str, done: int, total: int) -> None:
        if step == "reading links":
            # /dev/full refuses every write as a full disk does.
            (table_dir.unfinished()[0] / "counts-000.npy").symlink_to("/dev/full")

    with pytest.raises(RanksError) as caught:
        import_into(table_dir, sources, progress=full)
    assert "is the disk full?" in str(caught.value) or "No space left on device" in str(caught.value)
    assert str(table_dir.folder) in str(caught.value)
    assert table_dir.in_use() is None
    (table_dir.unfinished()[0] / "counts-000.npy").unlink()
    again: list[str] = []
    import_into(table_dir, sources, progress=lambda step, at, total: again.append(step))
    assert "reading ranks" not in again and "reading vertices" not in again


def test_several_gzip_members_and_padding_are_one_file(table_dir: TableDir, tmp_path: Path) -> None:
    file = tmp_path / f"{RELEASE}-domain-ranks.txt.gz"
    text = (HEADER.decode() + "\n" + "\n".join(RANKS) + "\n").encode()
    pieces = [gzip.compress(text[at : at + 777], mtime=0) for at in range(0, len(text), 777)]
    file.write_bytes(b"".join(pieces) + b"\0" * 700)
    assert import_into(table_dir, GraphFiles(file)).nodes == 200
