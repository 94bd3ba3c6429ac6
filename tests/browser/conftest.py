"""The site on a port of its own, and a Chromium that opens it."""

from __future__ import annotations

import asyncio
import shutil
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import uvicorn
from playwright.async_api import Browser, Error, Page, async_playwright, expect

from afterdrop.accounts import members
from afterdrop.accounts.account import Account
from afterdrop.accounts.passwords import hash_password
from afterdrop.accounts.sessions import digest
from afterdrop.checks import visitors
from afterdrop.checks.visitors import Quota
from afterdrop.core.audience import Audience
from afterdrop.core.settings import Settings
from afterdrop.core.settings_sections import Site as SiteSettings
from afterdrop.db.engine import open_database
from afterdrop.db.leases import Claim
from afterdrop.web.app import create_app
from afterdrop.web.context import WebContext, make_web_context
from tests.browser.hunting_world import catalogue
from tests.support import TEST_SECRET, told_reports
from tests.support.published import reject
from tests.support.rows import NOW, put
from tests.support.site_world import fill, open_offers

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
# The marks of a module whose tests share a worker's Chromium, which lives in one loop.
IN_CHROMIUM = [pytest.mark.long, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]
PASSWORD = "correct horse battery"
LEGAL = Path(__file__).parents[2] / "deploy" / "legal"
# How long a page is waited for: as long as a busy machine may take, for what does not come is a fault at any time.
PATIENCE = 120_000
expect.set_options(timeout=PATIENCE)
SHOTS = Path(__file__).parents[2] / "artifacts" / "screenshots"


@dataclass
class Site:
    """A served site: its address, and what the browser complained about."""

    url: str
    complaints: list[str] = field(default_factory=list)
    _environment: WebContext | None = None
    accounts: dict[str, Account] = field(default_factory=dict)
    made: dict[str, Any] = field(default_factory=dict)

    @property
    def environment(self) -> WebContext:
        """The environment of the site, if it runs in this process."""
        assert self._environment is not None
        return self._environment

    async def sign_in(self, page: Page, name: str) -> None:
        """Sign in with the keyboard alone."""
        await page.goto(f"{self.url}/sign-in?next=%2Fdomains")
        await page.focus("#f-email")
        await page.keyboard.type(f"{name}@members.example")
        await page.keyboard.press("Tab")
        await page.keyboard.type(PASSWORD)
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/domains")


# A request that a later one took the place of, while somebody typed on, is no fault; one that fails is a `sendError`.
_REPLACED = ("htmx:sendAbort", "htmx:afterRequest")


@pytest_asyncio.fixture(loop_scope="session")
async def site(tmp_path: Path, sqlite_template: Path, request: pytest.FixtureRequest) -> AsyncIterator[Site]:
    """The site over a small database with content, listening on a real port; the parameter is its audience."""
    shutil.copyfile(sqlite_template, tmp_path / "site.sqlite3")
    async with served(tmp_path, getattr(request, "param", "public")) as found:
        yield found


@pytest_asyncio.fixture(loop_scope="session")
async def hunt(site: Site) -> AsyncIterator[Site]:
    """The site with something to hunt."""
    async with site.environment.database.write() as conn:
        await put(conn, *catalogue())
    yield site
    assert site.complaints == []


@asynccontextmanager
async def served(folder: Path, audience: Audience = "public") -> AsyncIterator[Site]:
    """The site over the migrated, empty database `site.sqlite3` of a folder, which is filled."""
    path = folder / "site.sqlite3"
    listening = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    settings = Settings(
        site_url=url,
        data_dir=folder,
        database_url=f"sqlite+aiosqlite:///{path}",
        secret_keys=(TEST_SECRET,),
        contact="operator@drops.example",
        audience=audience,
        site=SiteSettings(
            share_links="reports",
            show_rejections=True,
            visitor_checks=20,
            pro_price="$29 a month",
            terms=LEGAL / "terms.md",
        ),
    )
    database = open_database(settings.database_url, connections=15)
    environment = make_web_context(settings, database, now=lambda: NOW, providers=())
    hashed = hash_password(PASSWORD)
    accounts = {}
    async with database.write() as conn:
        for name in ("free", "pro", "operator"):
            accounts[name] = await members.create_account(
                conn,
                members.NewAccount(
                    f"{name}@members.example",
                    password_hash=hashed,
                    verified=True,
                    plan_until=None if name == "free" else NOW + timedelta(days=300),
                    operator=name == "operator",
                ),
                now=NOW,
                welcome=1,
            )
        await put(conn, *open_offers())
    made = await fill(environment, accounts["pro"])
    for name in ("harbour-lights.com", "music-school.org"):
        await reject(database, name)
    made["visitor"] = await _visitor_check(environment)
    server = uvicorn.Server(uvicorn.Config(create_app(environment), log_level="warning"))
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    yield Site(url, [], environment, accounts, made)
    server.should_exit = True
    await serving
    await database.close()


async def _visitor_check(environment: WebContext) -> str:
    """A finished check of a visitor; gives the token in its address."""
    token = "t" * 32
    report = told_reports.check_values(told_reports.turned(), "old-mill.com")["report"] | {
        "registration": None
    }
    async with environment.database.write() as conn:
        await visitors.order(conn, digest(token), "old-mill.com", "n", Quota(9, 9), NOW)
        [row] = await visitors.claim(conn, Claim("w", NOW, timedelta(minutes=1), 1))
        await visitors.finish(conn, row, report, NOW)
        await visitors.order(conn, digest("w" * 32), "waiting.com", "n", Quota(9, 9), NOW)
    return token


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def started_chromium() -> AsyncIterator[Browser]:
    """One Chromium for all tests of a worker, or a skip that says what to install."""
    if not Path(CHROMIUM).exists():
        pytest.skip("Chromium is not on this machine (apt-get install chromium)")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        await browser.close()


@pytest_asyncio.fixture(loop_scope="session")
async def chromium(started_chromium: Browser) -> AsyncIterator[Browser]:
    """A Chromium without windows, whose windows are closed afterwards."""
    yield started_chromium
    for context in started_chromium.contexts:
        await context.close()


async def picture(page: Page, name: str, *, whole: bool = False) -> None:
    """Keep a picture of the page, or of what a window shows of it, for people to look at.

    A busy machine's Chromium cannot always take one ("Unable to capture screenshot"), which says nothing of the page.
    """
    SHOTS.mkdir(parents=True, exist_ok=True)
    with suppress(Error):
        await page.screenshot(path=SHOTS / f"{name}.png", full_page=whole)


async def open_page(
    chromium: Browser, site: Site, *, width: int = 1280, dark: bool = False, bypass_csp: bool = False
) -> Page:
    """Open a new browser window and collect its errors."""
    context = await chromium.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if dark else "light",
        bypass_csp=bypass_csp,
    )
    context.set_default_timeout(PATIENCE)
    page = await context.new_page()
    page.on(
        "console",
        lambda said: (
            site.complaints.append(said.text)
            if said.type == "error" and not said.text.startswith(_REPLACED)
            else None
        ),
    )
    page.on("pageerror", lambda error: site.complaints.append(str(error)))
    page.on(
        "request",
        lambda asked: (
            None if asked.url.startswith(site.url) else site.complaints.append(f"asked {asked.url}")
        ),
    )
    return page
