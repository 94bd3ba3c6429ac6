"""A small web graph of domains as three files in Common Crawl's formats, over HTTP with byte ranges.

A name that the provider `graph` knows has exactly as many referring domains here as its metrics say.
Names with many links lead the ranks; names with few come behind all sites that only link to others.
"""

from __future__ import annotations

import gzip
import random
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from aiohttp import web

from afterdrop.sandbox.state import Handler, SandboxState, json_answer
from afterdrop.sandbox.story import Story
from afterdrop.sandbox.world import World

RELEASE = "cc-main-2026-jul-aug-sep"
PROJECT_PATH = "/data.commoncrawl.org/projects/hyperlinkgraph"
RELEASES_PATH = "/index.commoncrawl.org/graphinfo.json"
_BASE = f"{PROJECT_PATH}/{RELEASE}/domain"
_HUBS = ("wikipedia.org", "googleapis.com", "w3.org", "facebook.com", "github.com")
_WELL = 60


@dataclass(frozen=True, slots=True)
class WebGraph:
    """Reversed names in order (a name's place is its number), links as pairs of numbers, and names in rank order."""

    names: tuple[str, ...]
    links: tuple[tuple[int, int], ...]
    ranked: tuple[str, ...]


def graph_paths() -> dict[str, str]:
    """The paths of the three files, by the file's name."""
    return {name: f"{_BASE}/{RELEASE}-domain-{name}.txt.gz" for name in ("ranks", "vertices", "edges")}


def build_graph(world: World) -> WebGraph:
    """The graph around a world's names."""
    rng = random.Random(f"graph:{world.seed}:{world.size}")
    in_graph = (story for story in world.stories if "graph" in story.metrics.known)
    linked = [story for story in in_graph if story.metrics.referring_domains]
    most = max((story.metrics.referring_domains for story in linked), default=0)
    fillers = [f"linker{number:04d}.{('com', 'org', 'net')[number % 3]}" for number in range(most + 50)]
    pairs: set[tuple[str, str]] = {(filler, rng.choice(_HUBS)) for filler in fillers}
    for story in linked:
        pairs.update((name, story.domain) for name in _referrers(rng, story, fillers))
    # A name occurs once, even if it both links and is linked to.
    names = sorted(
        {reverse(name) for pair in pairs for name in pair} | {reverse(story.domain) for story in linked}
    )
    places = {name: place for place, name in enumerate(names)}
    links = sorted((places[reverse(source)], places[reverse(target)]) for source, target in pairs)
    return WebGraph(tuple(names), tuple(links), _ranked(linked, names))


def reverse(name: str) -> str:
    """A name with its labels in reverse order, as the graph writes it.

    >>> reverse("example.co.uk")
    'uk.co.example'
    """
    return ".".join(reversed(name.split(".")))


def _referrers(rng: random.Random, story: Story, fillers: list[str]) -> list[str]:
    wanted = story.metrics.referring_domains
    own = [name for name in story.metrics.referrers if name != story.domain][:wanted]
    return own + rng.sample(fillers, wanted - len(own))


def _ranked(linked: list[Story], names: list[str]) -> tuple[str, ...]:
    strength = {reverse(story.domain): story.metrics.referring_domains for story in linked}
    hubs = [name for name in map(reverse, _HUBS) if name in set(names)]
    well = sorted(
        (name for name, domains in strength.items() if domains >= _WELL), key=lambda name: -strength[name]
    )
    poor = sorted(
        (name for name, domains in strength.items() if domains < _WELL), key=lambda name: -strength[name]
    )
    placed = {*hubs, *well, *poor}
    return (*hubs, *well, *(name for name in names if name not in placed), *poor)


def vertices(graph: WebGraph) -> bytes:
    """`id, reversed name, number of hosts`, tab-separated, gzipped."""
    return _packed(f"{place}\t{name}\t{1 + len(name) % 4}" for place, name in enumerate(graph.names))


def edges(graph: WebGraph) -> bytes:
    """`from, to`, tab-separated, sorted, gzipped."""
    return _packed(f"{source}\t{target}" for source, target in graph.links)


def ranks(graph: WebGraph) -> bytes:
    """The ranks with a header, in harmonic order; PageRank's order swaps some neighbours."""
    header = "#harmonicc_pos\t#harmonicc_val\t#pr_pos\t#pr_val\t#host_rev\t#n_hosts"
    places = list(range(1, len(graph.ranked) + 1))
    for index, (left, right) in enumerate(pairwise(list(places))):
        if index % 5 == 2:
            places[index], places[index + 1] = right, left
    lines = [header]
    for place, (name, pr_place) in enumerate(zip(graph.ranked, places, strict=True), start=1):
        harmonic = _java(2.9799486e7 / (1 + place / len(places)))
        pagerank = _java(0.0123 / pr_place)
        lines.append(f"{place}\t{harmonic}\t{pr_place}\t{pagerank}\t{name}\t{1 + len(name) % 4}")
    return _packed(lines)


def _java(value: float) -> str:
    """A number as Java prints it: plain from 0.001 to ten million, otherwise with an exponent."""
    if 1e-3 <= value < 1e7:
        return repr(value)
    mantissa, _, exponent = f"{value:.7e}".partition("e")
    return f"{float(mantissa)}E{int(exponent)}"


def _packed(lines: Iterable[str]) -> bytes:
    return gzip.compress(("\n".join(lines) + "\n").encode(), mtime=0)


_FILES: dict[str, Callable[[WebGraph], bytes]] = {
    "ranks": ranks,
    "vertices": vertices,
    "edges": edges,
}


def routes(sandbox: SandboxState) -> Iterator[web.RouteDef]:
    """The list of releases, and the three files of the newest."""
    kept: dict[str, bytes] = {}

    async def releases(request: web.Request) -> web.StreamResponse:
        return json_answer([{"id": RELEASE, "name": RELEASE}])

    yield web.get(RELEASES_PATH, releases)
    for name, path in graph_paths().items():
        yield web.get(path, _file(sandbox, kept, name, _FILES[name]))


def _file(
    sandbox: SandboxState, kept: dict[str, bytes], name: str, make: Callable[[WebGraph], bytes]
) -> Handler:
    async def file(request: web.Request) -> web.StreamResponse:
        if name not in kept:
            kept[name] = make(build_graph(sandbox.world))
        return ranged(request, kept[name])

    return file


def ranged(request: web.Request, body: bytes) -> web.Response:
    """The range of a file that is asked for (RFC 9110, section 14), or the whole file."""
    headers = {"Accept-Ranges": "bytes", "ETag": f'"{len(body):x}-{sum(body[-8:]):x}"'}
    found = re.fullmatch(r"bytes=(\d+)-(\d*)", request.headers.get("Range", ""))
    if not found or request.headers.get("If-Range", headers["ETag"]) != headers["ETag"]:
        return web.Response(body=body, content_type="application/gzip", headers=headers)
    start, end = int(found[1]), min(int(found[2] or len(body) - 1), len(body) - 1)
    if start > end:
        headers["Content-Range"] = f"bytes */{len(body)}"
        return web.Response(status=416, headers=headers)
    headers["Content-Range"] = f"bytes {start}-{end}/{len(body)}"
    return web.Response(
        status=206, body=body[start : end + 1], content_type="application/gzip", headers=headers
    )
