"""`afterdrop ranks import`, `status` and `lookup`: link ranks from the open web graph."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from afterdrop.cli import console
from afterdrop.core import clock
from afterdrop.core.errors import AfterdropError

if TYPE_CHECKING:
    from afterdrop.core.settings import Settings
    from afterdrop.sources.webgraph.download import Publisher
    from afterdrop.sources.webgraph.graph_files import GraphFiles
    from afterdrop.sources.webgraph.table import Manifest
    from afterdrop.sources.webgraph.table_dir import TableDir

ranks_app = typer.Typer(
    no_args_is_help=True, help="Link ranks from the open web graph: import, status, lookup."
)

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON record per line.")]
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*(MB|GB)", re.IGNORECASE)
_BYTES = {"MB": 10**6, "GB": 10**9}
LATEST = "latest"
# More memory does not speed up an import of ranks. Links need 48 bytes a name and gain from larger buckets.
MEMORY, MEMORY_WITH_LINKS = "900MB", "8GB"


@ranks_app.command("import")
def import_ranks(
    release: Annotated[
        str | None,
        typer.Option(help="A release to download, such as cc-main-2026-apr-may-jun; `latest`: the newest."),
    ] = None,
    file: Annotated[Path | None, typer.Option(help="A ranks file that you already have.")] = None,
    links: Annotated[bool, typer.Option("--links", help="Also import the links (14 GB more).")] = False,
    vertices: Annotated[Path | None, typer.Option(help="With --file: the vertices file.")] = None,
    edges: Annotated[Path | None, typer.Option(help="With --file: the edges file.")] = None,
    memory: Annotated[
        str | None, typer.Option(help="Roughly how much memory to use.", show_default="900MB; with links 8GB")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Build the local table of link ranks and bring it into use.

    The publisher's terms are between you and the publisher: you download the files, and Afterdrop passes nothing on.
    Credit and release are shown with every value. The table in use stays until the new one is complete; then downloaded
    files are removed.
    With --release, nothing is done if that release is already in use.
    """
    from afterdrop.cli.bootstrap import load_settings
    from afterdrop.sources.webgraph.table_dir import open_table_dir

    settings = load_settings()
    table_dir, size = (
        open_table_dir(settings),
        in_bytes(memory or (MEMORY_WITH_LINKS if links or edges else MEMORY)),
    )
    sources = _given(file, vertices, edges, links=links)
    latest = release == LATEST and sources is None
    name = asyncio.run(_newest(settings)) if latest else _release(release, file)
    manifest = None if sources else _in_use(table_dir, name, links=links)
    try:
        manifest = manifest or _import(settings, table_dir, name, sources, links=links, memory=size)
    except KeyboardInterrupt:
        kept = (
            "what is done is kept; repeat the command to continue" if links or edges else "repeat the command"
        )
        console.note(f"afterdrop: stopped; the table in use stays, {kept}")
        raise
    _tell(manifest, table_dir, as_json=as_json)


def _import(
    settings: Settings,
    table_dir: TableDir,
    release: str,
    sources: GraphFiles | None,
    *,
    links: bool,
    memory: int,
) -> Manifest:
    """Import `sources`; without them download the release first and remove the files afterwards."""
    from afterdrop.sources.webgraph.errors import RanksError
    from afterdrop.sources.webgraph.importer import import_graph

    now = clock.now()
    files = sources or asyncio.run(_download(settings, release, links=links))
    try:
        with console.StepProgress() as steps:
            manifest = import_graph(table_dir, release, files, now, memory=memory, progress=steps.show)
    except RanksError as error:
        if sources is None and error.subject in map(str, files.files()):
            raise RanksError(error.subject, f"{error.message}; remove it to download it anew") from None
        raise
    if sources is None:
        for done in files.files():
            done.unlink()
    return manifest


def _in_use(table_dir: TableDir, release: str, *, links: bool) -> Manifest | None:
    """The manifest of the table in use if it is undamaged, of `release`, and has links where `links` asks for them."""
    from contextlib import closing

    from afterdrop.sources.webgraph.errors import RanksError
    from afterdrop.sources.webgraph.table import open_table

    file = table_dir.in_use()
    if file is None:
        return None
    try:
        with closing(open_table(file)) as table:
            manifest = table.manifest
            if manifest.release != release or (links and manifest.links is None):
                return None
            table.read_through()
            return manifest
    except RanksError:
        return None


def _tell(manifest: Manifest, table_dir: TableDir, *, as_json: bool) -> None:
    from afterdrop.sources.webgraph.release import attribution

    if as_json:
        console.json_line(asdict(manifest) | {"attribution": attribution(manifest.release)})
        return
    console.line(f"{table_sentence(manifest)}; in use: {table_dir.in_use()}")
    console.line(credit_line(manifest.release))


def in_bytes(text: str) -> int:
    """`8GB` or `800MB` in bytes."""
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise AfterdropError("--memory", f"is a number of MB or GB, such as 8GB, not '{text[:40]}'")
    return int(float(found[1]) * _BYTES[found[2].upper()])


def _release(release: str | None, file: Path | None) -> str:
    from afterdrop.sources.webgraph.release import release_name, release_of_file

    if release == LATEST:
        raise AfterdropError("--release", "latest is for downloads; with --file, name the file's release")
    if release is not None:
        return release_name(release)
    if file is None:
        raise AfterdropError("ranks import", "needs --release NAME to download, or --file FILE")
    found = release_of_file(file.name)
    if found is None:
        raise AfterdropError(str(file), "does not have its release in its name: add --release NAME")
    return found


def _given(file: Path | None, vertices: Path | None, edges: Path | None, *, links: bool) -> GraphFiles | None:
    from afterdrop.sources.webgraph.graph_files import GraphFiles

    if file is None:
        if vertices or edges:
            raise AfterdropError("ranks import", "takes --vertices and --edges only with --file FILE")
        return None
    if links and (vertices is None or edges is None):
        raise AfterdropError("--links", "with --file needs --vertices FILE and --edges FILE too")
    return GraphFiles(file, vertices, edges)


async def _newest(settings: Settings) -> str:
    """The newest release that the publisher lists. Raises RanksError and UpstreamError."""
    from afterdrop.sources.webgraph.download import newest_release

    async with _publisher(settings) as publisher:
        return await newest_release(publisher, settings.ranks.releases_url)


@asynccontextmanager
async def _publisher(settings: Settings) -> AsyncIterator[Publisher]:
    from afterdrop.cli.bootstrap import open_existing
    from afterdrop.http.client import open_fetcher
    from afterdrop.sources.webgraph.download import Publisher

    async with (
        open_existing(settings, temporary=True) as database,
        open_fetcher(settings, database, clock.epoch, clock.rng()) as way,
    ):
        yield Publisher(way.session, settings.ranks.url, settings.user_agent)


async def _download(settings: Settings, release: str, *, links: bool) -> GraphFiles:
    from afterdrop.sources.webgraph.download import download
    from afterdrop.sources.webgraph.table_dir import open_table_dir

    table_dir = open_table_dir(settings)
    with table_dir.importing("download"), console.StepProgress() as steps:
        async with _publisher(settings) as publisher:
            return await download(publisher, release, table_dir.folder, steps.show, links=links)


@ranks_app.command("status")
def status(as_json: AsJson = False) -> None:
    """Show the tables of link ranks: the one in use, older ones, and unfinished imports and downloads."""
    from afterdrop.cli.bootstrap import load_settings
    from afterdrop.sources.webgraph.table_dir import open_table_dir

    table_dir = open_table_dir(load_settings())
    rows = [*table_rows(table_dir), *unfinished_rows(table_dir)]
    if as_json:
        for row in rows:
            console.json_line(row.as_json())
        return
    if not rows:
        console.line(f"no link ranks in {table_dir.folder}: see `afterdrop ranks import --help`")
        return
    console.table(
        ("file", "state", "MB", "remark"),
        [
            (
                row.file,
                "in use" if row.in_use else "kept" if row.file.endswith(".duckdb") else "unfinished",
                "" if row.bytes is None else f"{row.bytes / 1e6:,.1f}",
                row.remark,
            )
            for row in rows
        ],
    )
    for release in dict.fromkeys(row.manifest.release for row in rows if row.manifest):
        console.line(credit_line(release))


@ranks_app.command("lookup")
def lookup(
    names: Annotated[list[str], typer.Argument(help="Registrable domains.")],
    as_json: AsJson = False,
) -> None:
    """Look up domains in the table in use: link rank, positions and, if links were imported, referring domains."""
    from contextlib import closing

    from afterdrop.cli.bootstrap import load_settings
    from afterdrop.core.domain_names import exact_domain
    from afterdrop.sources.webgraph.release import attribution
    from afterdrop.sources.webgraph.table import open_table
    from afterdrop.sources.webgraph.table_dir import open_table_dir

    settings = load_settings()
    table_dir = open_table_dir(settings)
    file = table_dir.in_use()
    if file is None:
        raise AfterdropError(str(table_dir.folder), "has no link ranks: see `afterdrop ranks import --help`")
    domains = list(dict.fromkeys(exact_domain(name.strip(), settings.scan.sale_zones) for name in names))
    with closing(open_table(file)) as table:
        found, release = table.look_up(domains, top=True), table.manifest.release
    for domain in domains:
        rank = found.get(domain)
        if as_json:
            told_of = None if rank is None else rank._asdict()
            console.json_line(
                {
                    "domain": domain,
                    "release": release,
                    "link_rank": told_of,
                    "attribution": attribution(release),
                }
            )
        elif rank is None:
            console.line(f"{domain}: not in the graph")
        else:
            linking = "" if rank.domains is None else f", {rank.domains:,} referring domains"
            top = f" ({', '.join(rank.top[:10])})" if rank.top else ""
            console.line(
                f"{domain}: link rank {rank.rating:g} (harmonic {rank.harmonic:,}, PageRank {rank.pagerank:,} "
                f"of {table.manifest.nodes:,}){linking}{top}"
            )
    if not as_json:
        console.line(credit_line(release))


@dataclass(frozen=True)
class RanksFile:
    """A table, finished or not; `remark` describes it or says why it cannot be opened."""

    file: str
    in_use: bool
    bytes: int | None
    remark: str
    manifest: Manifest | None = None

    def as_json(self) -> dict[str, object]:
        """As `ranks status --json` prints it."""
        from afterdrop.sources.webgraph.release import attribution

        of = self.manifest
        known = {**asdict(of), "attribution": attribution(of.release)} if of else {}
        return {"file": self.file, "in_use": self.in_use, "bytes": self.bytes, **known, "remark": self.remark}


class UsedTable(TypedDict):
    """The table that look-ups read. If it is not `readable`, `remark` says why."""

    file: str
    release: str | None
    imported_at: datetime | None
    remark: str
    readable: bool


def table_rows(table_dir: TableDir) -> Iterator[RanksFile]:
    """The finished tables, the one in use first."""
    files = list(table_dir.tables())
    if not files:
        return  # without a table there is no need to load what reads one
    from contextlib import closing

    from afterdrop.sources.webgraph.errors import RanksError
    from afterdrop.sources.webgraph.table import open_table

    for place, file in enumerate(files):
        of: Manifest | None = None
        try:
            with closing(open_table(file)) as table:
                of, remark = table.manifest, table_sentence(table.manifest)
        except RanksError as error:
            remark = error.message
        yield RanksFile(str(file), place == 0, file.stat().st_size, remark, of)


def used_table(settings: Settings) -> UsedTable | None:
    """The table that look-ups read; None without one."""
    from afterdrop.sources.webgraph.table_dir import open_table_dir

    row = next(table_rows(open_table_dir(settings)), None)
    if row is None:
        return None
    of = row.manifest
    return {
        "file": row.file,
        "release": of.release if of else None,
        "imported_at": of.imported_at if of else None,
        "remark": row.remark,
        "readable": of is not None,
    }


def unfinished_rows(table_dir: TableDir) -> Iterator[RanksFile]:
    """The files that unfinished imports and downloads left behind."""
    for left in table_dir.unfinished():
        yield RanksFile(str(left), False, None, "an unfinished import")
    for left in table_dir.downloads():
        yield RanksFile(str(left), False, left.stat().st_size, "downloaded, not imported yet")


def credit_line(release: str) -> str:
    """The credit line that must stand wherever the graph's values are shown."""
    from afterdrop.sources.webgraph.release import attribution

    owed = attribution(release)
    return f"{owed['text']}, {owed['url']}"


def table_sentence(manifest: Manifest) -> str:
    """One sentence that describes a table."""
    links = "ranks only" if manifest.links is None else f"{manifest.links:,} links"
    twice = f"{manifest.doubles:,} of them listed twice, " if manifest.doubles else ""
    return (
        f"{manifest.release}: {manifest.nodes:,} domains, {twice}{links}, "
        f"imported {manifest.imported_at:%Y-%m-%d %H:%M} UTC"
    )
