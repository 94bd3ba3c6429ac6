"""A browser without a browser: cookies kept, forms filled in as they stand on the page."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import httpx2
import pytest
import sqlalchemy as sa
from selectolax.lexbor import LexborHTMLParser

from afterdrop.accounts import members
from afterdrop.accounts.passwords import hash_password
from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.db.tables.delivery import mails
from afterdrop.web.app import create_app
from afterdrop.web.context import make_web_context
from tests.support.service import SITE, Clock, Service

PASSWORD = "correct horse battery"
HASH = hash_password(PASSWORD)


@dataclass
class Browser:
    """One person's browser at the site."""

    service: Service
    http: httpx2.AsyncClient
    last: httpx2.Response | None = None
    headers: dict[str, str] = field(default_factory=dict)

    async def get(self, path: str) -> httpx2.Response:
        """Open a page, following redirects."""
        self.last = await self.http.get(SITE + path, headers=self.headers, follow_redirects=True)
        return self.last

    async def post(self, path: str, fields: dict[str, Any], *, token: bool = True) -> httpx2.Response:
        """Send a form without following; the token is taken from the last page."""
        data = dict(fields)
        if token:
            data["csrf"] = self.token
        return await self.http.post(SITE + path, data=data, follow_redirects=False)

    async def send(self, path: str, fields: dict[str, Any], *, page: str | None = None) -> httpx2.Response:
        """Open the page with the form, send it and follow where it leads."""
        await self.get(page or path)
        answer = await self.post(path, fields)
        if answer.status_code == 303:
            return await self.get(answer.headers["location"])
        self.last = answer
        return answer

    @property
    def token(self) -> str:
        """The form token of the last page."""
        assert self.last is not None
        found = re.search(r'name="csrf" value="([^"]+)"', self.last.text)
        assert found, self.last.text
        return found.group(1)

    async def sign_in(self, name: str) -> httpx2.Response:
        """Sign in as one of the service's accounts."""
        fields = {"email": f"{name}@members.example", "password": PASSWORD, "next": "/account"}
        return await self.send("/sign-in", fields)


def words(answer: httpx2.Response) -> str:
    """What a page says."""
    tree = LexborHTMLParser(answer.text)
    return " ".join((tree.body.text(separator=" ") if tree.body else "").split())


async def made_link(browser: Browser, *names: str) -> str:
    """The path of a new share link."""
    answer = await browser.send("/account/shares", {"d": list(names)})
    assert answer.status_code == 200, words(answer)
    found = re.search(r'id="link">http://127\.0\.0\.1:8000(/s/[\w-]+)<', answer.text)
    assert found, words(answer)
    return found[1]


@pytest.fixture
async def service(
    database: Database, settings: Settings, more_settings: dict[str, Any]
) -> AsyncIterator[Service]:
    """A service over an empty database with an account of each kind, all with the same password."""
    clock = Clock()
    changed = settings.model_copy(update=more_settings)
    context = make_web_context(changed, database, now=clock.read, monotonic=clock.monotonic)
    app = create_app(context)
    transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport) as http:
        made = Service(context, app, clock, http)
        await made.account("free")
        await made.account("pro", pro=True)
        await made.account("unverified", verified=False)
        await made.account("operator", pro=True, operator=True)
        async with database.write() as conn:
            for account in made.accounts.values():
                await members.set_password(conn, account.id, HASH)
        yield made
        await context.snapshots.close()


@pytest.fixture
def more_settings() -> dict[str, Any]:
    """Settings a module of tests changes."""
    return {}


@pytest.fixture
async def browser(service: Service) -> AsyncIterator[Browser]:
    """A browser nobody is signed in with."""
    transport = httpx2.ASGITransport(app=service.app, raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport) as http:
        yield Browser(service, http)


@pytest.fixture
async def second(service: Service) -> AsyncIterator[Browser]:
    """Somebody else's browser."""
    transport = httpx2.ASGITransport(app=service.app, raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport) as http:
        yield Browser(service, http)


async def mailed_link(service: Service, recipient: str) -> str:
    """The path of the link in the newest mail to an address."""
    async with service.database.read() as conn:
        text = await conn.scalar(
            sa.select(mails.c.text).where(mails.c.recipient == recipient).order_by(mails.c.id.desc()).limit(1)
        )
    found = re.search(rf"{re.escape(SITE)}(/\S+)", text or "")
    assert found, text
    return found.group(1)
