"""The other servers: vendors, resolver, mail, webhook receivers, graph files."""

from __future__ import annotations

import asyncio
import base64
import email
import email.policy
import gzip
from email.message import EmailMessage
from typing import Any

import aiohttp
import aiosmtplib
import dns.asyncresolver
import dns.message
import dns.nameserver
import dns.query
import dns.resolver
import pytest

from afterdrop.sandbox import RunningSandbox

KEY = {"Authorization": "Bearer sandbox"}


def _known(running: RunningSandbox, vendor: str) -> str:
    return next(story.domain for story in running.world.stories if vendor in story.metrics.known)


async def test_bulk_vendors_answer_bare_and_below_their_host(
    session: aiohttp.ClientSession, running: RunningSandbox
) -> None:
    for prefix in ("", "/api.ahrefs.com"):
        address = f"{running.url}{prefix}/v3/public/domain-rating-free"
        async with session.post(
            address, json={"targets": [_known(running, "ahrefs")]}, headers=KEY
        ) as response:
            rows = (await response.json())["domain_rating"]["targets"]
        assert len(rows) == 1
    async with session.get(address, params={"target": _known(running, "ahrefs")}, headers=KEY) as response:
        assert (await response.json())["domain_rating"]["domain_rating"] is not None
    basic = {"Authorization": "Basic " + base64.b64encode(b"id:secret").decode()}
    async with session.post(
        f"{running.url}/v2/url_metrics", json={"targets": [_known(running, "moz")]}, headers=basic
    ) as response:
        assert (await response.json())["results"][0]["domain_authority"] is not None
    async with session.post(
        f"{running.url}/v1/domains/bulk", json={"domains": [_known(running, "openpagerank")]}, headers=KEY
    ) as response:
        assert (await response.json())["results"][0]["found"] is True


@pytest.mark.parametrize("path", ["/v3/public/domain-rating-free", "/v2/url_metrics", "/v1/domains/bulk"])
async def test_vendors_refuse_no_key_no_list_and_too_many(
    session: aiohttp.ClientSession, running: RunningSandbox, path: str
) -> None:
    key = "domains" if "bulk" in path else "targets"
    many = ["a.com"] * 1001
    for headers, body, status in (({}, {key: []}, 401), (KEY, {"x": 1}, 400), (KEY, {key: many}, 400)):
        async with session.post(f"{running.url}{path}", json=body, headers=headers) as response:
            assert response.status == status


def _resolver(running: RunningSandbox) -> dns.asyncresolver.Resolver:
    resolver = dns.asyncresolver.Resolver(configure=False)
    resolver.nameservers = [dns.nameserver.Do53Nameserver(*running.state.dns)]
    resolver.timeout = resolver.lifetime = 1.0
    return resolver


async def test_the_resolver_answers_over_udp_and_truncates_what_needs_tcp(running: RunningSandbox) -> None:
    resolver = _resolver(running)
    answer = await resolver.resolve("big.dns-faults.net", "TXT")
    assert len(answer) == 12
    transports = {row["host"] for row in running.state.log if row["server"] == "dns"}
    assert transports == {"udp", "tcp"}


async def test_the_resolver_tells_no_name_no_answer_and_no_reply_apart(running: RunningSandbox) -> None:
    resolver = _resolver(running)
    with pytest.raises(dns.resolver.NXDOMAIN):
        await resolver.resolve("none.dns-faults.net", "A")
    with pytest.raises(dns.resolver.NoAnswer):
        await resolver.resolve("empty.dns-faults.net", "A")
    with pytest.raises(dns.resolver.NoNameservers):
        await resolver.resolve("servfail.dns-faults.net", "A")
    with pytest.raises(dns.resolver.LifetimeTimeout):
        await resolver.resolve("timeout.dns-faults.net", "A")


async def test_the_resolver_fails_on_demand_and_ignores_noise(running: RunningSandbox) -> None:
    resolver = _resolver(running)
    running.state.faults.put([{"server": "dns", "kind": "status", "path": "nullmx"}])
    with pytest.raises(dns.resolver.NoNameservers):
        await resolver.resolve("nullmx.dns-faults.net", "MX")
    running.state.faults.put([{"server": "dns", "kind": "timeout"}])
    with pytest.raises(dns.resolver.LifetimeTimeout):
        await resolver.resolve("nullmx.dns-faults.net", "MX")
    running.state.faults.put([])
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(
        asyncio.DatagramProtocol, remote_addr=running.state.dns
    )
    transport.sendto(b"noise")
    transport.close()
    assert str((await resolver.resolve("nullmx.dns-faults.net", "MX"))[0]) == "0 ."


def _mail(to: str) -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "a@sandbox.org", to, "Grüße"
    message.set_content(".a line that begins with a dot\nübung\n")
    return message


async def test_mails_can_be_read_as_they_were_written(
    session: aiohttp.ClientSession, running: RunningSandbox
) -> None:
    host, port = running.state.smtp
    await aiosmtplib.send(_mail("b@sandbox.org"), hostname=host, port=port, start_tls=False)
    async with session.get(f"{running.url}/_sandbox/mail") as response:
        kept = await response.json()
    read = email.message_from_string(kept[0]["data"], policy=email.policy.default)
    assert (kept[0]["from"], kept[0]["to"], read["Subject"]) == ("a@sandbox.org", ["b@sandbox.org"], "Grüße")
    assert kept[0]["data"].count("\r\n.a line") == 1
    async with session.delete(f"{running.url}/_sandbox/mail") as response:
        assert response.status == 204
    assert running.state.mails == []


async def test_some_recipients_are_refused_for_now_or_for_good(running: RunningSandbox) -> None:
    host, port = running.state.smtp
    for name, code in (("reject", 550), ("defer", 451)):
        with pytest.raises(aiosmtplib.SMTPRecipientsRefused) as caught:
            await aiosmtplib.send(_mail(f"{name}@sandbox.org"), hostname=host, port=port, start_tls=False)
        assert caught.value.recipients[0].code == code
    assert running.state.mails == []


async def test_the_mail_server_refuses_unknown_commands(running: RunningSandbox) -> None:
    reader, writer = await asyncio.open_connection(*running.state.smtp)
    codes = []
    await reader.readline()
    for line in (b"DATA", b"SING", b"NOOP", b"MAIL FROM:<a@b.c>", b"RSET", b"QUIT"):
        writer.write(line + b"\r\n")
        codes.append((await reader.readline())[:3])
    assert codes == [b"503", b"502", b"250", b"250", b"250", b"221"]
    writer.close()
    await writer.wait_closed()


async def test_a_webhook_receiver_keeps_requests_and_behaves_as_told(
    session: aiohttp.ClientSession, running: RunningSandbox
) -> None:
    address = f"{running.url}/_sandbox/hooks/mine"
    statuses = []
    for behaviour in ("200", "500", "redirect", "777"):
        async with session.post(f"{address}?do={behaviour}", data=b"{}", allow_redirects=False) as response:
            statuses.append(response.status)
    assert statuses == [200, 500, 302, 200]
    for behaviour in ("reset", "hang"):
        with pytest.raises((aiohttp.ServerDisconnectedError, aiohttp.ClientOSError, TimeoutError)):
            quick = aiohttp.ClientTimeout(total=0.3)
            async with session.post(f"{address}?do={behaviour}", data=b"{}", timeout=quick):
                pass
    async with session.post(f"{address}?do=stream", data=b"x") as response:
        assert await response.content.readexactly(3) == b"..."
    async with session.get(address) as response:
        kept: list[dict[str, Any]] = await response.json()
    assert len(kept) == 7 and kept[0]["body"] == "{}" and kept[1]["query"] == {"do": "500"}
    async with session.delete(address):
        pass
    async with session.get(address) as response:
        assert await response.json() == []


async def test_graph_files_can_be_downloaded_in_ranges(
    session: aiohttp.ClientSession, running: RunningSandbox
) -> None:
    async with session.get(f"{running.url}/index.commoncrawl.org/graphinfo.json") as response:
        release = (await response.json())[0]["id"]
    base = f"{running.url}/data.commoncrawl.org/projects/hyperlinkgraph/{release}/domain/{release}-domain"
    address = f"{base}-ranks.txt.gz"
    async with session.get(address) as response:
        whole = await response.read()
        etag = response.headers["ETag"]
    async with session.get(address, headers={"Range": "bytes=0-99"}) as response:
        head = await response.read()
        assert response.status == 206
    async with session.get(address, headers={"Range": "bytes=100-", "If-Range": etag}) as response:
        tail = await response.read()
    assert head + tail == whole
    assert gzip.decompress(whole).startswith(b"#harmonicc_pos")
    async with session.get(address, headers={"Range": f"bytes={len(whole)}-"}) as response:
        assert response.status == 416
    async with session.get(address, headers={"Range": "bytes=100-", "If-Range": '"other"'}) as response:
        assert response.status == 200
