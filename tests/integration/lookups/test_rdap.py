"""Registry look-ups over real HTTP, faults included."""

import asyncio
import time
from datetime import datetime, timedelta
from typing import Any

import pytest
from aiohttp import web

from afterdrop.core.settings import Settings
from afterdrop.lookups.registry import availability
from afterdrop.lookups.sources import Sources
from tests.integration.lookups.conftest import Opening
from tests.support.registry import Registry, domain_object, rdap, running


async def one(sources: Sources, domain: str, now: datetime) -> tuple[str, str]:
    answer = (await availability(sources, [domain], now))[0]
    assert answer.record.domain == domain
    return answer.state, answer.reason


async def test_each_state_over_http(sources: Sources, registry: Registry, now: datetime) -> None:
    registry.answers = {
        "taken.com": domain_object("taken.com"),
        "dropping.com": domain_object("dropping.com", "pending delete"),
        "other.com": domain_object("another.com"),
    }
    rows = await availability(
        sources, ["taken.com", "dropping.com", "other.com", "free.com", "taken.com"], now
    )
    assert [(row.record.domain, row.state) for row in rows] == [
        ("taken.com", "registered"),
        ("dropping.com", "dropping"),
        ("other.com", "unknown"),
        ("free.com", "available"),
    ]
    assert rows[0].record.registrar_iana_id == "69"
    assert sorted(registry.asked) == ["dropping.com", "free.com", "other.com", "taken.com"]
    sent = registry.headers[0]
    assert sent["Accept"].startswith("application/rdap+json")
    assert sent["User-Agent"].startswith("afterdrop/")


async def test_an_extension_without_rdap_is_unknown_without_a_request(
    sources: Sources, registry: Registry, now: datetime
) -> None:
    assert await one(sources, "name.io", now) == ("unknown", "no_rdap")
    assert registry.asked == []


async def test_a_name_sold_under_another_domain_is_unknown_without_a_request(
    sources: Sources, registry: Registry, now: datetime
) -> None:
    """The registry of .com answers 404 for shop.uk.com, taken or free."""
    assert await one(sources, "shop.uk.com", now) == ("unknown", "no_rdap")
    assert registry.asked == []


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (400, "bad_name"),
        (403, "refused"),
        (500, "server_error"),
        (503, "server_error"),
        (429, "rate_limited"),
    ],
)
async def test_http_faults_are_unknown(
    sources: Sources, registry: Registry, now: datetime, status: int, reason: str
) -> None:
    registry.answers = {"a-name.com": status}
    assert await one(sources, "a-name.com", now) == ("unknown", reason)


async def test_too_many_requests_halts_the_host_and_not_the_domain(
    sources: Sources, registry: Registry, now: datetime
) -> None:
    async def slow_down(_request: web.Request) -> web.Response:
        return web.Response(status=429, headers={"Retry-After": "120"})

    registry.answers = {"a-name.com": slow_down}
    assert await one(sources, "a-name.com", now) == ("unknown", "rate_limited")
    started = time.monotonic()
    assert await one(sources, "b-name.shop", now) == ("unknown", "rate_limited")
    assert time.monotonic() - started < 5
    assert registry.asked == ["a-name.com"]


async def _html(_request: web.Request) -> web.Response:
    return web.Response(status=404, text="<html>Not Found</html>", content_type="text/html")


async def _cut(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "application/rdap+json", "Content-Length": "5000"})
    await response.prepare(request)
    await response.write(b'{"objectClassName":"domain","ldhName":"a-name.com"')
    assert request.transport is not None
    request.transport.close()
    return response


async def _cut_json(_request: web.Request) -> web.Response:
    return web.Response(body=b'{"objectClassName":"domain","ldhNa', content_type="application/rdap+json")


async def _hang(_request: web.Request) -> web.Response:
    await asyncio.sleep(30)
    return web.Response()


async def _loop(request: web.Request) -> web.Response:
    raise web.HTTPFound(str(request.url))


async def _to_http(_request: web.Request) -> web.Response:
    raise web.HTTPFound("http://192.0.2.1/domain/a-name.com")


async def _to_private(_request: web.Request) -> web.Response:
    raise web.HTTPFound("https://127.0.0.1:1/domain/a-name.com")


async def _flood(_request: web.Request) -> web.Response:
    return web.Response(body=b" " * 3_000_000, content_type="application/rdap+json")


async def _blocked(_request: web.Request) -> web.Response:
    notice = {
        "title": "Blocked Domain",
        "description": ["This name has been blocked by a GlobalBlock service"],
    }
    return rdap({"errorCode": 404, "notices": [notice]}, status=404)


async def _not_found_in_200(_request: web.Request) -> web.Response:
    return rdap({"errorCode": 404})


@pytest.mark.parametrize(
    ("fault", "state", "reason"),
    [
        (_html, "unknown", "bad_content"),
        (_cut, "unknown", "unreachable"),
        (_cut_json, "unknown", "bad_content"),
        (_hang, "unknown", "unreachable"),
        (_loop, "unknown", "unreachable"),
        (_to_http, "unknown", "unreachable"),
        (_to_private, "unknown", "unreachable"),
        (_flood, "unknown", "unreachable"),
        (_blocked, "unknown", "blocked"),
        (_not_found_in_200, "available", "not_found"),
    ],
)
async def test_faults(
    sources: Sources, registry: Registry, now: datetime, fault: Any, state: str, reason: str
) -> None:
    registry.answers = {"a-name.com": fault}
    assert await one(sources, "a-name.com", now) == (state, reason)


async def test_only_the_registrys_own_not_found_means_available(
    opening: Opening, outward: Settings, registry: Registry, now: datetime
) -> None:
    async with running(Registry()) as elsewhere:
        elsewhere.answers = {"taken.com": domain_object("taken.com")}

        async def moved(request: web.Request) -> web.Response:
            raise web.HTTPFound(f"{elsewhere.url}/rdap/domain/{request.match_info['name']}")

        async def moved_here(request: web.Request) -> web.Response:
            raise web.HTTPFound(f"{registry.url}/rdap/domain/gone.com")

        registry.answers = {"taken.com": moved, "free.com": moved, "free-here.com": moved_here}
        trusting = outward.model_copy(update={"trusted_origins": (registry.url, elsewhere.url)})
        async with opening(trusting) as sources:
            assert await one(sources, "taken.com", now) == ("registered", "")
            assert await one(sources, "free.com", now) == ("unknown", "not_registry")
            assert await one(sources, "free-here.com", now) == ("available", "not_found")


async def test_answers_are_cached_for_minutes_and_failures_for_seconds(
    sources: Sources, registry: Registry, now: datetime
) -> None:
    registry.answers = {"taken.com": domain_object("taken.com"), "ill.com": 500}
    for _ in range(3):
        rows = await availability(sources, ["taken.com", "free.com", "ill.com"], now)
        assert [row.state for row in rows] == ["registered", "available", "unknown"]
    assert len(registry.asked) == 3
    await availability(sources, ["taken.com", "ill.com"], now + timedelta(seconds=30))
    assert registry.asked[3:] == ["ill.com"]
    await availability(sources, ["taken.com"], now + timedelta(seconds=301))
    assert registry.asked[4:] == ["taken.com"]


async def test_a_slow_registry_costs_only_its_own_rows(
    opening: Opening, outward: Settings, registry: Registry, now: datetime
) -> None:
    patient = outward.registry.model_copy(update={"timeout_seconds": 20})
    registry.answers = {"taken.com": domain_object("taken.com"), "slow.com": _hang}
    async with opening(outward.model_copy(update={"registry": patient})) as sources:
        rows = await availability(sources, ["slow.com", "taken.com"], now, within=3)
        assert [(row.state, row.reason) for row in rows] == [("unknown", "rate_limited"), ("registered", "")]
        assert await availability(sources, [], now) == []


async def test_hosts_are_asked_at_their_own_pace_and_all_at_once(
    opening: Opening, outward: Settings, now: datetime
) -> None:
    """Three hosts, four names each, two a second: together as fast as one."""
    from contextlib import AsyncExitStack  # noqa: PLC0415  # used by this test only

    async with AsyncExitStack() as stack:
        hosts = [await stack.enter_async_context(running(Registry(delay=0.02))) for _ in range(3)]
        async with running(Registry()) as iana:

            async def bootstrap(_request: web.Request) -> web.Response:
                services = [
                    [[zone], [f"{host.url}/rdap/"]]
                    for zone, host in zip(("com", "shop", "xyz"), hosts, strict=True)
                ]
                return rdap({"services": services})

            iana.bootstrap = bootstrap
            settings = outward.model_copy(
                update={
                    "trusted_origins": (iana.url, *(host.url for host in hosts)),
                    "registry": outward.registry.model_copy(update={"bootstrap_url": f"{iana.url}/dns.json"}),
                    "pace": outward.pace.model_copy(
                        update={"default": outward.pace.default.model_copy(update={"per_second": 2.0})}
                    ),
                }
            )
            async with opening(settings) as sources:
                names = [f"name{number}.{zone}" for number in range(4) for zone in ("com", "shop", "xyz")]
                await sources.rdap.registries.base("a.com", now)
                started = time.monotonic()
                rows = await availability(sources, names, now)
                spent = time.monotonic() - started
        assert {row.state for row in rows} == {"available"}
        assert 3 / 2 <= spent < 11 / 2, "one pace for all of them takes eleven intervals"
