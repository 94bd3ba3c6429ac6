"""POST one event to one receiver: to the address that was checked, once, within the answer limit."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiohttp

from afterdrop.clients.addresses import is_public
from afterdrop.clients.connections import RefusedAddress, guarded_connector
from afterdrop.delivery.schedule import Answer
from afterdrop.delivery.signing import sign
from afterdrop.settings import Webhook

# Only the status line and headers count; this much of the body is read so that a polite receiver sees it taken.
_READ_MOST = 16_384
_LOOPBACK = ("127.0.0.1", "::1")


@dataclass(frozen=True)
class Sender:
    """Sends deliveries for one process. Open with `open_sender`."""

    session: aiohttp.ClientSession
    settings: Webhook
    epoch: Callable[[], float]

    async def send(self, url: str, secret: str, event: str, event_id: str, body: bytes) -> Answer:
        """One attempt. Never raises: whatever the receiver or the network did comes back in words."""
        headers = {
            "Content-Type": "application/json",
            "User-Agent": f"{self.settings.slug}-webhooks/1",
            "Service-Event": event,
            "Service-Delivery": event_id,
            "Service-Signature": sign(secret, int(self.epoch()), body),
        }
        limit = self.settings.answer_seconds
        try:
            async with asyncio.timeout(limit):
                return await self._post(url, headers, body)
        except TimeoutError:
            return Answer(None, f"no answer within {limit:g} seconds")
        except aiohttp.TooManyRedirects:
            return Answer(None, "redirects are not followed")
        except (aiohttp.ClientError, OSError, ValueError) as error:
            return Answer(None, _words(error))

    async def _post(self, url: str, headers: dict[str, str], body: bytes) -> Answer:
        async with self.session.post(url, data=body, headers=headers, allow_redirects=False) as response:
            code = response.status
            if 200 <= code < 300:
                # The answer has come; what it says does not matter, so a broken or endless body is not waited for.
                await response.content.read(_READ_MOST) if _short(response) else response.close()
                return Answer(code)
            response.close()
            if 300 <= code < 400:
                return Answer(code, f"answered {code}: redirects are not followed")
            return Answer(code, f"answered {code}")


def _short(response: aiohttp.ClientResponse) -> bool:
    return response.content_length is not None and response.content_length <= _READ_MOST


def _words(error: Exception) -> str:
    cause = error.__cause__
    if isinstance(error, RefusedAddress) or isinstance(cause, RefusedAddress):
        return f"refused: {cause or error}"[:300]
    if isinstance(error, aiohttp.ClientConnectorCertificateError | aiohttp.ClientSSLError):
        return f"TLS failed: {error}"[:300]
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return "the host name does not resolve"
    if isinstance(error, aiohttp.ClientConnectorError):
        return f"cannot connect: {error.os_error.strerror or error.os_error}"[:300]
    if isinstance(error, aiohttp.ServerDisconnectedError | ConnectionResetError):
        return "the connection was closed without an answer"
    return f"{type(error).__name__}: {error}"[:300]


@asynccontextmanager
async def open_sender(settings: Webhook, epoch: Callable[[], float]) -> AsyncIterator[Sender]:
    """A Sender that reaches public addresses only; loopback too where the operator allows it for development."""
    connector = guarded_connector((), limit=2000, allow=_loopback if settings.allow_loopback else is_public)
    timeout = aiohttp.ClientTimeout(total=None)
    async with aiohttp.ClientSession(
        connector=connector, trust_env=False, cookie_jar=aiohttp.DummyCookieJar(), timeout=timeout
    ) as session:
        yield Sender(session, settings, epoch)


def _loopback(address: str) -> bool:
    return address in _LOOPBACK or is_public(address)
