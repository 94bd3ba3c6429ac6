"""No delivery reaches a private network, whatever a name resolves to and however often that changes."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from dataclasses import replace
from ipaddress import IPv4Address, IPv6Address
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from afterdrop.core.settings import Webhook
from afterdrop.delivery.webhooks.retry_schedule import ReceiverAnswer
from afterdrop.delivery.webhooks.send import open_sender
from afterdrop.http.public_addresses import is_public
from tests.integration.delivery.test_send import BODY, SECRET
from tests.support.ports import free_port
from tests.support.receivers import OK, receiver

STRICT = Webhook(answer_seconds=1)
REFUSED = "refused: the host name resolves to an address that is not public"


def answers(*addresses: str) -> list[tuple[Any, ...]]:
    """The answer of a resolver with these addresses."""
    return [
        (socket.AF_INET6 if ":" in each else socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, 0))
        for each in addresses
    ]


async def send(url: str, **more: Any) -> ReceiverAnswer:
    async with open_sender(STRICT, lambda: 1.0, **more) as sender:
        return await sender.send(url, SECRET, "ping", "evt_1", BODY)


PRIVATE = (
    *("127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0", "100.64.0.1"),
    *("224.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1", "203.0.113.9", "240.0.0.1"),
    *("::1", "::", "fe80::1", "fc00::1", "fd12:3456::1", "ff02::1", "2001:db8::1", "fec0::1"),
    *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::7f00:1"),
    *("2002:7f00:1::", "2001:0:7f00:1::", "::127.0.0.1", "100::1"),
)  # fmt: skip


@pytest.mark.parametrize("address", PRIVATE)
async def test_names_that_resolve_to_private_addresses_are_refused(address: str) -> None:
    for addresses in ((address,), ("93.184.216.34", address), (address, "93.184.216.34")):
        found = answers(*addresses)
        answer = await send("https://hooks.example.org/", lookup=lambda *_, found=found: found)
        assert answer.code is None
        assert answer.error == REFUSED, "in words that do not tell which address it was"


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/", "https://127.1/", "https://2130706433/", "https://0x7f000001/", "https://[::1]/",
        "https://[::ffff:127.0.0.1]/", "https://[64:ff9b::7f00:1]/", "http://169.254.169.254/latest/meta-data/",
        "https://localhost/",
    ],
)  # fmt: skip
async def test_stored_literal_addresses_are_refused_too(url: str) -> None:
    """They are refused when an endpoint is saved; the sender does not rely on that. No name service is asked here."""
    answer = await send(url, lookup=lambda *_: answers("127.0.0.1"))
    assert answer.code is None
    assert answer.error is not None
    assert answer.error.startswith(("refused: ", "the address cannot be used")), answer.error


async def test_without_the_development_setting_loopback_gets_nothing() -> None:
    async with receiver(OK) as target:
        answer = await send(target.url)
    assert answer.error == REFUSED
    assert (target.connections, target.posts) == (0, [])


async def test_the_checked_address_is_the_one_connected_to() -> None:
    """The name becomes private between check and connection: it is looked up once, and that answer is used."""
    asked: list[str] = []

    def flips(host: str, _port: int) -> list[tuple[Any, ...]]:
        asked.append(host)
        return answers("127.0.0.2" if len(asked) == 1 else "127.0.0.1")

    def pretend_public(address: str) -> bool:
        return address == "127.0.0.2"

    port = free_port()
    async with receiver(OK, host="127.0.0.2", port=port) as good, receiver(OK, port=port) as bad:
        async with open_sender(STRICT, lambda: 1.0, allow=pretend_public, lookup=flips) as sender:
            url = f"http://hooks.example.org:{good.port}/"
            assert await sender.send(url, SECRET, "ping", "evt_1", BODY) == ReceiverAnswer(200)
        assert (asked, len(good.posts), bad.connections) == (["hooks.example.org"], 1, 0)
        assert good.posts[0].headers["host"] == f"hooks.example.org:{good.port}"
        answer = await send(f"http://hooks.example.org:{good.port}/", allow=pretend_public, lookup=flips)
        assert answer.error is not None
        assert answer.error.startswith("refused: ")
        assert bad.connections == 0


async def test_a_name_without_an_address() -> None:
    def unknown(host: str, _port: int) -> list[tuple[Any, ...]]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    assert (await send("https://gone.example.org/", lookup=unknown)).error == "the host name does not resolve"
    empty = await send("https://gone.example.org/", lookup=lambda *_: [])
    assert empty.error == "the host name does not resolve"


async def test_a_name_with_a_thousand_addresses_none_of_which_answers() -> None:
    many = answers(*(f"127.0.{number // 250}.{number % 250 + 1}" for number in range(1000)))
    started = time.monotonic()
    answer = await send("https://many.example.org:9/", lookup=lambda *_: many, allow=lambda _: True)
    assert answer.error is not None
    assert answer.error.startswith(("cannot connect", "no answer within"))
    assert time.monotonic() - started < 3


async def test_one_private_address_among_many_refuses_all() -> None:
    many = answers(*(f"93.184.216.{number}" for number in range(1, 100)), "10.0.0.1")
    answer = await send("https://many.example.org/", lookup=lambda *_: many)
    assert answer.error == REFUSED


async def test_a_dead_name_server_does_not_hold_up_the_others() -> None:
    held = threading.Event()

    def slow(host: str, _port: int) -> list[tuple[Any, ...]]:
        if host.startswith("slow"):
            held.wait(60)
        return answers("127.0.0.1")

    async with receiver(OK) as target:
        async with open_sender(STRICT, lambda: 1.0, allow=lambda _: True, lookup=slow) as sender:
            waiting = [
                asyncio.create_task(
                    sender.send(f"http://slow{number}.example.org/", SECRET, "ping", "evt_1", BODY)
                )
                for number in range(320)
            ]
            await asyncio.sleep(0.05)
            # A busy machine may need longer than a second; nobody else's look-up ends before this one gives up.
            patient = replace(sender, settings=Webhook(answer_seconds=30))
            quick = await patient.send(
                f"http://quick.example.org:{target.port}/", SECRET, "ping", "evt_1", BODY
            )
            slow_ones = await asyncio.gather(*waiting)
        held.set()
    assert quick == ReceiverAnswer(200)
    assert {answer.error for answer in slow_ones} == {"no answer within 1 seconds"}


def test_webhooks_use_the_ranges_of_the_outbound_guard() -> None:
    assert all(not is_public(address) for address in PRIVATE)
    assert all(is_public(address) for address in ("93.184.216.34", "2606:4700::1111", "::ffff:93.184.216.34"))


def _embedded(inner: IPv4Address) -> list[str]:
    """Every form of IPv6 address that stands for this IPv4 address or contains it."""
    bits = int(inner)
    return [
        f"::ffff:{inner}",
        f"::{inner}",
        str(IPv6Address(int(IPv6Address("64:ff9b::")) + bits)),
        str(IPv6Address(int(IPv6Address("64:ff9b:1::")) + bits)),
        str(IPv6Address((0x2002 << 112) + (bits << 80) + 1)),
        str(IPv6Address((0x20010000 << 96) + (bits << 64) + (bits ^ 0xFFFFFFFF))),
    ]


@given(st.ip_addresses(v=4))
@example(IPv4Address("127.0.0.1"))
@example(IPv4Address("169.254.169.254"))
@example(IPv4Address("10.255.255.255"))
@example(IPv4Address("100.127.255.255"))
def test_special_purpose_ipv4_addresses_are_refused_in_every_form(address: IPv4Address) -> None:
    special = not address.is_global or address.is_multicast or address.is_reserved
    if special:
        assert not is_public(str(address))
        assert [form for form in _embedded(address) if is_public(form)] == []


@given(st.ip_addresses(v=6))
def test_special_purpose_ipv6_addresses_are_refused(address: IPv6Address) -> None:
    carrier = int(address) >> 32
    if carrier in (0xFFFF, int(IPv6Address("64:ff9b::")) >> 32):
        assert is_public(str(address)) == is_public(str(IPv4Address(int(address) & 0xFFFFFFFF)))
    elif not address.is_global or address.is_multicast or address.is_reserved or address.is_site_local:
        assert not is_public(str(address))


@pytest.mark.parametrize(
    "host", ["127.0.0.2", "10.0.0.1", "169.254.169.254", "::ffff:127.0.0.1", "0.0.0.0", "::"]
)
async def test_the_development_setting_allows_two_addresses_only(host: str) -> None:
    settings = Webhook(answer_seconds=1, allow_loopback=True)
    async with open_sender(settings, lambda: 1.0, lookup=lambda *_: answers(host)) as sender:
        answer = await sender.send("https://hooks.example.org:9/", SECRET, "ping", "evt_1", BODY)
    assert answer.error == REFUSED
