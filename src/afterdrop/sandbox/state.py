"""The state that all servers of a running sandbox share: world, clock, faults, log, received mails and webhooks.

Faults are injected by rules that say which requests fail, how, and how many of them. They come as JSON, for instance
`[{"server": "archive", "path": "/cdx/", "kind": "429", "retry_after": 2, "count": 3}]`. The name
of a scene among the rules (PLAYED or SCENES) switches that scene on.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
import re
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final, TypedDict

import orjson
import zstandard
from aiohttp import web
from aiohttp.typedefs import Middleware

from afterdrop.sandbox.world import World

KINDS = ("429", "status", "timeout", "cut", "wrong_json", "html", "slow", "reset", "zstd", "dcz")
# What a browser would have from an earlier visit, and nobody else has (RFC 9842).
_DICTIONARY = b"<!doctype html><html><head><title>" * 40
_KEYS = {"server", "path", "kind", "count", "share", "retry_after", "status", "seconds", "after", "lasts"}
# Scenes that are a rule each: what real hosts were seen to do.
SCENES: Final[dict[str, dict[str, object]]] = {
    # Who goes on asking after a 429 has their address blocked for an hour (edgi-govdata-archiving/wayback 137).
    "archive_blocked": {"server": "archive", "kind": "reset", "lasts": 3600},
    # Queries about the last years of large sites time out (internetarchive/wayback 285).
    "index_from_fails": {"server": "archive", "path": "/cdx/.*[?&]from=", "kind": "status", "status": 504},
}

# Scenes that servers play themselves while they are switched on by name, such as those of `feed_scenes`, and the
# `whole_files` of a host that ignores ranges.
PLAYED = frozenset({"closeouts", "oldest_first", "error_page", "may_drop", "provider_www", "whole_files"})


class BadRule(Exception):
    """A fault rule with an unknown key or an unusable value."""


@dataclass
class FaultRule:
    """One fault: the first `count` matching requests (None: all), or a `share` of them, evenly spread.

    The first `after` matching requests succeed, and so do all once `lasts` seconds have passed since the first fault.

    `kind`: 429 (with `retry_after` seconds), status (answers `status`), timeout (no answer for `seconds`), cut
    (half of the body), wrong_json, html (a page where JSON was due), slow (answers after `seconds`), reset, zstd (the
    body in that coding, asked for or not), dcz (in one that nobody can undo without its dictionary).
    """

    kind: str
    server: re.Pattern[str]
    path: re.Pattern[str]
    count: int | None = None
    share: float = 1.0
    retry_after: str | None = None
    status: int = 503
    seconds: float = 30.0
    after: int = 0
    lasts: float = math.inf
    began: datetime | None = None
    seen: int = 0
    done: int = 0

    def strikes(self, now: datetime) -> bool:
        """Whether the next matching request fails; counts the request."""
        if self.after > 0:
            self.after -= 1
            return False
        self.began = self.began or now
        if (now - self.began).total_seconds() >= self.lasts:
            return False
        self.seen += 1
        due = int(self.seen * self.share) > int((self.seen - 1) * self.share)
        if not due or (self.count is not None and self.done >= self.count):
            return False
        self.done += 1
        return True


@dataclass
class FaultRules:
    """The rules in force, of which the first that matches decides, and the names of the scenes that play."""

    rules: list[FaultRule] = field(default_factory=list)
    playing: frozenset[str] = frozenset()

    def put(self, rules: Sequence[object]) -> None:
        """Replace all rules and scenes by those of a JSON array. Raises BadRule, which names the wrong key."""
        scenes = [item for item in rules if isinstance(item, str) and item in PLAYED]
        self.rules = [_rule(item) for item in rules if item not in scenes]
        self.playing = frozenset(scenes)

    def strike(self, server: str, path: str, now: datetime) -> FaultRule | None:
        """The rule by which this request fails; None when it succeeds."""
        for rule in self.rules:
            if rule.server.search(server) and rule.path.search(path) and rule.strikes(now):
                return rule
        return None


def _rule(item: object) -> FaultRule:
    if isinstance(item, str) and item in SCENES:
        item = SCENES[item]
    if not isinstance(item, dict):
        raise BadRule(f"a rule is an object, or one of {', '.join(SCENES)}")
    if unknown := set(item) - _KEYS:
        raise BadRule(f"unknown key {sorted(unknown)[0]}")
    if item.get("kind") not in KINDS:
        raise BadRule(f"kind must be one of {', '.join(KINDS)}")
    try:
        return FaultRule(
            kind=item["kind"],
            server=re.compile(str(item.get("server", ""))),
            path=re.compile(str(item.get("path", ""))),
            count=None if item.get("count") is None else int(item["count"]),
            share=float(item.get("share", 1.0)),
            retry_after=None if item.get("retry_after") is None else str(item["retry_after"]),
            status=int(item.get("status", 503)),
            seconds=float(item.get("seconds", 30.0)),
            after=int(item.get("after", 0)),
            lasts=float(item.get("lasts", math.inf)),
        )
    except (re.error, TypeError, ValueError) as error:
        raise BadRule(str(error)) from None


@dataclass
class SandboxClock:
    """`now()` is the real time until `put` fixes or shifts it."""

    real: Callable[[], datetime]
    fixed: datetime | None = None
    offset: timedelta = timedelta(0)

    def now(self) -> datetime:
        """The time by which the servers answer, in aware UTC."""
        return self.fixed or self.real() + self.offset

    def put(self, at: datetime | None, *, running: bool = False) -> None:
        """Stand still at `at`, or run on from it; None returns to the real time. Naive times count as UTC."""
        moment = None if at is None else (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
        self.fixed = None if running else moment
        self.offset = moment - self.real() if running and moment else timedelta(0)


_LOG_ROWS = 200_000
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class LoggedRequest(TypedDict):
    """One request; `at` is in epoch milliseconds of the real clock."""

    at: int
    server: str
    host: str
    method: str
    path: str
    status: int
    agent: str


ReceivedMail = TypedDict(
    "ReceivedMail", {"at": int, "from": str, "to": list[str], "subject": str, "text": str, "data": str}
)


class ReceivedHook(TypedDict):
    """One request to a webhook receiver."""

    at: int
    headers: dict[str, str]
    query: dict[str, str]
    body: str


@dataclass
class SandboxState:
    """One running sandbox. `origins` maps a server's key to `http://127.0.0.1:PORT`."""

    world: World
    clock: SandboxClock
    epoch: Callable[[], float]
    faults: FaultRules = field(default_factory=FaultRules)
    origins: dict[str, str] = field(default_factory=dict)
    log: deque[LoggedRequest] = field(default_factory=lambda: deque(maxlen=_LOG_ROWS))
    mails: list[ReceivedMail] = field(default_factory=list)
    hooks: dict[str, list[ReceivedHook]] = field(default_factory=dict)
    dns: tuple[str, int] = ("127.0.0.1", 0)
    smtp: tuple[str, int] = ("127.0.0.1", 0)
    whois: tuple[str, int] = ("127.0.0.1", 0)
    closing: asyncio.Event = field(default_factory=asyncio.Event)

    def note(self, server: str, host: str, method: str, path: str, status: int, agent: str) -> None:
        """Log one request."""
        self.log.append({
            "at": round(self.epoch() * 1000), "server": server, "host": host, "method": method, "path": path,
            "status": status, "agent": agent,
        })  # fmt: skip

    async def pause(self, seconds: float) -> None:
        """Wait, but stop waiting when the sandbox closes."""
        try:
            await asyncio.wait_for(self.closing.wait(), seconds)
        except TimeoutError:
            return


def json_answer(value: object, status: int = 200, content_type: str = "application/json") -> web.Response:
    """A JSON response."""
    return web.Response(body=orjson.dumps(value), status=status, content_type=content_type)


def request_middleware(sandbox: SandboxState, server: str) -> Middleware:
    """Middleware that logs every request of `server` and applies the fault rules, except below `/_sandbox/`."""

    @web.middleware
    async def watch(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.path.startswith("/_sandbox/"):
            return await handler(request)
        status = 0
        try:
            rule = sandbox.faults.strike(server, request.path_qs, sandbox.clock.now())
            response = await (_faulty(sandbox, rule, request, handler) if rule else handler(request))
            status = response.status
            return response
        except web.HTTPException as error:
            status = error.status
            raise
        finally:
            agent = request.headers.get("User-Agent", "")
            sandbox.note(server, request.host, request.method, request.path_qs, status, agent)

    return watch


async def _faulty(
    sandbox: SandboxState, rule: FaultRule, request: web.Request, handler: Handler
) -> web.StreamResponse:
    if rule.kind in ("timeout", "slow"):
        await sandbox.pause(rule.seconds)
    if rule.kind == "slow":
        return await handler(request)
    if rule.kind in ("timeout", "reset"):
        if request.transport is not None:
            request.transport.abort()
        return web.Response(status=499)
    if rule.kind == "cut":
        return await _cut(request, await handler(request))
    if rule.kind in ("zstd", "dcz"):
        # The response with its body in `coding`, whatever the client accepts: archives replay what they
        # were sent.
        response = await handler(request)
        if not isinstance(response, web.Response) or not isinstance(response.body, bytes):
            return response
        if rule.kind == "zstd":
            response.body = zstandard.ZstdCompressor().compress(response.body)
        else:
            shared = zstandard.ZstdCompressionDict(_DICTIONARY, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
            head = b"\x5e\x2a\x4d\x18\x20\0\0\0" + hashlib.sha256(_DICTIONARY).digest()
            response.body = head + zstandard.ZstdCompressor(dict_data=shared).compress(response.body)
        response.headers["Content-Encoding"] = rule.kind
        return response
    if rule.kind == "429":
        headers = {"Retry-After": rule.retry_after} if rule.retry_after is not None else {}
        return web.Response(status=429, text="Too Many Requests", headers=headers)
    if rule.kind == "wrong_json":
        return web.Response(body=b'{"unexpected": ["cut sh', content_type="application/json")
    if rule.kind == "html":
        return web.Response(
            text="<html><body>Please enable JavaScript</body></html>", content_type="text/html"
        )
    return web.Response(status=rule.status, text="fault on demand")


async def _cut(request: web.Request, response: web.StreamResponse) -> web.StreamResponse:
    """Half of the body with a Content-Length for the whole of it; then the connection is closed."""
    body = response.body if isinstance(response, web.Response) and isinstance(response.body, bytes) else b""
    cut = web.StreamResponse(status=response.status)
    cut.content_type = response.content_type
    cut.content_length = len(body) + 2
    await cut.prepare(request)
    await cut.write(body[: len(body) // 2])
    if request.transport is not None:
        request.transport.close()
    return cut
