"""POST one event to one receiver, once, within the answer limit, and only to an address that was checked."""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import aiohttp

from afterdrop.core.settings import Webhook
from afterdrop.delivery.webhooks.retry_schedule import ReceiverAnswer
from afterdrop.delivery.webhooks.signing import sign
from afterdrop.http.answers import open_session
from afterdrop.http.exact_url import exact_url
from afterdrop.http.public_addresses import is_public
from afterdrop.http.ssrf_guard import (
    Allow,
    Lookup,
    RefusedAddress,
    ThreadedPublicResolver,
    guarded_socket,
    system_lookup,
)

# The status decides. A short body is read, up to this size and for this long, so that the connection can be reused.
_READ_MOST = 16_384
_READ_SECONDS = 1.0
# Shorter than common servers keep an idle connection: a connection they have just closed would cost an attempt.
_KEEP_SECONDS = 2.0
_CLOSED = (errno.ECONNRESET, errno.EPIPE)
_LOOPBACK = ("127.0.0.1", "::1")


@dataclass(frozen=True)
class Sender:
    """Sends deliveries for one process. Open with `open_sender`."""

    session: aiohttp.ClientSession
    settings: Webhook
    epoch: Callable[[], float]

    async def send(self, url: str, secret: str, event: str, event_id: str, body: bytes) -> ReceiverAnswer:
        """Make one attempt. Never raises: what the receiver or the network did is in the answer, in words."""
        headers = {
            "Content-Type": "application/json",
            "User-Agent": f"{self.settings.slug}-webhooks/1",
            "Service-Event": event,
            "Service-Delivery": event_id,
            "Service-Signature": sign(secret, int(self.epoch()), body),
        }
        limit = self.settings.answer_seconds
        clock = asyncio.get_running_loop().time
        started = clock()
        try:
            async with asyncio.timeout(limit):
                response = await self.session.post(
                    exact_url(url), data=body, headers=headers, allow_redirects=False
                )
        except TimeoutError:
            return ReceiverAnswer(None, f"no answer within {limit:g} seconds", clock() - started)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            return ReceiverAnswer(None, _error_text(error), clock() - started)
        answer = ReceiverAnswer(response.status, _status_error(response.status), clock() - started)
        await _read_short_body(response, answer)
        return answer


def _status_error(code: int) -> str | None:
    if 200 <= code < 300:
        return None
    return f"answered {code}" + (": redirects are not followed" if 300 <= code < 400 else "")


async def _read_short_body(response: aiohttp.ClientResponse, answer: ReceiverAnswer) -> None:
    """Read a short body so that the connection can be reused; a broken body changes nothing."""
    length = response.content_length
    if answer.ok and length is not None and length <= _READ_MOST:
        with suppress(aiohttp.ClientError, OSError, ValueError, TimeoutError):
            async with asyncio.timeout(_READ_SECONDS):
                await response.read()
                return
    response.close()


def _error_text(error: Exception) -> str:
    # The owner of the endpoint must not learn the address: it may reveal the network behind us.
    if _is_refusal(error):
        return "refused: the host name resolves to an address that is not public"
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return f"TLS failed: {error.certificate_error}"[:300]
    if isinstance(error, aiohttp.ClientConnectorSSLError):
        return f"TLS failed: {error.os_error.strerror or 'no reason given'}"[:300]
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return "the host name does not resolve"
    if isinstance(error, aiohttp.ClientConnectorError):
        return f"cannot connect: {_system_message(error.os_error)}"
    gone = isinstance(error, aiohttp.ServerDisconnectedError | ConnectionResetError | BrokenPipeError)
    if gone or (isinstance(error, OSError) and error.errno in _CLOSED):
        return "the connection was closed without an answer"
    if isinstance(error, aiohttp.InvalidURL):
        return "the address cannot be used"
    if isinstance(error, aiohttp.ClientResponseError):
        return f"the answer is not HTTP: {_first_line(error.message)}"[:300]
    if isinstance(error, OSError):
        return f"the connection failed: {_system_message(error)}"
    return f"{type(error).__name__}: {_first_line(str(error))}"[:300]


def _system_message(error: OSError) -> str:
    """The system's message for the error number: an error's own text names the address and the port."""
    return os.strerror(error.errno) if error.errno else "no address of the host answered"


def _first_line(text: str) -> str:
    """The first line: parsers draw the place of the error below it."""
    return text.strip().partition("\n")[0].strip().rstrip(":")


def _is_refusal(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, RefusedAddress):
            return True
        error = error.__cause__
    return False


@asynccontextmanager
async def open_sender(
    settings: Webhook,
    epoch: Callable[[], float],
    *,
    allow: Allow | None = None,
    lookup: Lookup = system_lookup,
) -> AsyncIterator[Sender]:
    """A Sender that reaches public addresses only; loopback too where the operator allows it for development.

    `allow` and `lookup` replace the check of addresses and the name service.
    """
    allowed = allow or (_public_or_loopback if settings.allow_loopback else is_public)
    connector = aiohttp.TCPConnector(
        resolver=ThreadedPublicResolver(allowed, lookup),
        socket_factory=guarded_socket((), allowed),
        use_dns_cache=False,
        limit=0,
        keepalive_timeout=_KEEP_SECONDS,
    )
    async with open_session(connector, aiohttp.ClientTimeout(total=None)) as session:
        yield Sender(session, settings, epoch)


def _public_or_loopback(address: str) -> bool:
    return address in _LOOPBACK or is_public(address)
