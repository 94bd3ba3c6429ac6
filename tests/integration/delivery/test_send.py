"""One attempt to send an event: headers and signature, the status decides, any other outcome is a failure in words."""

from __future__ import annotations

import asyncio
import re
import socket
import time
from pathlib import Path
from typing import Any

import pytest

from afterdrop.core.settings import Webhook
from afterdrop.delivery.webhooks.retry_schedule import ReceiverAnswer
from afterdrop.delivery.webhooks.send import open_sender
from afterdrop.delivery.webhooks.signing import verify
from tests.support import receivers
from tests.support.receivers import OK, Behaviour, receiver, says

SECRET, BODY = "whsec_abc", b'{"id":"evt_1","type":"ping"}'
LOCAL = Webhook(allow_loopback=True, answer_seconds=0.5)


async def send(
    url: str, settings: Webhook = LOCAL, epoch: float = 1_800_000_000.9, **more: Any
) -> ReceiverAnswer:
    """One attempt by a fresh sender."""
    async with open_sender(settings, lambda: epoch, **more) as sender:
        return await sender.send(url, SECRET, "ping", "evt_1", BODY)


async def test_sg_01_to_sg_08_what_the_receiver_gets() -> None:
    async with receiver(OK) as target:
        assert await send(target.url) == ReceiverAnswer(200)
    [post] = target.posts
    headers = post.headers
    assert post.head[0] == "POST /hook HTTP/1.1"
    assert (headers["service-event"], headers["service-delivery"]) == ("ping", "evt_1")
    assert (headers["user-agent"], headers["content-type"]) == ("service-webhooks/1", "application/json")
    assert re.fullmatch(r"t=1800000000,v1=[0-9a-f]{64}", headers["service-signature"])
    assert post.body == BODY
    assert verify(SECRET, headers["service-signature"], post.body, 1_800_000_000)


async def test_sg_03_the_slug_is_a_setting_and_sg_05_the_time_is_each_attempts_own() -> None:
    async with receiver(OK) as target:
        await send(target.url, LOCAL.model_copy(update={"slug": "afterdrop"}), epoch=1_800_007_200)
    assert target.posts[0].headers["user-agent"] == "afterdrop-webhooks/1"
    assert target.posts[0].headers["service-signature"].startswith("t=1800007200,")


@pytest.mark.parametrize("code", [200, 201, 204, 299])
async def test_db_01_any_2xx_is_success(code: int) -> None:
    async with receiver(f"HTTP/1.1 {code} X\r\nContent-Length: 0\r\n\r\n".encode()) as target:
        assert await send(target.url) == ReceiverAnswer(code)


@pytest.mark.parametrize("code", [300, 302, 307, 400, 404, 410, 429, 500, 503])
async def test_db_02_everything_else_fails_and_redirects_are_not_followed(code: int) -> None:
    async with receiver(OK) as elsewhere:
        head = f"HTTP/1.1 {code} X\r\nLocation: {elsewhere.url}\r\nContent-Length: 0\r\n\r\n"
        async with receiver(head.encode()) as target:
            answer = await send(target.url)
    assert (answer.code, answer.ok) == (code, False)
    assert answer.error == f"answered {code}" + (": redirects are not followed" if code < 400 else "")
    assert elsewhere.posts == []


@pytest.mark.parametrize(
    ("behaviour", "error"),
    [
        (receivers.hang, "no answer within 0.5 seconds"),
        (receivers.reset, "the connection was closed without an answer"),
        (receivers.slam, "the connection was closed without an answer"),
        (receivers.close, "the connection was closed without an answer"),
        (says(b"HTTP/1.1 103 Early\r\n\r\n"), "the connection was closed without an answer"),
        (says(b"HTTP/1.1 103 Early\r\n\r\n", receivers.hang), "no answer within 0.5 seconds"),
        (receivers.endless(b"", b"HTTP/1.1 103 Early\r\n\r\n"), "no answer within 0.5 seconds"),
        (says(b"SSH-2.0-OpenSSH_9\r\n"), "the answer is not HTTP: Bad status line"),
        (says(b"HTTP/1.1 999999 What\r\n\r\n"), "the answer is not HTTP"),
        (receivers.endless(b"HTTP/1.1 200 OK\r\n", b"X-Endless: yes\r\n" * 50), "the answer is not HTTP"),
        (receivers.endless(b"HTTP/1.1 200 OK\r\nX: ", b"y" * 1000), "the answer is not HTTP"),
        (says(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 9\r\n\r\n"), "the answer is not HTTP"),
    ],
)  # fmt: skip
async def test_db_03_no_answer_or_none_that_can_be_read(behaviour: Behaviour, error: str) -> None:
    async with receiver(behaviour) as target:
        answer = await send(target.url)
    assert answer.code is None
    assert answer.error is not None
    assert answer.error.startswith(error), answer.error
    assert "\n" not in answer.error and not answer.error.endswith(":")


@pytest.mark.parametrize(
    "behaviour",
    [
        says(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"),
        says(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort", receivers.hang),
        says(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nmuch longer than it said"),
        says(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
        says(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc"),
        says(b"HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
        says(b"HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
        receivers.endless(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 65_536),
        receivers.endless(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n", b"x" * 65_536),
        receivers.endless(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n" * 500),
        says(
            b"HTTP/1.1 200 OK\r\nContent-Security-Policy: " + b"x" * 60_000 + b"\r\nContent-Length: 0\r\n\r\n"
        ),
        says(b"HTTP/1.1 200 OK\r\n" + b"Set-Cookie: c=1\r\n" * 900 + b"Content-Length: 0\r\n\r\n"),
        says(b"HTTP/1.1 103 Hints\r\nLink: " + b"x" * 60_000 + b"\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"),
    ],
)
async def test_a_2xx_stands_whatever_is_wrong_with_the_body(behaviour: Behaviour) -> None:
    started = time.monotonic()
    async with receiver(behaviour) as target:
        assert await send(target.url) == ReceiverAnswer(200)
    assert time.monotonic() - started < 4


@pytest.mark.parametrize(
    "target",
    [
        "?sig=ab%2Fcd~e%2Bf%3D%3D&Policy=eyJ%2Fa%2bb",  # a reserved character and its code are two things
        "/a%2fb%7Ec%41d//e/../f;g=@:!$&'()*,h[1]?i=/?+j",
        "?flow=%E4%f6",
    ],
)
async def test_the_address_is_sent_letter_for_letter(target: str) -> None:
    async with receiver(OK) as hook:
        assert await send(hook.url + target) == ReceiverAnswer(200)
    assert hook.posts[0].head[0] == f"POST /hook{target} HTTP/1.1"


async def test_of_a_body_of_a_gigabyte_almost_nothing_is_read() -> None:
    given = 0

    async def pour(_reader: receivers.Reader, writer: receivers.Writer) -> None:
        nonlocal given
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
        while True:
            writer.write(b"x" * 65_536)
            await writer.drain()
            given += 65_536

    async with receiver(pour) as target:
        assert await send(target.url) == ReceiverAnswer(200)
    assert given < 16_000_000, "what the sockets' buffers hold, no more"


async def test_a_slow_head_has_the_same_time_limit() -> None:
    async def trickle(_reader: receivers.Reader, writer: receivers.Writer) -> None:
        for byte in OK * 100:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0.05)

    started = time.monotonic()
    async with receiver(trickle) as target:
        assert (await send(target.url)).error == "no answer within 0.5 seconds"
    assert time.monotonic() - started < 2


async def test_a_receiver_that_takes_no_byte_of_the_body() -> None:
    """It accepts the connection and never reads."""
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}/"
        async with open_sender(LOCAL, lambda: 1.0) as sender:
            answer = await sender.send(url, SECRET, "ping", "evt_1", b"x" * 900_000)
    assert answer.error == "no answer within 0.5 seconds"


async def test_another_protocol_is_not_switched_to() -> None:
    head = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"
    async with receiver(says(head, receivers.hang)) as target:
        answer = await send(target.url)
    assert not answer.ok
    assert answer.error in ("answered 101", "no answer within 0.5 seconds")


async def test_no_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async with receiver(OK) as proxy, receiver(OK) as target:
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        assert await send(target.url) == ReceiverAnswer(200)
    assert (proxy.connections, len(target.posts)) == (0, 1)


async def test_a_connection_is_used_again_and_one_the_receiver_closed_is_not() -> None:
    async with receiver(OK) as keeping, open_sender(LOCAL, lambda: 1.0) as sender:
        for _ in range(3):
            assert (await sender.send(keeping.url, SECRET, "ping", "evt_1", BODY)).ok
        assert (keeping.connections, len(keeping.posts)) == (1, 3)
    async with receiver(says(OK)) as closing, open_sender(LOCAL, lambda: 1.0) as sender:
        for _ in range(3):
            assert (await sender.send(closing.url, SECRET, "ping", "evt_1", BODY)).ok
            await asyncio.sleep(0.02)
        assert closing.connections == 3


async def test_nobody_listening() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        answer = await send(f"http://127.0.0.1:{taken.getsockname()[1]}/")
    assert answer.error is not None
    assert answer.error.startswith("cannot connect: ")


async def test_broken_tls(tmp_path: Path) -> None:
    tls = receivers.server_tls(tmp_path, "localhost")
    async with receiver(OK, tls=tls) as target:
        unknown = await send(f"https://127.0.0.1:{target.port}/")
    assert unknown.error is not None
    assert unknown.error.startswith("TLS failed: ")
    assert "self-signed" in unknown.error
    assert target.posts == []
    async with receiver(OK) as plain:
        none = await send(f"https://127.0.0.1:{plain.port}/")
    assert none.error is not None
    assert none.error.startswith(("TLS failed", "no answer within")), none.error
