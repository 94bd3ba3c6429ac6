"""Visitors behind proxies: their address is the one a trusted proxy tells, and a proxy that nobody named is told of."""

from __future__ import annotations

import logging
import socket
from pathlib import Path

import aiohttp
import pytest
from starlette.types import Message, Receive, Scope, Send

from afterdrop.core.settings import Settings
from afterdrop.web.request_guards import ForwardedVisitors
from tests.support.started import Started, started

VISITOR = "203.0.113.7"


class Asked:
    """An application that notes whom each request is from."""

    def __init__(self) -> None:
        self.clients: list[str] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Note it."""
        self.clients.append(scope["client"][0])


async def seen(peer: str, *proxies: str, forwarded: str = VISITOR, times: int = 1) -> str:
    """The address that a request from `peer` counts for."""
    asked = Asked()
    layer = ForwardedVisitors(asked, Settings(trusted_proxies=proxies).trusted_proxies)

    async def receive() -> Message:
        raise AssertionError

    async def send(message: Message) -> None:
        raise AssertionError(message)

    for _ in range(times):
        headers = [(b"x-forwarded-for", forwarded.encode())] if forwarded else []
        await layer({"type": "http", "client": (peer, 1), "headers": headers}, receive, send)
    [client] = set(asked.clients)
    return client


@pytest.mark.parametrize(
    ("peer", "proxy"),
    [
        ("127.0.0.1", "127.0.0.1/8"),
        ("172.18.0.3", "172.18.0.3/16"),
        ("10.0.0.77", "10.0.0.5/24"),
        ("172.18.0.3", "::ffff:172.18.0.3"),
        ("::ffff:172.18.0.3", "172.18.0.3"),
        ("::ffff:172.18.9.9", "172.18.0.3/16"),
        ("::ffff:ac12:3", "::ffff:172.18.0.3"),
        ("2001:db8::9", "2001:DB8::5/64"),
        ("2001:db8:0:0::1", "2001:db8::1"),
        ("fe80::1%eth0", "fe80::1"),
    ],
)
async def test_a_trusted_proxy_tells_whom_a_request_is_from(peer: str, proxy: str) -> None:
    assert await seen(peer, "192.0.2.1", proxy) == VISITOR
    assert await seen(peer, proxy, forwarded=f"6.6.6.6, {VISITOR}, {peer}") == VISITOR


@pytest.mark.parametrize(
    ("peer", "proxy"),
    [
        ("172.19.0.3", "172.18.0.3/16"),
        ("::ffff:172.19.0.3", "172.18.0.3/16"),
        ("::ac12:3", "172.18.0.3"),
        ("10.0.1.5", "10.0.0.5/24"),
        ("2001:db8:0:1::9", "2001:db8::5/64"),
    ],
)
async def test_a_stranger_is_who_it_is_and_is_told_of_once(
    peer: str, proxy: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert await seen(peer, proxy, times=3) == peer
    [told] = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert peer in told.getMessage() and "trusted_proxies" in told.getMessage()
    assert VISITOR not in told.getMessage()


async def test_visitors_without_a_proxy_are_not_told_of(caplog: pytest.LogCaptureFixture) -> None:
    assert await seen("198.51.100.1", forwarded="") == "198.51.100.1"
    assert await seen("10.0.0.77", "10.0.0.5/24") == VISITOR
    assert caplog.records == []


def no_ipv6() -> bool:
    """Whether this machine cannot listen at `::` for both families."""
    try:
        with socket.socket(socket.AF_INET6) as one:
            one.bind(("::", 0))
            return bool(one.getsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY))
    except OSError:
        return True


async def served(folder: Path, host: str, proxies: str) -> Started:
    """A service that was asked twice from 127.0.0.1, with a header that names the visitor."""
    async with started(
        folder, "--no-worker", "--host", host,
        AFTERDROP_DATABASE_URL=f"sqlite:///{folder}/x", AFTERDROP_ALLOW_HTTP="1",
        AFTERDROP_LOG__ACCESS="true", AFTERDROP_TRUSTED_PROXIES=proxies,
    ) as service, aiohttp.ClientSession(headers={"X-Forwarded-For": VISITOR}) as http:  # fmt: skip
        for _ in range(2):
            async with http.get(f"{service.url}/robots.txt") as answer:
                assert answer.status == 200
    return service


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        pytest.param("::", marks=pytest.mark.skipif(no_ipv6(), reason="no listener for IPv6 and IPv4")),
    ],
)
async def test_the_server_knows_visitors_behind_its_proxies(tmp_path: Path, host: str) -> None:
    said = (await served(tmp_path, host, "127.0.0.1/8")).said
    assert said.count(f"{VISITOR} GET /robots.txt 200") == 2
    assert "X-Forwarded-For" not in said


async def test_the_server_warns_of_a_proxy_that_is_not_named(tmp_path: Path) -> None:
    said = (await served(tmp_path, "127.0.0.1", "192.0.2.1")).said
    assert said.count("127.0.0.1 GET /robots.txt 200") == 2
    assert said.count("X-Forwarded-For from 127.0.0.1 is ignored, as trusted_proxies does not name") == 1
    assert VISITOR not in said
