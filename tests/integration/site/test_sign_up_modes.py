"""Who may sign up: anybody, whoever was invited, nobody."""

from __future__ import annotations

import re
from typing import Any

import pytest

from afterdrop.accounts.store import account_by_email
from afterdrop.accounts.tokens import INVITATION_VALID, invitation
from tests.support.service import SITE, Service

PASSWORD = "a long enough one"
CLOSED = "The operator of this service creates the accounts"


@pytest.fixture
def more_settings(request: pytest.FixtureRequest) -> dict[str, Any]:
    return {"sign_up": request.param}


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


@pytest.mark.parametrize("more_settings", ["open"], indirect=True)
async def test_open(service: Service) -> None:
    assert (await sign_up(service, "a@b.example")).status_code == 200
    assert 'href="/sign-up"' in (await service.http.get(f"{SITE}/")).text
