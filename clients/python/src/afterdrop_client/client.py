"""The two clients. They ask again where the service says when, and never execute a POST twice."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import suppress
from typing import Any, TypeVar

import httpx

from afterdrop_client import operations
from afterdrop_client.asks import ApiError, Ask, headers_of, seconds, wait_before
from afterdrop_client.operations import Event, EventType

T = TypeVar("T")
TIMEOUT = 30.0


class _Settings:
    """The base of both clients. `base_url` ends in `/api/v1`; `attempts` at most, each wait at most `longest_wait`."""

    def __init__(self, base_url: str, key: str, *, attempts: int = 5, longest_wait: float = 65.0) -> None:
        self.base_url = base_url.rstrip("/")
        self._key = key
        self._attempts = attempts
        self._longest = longest_wait

    def _wait(self, attempt: int, answer: httpx.Response | None) -> float | None:
        """Seconds until the next attempt, None where this one counts."""
        if attempt >= self._attempts or (answer is not None and answer.is_success):
            return None
        status = None if answer is None else answer.status_code
        told = None if answer is None else answer.headers.get("Retry-After")
        return wait_before(attempt, status, told, self._longest)

    def _request(self, ask: Ask[Any], idempotency_key: str | None) -> dict[str, Any]:
        return {
            "method": ask.method,
            "url": self.base_url + ask.path,
            "params": ask.sent_query(),
            "json": ask.body,
            "headers": headers_of(ask, self._key, idempotency_key),
        }


def _body(answer: httpx.Response) -> dict[str, Any]:
    """The JSON of an answer. Raises ApiError for what is no success."""
    if answer.is_success and not answer.content:
        return {"data": None}
    # Something between us and the service may have answered, with a page or JSON of its own.
    error: dict[str, Any] = {"message": answer.text[:200]}
    with suppress(ValueError):
        body = answer.json()
        if answer.is_success and isinstance(body, dict) and "data" in body:
            return body
        if isinstance(body, dict) and isinstance(body.get("error"), dict):
            error = body["error"]
    raise ApiError(answer.status_code, error, seconds(answer.headers.get("Retry-After")))


class Afterdrop(_Settings):
    """The client for plain code: `client(operations.me())`."""

    def __init__(
        self,
        base_url: str,
        key: str,
        *,
        http: httpx.Client | None = None,
        pause: Callable[[float], None] = time.sleep,
        **more: Any,
    ) -> None:
        super().__init__(base_url, key, **more)
        self._http = http or httpx.Client(timeout=TIMEOUT)
        self._pause = pause

    def __call__(self, ask: Ask[T], *, idempotency_key: str | None = None) -> T:
        """The `data` of an answer. Raises ApiError."""
        data: T = self.whole(ask, idempotency_key=idempotency_key)["data"]
        return data

    def whole(self, ask: Ask[Any], *, idempotency_key: str | None = None) -> dict[str, Any]:
        """An answer with its `meta`. Raises ApiError."""
        request = self._request(ask, idempotency_key)
        attempt = 1
        while True:
            try:
                answer: httpx.Response | None = self._http.request(**request)
            except httpx.TransportError:
                if self._wait(attempt, None) is None:
                    raise
                answer = None
            wait = self._wait(attempt, answer)
            if answer is not None and wait is None:
                return _body(answer)
            self._pause(wait or 0)
            attempt += 1

    def each(self, ask: Ask[list[T]]) -> Iterator[T]:
        """Every row of an answer that comes in parts."""
        following: Ask[list[T]] | None = ask
        while following is not None:
            answer = self.whole(following)
            yield from answer["data"]
            following = following.after(answer)

    def catch_up(
        self, cursor: str | None = None, *, type: list[EventType] | None = None
    ) -> Iterator[tuple[list[Event], str | None]]:
        """Events after a cursor, some at a time, each time with the cursor to keep once they are handled."""
        following: Ask[list[Event]] | None = operations.events(cursor, type=type)
        while following is not None:
            answer = self.whole(following)
            yield answer["data"], answer["meta"]["next_cursor"]
            following = following.after(answer)


class AsyncAfterdrop(_Settings):
    """The same for asyncio: `await client(operations.me())`."""

    def __init__(
        self,
        base_url: str,
        key: str,
        *,
        http: httpx.AsyncClient | None = None,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
        **more: Any,
    ) -> None:
        super().__init__(base_url, key, **more)
        self._http = http or httpx.AsyncClient(timeout=TIMEOUT)
        self._pause = pause

    async def __call__(self, ask: Ask[T], *, idempotency_key: str | None = None) -> T:
        """The `data` of an answer. Raises ApiError."""
        data: T = (await self.whole(ask, idempotency_key=idempotency_key))["data"]
        return data

    async def whole(self, ask: Ask[Any], *, idempotency_key: str | None = None) -> dict[str, Any]:
        """An answer with its `meta`. Raises ApiError."""
        request = self._request(ask, idempotency_key)
        attempt = 1
        while True:
            try:
                answer: httpx.Response | None = await self._http.request(**request)
            except httpx.TransportError:
                if self._wait(attempt, None) is None:
                    raise
                answer = None
            wait = self._wait(attempt, answer)
            if answer is not None and wait is None:
                return _body(answer)
            await self._pause(wait or 0)
            attempt += 1

    async def each(self, ask: Ask[list[T]]) -> AsyncIterator[T]:
        """Every row of an answer that comes in parts."""
        following: Ask[list[T]] | None = ask
        while following is not None:
            answer = await self.whole(following)
            for row in answer["data"]:
                yield row
            following = following.after(answer)

    async def catch_up(
        self, cursor: str | None = None, *, type: list[EventType] | None = None
    ) -> AsyncIterator[tuple[list[Event], str | None]]:
        """Events after a cursor, some at a time, each time with the cursor to keep once they are handled."""
        following: Ask[list[Event]] | None = operations.events(cursor, type=type)
        while following is not None:
            answer = await self.whole(following)
            yield answer["data"], answer["meta"]["next_cursor"]
            following = following.after(answer)
