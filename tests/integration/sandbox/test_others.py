"""The servers that speak other protocols than HTTP: resolver and mail."""

from __future__ import annotations

import asyncio
from email.message import EmailMessage

import aiohttp
import aiosmtplib
import dns.asyncresolver
import dns.nameserver

from afterdrop.sandbox import RunningSandbox


async def test_the_resolver_truncates_what_needs_tcp_and_ignores_noise(running: RunningSandbox) -> None:
    resolver = dns.asyncresolver.Resolver(configure=False)
    resolver.nameservers = [dns.nameserver.Do53Nameserver(*running.state.dns)]
    resolver.timeout = resolver.lifetime = 1.0
    transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
        asyncio.DatagramProtocol, remote_addr=running.state.dns
    )
    transport.sendto(b"noise")
    transport.close()
    chatty = next(
        story for story in running.world.stories if story.index % 6 == 0 and story.eras[-1].scene == "site"
    )
    answer = await resolver.resolve(chatty.domain, "TXT")
    assert len(answer) >= 6
    assert {row["host"] for row in running.state.log if row["server"] == "dns"} == {"udp", "tcp"}


async def test_mails_can_be_read_as_they_were_written(
    session: aiohttp.ClientSession, running: RunningSandbox
) -> None:
    host, port = running.state.smtp
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "a@sandbox.org", "b@sandbox.org", "Grüße"
    message.set_content(".a line that begins with a dot\nübung\n")
    await aiosmtplib.send(message, hostname=host, port=port, start_tls=False)
    async with session.get(f"{running.url}/_sandbox/mail") as response:
        [kept] = await response.json()
    assert (kept["from"], kept["to"], kept["subject"]) == ("a@sandbox.org", ["b@sandbox.org"], "Grüße")
    assert kept["text"].splitlines() == [".a line that begins with a dot", "übung"]
