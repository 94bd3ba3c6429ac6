"""Registry look-ups over real HTTP, faults included."""

import asyncio
import time
from collections import Counter
from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from aiohttp import web
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue.availability.recheck import Inquiry, RecheckPass
from afterdrop.core.settings import Settings
from afterdrop.db.tables.review import registry_states
from afterdrop.sources.lookups.registry import availability, whois
from afterdrop.sources.lookups.sources import Sources
from tests.integration.sources.lookups.conftest import Opening
from tests.support.registry import Registry, domain_object, rdap, running
from tests.support.rows import put, row


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


async def test_every_look_up_is_live(sources: Sources, registry: Registry, now: datetime) -> None:
    registry.answers = {"taken.com": domain_object("taken.com"), "ill.com": 500}
    for _ in range(2):
        rows = await availability(sources, ["taken.com", "free.com", "ill.com"], now)
        assert [row.state for row in rows] == ["registered", "available", "unknown"]
    assert Counter(registry.asked) == {"taken.com": 2, "free.com": 2, "ill.com": 2}
    registry.answers = {}
    assert await one(sources, "taken.com", now) == ("available", "not_found")


def keeping(outward: Settings, seconds: float) -> Settings:
    chosen = outward.registry.model_copy(update={"answer_cache_seconds": seconds})
    return outward.model_copy(update={"registry": chosen})


async def test_answers_are_cached_as_long_as_the_operator_chose_and_failures_for_seconds(
    opening: Opening, outward: Settings, registry: Registry, now: datetime
) -> None:
    registry.answers = {"taken.com": domain_object("taken.com"), "ill.com": 500}
    async with opening(keeping(outward, 300)) as sources:
        for _ in range(3):
            rows = await availability(sources, ["taken.com", "free.com", "ill.com"], now)
            assert [row.state for row in rows] == ["registered", "available", "unknown"]
        assert len(registry.asked) == 3
        await availability(sources, ["taken.com", "ill.com"], now + timedelta(seconds=30))
        assert registry.asked[3:] == ["ill.com"]
        await availability(sources, ["taken.com"], now + timedelta(seconds=301))
        assert registry.asked[4:] == ["taken.com"]
    async with opening(outward) as live:
        await availability(live, ["taken.com"], now + timedelta(seconds=302))
    assert registry.asked[5:] == ["taken.com"], "what an earlier setting left in the cache is not used"


class Held:
    """Answers 404 once it is let go; `arrived` counts the questions that wait."""

    def __init__(self) -> None:
        self.arrived: asyncio.Semaphore = asyncio.Semaphore(0)
        self.go = asyncio.Event()

    async def __call__(self, _request: web.Request) -> web.Response:
        self.arrived.release()
        await self.go.wait()
        return rdap({"errorCode": 404}, status=404)


async def test_questions_under_way_at_the_same_time_share_one_answer(
    sources: Sources, registry: Registry, now: datetime
) -> None:
    held = Held()
    registry.answers = {"a-name.com": held}
    first = asyncio.create_task(one(sources, "a-name.com", now))
    await held.arrived.acquire()
    second = asyncio.create_task(whois(sources, "a-name.com", now))
    third = asyncio.create_task(availability(sources, ["free.com", "a-name.com"], now))
    while sources.registrations_under_way.waiting("a-name.com") < 3:
        await asyncio.sleep(0)
    first.cancel()  # who leaves takes nobody's answer along
    held.go.set()
    assert (await second).answer.state == "available"
    assert [row.state for row in await third] == ["available", "available"]
    assert registry.asked.count("a-name.com") == 1
    assert await one(sources, "a-name.com", now) == ("available", "not_found")
    assert registry.asked.count("a-name.com") == 2, "an answer that has come is kept for nobody"


async def test_a_question_that_nobody_waits_for_any_more_is_given_up(
    sources: Sources, registry: Registry, now: datetime
) -> None:
    registry.answers = {"slow.com": Held()}
    rows = await availability(sources, ["slow.com"], now, within=0.2)
    assert [(row.state, row.reason) for row in rows] == [("unknown", "rate_limited")]
    assert sources.registrations_under_way.waiting("slow.com") == 0


async def first_not_found(conn: AsyncConnection, name: str, past: datetime) -> None:
    """A name whose listing ended, and that the registry did not find then."""
    await put(conn, row(name, ends_at=past, live_until=past))
    state = {"domain": name, "ended_at": past, "due_at": past, "first_free_at": past, "attempts": 0}
    await conn.execute(sa.insert(registry_states).values(**state))


async def test_an_announcement_is_confirmed_by_the_registry_itself(
    opening: Opening, outward: Settings, registry: Registry, now: datetime
) -> None:
    """Neither the second 404 nor the canary's answer comes from a cache or from somebody else's question."""
    held = Held()
    registry.answers = {"canary.com": domain_object("canary.com")}
    async with opening(keeping(outward, 3600)) as sources:
        async with sources.database.write() as conn:
            past = now - timedelta(hours=1)
            await first_not_found(conn, "a-name.com", past)
        assert [one.state for one in await availability(sources, ["a-name.com", "canary.com"], now)] == [
            "available",
            "registered",
        ]
        registry.answers["b-name.com"] = held
        async with sources.database.write() as conn:
            await first_not_found(conn, "b-name.com", past)
        asking = asyncio.create_task(availability(sources, ["b-name.com"], now))
        await held.arrived.acquire()
        registry.answers["b-name.com"] = 404
        registry.asked.clear()
        chosen = outward.registry.model_copy(update={"canaries": {"com": "canary.com"}})

        async def not_delegated(_domain: str, unused: str) -> bool:
            return False

        inquiry = Inquiry(sources.database, sources.registry, not_delegated, lambda: now, chosen)
        counts = await RecheckPass(inquiry, inquiry, "worker").run()
        held.go.set()
        await asking
    assert counts["announce"] == 2
    assert Counter(registry.asked) == {"a-name.com": 1, "b-name.com": 1, "canary.com": 1}


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
                await sources.registry.rdap.registries.base("a.com", now)
                started = time.monotonic()
                rows = await availability(sources, names, now)
                spent = time.monotonic() - started
        assert {row.state for row in rows} == {"available"}
        assert 3 / 2 <= spent < 11 / 2, "one pace for all of them takes eleven intervals"
