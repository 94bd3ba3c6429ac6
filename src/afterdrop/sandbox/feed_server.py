"""The feeds over HTTP, each below its real host name as first path segment, with RDAP bootstrap and exchange rates."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import date, datetime, timedelta

from aiohttp import web

from afterdrop.sandbox import feed_files, registry_server
from afterdrop.sandbox.feed_files import FEEDS
from afterdrop.sandbox.state import Handler, SandboxState, json_answer

RATES_PATH = "/www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml"
BOOTSTRAP_PATH = "/data.iana.org/rdap/dns.json"
_FILES = "/dropcatch-files.s3.amazonaws.com"
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
        if preset != "dropcatch_dropping":
            yield web.get(feed.path.partition("?")[0], _file(sandbox, feed.media_type, feed.make))
    yield web.get("/client.dropcatch.com/GetFileUrl", _dropcatch_address(sandbox))
    yield web.get(f"{_FILES}/{{name}}", _dropcatch_file(sandbox))
    yield web.get("/droplists.nominet.uk/current/uk.csv.gz.sha256", _nominet_sum(sandbox))
    yield web.get(
        BOOTSTRAP_PATH,
        _file(sandbox, "application/json", lambda world, now: registry_server.bootstrap(sandbox)),
    )
    yield web.get(RATES_PATH, _file(sandbox, "text/xml", lambda world, now: rates(now)))


def _file(sandbox: SandboxState, kind: str, make: feed_files.Maker) -> Handler:
    async def file(request: web.Request) -> web.StreamResponse:
        body = make(sandbox.world, sandbox.clock.now())
        etag = f'"{hashlib.sha1(body, usedforsecurity=False).hexdigest()}"'
        headers = {"ETag": etag, "Cache-Control": "max-age=21600"}
        if request.headers.get("If-None-Match") == etag:
            return web.Response(status=304, headers=headers)
        return web.Response(body=body, content_type=kind, headers=headers)

    return file


def _dropcatch_address(sandbox: SandboxState) -> Handler:
    async def address(request: web.Request) -> web.StreamResponse:
        days = request.query.get("BackorderDay", "AllDays")
        if request.query.get("FileType") != "csv" or not _is_day(days):
            return json_answer({"result": None, "success": False, "statusCode": 400}, 400)
        name = f"Dropping_{days}.zip"
        signature = hashlib.sha1(name.encode(), usedforsecurity=False).hexdigest()
        url = f"{sandbox.origins['main']}{_FILES}/{name}?X-Amz-Expires=300&X-Amz-Signature={signature}"
        return json_answer({"result": {"fileUrl": url, "fileName": name}, "success": True, "statusCode": 200})

    return address


def _is_day(text: str) -> bool:
    return text == "AllDays" or (text.startswith("DaysOut") and text[7:] in tuple("01234"))


def _dropcatch_file(sandbox: SandboxState) -> Handler:
    async def file(request: web.Request) -> web.StreamResponse:
        days = request.match_info["name"].removeprefix("Dropping_").removesuffix(".zip")
        if not _is_day(days) or "X-Amz-Signature" not in request.query:
            return web.Response(
                status=403, text="<Error><Code>AccessDenied</Code></Error>", content_type="text/xml"
            )
        out = None if days == "AllDays" else int(days[7:])
        body = feed_files.dropcatch(sandbox.world, sandbox.clock.now(), out)
        return web.Response(body=body, content_type="application/zip")

    return file


def _nominet_sum(sandbox: SandboxState) -> Handler:
    async def checksum(request: web.Request) -> web.StreamResponse:
        body = feed_files.nominet(sandbox.world, sandbox.clock.now())
        return web.Response(text=f"{hashlib.sha256(body).hexdigest()}  uk.csv.gz\n")

    return checksum


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
