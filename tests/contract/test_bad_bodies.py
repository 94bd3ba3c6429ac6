"""Malformed bodies at every endpoint that takes one get the documented error and change nothing."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from afterdrop.core.plan_limits import Plan, Plans
from tests.contract.test_errors import BODIES, JSON, shaped
from tests.contract.test_foreign import everything, owned
from tests.support.service import SITE, Service, code, fields

_MANY = 10**6
PLENTY: dict[str, Any] = {
    "plans": Plans(pro=Plans().pro.model_copy(update={"requests_per_minute": _MANY})),
    "operator_token": "operator-token-of-the-tests-with-32",
}
GRANT = f"{SITE}/operator/v1/accounts/pro@members.example/grants"
TOKEN = {"Authorization": "Bearer operator-token-of-the-tests-with-32"}
# By member: values that no endpoint may take, whatever the member means.
STRANGE: tuple[str, ...] = (
    "null", "true", "12345678901234567890123", "-1", "1.5", "1e400", "[]", "{}", "[[]]", '""', '" "', '"\\u0000"',
    '"a\\u0000b"', '"\\ud800"', '"\\udfff x"', '"a\\nb"', '"' + "x" * 3000 + '"', '[null]', '[1]',
    '["\\u0000"]', '{"a": 1}',
)  # fmt: skip


async def sent(service: Service, method: str, path: str, body: bytes, **headers: str) -> httpx2.Response:
    own = TOKEN if path == GRANT else {}
    return await service.ask(method, path, content=body, headers={**JSON, **own, **headers})


async def takers(service: Service) -> list[tuple[str, str]]:
    """Every endpoint with a body."""
    ids = await owned(service)
    return [
        *(("POST", path) for path in ("/alerts", "/webhooks", "/checks", GRANT)),
        *(("PATCH", f"{start}/{ids[start]}") for start in ("/alerts", "/webhooks")),
    ]


@pytest.mark.parametrize("more_settings", [PLENTY])
async def test_e_10_no_endpoint_takes_what_is_no_object(service: Service) -> None:
    endpoints = await takers(service)
    before = await everything(service.database)
    for method, path in endpoints:
        for kind, body in BODIES.items():
            answer = await sent(service, method, path, body)
            assert set(fields(answer)) == {"body"}, (method, path, kind)
            shaped(answer)
        for media_type in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
            answer = await sent(service, method, path, b"{}", **{"Content-Type": media_type})
            assert set(fields(answer)) == {"body"}, (method, path, media_type)
        many = "{" + ",".join(f'"m{number}": {number}' for number in range(4000)) + "}"
        assert len(fields(await sent(service, method, path, many.encode()))) <= 20
    assert await everything(service.database) == before


MEMBERS = {
    "/alerts": ("name", "frequency", "min_score", "min_ref_domains", "max_price", "tlds", "listing_types", "topics",
                "langs", "clean_only", "keywords", "active", "match_counts", "\\u0000", "x" * 500),
    "/webhooks": ("url", "events", "active", "secrets"),
    "/checks": ("domain",),
    GRANT: ("reference", "plan_until", "credits"),
}  # fmt: skip


@pytest.mark.parametrize("more_settings", [PLENTY])
async def test_e_10_strange_values_are_named_or_mean_what_they_may(service: Service) -> None:
    """Whatever a member holds, the answer is a success that reads back, or a 422 that names the member: never a 5xx."""
    for method, path in await takers(service):
        start = next(start for start in MEMBERS if path.startswith(start))
        for member in MEMBERS[start]:
            for value in STRANGE:
                body = f'{{"{member}": {value}}}'.encode()
                answer = await sent(service, method, path, body)
                assert answer.status_code in (200, 409, 422), (method, path, body[:80], answer.text)
                if answer.status_code == 422:
                    assert shaped(answer)["fields"], body[:80]
    assert (await service.get("/alerts")).status_code == 200
    assert (await service.get("/webhooks")).status_code == 200


@pytest.mark.parametrize("more_settings", [PLENTY])
async def test_e_07_the_operators_hook_asks_for_its_token_before_it_reads(service: Service) -> None:
    for wrong in ("Bearer x", "Basic operator-token-of-the-tests-with-32", "", "Bearer " + "\u00e9"):
        answer = await service.ask("POST", GRANT, content=b"x", headers={"Authorization": wrong.encode()})
        assert code(answer) == (401, "unauthenticated")
    answer = await service.ask("GET", GRANT)
    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")


def test_plenty_changes_nothing_but_the_pace() -> None:
    limits: Plan = PLENTY["plans"].pro
    assert limits.model_copy(update={"requests_per_minute": 120}) == Plans().pro
