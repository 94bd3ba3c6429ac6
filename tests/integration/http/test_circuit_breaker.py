"""The circuit breaker against a real server: who is left alone, for how long, and who may try again."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp import web

from afterdrop.core import clock
from afterdrop.core.errors import UpstreamError
from afterdrop.core.settings import HostPace, Pace, Settings
from afterdrop.db.engine import Database
from afterdrop.http.circuit_breaker import LONGEST_PAUSE, any_paused, outages, pause_seconds
from afterdrop.http.client import Fetcher, open_fetcher
from tests.integration.http.test_client import serving
from tests.support.ports import free_port
from tests.support.receivers import receiver, says

PACE = Pace(default=HostPace(per_second=5000, at_once=8), hosts={})


@dataclass
class Host:
    """A server whose status can be set, and the clock that everybody goes by."""

    moved: float = 1e9
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.02
    asked: int = 0
    # Paths at which the host fails as `status` says although it is well, and those that were asked for, in order.
    failing: tuple[str, ...] = ()
    paths: list[str] = field(default_factory=list)
    slow: str = ""

    def now(self) -> float:
        """Seconds; they pass by themselves, as a pace waits for them, and can be moved on."""
        return self.moved + clock.monotonic()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.asked += 1
        self.paths.append(request.path)
        if self.failing and request.path not in self.failing:
            return web.Response()
        if self.status == 0:
            assert request.transport is not None
            request.transport.abort()
        await asyncio.sleep(5 if request.path == self.slow else self.seconds)
        return web.Response(status=self.status or 200, headers=self.headers)


@asynccontextmanager
async def node(host: Host, origin: str, database: Database) -> AsyncIterator[Fetcher]:
    """A process of the deployment."""
    settings = Settings(trusted_origins=(origin,), pace=PACE)
    async with open_fetcher(settings, database, host.now, random.Random(1)) as fetcher:
        yield fetcher


async def kinds(fetcher: Fetcher, url: str, times: int = 1, **options: Any) -> list[str]:
    """What became of so many requests, one after the other."""
    found = []
    for _ in range(times):
        try:
            found.append(str((await fetcher.get(url, **options)).status))
        except UpstreamError as error:
            found.append(error.kind)
    return found


async def of_names(fetcher: Fetcher, url: str, names: str, *, known_good: bool = False) -> list[str]:
    """What became of a request about each of these names, one after the other."""
    good: dict[str, Any] = {"known_good": f"{url}/good"} if known_good else {}
    return [(await kinds(fetcher, f"{url}/{name}", subject=name, **good))[0] for name in names]


async def paused(database: Database) -> list[str]:
    """The hosts that are left alone or tried again, with what they did last."""
    async with database.read() as conn:
        return [outage.note for outage in await outages(conn)]


@pytest.mark.parametrize(("status", "told"), [(0, "truncated"), (503, "503")])
async def test_after_three_failures_in_a_row_nobody_asks(database: Database, status: int, told: str) -> None:
    host = Host(status=status)
    async with (
        serving(host.answer) as url,
        node(host, url, database) as one,
        node(host, url, database) as two,
    ):
        assert await kinds(one, url, 5) == [told, told, told, "paused", "paused"]
        assert await kinds(two, url) == ["paused"]
        sends = 2 if status == 0 else 1  # aiohttp sends a GET again whose connection is reset
        assert host.asked == 3 * sends
        async with database.read() as conn:
            [outage] = await outages(conn)
            assert await any_paused(conn, {outage.host}, host.now())
            assert not await any_paused(conn, {"another.example"}, host.now())
        assert outage.host == url.removeprefix("http://")
        assert outage.next_try_at - host.now() == pytest.approx(60, abs=3)

        host.moved += 61
        got = await asyncio.gather(kinds(one, url), kinds(two, url), kinds(two, url))
        assert sorted(map(str, got)) == sorted([f"['{told}']", "['paused']", "['paused']"])
        assert host.asked == 4 * sends, "one request tries for all"
        assert await kinds(two, url) == ["paused"]

        host.moved, host.status = host.moved + 70, 200
        assert await kinds(two, url, 2) == ["200", "200"]
        host.moved += 2  # by then the other has heard of it
        assert await kinds(one, url) == ["200"]
        async with database.read() as conn:
            assert await outages(conn) == []


async def test_an_answer_ends_a_row_of_failures(database: Database) -> None:
    host = Host()
    async with serving(host.answer) as url, node(host, url, database) as fetcher:
        for _ in range(3):
            host.status = 500
            await kinds(fetcher, url, 2)
            host.status = 404
            await kinds(fetcher, url)
        assert await kinds(fetcher, url) == ["404"]


async def test_an_archived_error_is_an_answer(database: Database) -> None:
    """A memento's status and headers are the old site's."""
    host = Host(headers={"Memento-Datetime": "Mon, 06 May 2013 07:08:09 GMT", "Retry-After": "3600"})
    async with serving(host.answer) as url, node(host, url, database) as fetcher:
        for host.status in (429, 500, 503):
            assert await kinds(fetcher, url, 4) == [str(host.status)] * 4


async def test_retry_after_counts_on_a_503_too(database: Database) -> None:
    host = Host(status=503, headers={"Retry-After": "120"})
    async with serving(host.answer) as url, node(host, url, database) as one:
        with pytest.raises(UpstreamError) as caught:
            await one.get(url)
        assert (caught.value.kind, caught.value.http_status, caught.value.retry_after) == (
            "rate_limited", 503, 120.0,
        )  # fmt: skip
        with pytest.raises(UpstreamError, match="is blocked for another 12"):
            await one.get(url, patience=10)
        assert host.asked == 1


async def test_who_is_gone_while_trying_does_not_keep_the_host_from_being_tried(database: Database) -> None:
    host = Host(status=503)
    async with serving(host.answer) as url, node(host, url, database) as fetcher:
        await kinds(fetcher, url, 3)
        host.moved, host.seconds = host.moved + 60, 5
        trying = asyncio.create_task(fetcher.get(url, timeout=5))
        while host.asked < 4:
            await asyncio.sleep(0.001)
        trying.cancel()
        await asyncio.gather(trying, return_exceptions=True)
        host.status, host.seconds = 200, 0.02
        assert await kinds(fetcher, url) == ["paused"]
        host.moved += 36
        assert await kinds(fetcher, url) == ["200"]


async def test_pauses_double_up_to_half_an_hour() -> None:
    trouble = 0.0
    pauses: list[float] = []
    while len(pauses) < 8:
        pauses.append(pause_seconds(trouble))
        trouble += pauses[-1]
    assert pauses == [60, 60, 120, 240, 480, 960, 1800, 1800]


async def test_one_name_at_which_a_host_fails_is_one_failure(database: Database) -> None:
    host = Host(status=500)
    async with serving(host.answer) as url, node(host, url, database) as fetcher:
        assert await of_names(fetcher, url, "a" * 9 + "bab") == ["500"] * 12
        assert await paused(database) == []
        assert await of_names(fetcher, url, "cd") == ["500", "paused"], "the third name is not its own fault"


@pytest.mark.parametrize("status", [500, 0])
async def test_a_host_is_asked_what_it_can_answer_before_it_is_left_alone(
    database: Database, status: int
) -> None:
    host = Host(status=status, failing=("/a", "/b", "/c", "/d", "/e"))
    told = "truncated" if status == 0 else "500"
    async with serving(host.answer) as url, node(host, url, database) as fetcher:
        for _ in range(4):
            assert await of_names(fetcher, url, "abcde", known_good=True) == [told] * 5
        assert await of_names(fetcher, url, "x", known_good=True) == ["200"]
        assert await paused(database) == []
        assert host.paths.count("/good") == 4 * 5 // 3


async def test_those_that_fail_at_once_ask_once(database: Database) -> None:
    host = Host(status=500, failing=tuple(f"/{name}" for name in "abcdefgh"))
    async with serving(host.answer) as url, node(host, url, database) as fetcher:
        await asyncio.gather(*(of_names(fetcher, url, name, known_good=True) for name in "abcdefgh"))
        assert host.paths.count("/good") <= 2
        assert await paused(database) == []


async def test_a_host_that_fails_at_everything_is_left_alone_and_tried_by_what_it_can_answer(
    database: Database,
) -> None:
    host = Host(status=503)
    async with (
        serving(host.answer) as url,
        node(host, url, database) as one,
        node(host, url, database) as two,
    ):
        assert await of_names(one, url, "abcd", known_good=True) == ["503", "503", "503", "paused"]
        assert host.paths == ["/a", "/b", "/c", "/good"]
        assert await of_names(two, url, "x", known_good=True) == ["paused"]

        host.moved += 61
        assert await of_names(two, url, "ax", known_good=True) == ["paused", "paused"]
        assert host.paths[4:] == ["/good"], "no name is spent on the trial"
        host.moved, host.status = host.moved + 70, 200
        assert await of_names(one, url, "a", known_good=True) == ["200"]
        assert host.paths[5:] == ["/good", "/a"]
        assert await paused(database) == []


async def test_an_answer_to_somebody_else_meanwhile_counts(database: Database) -> None:
    """What is known to be good fails, too, while another name is answered: the host is not away."""
    host = Host(status=500, failing=("/a", "/b", "/c", "/good"))
    host.slow = "/good"
    async with serving(host.answer) as url, node(host, url, database) as fetcher:
        third = asyncio.create_task(of_names(fetcher, url, "abc", known_good=True))
        while "/good" not in host.paths:
            await asyncio.sleep(0.001)
        assert await of_names(fetcher, url, "x") == ["200"]
        await third
        assert await paused(database) == []


async def test_who_gives_up_before_the_host_has_answered_leaves_the_question_to_the_next(
    database: Database,
) -> None:
    host = Host(status=500)
    async with serving(host.answer) as url, node(host, url, database) as fetcher:
        await of_names(fetcher, url, "ab")
        host.slow = "/good"
        third = asyncio.create_task(of_names(fetcher, url, "c", known_good=True))
        while "/good" not in host.paths:
            await asyncio.sleep(0.001)
        third.cancel()
        await asyncio.gather(third, return_exceptions=True)
        host.slow = ""
        assert await paused(database) == []
        assert await of_names(fetcher, url, "de", known_good=True) == ["500", "paused"]


async def test_a_name_that_failed_does_not_try_a_host_for_the_others(database: Database) -> None:
    host = Host(status=500)
    async with serving(host.answer) as url, node(host, url, database) as fetcher:
        await of_names(fetcher, url, "abc")
        host.failing, host.moved = ("/a", "/b", "/c"), host.moved + 61
        assert await of_names(fetcher, url, "abc") == ["paused"] * 3
        assert host.paths == ["/a", "/b", "/c"], "nothing was sent"
        assert await of_names(fetcher, url, "xa") == ["200", "500"]


async def test_a_host_that_only_one_name_asks_recovers(database: Database) -> None:
    host = Host(status=500)
    async with serving(host.answer) as url, node(host, url, database) as fetcher:
        await of_names(fetcher, url, "abc")
        host.status, host.moved = 200, host.moved + 61 + LONGEST_PAUSE
        assert await of_names(fetcher, url, "a") == ["200"]
        assert await paused(database) == []


async def test_a_host_that_cannot_be_connected_to_is_left_alone_whatever_the_name(database: Database) -> None:
    host, url = Host(), f"http://127.0.0.1:{free_port()}"
    async with node(host, url, database) as fetcher:
        assert await of_names(fetcher, url, "aaaa", known_good=True) == ["connect"] * 3 + ["paused"]
        assert await paused(database) == ["connections fail"]


@pytest.mark.parametrize("subject", ["a", None])
async def test_an_archived_page_that_breaks_off_says_nothing_of_the_archive(
    database: Database, subject: str | None
) -> None:
    """It was archived so. Only where no stranger chose the page, the archive should have had it whole."""

    async def cut(request: web.Request) -> web.StreamResponse:
        memento = {"Memento-Datetime": "Mon, 06 May 2013 07:08:09 GMT", "Content-Length": "1000"}
        response = web.StreamResponse(headers=memento)
        await response.prepare(request)
        await response.write(b"half")
        assert request.transport is not None
        request.transport.close()
        return response

    host = Host()
    async with serving(cut) as url, node(host, url, database) as fetcher:
        told = [(await kinds(fetcher, url, subject=subject and f"{subject}{n}"))[0] for n in range(5)]
        assert told == (["truncated"] * 5 if subject else ["truncated"] * 3 + ["paused"] * 2)


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nX-Archive-Orig-Link: " + b"x" * 70_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X-Archive-Orig-Cookie: c=1\r\n" * 1_100 + b"\r\n",
        b"HTTP/1.1 200 OK\r\n" + (b"X-Long: " + b"x" * 60_000 + b"\r\n") * 8 + b"\r\n",
        b"SSH-2.0-OpenSSH_9\r\n",
    ],
)
async def test_an_answer_that_is_no_http_is_no_outage(database: Database, answer: bytes) -> None:
    async with receiver(says(answer)) as target:
        url = target.url.removesuffix("/hook")
        async with node(Host(), url, database) as fetcher:
            assert await kinds(fetcher, url, 5) == ["bad_content"] * 5
            assert await paused(database) == []


@pytest.mark.parametrize("name", ["http://a.example:port/", "http://[::1]x/"])
async def test_an_address_that_cannot_be_used_says_nothing_of_a_host(database: Database, name: str) -> None:
    async with node(Host(), "http://127.0.0.1:1", database) as fetcher:
        assert await kinds(fetcher, name, 5) == ["refused_address"] * 5
        assert await paused(database) == []
