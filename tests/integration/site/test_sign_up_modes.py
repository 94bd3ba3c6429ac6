"""Who may sign up: anybody, whoever was invited, nobody."""

from __future__ import annotations

import re
from typing import Any

import pytest

from afterdrop.accounts.store import account_by_email
from afterdrop.accounts.tokens import INVITATION_VALID, invitation
from afterdrop.web.site.routes import site_routes
from tests.support.rows import row
from tests.support.service import BASE, OPEN, SITE, Service

PASSWORD = "a long enough one"
TEAM = {"audience": "team", "sign_up": "invite"}
CLOSED = "The operator of this service creates the accounts"


@pytest.fixture
def more_settings(request: pytest.FixtureRequest) -> dict[str, Any]:
    return TEAM if request.param == "team" else {"sign_up": request.param}


async def sign_up(service: Service, email: str, invite: str = "") -> Any:
    """Fill in the form as a browser does; where there is none, send what a script would."""
    page = await service.http.get(f"{SITE}/sign-up", params={"invite": invite} if invite else {})
    fields = dict(re.findall(r'name="(csrf|invite)" value="([^"]*)"', page.text))
    sent = {"email": email, "password": PASSWORD, "invite": invite, **fields}
    return await service.http.post(f"{SITE}/sign-up", data=sent)


@pytest.mark.parametrize("more_settings", ["closed"], indirect=True)
async def test_closed(service: Service) -> None:
    assert CLOSED in (await service.http.get(f"{SITE}/sign-up")).text
    assert (await sign_up(service, "a@b.example")).status_code == 403
    for page in ("/", "/pricing", "/sign-in"):
        assert 'href="/sign-up"' not in (await service.http.get(SITE + page)).text


@pytest.mark.parametrize("more_settings", ["invite"], indirect=True)
async def test_by_invitation(service: Service) -> None:
    invite = invitation(service.context.secret_box, "guest@b.example", service.clock.now)
    assert (await sign_up(service, "guest@b.example")).status_code == 403
    assert (await sign_up(service, "guest@b.example", invite + "x")).status_code == 403
    other = await sign_up(service, "other@b.example", invite)
    assert (other.status_code, "is not the address we invited" in other.text) == (422, True)
    assert (await sign_up(service, "Guest@b.example", invite)).status_code == 200
    async with service.database.read() as conn:
        assert await account_by_email(conn, "guest@b.example") is not None
        assert await account_by_email(conn, "other@b.example") is None
    service.clock.now += INVITATION_VALID
    assert (await sign_up(service, "guest@b.example", invite)).status_code == 403


# The way in, and what every service says of itself: all that a stranger gets of a team's.
WAY_IN = {
    *("/sign-in", "/sign-up", "/forgotten", "/verify/{token}", "/reset/{token}", "/once/{token}"),
    *("/unsubscribe/{token}", "/robots.txt", "/terms", "/privacy", "/static/{name:path}"),
}


@pytest.mark.parametrize("more_settings", ["team"], indirect=True)
async def test_a_team_shows_strangers_the_way_in_and_nothing_else(service: Service) -> None:
    await service.show(row("hut.org", **OPEN))
    for route in site_routes():
        path = route.path.replace("{which:list}", "live").replace("{name:path}", "site.css")
        path = re.sub(r"\{domain\}", "hut.org", re.sub(r"\{(id|event|record|end|token|name)\}", "1", path))
        for method in (route.methods or {"GET"}) & {"GET", "POST"}:
            answer = await service.http.request(method, SITE + path)
            if route.path in WAY_IN:
                continue
            if method == "POST":
                assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in"), path
            elif answer.status_code == 307:
                assert answer.headers["location"].startswith("/account/"), path
            else:
                assert 'action="/sign-in"' in answer.text and "hut.org" not in answer.text.replace(
                    path, ""
                ), path
                assert 'href="/docs' not in answer.text and 'href="/pricing' not in answer.text, path
    assert "Disallow: /\n" in (await service.http.get(f"{SITE}/robots.txt")).text
    assert (await service.http.get(f"{BASE}/openapi.json")).status_code == 200
    for path, item in service.app.state.api_document()["paths"].items():
        for method in item:
            assert (await service.http.request(method.upper(), BASE + path)).status_code == 401, path
    assert (await service.http.post(f"{SITE}/mcp", json={})).status_code == 401
    invite = invitation(service.context.secret_box, "guest@b.example", service.clock.now)
    assert (await sign_up(service, "guest@b.example", invite)).status_code == 200
    async with service.database.read() as conn:
        guest = await account_by_email(conn, "guest@b.example")
    assert guest is not None and guest.plan(service.clock.now) == "pro"


@pytest.mark.parametrize("more_settings", ["open"], indirect=True)
async def test_open(service: Service) -> None:
    assert (await sign_up(service, "a@b.example")).status_code == 200
    assert 'href="/sign-up"' in (await service.http.get(f"{SITE}/")).text
