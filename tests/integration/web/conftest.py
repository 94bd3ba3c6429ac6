"""The limits of connections hold on both event loops: that of `afterdrop serve`, and the one without uvloop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

import pytest
import uvloop

_LOOPS: Mapping[str, Callable[[], asyncio.AbstractEventLoop]] = {
    "asyncio": asyncio.new_event_loop,
    "uvloop": uvloop.new_event_loop,
}


def pytest_asyncio_loop_factories(
    item: pytest.Item,
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    """The event loops under which a test runs."""
    both = item.path.name == "test_http_protocol.py"
    return _LOOPS if both else {"asyncio": asyncio.new_event_loop}
