"""Grants of plans and credits by the operator's hook and from the command line."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from tests.support.service import SITE, Service, clock, code, fields, service

__all__ = ["clock", "service"]
TOKEN = "operator-token-of-this-test-with-32"


@pytest.fixture
def more_settings() -> dict[str, Any]:
    """The hook is on."""
    return {"operator_token": TOKEN}


async def grant(
    service: Service, email: str = "free@members.example", token: str = TOKEN, **body: Any
) -> httpx2.Response:
    headers = {"Authorization": f"Bearer {token}"}
    return await service.ask(
        "POST", f"{SITE}/operator/v1/accounts/{email}/grants", headers=headers, json=body
    )


async def test_plan_time_and_credits_once_per_reference(service: Service) -> None:
    body: dict[str, Any] = {"reference": "order-1", "plan_until": "2026-12-20T00:00:00Z", "credits": 5}
    first = await grant(service, **body)
    assert (first.status_code, first.json()["data"]) == (
        201,
        {
            "email": "free@members.example",
            "applied": True,
            "plan": "pro",
            "plan_until": "2026-12-20T00:00:00Z",
            "credits_available": 26,
        },
    )
    again = await grant(service, email="FREE@members.example", **body)
    assert (again.status_code, again.json()["data"]["applied"]) == (200, False)
    me = (await service.get("/me", "free")).json()["data"]
    assert (me["plan"], me["checks"]["purchased"]) == ("pro", 5)


async def test_a_late_grant_takes_no_paid_time_away(service: Service) -> None:
    found = []
    for number, until in enumerate(("2027-01-01", "2026-12-01", "2026-10-01", "2027-02-01")):
        answer = await grant(service, reference=f"order-{number}", plan_until=f"{until}T00:00:00Z")
        assert (answer.status_code, answer.json()["data"]["applied"]) == (201, True)
        found.append(answer.json()["data"]["plan_until"][:10])
    assert found == ["2027-01-01", "2027-01-01", "2027-01-01", "2027-02-01"]
    again = await grant(service, reference="order-1", plan_until="2026-12-01T00:00:00Z")
    assert (again.status_code, again.json()["data"]["plan_until"][:10]) == (200, "2027-02-01")


async def test_a_reference_stands_for_one_grant(service: Service) -> None:
    await grant(service, reference="r", credits=1)
    assert "reference" in fields(await grant(service, reference="r", credits=2))
    assert "reference" in fields(await grant(service, email="pro@members.example", reference="r", credits=1))
    assert (await service.get("/me", "free")).json()["data"]["checks"]["purchased"] == 1


async def test_a_wrong_token_an_unknown_account_and_bad_bodies(service: Service) -> None:
    for token in ("", "x", TOKEN + "x", service.keys["pro"]):
        assert code(await grant(service, token=token, reference="r", credits=1)) == (401, "unauthenticated")
    assert code(await grant(service, email="nobody@x.org", reference="r", credits=1)) == (404, "not_found")
    wrong: tuple[tuple[dict[str, Any], str], ...] = (
        ({"reference": "r"}, "body"),
        ({"credits": 1}, "reference"),
        ({"reference": "", "credits": 1}, "reference"),
        ({"reference": "r", "credits": -1}, "credits"),
        ({"reference": "r", "credits": True}, "credits"),
        ({"reference": "r", "plan_until": "soon"}, "plan_until"),
        ({"reference": "r", "credits": 1, "x": 1}, "x"),
    )
    for body, name in wrong:
        assert name in fields(await grant(service, **body))
    long = fields(await grant(service, reference="r" * 201, credits=1))
    assert long == {"reference": ["should have at most 200 characters"]}


class TestOff:
    """Without an operator token there is no such path."""

    @pytest.fixture
    def more_settings(self) -> dict[str, Any]:
        """The hook is off, as it is by default."""
        return {}

    async def test_the_path_is_unknown(self, service: Service) -> None:
        for token in ("", TOKEN):
            assert code(await grant(service, token=token, reference="r", credits=1)) == (404, "not_found")
