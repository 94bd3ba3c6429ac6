"""The metric vendors over HTTP, each below the vendor's real host name.

Answers are in each vendor's own format, after its public documentation, and agree with the domain's story. Each
vendor has its own answer for an unknown name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

import orjson
from aiohttp import web

from afterdrop.sandbox.state import Handler, SandboxState, json_answer
from afterdrop.sandbox.story import LinkMetrics
from afterdrop.sandbox.world import World

_MAJESTIC_MOST = 100

# An answer as a JSON object, and one row of it.
Answer = dict[str, Any]
Row = dict[str, str | float | None]


def known(world: World, name: str, vendor: str) -> LinkMetrics | None:
    """The metrics of a name; None if it is not in the index of `vendor`."""
    story = world.by_domain.get(name.lower().strip("./"))
    return story.metrics if story and vendor in story.metrics.known else None


def ahrefs_many(world: World, names: Sequence[str]) -> Answer:
    """Domain Ratings of many targets; targets without data are left out."""
    rows = [(name, known(world, name, "ahrefs")) for name in names]
    targets: list[Row] = [
        {"target": name, "domain_rating": float(found.domain_rating)} for name, found in rows if found
    ]
    return {"domain_rating": {"targets": targets, "license": "Attribution required", "warning": None}}


def majestic(world: World, query: Mapping[str, str]) -> Answer:
    """The answer to one Majestic command."""
    return _MAJESTIC[query["cmd"]](world, query)


def _tables(**tables: list[Row]) -> Answer:
    found = {name: {"RowsCount": len(rows), "Headers": {}, "Data": rows} for name, rows in tables.items()}
    return {"Code": "OK", "ErrorMessage": "", "FullError": "", "DataTables": found}


def _index_items(world: World, query: Mapping[str, str]) -> Answer:
    names = [query[f"item{number}"] for number in range(int(query["items"]))]
    if len(names) > _MAJESTIC_MOST:
        return {"Code": "TooManyItems", "ErrorMessage": f"At most {_MAJESTIC_MOST} items may be asked for"}
    wanted = int(query["DesiredTopics"])
    return _tables(Results=[_index_item(world, number, name, wanted) for number, name in enumerate(names)])


def _index_item(world: World, number: int, name: str, topics: int) -> Row:
    found = known(world, name, "majestic")
    row: Row = {
        "ItemNum": number,
        "Item": name,
        "ResultCode": "OK",
        "Status": "Found" if found else "NotFound",
    }
    if not found:
        empty = ("ExtBackLinks", "RefDomains", "TrustFlow", "CitationFlow", "RefIPs", "RefSubNets")
        return row | dict.fromkeys(empty, -1)
    row |= {
        "ExtBackLinks": found.backlinks,
        "RefDomains": found.referring_domains,
        "AnalysisResUnitsCost": 0,
        "RefIPs": round(found.referring_domains * 0.9),
        "RefSubNets": round(found.referring_domains * 0.8),
        "RefDomainsEDU": found.referring_domains // 120,
        "RefDomainsGOV": found.referring_domains // 300,
        "TrustFlow": found.trust_flow,
        "CitationFlow": found.citation_flow,
        "TrustMetric": found.trust_flow,
    }
    for place, (topic, flow) in enumerate(found.topics[:topics]):
        row |= {f"TopicalTrustFlow_Topic_{place}": topic, f"TopicalTrustFlow_Value_{place}": flow}
    return row


def _anchors(world: World, query: Mapping[str, str]) -> Answer:
    found = known(world, query["item"], "majestic")
    return _tables(AnchorText=[
        {"AnchorText": anchor.text, "RefDomains": anchor.referring_domains, "TotalLinks": anchor.referring_domains * 6,
         "DeletedLinks": 0, "NoFollowLinks": anchor.referring_domains}
        for anchor in (found.anchors if found else ())
    ])  # fmt: skip


def _links(world: World, query: Mapping[str, str]) -> Answer:
    found = known(world, query["item"], "majestic")
    rows: list[Row] = [
        {"SourceURL": link.page, "SourceTrustFlow": link.rating, "AnchorText": link.text,
         "TargetURL": link.target, "FirstIndexedDate": link.first.isoformat() if link.first else "",
         "LastSeenDate": link.last.isoformat() if link.last else "", "DateLost": "",
         "FlagNoFollow": int(link.nofollow)}
        for link in (found.links if found else ())
    ]  # fmt: skip
    return _tables(BackLinks=rows[: int(query["Count"])])


def _referrers(world: World, query: Mapping[str, str]) -> Answer:
    found = known(world, query["item0"], "majestic")
    return _tables(Results=[
        {"Position": number, "Domain": name, "AlexaRank": -1, "RefDomains": 900 - 31 * number, "TrustFlow": 40 - number,
         "CitationFlow": 44 - number, "MatchedLinks": 1 + number % 5}
        for number, name in enumerate(found.referrers if found else ())
    ])  # fmt: skip


_MAJESTIC = {
    "GetIndexItemInfo": _index_items,
    "GetAnchorText": _anchors,
    "GetBackLinkData": _links,
    "GetRefDomains": _referrers,
}


def moz(world: World, names: Sequence[str], day: date, host: str = "") -> Answer:
    """Moz link metrics in request order; unknown targets have no values and a spam score of -1.

    In the scene `provider_www` the `host` of the page is `www.`, whatever was asked.
    """
    rows = [_moz_row(name, known(world, name, "moz"), day) for name in names]
    return {"results": [row | {"page": f"{host}{row['page']}"} for row in rows]}


def _moz_row(name: str, found: LinkMetrics | None, day: date) -> Row:
    row: Row = {
        "page": f"{name.strip('/')}/",
        "subdomain": name.strip("/"),
        "root_domain": name.strip("/"),
    }
    if not found:
        keys = ("domain_authority", "page_authority", "root_domains_to_root_domain")
        return row | dict.fromkeys(keys) | {"spam_score": -1, "last_crawled": None}
    return row | {
        "domain_authority": found.domain_authority,
        "page_authority": found.domain_authority + 3,
        "spam_score": max(1, 40 - found.trust_flow),
        "root_domains_to_root_domain": found.referring_domains,
        "external_pages_to_root_domain": found.backlinks,
        "pages_to_root_domain": found.backlinks + found.indexed_pages,
        "last_crawled": day.isoformat(),
    }


def semrush(world: World, query: Mapping[str, str]) -> str:
    """The overview of backlinks as CSV with semicolons; an unknown name is an ERROR line."""
    found = known(world, query["target"], "semrush")
    return (
        f"ascore;total\r\n{found.authority_score};{found.backlinks}" if found else "ERROR 50 :: NOTHING FOUND"
    )


def open_pagerank(world: World, names: Sequence[str], day: date) -> Answer:
    """Open PageRank of many domains."""
    results = [_rank_row(name, known(world, name, "openpagerank")) for name in names]
    return {
        "as_of": day.replace(day=1).isoformat(),
        "count": len(results),
        "results": results,
        "invalid": [],
    }


def _rank_row(name: str, found: LinkMetrics | None) -> Row:
    if not found:
        return {
            "domain": name,
            "found": False,
            "open_page_rank": None,
            "rank": None,
            "referring_domains": None,
        }
    rank = round(10 ** (8 - found.pagerank))
    return {
        "domain": name, "found": True, "open_page_rank": found.pagerank, "rank": rank,
        "referring_domains": found.referring_domains,
    }  # fmt: skip


# The environment variables that the shipped provider presets read; the sandbox's vendors accept any value, and no
# request without one.
KEYS = {
    "AHREFS_API_KEY": "sandbox",
    "MAJESTIC_API_KEY": "sandbox",
    "MOZ_ACCESS_ID": "sandbox",
    "MOZ_SECRET_KEY": "sandbox",
    "SEMRUSH_API_KEY": "sandbox",
    "OPEN_PAGERANK_API_KEY": "opr_live_sandbox",
}


def routes(sandbox: SandboxState) -> Iterator[web.RouteDef]:
    """The routes of every vendor."""
    world = sandbox.world

    async def ratings(request: web.Request) -> web.StreamResponse:
        return json_answer(ahrefs_many(world, await _names(request, "targets", 1000)))

    async def command(request: web.Request) -> web.StreamResponse:
        return json_answer(majestic(world, request.query))

    async def metrics(request: web.Request) -> web.StreamResponse:
        host = "www." if "provider_www" in sandbox.faults.playing else ""
        names = await _names(request, "targets", 50)
        return json_answer(moz(world, names, sandbox.clock.now().date(), host))

    async def report(request: web.Request) -> web.StreamResponse:
        return web.Response(text=semrush(world, request.query), content_type="text/plain")

    async def ranks(request: web.Request) -> web.StreamResponse:
        names = await _names(request, "domains", 100)
        return json_answer(open_pagerank(world, names, sandbox.clock.now().date()))

    yield web.post("/api.ahrefs.com/v3/public/domain-rating-free", _for_customers(ratings))
    yield web.get("/api.majestic.com/api/json", _for_customers(command))
    yield web.post("/lsapi.seomoz.com/v2/url_metrics", _for_customers(metrics))
    yield web.get("/api.semrush.com/analytics/v1/", _for_customers(report))
    yield web.post("/openpagerank.keywordseverywhere.com/v1/domains/bulk", _for_customers(ranks))


def _for_customers(handler: Handler) -> Handler:
    async def answer(request: web.Request) -> web.StreamResponse:
        query = request.query
        if not (request.headers.get("Authorization") or query.get("app_api_key") or query.get("key")):
            return json_answer({"error": "API key is missing"}, 401)
        return await handler(request)

    return answer


async def _names(request: web.Request, key: str, most: int) -> list[str]:
    names: list[str] = orjson.loads(await request.read())[key]
    if len(names) > most:
        raise web.HTTPBadRequest(text=f"at most {most} {key} a request")
    return names
