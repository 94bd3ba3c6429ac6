"""The fixtures of the contract's tests. Whatever they ask, requests and answers must be as the document says."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2
import pytest

from tests.contract.described import Described
from tests.support import service as support
from tests.support.service import BASE, Service, clock, more_settings

__all__ = ["clock", "more_settings", "service"]
_plain = pytest.fixture(name="plain_service")(support.service.__wrapped__)  # type: ignore[attr-defined]
_DESCRIBED: list[Described] = []


@pytest.fixture
async def service(plain_service: Service) -> AsyncIterator[Service]:
    """A service that is held against its own description at every answer."""
    if not _DESCRIBED:
        _DESCRIBED.append(Described(plain_service.app.state.api_document()))

    async def check(answer: httpx2.Response) -> None:
        await answer.aread()
        _DESCRIBED[0].check(BASE, answer)

    plain_service.http.event_hooks["response"].append(check)
    yield plain_service
