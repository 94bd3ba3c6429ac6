"""A request whose transaction the database broke off for another one is answered as if nothing had happened."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa
from psycopg.errors import DeadlockDetected, SerializationFailure

from afterdrop.db.outages import outage
from afterdrop.watching import rules
from tests.support.service import Service, clock, more_settings, service

__all__ = ["clock", "more_settings", "service"]  # fixtures
REAL = rules.create_rule


def breaking_off(times: int, error: type[Exception]) -> Callable[..., Any]:
    """Make a rule; the first `times` transactions are broken off after that."""
    left = times

    async def create_rule(*given: Any, **more: Any) -> Any:
        nonlocal left
        made = await REAL(*given, **more)
        if left:
            left -= 1
            raise sa.exc.OperationalError("INSERT", {}, error("broken off"))
        return made

    return create_rule


@pytest.mark.parametrize("error", [DeadlockDetected, SerializationFailure])
@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "one"}])
async def test_a_request_in_conflict_is_answered_once(
    service: Service, monkeypatch: pytest.MonkeyPatch, error: type[Exception], headers: dict[str, str]
) -> None:
    outage.since = None
    monkeypatch.setattr(rules, "create_rule", breaking_off(2, error))
    answer = await service.ask("POST", "/alerts", json={"name": "mills"}, headers=headers)
    assert answer.status_code == 201
    assert [rule["name"] for rule in (await service.get("/alerts")).json()["data"]] == ["mills"]
    assert outage.since is None, "and the database is said to be well"


async def test_conflicts_without_end_are_a_503_and_no_outage(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    outage.since = None
    monkeypatch.setattr(rules, "create_rule", breaking_off(99, SerializationFailure))
    answer = await service.ask("POST", "/alerts", json={"name": "mills"})
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert (await service.get("/alerts")).json()["data"] == []
    assert outage.since is None
