"""The feeds of every marketplace and registry over HTTP, with RDAP bootstrap and exchange rates.

Files are byte for byte in their public formats and list the offers open at a moment; larger worlds also have a few
unusable rows (`BAD_NAMES`). Each file lies below its real host name as first path segment.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import partial
from zoneinfo import ZoneInfo

import orjson
from aiohttp import web

from afterdrop.core.domain_names import unicode_name
from afterdrop.sandbox import feed_scenes, registry_server
from afterdrop.sandbox.state import Handler, SandboxState, json_answer
from afterdrop.sandbox.story import Listing, Story
from afterdrop.sandbox.world import World

# Names that are no domain names; in worlds of 50 and more each CSV and JSON market feed has them once.
BAD_NAMES = ("-broken-.com", "192.0.2.7", "exa mple.net")
_NEW_YORK = ZoneInfo("America/New_York")
_ZIP_DATE = (2026, 1, 1, 0, 0, 0)


def bad_names(world: World) -> tuple[str, ...]:
    """The unusable names that a world's market feeds carry."""
    return BAD_NAMES if world.size >= 50 else ()


def zipped(name: str, content: bytes) -> bytes:
    """A zip file of one member, the same bytes whenever it is made."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo(name, _ZIP_DATE), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _csv(header: str, rows: Iterable[Iterable[object]]) -> bytes:
    lines = [header, *(",".join("" if cell is None else str(cell) for cell in row) for row in rows)]
    return ("\n".join(lines) + "\n").encode()


def _end(listing: Listing) -> datetime:
    assert listing.end is not None, "only fixed prices have no end"
    return listing.end


def _iso(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def godaddy(world: World, moment: datetime) -> bytes:
    """GoDaddy's inventory as JSON `{meta, data}` in a zip file."""
    rows = [_godaddy_row(story, moment) for story in world.listed("godaddy_auctions", moment)]
    return _godaddy_file(world, moment, rows)


def godaddy_with_closeouts(world: World, moment: datetime) -> bytes:
    """The inventory with closeouts, which still carry the end of the auction before."""
    rows = [
        _godaddy_row(story, moment)
        | (
            {"numberOfBids": 0, "price": f"${story.listing.first_price:,.0f}"}
            if feed_scenes.unsold(story)
            else {}
        )
        for story in world.listed("godaddy_auctions", moment)
    ]
    rows += [
        _godaddy_row(story, moment) | {"auctionType": "BuyNow", "numberOfBids": 0, "price": f"${price}"}
        for story, price in feed_scenes.closeouts(world, moment)
    ]
    return _godaddy_file(world, moment, rows)


def _godaddy_file(world: World, moment: datetime, rows: list[dict[str, object]]) -> bytes:
    later = _iso(moment + timedelta(days=3))
    for name in bad_names(world):
        rows.append({"domainName": name, "auctionType": "Bid", "auctionEndTime": later, "price": "$10"})
    meta = {"generated": _iso(moment), "count": len(rows)}
    return zipped("all_expiring_auctions.json", orjson.dumps({"meta": meta, "data": rows}))


def _godaddy_row(story: Story, moment: datetime) -> dict[str, object]:
    listing, metrics = story.listing, story.metrics
    price = listing.price(moment) or 0.0
    slug = story.domain.replace(".", "-")
    row: dict[str, object] = {
        "domainName": story.domain.title() if story.index % 3 == 0 else story.domain,
        "link": f"https://www.godaddy.com/domain-auctions/{slug}-{listing.number}?isc=json_biddable",
        "auctionType": "Bid",
        "auctionEndTime": _iso(_end(listing)),
        "price": f"${price:,.0f}",
        "numberOfBids": listing.bids(moment),
        "domainAge": moment.year - story.eras[0].start.year,
        "pageviews": metrics.backlinks % 40,
        "valuation": "-" if story.index % 5 == 0 else f"${900 + 37 * metrics.domain_rating:,}",
        "monthlyParkingRevenue": "$0",
        "isAdult": False,
        "exactMatchTlds": story.index % 4,
        "semrushIndexedPages": metrics.indexed_pages,
    }
    if "majestic" in metrics.known:
        row |= {
            "majesticTf": metrics.trust_flow,
            "majesticCf": metrics.citation_flow,
            "majesticBacklinks": metrics.backlinks,
            "majesticReferringDomains": metrics.referring_domains,
        }
    if "semrush" in metrics.known:
        row |= {
            "semrushAs": metrics.authority_score,
            "semrushReferringDomains": metrics.referring_domains * 3,
            "semrushBacklinks": metrics.backlinks * 2,
            "semrushTopReferringDomains": ", ".join(metrics.referrers[:3]),
            "semrushCpc": 0.1,
        }
    return row


_NAMECHEAP = (
    "url,name,startDate,endDate,price,startPrice,renewPrice,bidCount,ahrefsDomainRating,umbrellaRanking,"
    "cloudflareRanking,estibotValue,extensionsTaken,keywordSearchCount,registeredDate,lastSoldPrice,lastSoldYear,"
    "isPartnerSale,semrushAScore,majesticCitation,ahrefsBacklinks,semrushBacklinks,majesticBacklinks,"
    "majesticTrustFlow,goValue"
)


def namecheap(world: World, moment: datetime) -> bytes:
    """Namecheap's auctions as CSV."""
    rows: list[Iterable[object]] = []
    for story in world.listed("namecheap_market", moment):
        listing, metrics, known = story.listing, story.metrics, story.metrics.known
        rows.append((
            f"https://www.namecheap.com/market/sale/{listing.number:x}q{story.index}/", story.domain,
            _iso(listing.start), _iso(_end(listing)), f"{listing.price(moment):.2f}", f"{listing.first_price:.2f}",
            "13.98", listing.bids(moment), metrics.domain_rating if "ahrefs" in known else None, None, None,
            "140.00", 340, 2400, f"{story.eras[0].start.year}-01-15T00:00:00Z", None, None, 1,
            metrics.authority_score if "semrush" in known else None,
            metrics.citation_flow if "majestic" in known else None,
            metrics.backlinks if "ahrefs" in known else None, None, None,
            metrics.trust_flow if "majestic" in known else None, "1116.00",
        ))  # fmt: skip
    for number, name in enumerate(bad_names(world)):
        rows.append(
            (
                f"https://www.namecheap.com/market/sale/bad{number}/",
                name,
                "",
                _iso(moment),
                "1.00",
                *[""] * 20,
            )
        )
    return _csv(_NAMECHEAP, rows)


def namecheap_buy_now(world: World, moment: datetime) -> bytes:
    """Namecheap's fixed prices as CSV."""
    return _csv(
        "permalink,domain,price,extensions_taken",
        [
            (f"https://www.namecheap.com/domains/registration/results/?domain={story.domain}", story.domain,
             f"{story.listing.first_price:.2f}", story.index % 40)
            for story in world.listed("namecheap_buy_now", moment)
        ],
    )  # fmt: skip


def dynadot(world: World, moment: datetime) -> bytes:
    """Dynadot's expired auctions as CSV; ends are in milliseconds, a missing value is a dash."""
    rows: list[Iterable[object]] = [
        (story.domain, f"{story.listing.price(moment):.2f}", "USD", story.listing.bids(moment),
         _end(story.listing).astimezone(ZoneInfo("America/Los_Angeles")).strftime("%Y/%m/%d %H:%M PST"),
         int(_end(story.listing).timestamp() * 1000), "-", moment.year - story.eras[0].start.year, "-", "-")
        for story in world.listed("dynadot_auctions", moment)
    ]  # fmt: skip
    stamp = int((moment + timedelta(days=2)).timestamp() * 1000)
    rows += [(name, "10.00", "USD", 0, "-", stamp, "-", 1, "-", "-") for name in bad_names(world)]
    return _csv(
        "Domain,Bid Price,Bid Price Currency,Bids,End Time,End Timestamp,Links,Age,Appraisal,Appraisal Currency",
        rows,
    )


def dropcatch(world: World, moment: datetime) -> bytes:
    """DropCatch's dropping names as CSV in a zip file."""
    rows = [
        (story.domain.upper() if story.index % 4 == 1 else story.domain, story.tld, "Pending Delete",
         _end(story.listing).date().isoformat())
        for story in world.listed("dropcatch_dropping", moment)
    ]  # fmt: skip
    return zipped(f"Dropping_AllDays_{moment:%Y-%m-%d}.csv", _csv("Domain,TLD,Type,Drop Date", rows))


def snapnames(world: World, moment: datetime) -> bytes:
    """SnapNames' names that are deleted within days, as CSV below a disclaimer and a blank line."""
    lines = ["Important: names on this list may be renewed by their owners until they are deleted.", ""]
    lines.append("Domain name,Current bid,Auction end date")
    for story in world.listed("snapnames_deleting", moment):
        lines.append(f"{story.domain},69,{_end(story.listing).astimezone(_NEW_YORK):%m/%d/%Y}")
    lines += [f"{name},69,{moment:%m/%d/%Y}" for name in bad_names(world)]
    return ("\r\n".join(lines) + "\r\n").encode()


def sedo(world: World, moment: datetime) -> bytes:
    """Sedo's running auctions, separated by semicolons below comments; the pound sign is an HTML entity."""
    signs = {"USD": "$US", "EUR": "EUR", "GBP": "&#163;"}
    lines = ["# domain;start;end;price;currency;bids", f"# {_iso(moment)}"]
    for story in world.listed("sedo_auctions", moment):
        listing = story.listing
        start, end = int(listing.start.timestamp()), int(_end(listing).timestamp())
        price = round(listing.price(moment) or 0)
        lines.append(
            f"{story.domain};{start};{end};{price};{signs[listing.currency]};{listing.bids(moment)};"
        )
    return ("\n".join(lines) + "\n").encode("iso-8859-1")


def parkio(world: World, moment: datetime) -> bytes:
    """Park.io's running auctions as JSON; `close_date` is year, day, month and New York time without spaces."""
    auctions = []
    for story in world.listed("parkio_auctions", moment):
        local = _end(story.listing).astimezone(_NEW_YORK)
        auctions.append({
            "id": str(story.listing.number), "domain_id": str(story.index), "name": story.domain,
            "price": f"{story.listing.price(moment):.0f}", "num_bids": str(story.listing.bids(moment)),
            "close_date": f"{local:%Y-%d-%m%Z%H:%M:%S}000", "created": _iso(story.listing.start), "tld_id": "1",
        })  # fmt: skip
    answer = {"success": True, "page": 1, "pageCount": 1, "nextPage": False, "auctions": auctions}
    return orjson.dumps(answer)


def nominet(world: World, moment: datetime) -> bytes:
    """Nominet's drop list for .uk: gzipped CSV with the second of each drop."""
    return _nominet_file((story, _end(story.listing)) for story in world.listed("nominet_uk", moment))


def nominet_far_ahead(world: World, moment: datetime) -> bytes:
    """The list as it reaches far ahead, with names that are renewed before they drop."""
    return _nominet_file(feed_scenes.may_drop(world, moment))


def _nominet_file(dropping: Iterable[tuple[Story, datetime]]) -> bytes:
    rows = [(f"D_{story.listing.number}-UK", story.domain, _iso(ends)) for story, ends in dropping]
    return gzip.compress(_csv("roid,domain,drop_time", rows), mtime=0)


def iis(world: World, moment: datetime) -> bytes:
    """The .se registry's list: names and the day on which each is released."""
    rows = [
        {"name": unicode_name(story.domain), "release_at": _end(story.listing).date().isoformat()}
        for story in world.listed("iis_se", moment)
    ]
    return orjson.dumps({"data": rows})


def dns_pl(world: World, moment: datetime) -> bytes:
    """The .pl registry's list: the day, a blank line, then names."""
    names = [story.domain for story in world.listed("dns_pl", moment)]
    return ("\n".join([moment.astimezone(UTC).strftime("%Y-%m-%d"), "", *names]) + "\n").encode()


Maker = Callable[[World, datetime], bytes]


@dataclass(frozen=True, slots=True)
class ServedFeed:
    """How one feed is served: its path, whose first segment is the real host, and the function that makes the file.

    `scenes` has the functions that make another file while a scene plays.
    """

    path: str
    source: str
    media_type: str
    make: Maker
    scenes: Mapping[str, Maker] = field(default_factory=dict)

    def file(self, sandbox: SandboxState) -> bytes:
        """The file at the sandbox's time."""
        playing = sandbox.faults.playing
        if "error_page" in playing:
            return feed_scenes.broken_file(self.media_type)
        make = next((make for scene, make in self.scenes.items() if scene in playing), self.make)
        return make(sandbox.world, sandbox.clock.now())


# Every feed, by the name of its preset.
FEEDS = {
    "godaddy_auctions": ServedFeed(
        "/inventory.auctions.godaddy.com/all_expiring_auctions.json.zip", "market_a", "application/zip", godaddy,
        {"closeouts": godaddy_with_closeouts},
    ),
    "namecheap_market": ServedFeed(
        "/d3ry1h4w5036x1.cloudfront.net/reports/Namecheap_Market_Sales.csv", "market_b", "text/csv", namecheap,
    ),
    "namecheap_buy_now": ServedFeed(
        "/d3ry1h4w5036x1.cloudfront.net/reports/Namecheap_Market_Sales_Buy_Now.csv", "market_b", "text/csv",
        namecheap_buy_now,
    ),
    "dynadot_auctions": ServedFeed(
        "/www.dynadot.com/market/auction/auctions.csv?currency=USD", "market_c", "text/csv", dynadot,
    ),
    "dropcatch_dropping": ServedFeed(
        "/client.dropcatch.com/GetFileUrl?FileType=csv&RequestType=Dropping&BackorderDay=AllDays", "market_d",
        "application/zip", dropcatch,
    ),
    "snapnames_deleting": ServedFeed(
        "/www.snapnames.com/file_dl.sn?file=deletinglist.csv", "market_d", "text/csv", snapnames,
    ),
    "sedo_auctions": ServedFeed("/sedo.com/txt/auctions_us.txt", "market_e", "text/plain", sedo),
    "parkio_auctions": ServedFeed("/park.io/auctions.json?limit=1000", "market_f", "application/json", parkio),
    "nominet_uk": ServedFeed(
        "/droplists.nominet.uk/current/uk.csv.gz", "market_g", "application/gzip", nominet,
        {"may_drop": nominet_far_ahead},
    ),
    "iis_se": ServedFeed("/data.internetstiftelsen.se/bardate_domains.json", "market_g", "application/json", iis),
    "dns_pl": ServedFeed("/www.dns.pl/deleted_domains.txt", "market_g", "text/plain", dns_pl),
}  # fmt: skip


# In no settings of the sandbox: it needs a key.
NAMESILO_PATH = "/www.namesilo.com/public/api/listAuctions"
RATES_PATH = "/www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml"
BOOTSTRAP_PATH = "/data.iana.org/rdap/dns.json"
_DROPCATCH_FILE = "/dropcatch-files.s3.amazonaws.com/Dropping_AllDays.zip"
_RATES = {
    "USD": 1.0832,
    "JPY": 164.12,
    "GBP": 0.8531,
    "CHF": 0.9644,
    "SEK": 11.28,
    "PLN": 4.271,
    "DKK": 7.4597,
}


def routes(sandbox: SandboxState) -> Iterator[web.RouteDef]:
    """The routes of every feed, the bootstrap and the rates."""
    for preset, feed in FEEDS.items():
        address = feed.path.partition("?")[0]
        if preset == "dropcatch_dropping":
            yield web.get(address, _dropcatch_address(sandbox))
            address = _DROPCATCH_FILE
        yield web.get(address, _file(feed.media_type, partial(feed.file, sandbox)))
    yield web.get(NAMESILO_PATH, _namesilo(sandbox))
    yield web.get(
        BOOTSTRAP_PATH,
        _file("application/json", lambda: registry_server.bootstrap(sandbox)),
    )
    yield web.get(RATES_PATH, _file("text/xml", lambda: rates(sandbox.clock.now())))


def _file(kind: str, make: Callable[[], bytes]) -> Handler:
    async def file(request: web.Request) -> web.StreamResponse:
        body = make()
        etag = f'"{hashlib.sha1(body, usedforsecurity=False).hexdigest()}"'
        headers = {"ETag": etag, "Cache-Control": "max-age=21600"}
        if request.headers.get("If-None-Match") == etag:
            return web.Response(status=304, headers=headers)
        return web.Response(body=body, content_type=kind, headers=headers)

    return file


def _namesilo(sandbox: SandboxState) -> Handler:
    async def page(request: web.Request) -> web.StreamResponse:
        oldest_first = "oldest_first" in sandbox.faults.playing
        body = feed_scenes.namesilo_page(sandbox.world, sandbox.clock.now(), request.query, oldest_first)
        return web.Response(body=body, content_type="application/json")

    return page


def _dropcatch_address(sandbox: SandboxState) -> Handler:
    async def address(request: web.Request) -> web.StreamResponse:
        url = f"{sandbox.origins['main']}{_DROPCATCH_FILE}?X-Amz-Expires=300&X-Amz-Signature=signed"
        return json_answer({"result": {"fileUrl": url}, "success": True, "statusCode": 200})

    return address


def rates(moment: datetime) -> bytes:
    """The central bank's reference rates of the last weekday after whose 16:00 `moment` lies."""
    day = moment.date() if moment.hour >= 16 else moment.date() - timedelta(days=1)
    while day.weekday() > 4:
        day -= timedelta(days=1)
    cubes = "".join(f"<Cube currency='{code}' rate='{_rate(code, day)}'/>" for code in _RATES)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" '
        'xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref"><gesmes:subject>Reference rates</gesmes:subject>'
        "<gesmes:Sender><gesmes:name>European Central Bank</gesmes:name></gesmes:Sender>"
        f"<Cube><Cube time='{day.isoformat()}'>{cubes}</Cube></Cube></gesmes:Envelope>"
    ).encode()


def _rate(code: str, day: date) -> float:
    drift = 1 + ((day.toordinal() * 7 + len(code)) % 11 - 5) / 2000
    return round(_RATES[code] * drift, 4)
