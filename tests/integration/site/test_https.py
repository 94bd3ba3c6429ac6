"""Behind TLS: cookies are bound to the host and never sent in clear text, and HSTS is on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

from tests.support.browser import PASSWORD
from tests.support.service import Service

HTTPS = "https://afterdrop.example"


@pytest.fixture
def more_settings() -> dict[str, Any]:
    """A deployment behind TLS."""
    return {"site_url": HTTPS}


@pytest.fixture
async def http(service: Service) -> AsyncIterator[httpx2.AsyncClient]:
    """A bare client, which keeps cookies."""
    transport = httpx2.ASGITransport(app=service.app, raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url=HTTPS) as client:
        yield client


async def test_cookies_are_secure_bound_to_the_host_and_rotated(http: httpx2.AsyncClient) -> None:
    page = await http.get("/sign-in")
    [visitor] = page.headers.get_list("set-cookie")
    token = page.text.split('name="csrf" value="', 1)[1].split('"', 1)[0]
    fields = {"csrf": token, "email": "pro@members.example", "password": PASSWORD, "next": "/account"}
    signed_in = await http.post("/sign-in", data=fields)
    assert signed_in.status_code == 303
    session = next(c for c in signed_in.headers.get_list("set-cookie") if "session=" in c)
    for cookie in (visitor, session):
        assert cookie.startswith("__Host-afterdrop_")
        assert "Secure" in cookie
        assert "HttpOnly" in cookie
        assert "SameSite=lax" in cookie
        assert "Path=/" in cookie
        assert "Domain" not in cookie
    assert visitor.split(";")[0].split("=")[1] not in session
    assert signed_in.headers["strict-transport-security"].startswith("max-age=")
    account = await http.get("/account")
    assert "Signed in as" in account.text
    # The form token from before the sign-in is no longer valid.
    assert (await http.post("/sign-out", data={"csrf": token})).status_code == 403


async def test_policy_is_strict_on_every_kind_of_answer(http: httpx2.AsyncClient) -> None:
    for path in ("/", "/docs/api", "/no-such", "/static/site.js", "/alerts", "/csv/live"):
        policy = (await http.get(path)).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http:" not in policy and "https:" not in policy and "*" not in policy


async def test_another_host_is_refused(http: httpx2.AsyncClient) -> None:
    answer = await http.get("/", headers={"Host": "evil.example"})
    assert answer.status_code == 400
