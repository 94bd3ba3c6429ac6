"""The HTTP client for all outbound requests: paced per host, bounded, to public addresses only."""

from __future__ import annotations

import asyncio
import email.utils
import os
import random
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Final, NoReturn, TypedDict, Unpack
from urllib.parse import urljoin, urlsplit

import aiohttp
from multidict import CIMultiDictProxy
from prometheus_client import Histogram

from afterdrop.core import clock
from afterdrop.core.errors import UpstreamError
from afterdrop.core.settings import HostPace, Settings
from afterdrop.db.engine import Database
from afterdrop.http.answers import open_session
from afterdrop.http.circuit_breaker import Attempt, CircuitBreaker, KnownGood
from afterdrop.http.content_codings import DecodedBody, codings_of, decode_body, is_text
from afterdrop.http.exact_url import exact_url
from afterdrop.http.pace import Slots, note_refusal
from afterdrop.http.ssrf_guard import RefusedAddress, guarded_connector

# `host` is a host the settings give a pace of its own, else `other`: strangers choose hosts, by redirects.
UPSTREAM: Final = Histogram(
    "afterdrop_upstream_request_seconds",
    "Time of outbound requests, by host and result (answered; refused: 401, 402, 403, 407 or 451; failed: 5xx; or why"
    " there was no answer).",
    ["host", "result"],
    buckets=(0.1, 0.5, 1, 2.5, 5, 10, 30, 60),
)
# The host understood and will not: a key, a payment or a permission is missing. 404 is an answer (a free name, a page
# that was never archived), and so are other statuses that say what is wrong with the question.
REFUSALS = frozenset({401, 402, 403, 407, 451})


@dataclass(slots=True)
class Count:
    """The result of a request, as `/metrics` names it."""

    result: str = "answered"


def result_of(status: int) -> str:
    """The result that an answer with this status counts as."""
    return "refused" if status in REFUSALS else "failed" if status >= 500 else "answered"


def own_status(status: int, headers: Mapping[str, str]) -> int:
    """The status that the host itself answered with: 200 for an archived page, whose status is the old site's.

    Memento-Datetime marks archived answers, errors included (RFC 7089 §4.4).
    """
    return 200 if "Memento-Datetime" in headers else status


def asks_to_wait(status: int, headers: Mapping[str, str]) -> bool:
    """Whether the host asks to be left alone: a 429, or a 503 that says for how long (RFC 9110 §10.2.3)."""
    status = own_status(status, headers)
    return status == 429 or (status == 503 and "Retry-After" in headers)


@asynccontextmanager
async def counted(host: str) -> AsyncIterator[Count]:
    """Count one request once its place at the host is free."""
    started, count = clock.monotonic(), Count()
    try:
        yield count
    except UpstreamError as error:
        count.result = error.kind
        raise
    finally:
        UPSTREAM.labels(host, count.result).observe(clock.monotonic() - started)


_REDIRECTS = frozenset({301, 302, 303, 307, 308})
REFUSED_IN_A_ROW = 20  # no longer single pages or names that a host keeps to itself
_LONGEST_HOST = 260  # 253 characters of a name, a colon and a port
_RETRY_AFTER_DEFAULT = 60.0
_RETRY_AFTER_MOST = 3600.0


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer with its whole body: `url` is the final address, `hops` the number of redirects."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str
    hops: int = 0


class RequestOptions(TypedDict, total=False):
    """How to make a request. `json` or `data` is its body.

    `pace_key` names the row of the host's pace, default the host with its port. `timeout` is in seconds (20), and so is
    `patience`, the longest wait for the host's pace (600). `max_bytes` bounds the body (4,000,000), `redirects` the
    redirects that are followed (3). With `damaged`, what can be read of a body whose content coding is broken is taken.

    `subject` is the name that is asked about, where a stranger may have chosen it: a host that fails at one name is not
    left alone. `known_good` is a URL that the host answers when it is well; it is asked before the host is left alone
    for the failures of several names, and to try it again afterwards.

    With `refusal_waits`, a 503 and a 403 ask to wait, too, as file hosts mean them: for a minute and an hour where they
    do not say for how long. A 403 for a file that does not exist (`NoSuchKey`) does not.
    """

    pace_key: str | None
    subject: str | None
    known_good: str | None
    max_bytes: int
    damaged: bool
    timeout: float
    redirects: int
    patience: float
    headers: Mapping[str, str] | None
    refusal_waits: bool
    json: object
    data: bytes | None


@dataclass(frozen=True, slots=True)
class _Question:
    """One request, with its body, and how much of an answer is taken: so many bytes, in so many seconds."""

    method: str
    url: str
    pace_key: str
    headers: Mapping[str, str]
    timeout: float
    max_bytes: int
    damaged: bool
    refusal_waits: bool
    json: object = None
    data: bytes | None = None


@dataclass
class Fetcher:
    """Outbound HTTP of one process, for requests of one urgency. Open it with `open_fetcher`."""

    settings: Settings
    database: Database
    session: aiohttp.ClientSession
    epoch: Callable[[], float]
    breaker: CircuitBreaker
    slots: Slots
    _at_once: dict[str, asyncio.Semaphore] = field(default_factory=dict)
    _refusals: dict[str, int] = field(default_factory=dict)

    async def get(self, url: str, **options: Unpack[RequestOptions]) -> Fetched:
        """GET `url`. Errors as for `ask`."""
        return await self.ask("GET", url, **options)

    async def post(self, url: str, **options: Unpack[RequestOptions]) -> Fetched:
        """POST to `url`. Errors as for `ask`."""
        return await self.ask("POST", url, **options)

    async def ask(self, method: str, url: str, **options: Unpack[RequestOptions]) -> Fetched:
        """Make one request at the host's pace and follow redirects (from https to https only).

        A host that asks to wait (429, or 503 with Retry-After) is blocked for everybody; any other status comes back
        as a value. Raises UpstreamError (kind timeout, connect, refused_address, redirect, too_large, truncated,
        bad_content, rate_limited, paused); `rate_limited` also when the host stays blocked for longer than `patience`.
        """
        redirects, patience = options.get("redirects", 3), options.get("patience", 600)
        subject, mine = options.get("subject"), {"User-Agent": self.settings.user_agent}
        asked = _Question(
            method=method,
            url=url,
            pace_key=options.get("pace_key") or host_of(url),
            headers={**mine, **(options.get("headers") or {})},
            timeout=options.get("timeout", 20),
            max_bytes=options.get("max_bytes", 4_000_000),
            damaged=options.get("damaged", False),
            refusal_waits=options.get("refusal_waits", False),
            json=options.get("json"),
            data=options.get("data"),
        )
        known_good = self._known_good(asked, options.get("known_good"), patience)
        for hop in range(redirects + 1):
            key, url = asked.pace_key, asked.url
            await self.breaker.check(key, subject, known_good)
            async with (
                self.slot(key, url, patience),
                self.breaker.guard(key, subject, asked.timeout, known_good) as attempt,
            ):
                answer = await self._send(asked, attempt)
            await self._note_refusals(host_of(url), own_status(answer.status, answer.headers))
            location = answer.headers.get("Location")
            if answer.status not in _REDIRECTS or redirects == 0 or not location:
                return replace(answer, hops=hop)
            target = self.redirected(url, location)
            if origin(target) != origin(url):
                # The caller's headers and body may hold a key, which only the first host may see.
                asked = replace(asked, headers=mine, json=None, data=None)
            asked = replace(asked, url=target, pace_key=host_of(target))
            if asked.pace_key != key:
                known_good = None
        raise UpstreamError(asked.url, "redirect", f"redirects more than {redirects} times")

    async def _send(self, question: _Question, attempt: Attempt) -> Fetched:
        """Send one request whose turn it is, and read the answer. Raises UpstreamError."""
        url = question.url
        async with (
            counted(question.pace_key if question.pace_key in self.settings.pace.hosts else "other") as count,
            as_upstream_errors(url),
            self.session.request(
                question.method,
                exact_url(url),
                allow_redirects=False,
                timeout=aiohttp.ClientTimeout(
                    total=question.timeout, connect=min(10, question.timeout), sock_read=question.timeout
                ),
                headers=question.headers,
                json=question.json,
                data=question.data,
            ) as response,
        ):
            attempt.archived = "Memento-Datetime" in response.headers
            status = own_status(response.status, response.headers)
            if asks_to_wait(status, response.headers) or (question.refusal_waits and status == 503):
                await self.wait_as_told(question.pace_key, url, response.status, response.headers)
            count.result = result_of(status)
            attempt.fault = f"answered {status}" if status >= 500 else None
            body = await read_capped(response, question.max_bytes, url, damaged=question.damaged)
            if question.refusal_waits and status == 403 and b"NoSuchKey" not in body:
                await self.wait_as_told(question.pace_key, url, status, response.headers)
            return Fetched(response.status, response.headers.copy(), body, str(response.url))

    def _known_good(self, asked: _Question, url: str | None, patience: float) -> KnownGood | None:
        """The question by which the host of `asked` is tried, at its pace, in a place that is held already."""
        if url is None:
            return None
        question = replace(asked, method="GET", url=url, json=None, data=None)

        async def ask() -> str | None:
            interval = 1 / self.pace_of(question.pace_key).per_second
            await self.slots.wait(question.pace_key, url, interval, patience)
            attempt = Attempt(question.pace_key)
            await self._send(question, attempt)
            return attempt.fault

        return KnownGood(ask, asked.timeout)

    def redirected(self, url: str, location: str) -> str:
        """The target of a redirect. Raises UpstreamError when it is not an https URL or one of a trusted origin."""
        try:
            target = urljoin(url, location)
            trusted = origin(target) in self.settings.trusted_origins
            host = urlsplit(target).netloc
            # Raise ValueError unless the text can be `host[:port]`, since it becomes a key of the pace
            # table.
            if not host or len(host) > _LONGEST_HOST or not (host.isascii() and host.isprintable()):
                raise ValueError("its host is empty, overlong or not ASCII")
        except ValueError as error:
            raise UpstreamError(url, "redirect", f"redirects to what is no URL ({error})") from None
        if "@" in host and host != urlsplit(url).netloc:
            raise UpstreamError(url, "redirect", f"redirects to {host_of(target)} with a user name")
        if not target.startswith("https://") and not trusted:
            raise UpstreamError(url, "redirect", f"redirects to {target[:200]}, which is not https")
        return target

    async def wait_as_told(self, key: str, url: str, status: int, headers: CIMultiDictProxy[str]) -> NoReturn:
        """Block a host that asked to wait until its Retry-After is over. Raises UpstreamError `rate_limited`.

        Without Retry-After it is a minute, after a 403 an hour.
        """
        now, unsaid = self.epoch(), _RETRY_AFTER_MOST if status == 403 else _RETRY_AFTER_DEFAULT
        wait = retry_after_seconds(headers.get("Retry-After"), now, unsaid)
        # One second more: the clocks may differ, and some hosts punish a request that comes too early.
        until = now + wait + 1
        host = host_of(url)
        # A host may have several pace keys (the archive's index and its replay): the wait is for all of them.
        keys = {key, host, *(other for other in self.settings.pace.hosts if other.startswith(f"{host}/"))}
        await self.slots.block(keys, until, f"{status} from {host}")
        raise UpstreamError(
            url, "rate_limited", f"asks to wait {wait:.0f} s", http_status=status, retry_after=wait
        )

    async def _note_refusals(self, host: str, status: int) -> None:
        """Keep in the database, for alarms, that a host refuses every request, and that it answers again."""
        before = self._refusals.pop(host, 0)
        if status in REFUSALS:
            now = self._refusals[host] = before + 1
            if now % REFUSED_IN_A_ROW == 0:
                async with self.database.write() as conn:
                    note = f"answered {status}; it refused the last {now:,} requests"
                    await note_refusal(conn, host, self.epoch(), note)
        elif before >= REFUSED_IN_A_ROW:
            async with self.database.write() as conn:
                await note_refusal(conn, host, None, None)

    def pace_of(self, key: str) -> HostPace:
        """The pace set for `key`, else for its host, else the default."""
        return self.settings.pace.of(key)

    def with_priority(self) -> Fetcher:
        """The same client for checks and lists of names: they go before the scan at every paced host."""
        return replace(self, slots=self.slots.of(urgent=True), _at_once={})

    def behind_the_scan(self) -> Fetcher:
        """The same client for what can wait: a host is asked only when a whole interval of its pace went unused."""
        return replace(self, slots=self.slots.of(spare=True), _at_once={})

    @asynccontextmanager
    async def slot(
        self, key: str, url: str, patience: float, allowed: HostPace | None = None
    ) -> AsyncIterator[None]:
        """Hold one of the host's places from its next free slot on; waits at most `patience` seconds for it.

        `allowed` is the host's pace, by default the one that is set for `key`.
        """
        allowed = allowed or self.pace_of(key)
        gate = self._at_once.setdefault(key, asyncio.Semaphore(allowed.at_once))
        async with gate:
            await self.slots.wait(key, url, 1 / allowed.per_second, patience)
            yield


def origin(url: str) -> str:
    """`scheme://host[:port]` of a URL, as trusted origins are spelled."""
    return f"{urlsplit(url).scheme}://{host_of(url)}"


def host_of(url: str) -> str:
    """`host[:port]` of a URL, by which its pace is kept. A user name and password before it are nobody's to see."""
    return urlsplit(url).netloc.rpartition("@")[2].lower()


def retry_after_seconds(value: str | None, epoch: float, unsaid: float = _RETRY_AFTER_DEFAULT) -> float:
    """Seconds to wait from a Retry-After header: delta seconds or an HTTP date (RFC 9110 §10.2.3), else `unsaid`."""
    if value is None:
        return unsaid
    text = value.strip()
    if text.isascii() and text.isdigit():
        return min(float(text[:9]), _RETRY_AFTER_MOST)
    try:
        moment = email.utils.parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, OverflowError):
        return unsaid
    return min(max(moment - epoch, 0.0), _RETRY_AFTER_MOST)


async def read_capped(
    response: aiohttp.ClientResponse, max_bytes: int, url: str, *, damaged: bool = False
) -> bytes:
    """The body without its content codings, or UpstreamError: `too_large` once it passes `max_bytes`, coded or not.

    A broken coding is `truncated`, unless `damaged` bodies are taken, or what came is text: then a proxy undid the
    coding and left the header.
    The session must not decompress by itself: its library knows fewer codings, and no bounds.
    """
    body = await _received(response, max_bytes)
    codings = codings_of(response.headers.get("Content-Encoding"))
    if codings and len(body) <= max_bytes:
        undone = await asyncio.to_thread(decode_body, body, codings, max_bytes + 1)
        if len(undone.body) <= max_bytes and undone.fault and not damaged and not is_text(body):
            raise UpstreamError(url, "truncated", f"broke off in the middle ({undone.fault})")
        body = undone.body
    if len(body) > max_bytes:
        raise UpstreamError(url, "too_large", f"is larger than {max_bytes:,} bytes")
    return body


async def read_cut(response: aiohttp.ClientResponse, max_bytes: int) -> tuple[bytes, str | None]:
    """The first `max_bytes` of a body without its codings, and in a word of WARC (1.1, 5.13) why it is not whole.

    It is None for a whole body, `length` for a larger one, `unspecified` where a coding ends too soon.
    """
    body = await _received(response, max_bytes)
    cut, codings = len(body) > max_bytes, codings_of(response.headers.get("Content-Encoding"))
    undone = (
        await asyncio.to_thread(decode_body, body, codings, max_bytes + 1) if codings else DecodedBody(body)
    )
    why = "length" if cut or len(undone.body) > max_bytes else None if undone.whole else "unspecified"
    return undone.body[:max_bytes], why


async def _received(response: aiohttp.ClientResponse, most: int) -> bytes:
    """The body as it comes; of one of more than `most` bytes more than these."""
    body = bytearray()
    async for chunk in response.content.iter_chunked(65536):
        body += chunk
        if len(body) > most:
            break
    return bytes(body)


@asynccontextmanager
async def as_upstream_errors(url: str, *, tls_apart: bool = False) -> AsyncIterator[None]:
    """Turn the failures of aiohttp into UpstreamError with a kind, in plain words.

    With `tls_apart` a server that is there, and with which TLS fails, is `certificate` or `handshake`, not `connect`.
    """
    try:
        yield
    except aiohttp.ConnectionTimeoutError:
        raise UpstreamError(url, "connect", "cannot be connected to in time") from None
    except TimeoutError:
        raise UpstreamError(url, "timeout", "did not answer in time") from None
    except aiohttp.ClientPayloadError:
        raise UpstreamError(url, "truncated", "broke off in the middle") from None
    except aiohttp.InvalidURL as error:
        raise UpstreamError(url, "refused_address", f"is not a usable URL ({error})") from None
    except aiohttp.ClientResponseError as error:
        raise UpstreamError(url, "bad_content", f"answered what is no HTTP ({error.message})") from None
    except (aiohttp.ClientError, OSError) as error:
        cause = error.__cause__
        if isinstance(error, RefusedAddress) or isinstance(cause, RefusedAddress):
            raise UpstreamError(url, "refused_address", str(cause or error)) from None
        if isinstance(error, aiohttp.ClientSSLError):
            kind, why = "handshake", "no secure connection can be made to it"
            if isinstance(error, aiohttp.ClientConnectorCertificateError):
                kind, why = "certificate", "its certificate is not valid"
            raise UpstreamError(url, kind if tls_apart else "connect", why) from None
        number = error.errno if isinstance(error, OSError) else None
        why = f" ({os.strerror(number)})" if number and number > 0 else ""
        if _was_connected(error):
            raise UpstreamError(url, "truncated", f"closed the connection{why}") from None
        raise UpstreamError(url, "connect", f"cannot be connected to{why}") from None
    except ValueError as error:
        raise UpstreamError(url, "refused_address", f"is not a usable URL ({error})") from None


def _was_connected(error: Exception) -> bool:
    """Whether the host had the question when its connection ended."""
    if isinstance(error, aiohttp.ClientConnectorError):
        return False
    return isinstance(
        error, aiohttp.ServerDisconnectedError | aiohttp.ClientOSError | aiohttp.ClientConnectionResetError
    )


def trusted_addresses(settings: Settings) -> set[tuple[str, int]]:
    """The (host, port) pairs of the trusted origins."""
    found = set()
    for text in settings.trusted_origins:
        parts = urlsplit(text)
        found.add((parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)))
    return found


@asynccontextmanager
async def open_fetcher(
    settings: Settings, database: Database, epoch: Callable[[], float], rng: random.Random
) -> AsyncIterator[Fetcher]:
    """A Fetcher for this process, closed at the end."""
    connector = guarded_connector(trusted_addresses(settings))
    async with open_session(connector, aiohttp.ClientTimeout(total=300, sock_connect=30)) as session:
        breaker = CircuitBreaker(database, epoch)
        yield Fetcher(settings, database, session, epoch, breaker, Slots(database, epoch, rng))
