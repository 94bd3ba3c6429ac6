"""The metric vendors over HTTP, each on its path by itself and below the vendor's real host name.

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

MAJESTIC_MOST = 100
_SEMRUSH = {
    "backlinks_overview": (
        "ascore",
        "total",
        "domains_num",
        "ips_num",
        "ipclassc_num",
        "follows_num",
        "nofollows_num",
    ),
    "backlinks_anchors": ("anchor", "domains_num", "backlinks_num"),
    "backlinks_refdomains": ("domain_ascore", "domain", "backlinks_num"),
}


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


def ahrefs_one(world: World, name: str) -> Answer:
    """The Domain Rating of one target, null without data."""
    found = known(world, name, "ahrefs")
    rating = float(found.domain_rating) if found else None
    return {"domain_rating": {"domain_rating": rating, "license": "Attribution required", "warning": None}}


def majestic(world: World, query: Mapping[str, str]) -> Answer:
    """The answer to one Majestic command; errors are part of the answer."""
    if not query.get("app_api_key"):
        return majestic_error("InvalidAPIKey", "No API key given")
    command = query.get("cmd", "")
    if command not in _MAJESTIC:
        return majestic_error("UnknownCommand", f"Unknown command {command}")
    return _MAJESTIC[command](world, query)


def majestic_error(code: str, message: str) -> Answer:
    """An error as Majestic reports it: HTTP 200 and a code that is not OK."""
    return {"Code": code, "ErrorMessage": message, "FullError": message, "DataTables": {}}


def _tables(**tables: list[Row]) -> Answer:
    found = {name: {"RowsCount": len(rows), "Headers": {}, "Data": rows} for name, rows in tables.items()}
    return {"Code": "OK", "ErrorMessage": "", "FullError": "", "DataTables": found}


def _index_items(world: World, query: Mapping[str, str]) -> Answer:
    names = [
        query[f"item{number}"] for number in range(int(query.get("items", "0"))) if f"item{number}" in query
    ]
    if len(names) > MAJESTIC_MOST:
        return majestic_error("TooManyItems", f"At most {MAJESTIC_MOST} items may be asked for")
    wanted = int(query.get("DesiredTopics", "0"))
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
    found = known(world, query.get("item", query.get("item0", "")), "majestic")
    return _tables(AnchorText=[
        {"AnchorText": anchor.text, "RefDomains": anchor.referring_domains, "TotalLinks": anchor.referring_domains * 6,
         "DeletedLinks": 0, "NoFollowLinks": anchor.referring_domains}
        for anchor in (found.anchors if found else ())
    ])  # fmt: skip


def _links(world: World, query: Mapping[str, str]) -> Answer:
    found = known(world, query.get("item", query.get("item0", "")), "majestic")
    rows: list[Row] = [
        {"SourceURL": link.page, "SourceTrustFlow": link.rating, "AnchorText": link.text,
         "TargetURL": link.target, "FirstIndexedDate": link.first.isoformat() if link.first else "",
         "LastSeenDate": link.last.isoformat() if link.last else "", "DateLost": "",
         "FlagNoFollow": int(link.nofollow)}
        for link in (found.links if found else ())
    ]  # fmt: skip
    return _tables(BackLinks=rows[: int(query.get("Count", "100"))])


def _referrers(world: World, query: Mapping[str, str]) -> Answer:
    found = known(world, query.get("item0", query.get("item", "")), "majestic")
    return _tables(Results=[
        {"Position": number, "Domain": name, "AlexaRank": -1, "RefDomains": 900 - 31 * number, "TrustFlow": 40 - number,
         "CitationFlow": 44 - number, "MatchedLinks": 1 + number % 5}
        for number, name in enumerate(found.referrers if found else ())
    ])  # fmt: skip


def _topics(world: World, query: Mapping[str, str]) -> Answer:
    found = known(world, query.get("item", query.get("item0", "")), "majestic")
    return _tables(Topics=[
        {"Topic": topic, "TopicalTrustFlow": flow, "RefDomains": flow * 3, "Links": flow * 20}
        for topic, flow in (found.topics if found else ())
    ])  # fmt: skip


_MAJESTIC = {
    "GetIndexItemInfo": _index_items,
    "GetAnchorText": _anchors,
    "GetBackLinkData": _links,
    "GetRefDomains": _referrers,
    "GetTopics": _topics,
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
    """One Semrush report as CSV with semicolons; errors and unknown names are an ERROR line."""
    if not query.get("key"):
        return "ERROR 120 :: WRONG KEY - ID PAIR"
    columns = _SEMRUSH.get(query.get("type", ""))
    if columns is None:
        return "ERROR 42 :: QUERY TYPE NOT FOUND"
    found = known(world, query.get("target", ""), "semrush")
    if not found:
        return "ERROR 50 :: NOTHING FOUND"
    wanted = [name for name in query.get("export_columns", "").split(",") if name in columns] or list(columns)
    rows = _semrush_rows(query["type"], found)
    lines = [";".join(wanted), *(";".join(str(row[name]) for name in wanted) for row in rows)]
    return "\r\n".join(lines)


def _semrush_rows(report: str, found: LinkMetrics) -> list[Row]:
    if report == "backlinks_anchors":
        return [
            {
                "anchor": item.text,
                "domains_num": item.referring_domains,
                "backlinks_num": item.referring_domains * 5,
            }
            for item in found.anchors
        ]
    if report == "backlinks_refdomains":
        return [{"domain_ascore": 30, "domain": name, "backlinks_num": 4} for name in found.referrers]
    domains = found.referring_domains
    return [
        {"ascore": found.authority_score, "total": found.backlinks, "domains_num": domains,
         "ips_num": round(domains * 0.9), "ipclassc_num": round(domains * 0.8), "follows_num": found.backlinks // 2,
         "nofollows_num": found.backlinks // 3}
    ]  # fmt: skip


def open_pagerank(world: World, names: Sequence[str], day: date) -> Answer:
    """Open PageRank of many domains; names that are not valid are listed apart."""
    invalid = [name for name in names if "." not in name or " " in name]
    results = [_rank_row(name, known(world, name, "openpagerank")) for name in names if name not in invalid]
    return {
        "as_of": day.replace(day=1).isoformat(),
        "count": len(results),
        "results": results,
        "invalid": invalid,
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


# The environment variables that the shipped provider presets read; the sandbox's vendors accept any value.
KEYS = {
    "AHREFS_API_KEY": "sandbox",
    "MAJESTIC_API_KEY": "sandbox",
    "MOZ_ACCESS_ID": "sandbox",
    "MOZ_SECRET_KEY": "sandbox",
    "SEMRUSH_API_KEY": "sandbox",
    "OPEN_PAGERANK_API_KEY": "opr_live_sandbox",
}
_MOST = {"ahrefs": 1000, "moz": 50, "openpagerank": 100}


def routes(sandbox: SandboxState) -> Iterator[web.RouteDef]:
    """The routes of every vendor."""
    rating, command, metrics = _ahrefs(sandbox), _majestic(sandbox), _moz(sandbox)
    for method, host, path, handler in (
        ("GET", "api.ahrefs.com", "/v3/public/domain-rating-free", rating),
        ("POST", "api.ahrefs.com", "/v3/public/domain-rating-free", rating),
        ("GET", "api.majestic.com", "/api/json", command),
        ("POST", "lsapi.seomoz.com", "/v2/url_metrics", metrics),
        ("GET", "api.semrush.com", "/analytics/v1/", _semrush(sandbox)),
        ("POST", "openpagerank.keywordseverywhere.com", "/v1/domains/bulk", _open_pagerank(sandbox)),
    ):
        yield web.route(method, path, handler)
        yield web.route(method, f"/{host}{path}", handler)


def _refused(request: web.Request) -> web.Response | None:
    if request.headers.get("Authorization", "").strip():
        return None
    return json_answer({"error": "API key is missing"}, 401)


async def _list(request: web.Request, key: str, most: int) -> list[str] | web.Response:
    try:
        body = orjson.loads(await request.read())
        names = [str(name) for name in body[key]]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return json_answer({"error": f"expected a JSON object with a list of {key}"}, 400)
    if len(names) > most:
        return json_answer({"error": f"at most {most} {key} a request"}, 400)
    return names


def _ahrefs(sandbox: SandboxState) -> Handler:
    async def rating(request: web.Request) -> web.StreamResponse:
        if refused := _refused(request):
            return refused
        if request.method == "GET":
            return json_answer(ahrefs_one(sandbox.world, request.query.get("target", "")))
        names = await _list(request, "targets", _MOST["ahrefs"])
        if isinstance(names, web.Response):
            return names
        return json_answer(ahrefs_many(sandbox.world, names))

    return rating


def _majestic(sandbox: SandboxState) -> Handler:
    async def command(request: web.Request) -> web.StreamResponse:
        return json_answer(majestic(sandbox.world, request.query))

    return command


def _moz(sandbox: SandboxState) -> Handler:
    async def metrics(request: web.Request) -> web.StreamResponse:
        if refused := _refused(request):
            return refused
        names = await _list(request, "targets", _MOST["moz"])
        if isinstance(names, web.Response):
            return names
        host = "www." if "provider_www" in sandbox.faults.playing else ""
        return json_answer(moz(sandbox.world, names, sandbox.clock.now().date(), host))

    return metrics


def _semrush(sandbox: SandboxState) -> Handler:
    async def report(request: web.Request) -> web.StreamResponse:
        return web.Response(text=semrush(sandbox.world, request.query), content_type="text/plain")

    return report


def _open_pagerank(sandbox: SandboxState) -> Handler:
    async def ranks(request: web.Request) -> web.StreamResponse:
        if refused := _refused(request):
            return refused
        names = await _list(request, "domains", _MOST["openpagerank"])
        if isinstance(names, web.Response):
            return names
        return json_answer(open_pagerank(sandbox.world, names, sandbox.clock.now().date()))

    return ranks
