"""Guessing passwords and using links many times at once harms nobody but the one who does it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx2
import pytest
import sqlalchemy as sa

from afterdrop.accounts import members, sessions, sign_in_limits, store, tokens
from afterdrop.db.tables.accounts import accounts, sign_in_attempts, site_sessions
from afterdrop.web.site import auth
from tests.support.browser import HASH, PASSWORD, Browser, mailed_link, words
from tests.support.service import NOW, Service

OWNER = "pro@members.example"
RIGHT = {"email": OWNER, "password": PASSWORD}
WRONG = {"email": OWNER, "password": "not the password"}
From = Callable[[str], Browser]


@pytest.fixture
async def come_from(service: Service) -> AsyncIterator[From]:
    """Browsers at other addresses."""
    made: list[httpx2.AsyncClient] = []

    def browser(host: str) -> Browser:
        transport = httpx2.ASGITransport(app=service.app, raise_app_exceptions=False, client=(host, 1))
        made.append(httpx2.AsyncClient(transport=transport))
        return Browser(service, made[-1])

    yield browser
    for client in made:
        await client.aclose()


async def _let_through(browser: Browser, tries: int, fields: dict[str, str] = WRONG) -> int:
    """How many of so many guesses get as far as the password check."""
    await browser.get("/sign-in")
    return sum([(await browser.post("/sign-in", fields)).status_code == 422 for _ in range(tries)])


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passwords are compared as text: hundreds of hashes would take minutes."""
    monkeypatch.setattr(auth, "password_fits", lambda stored, given: stored is not None and given == PASSWORD)


@pytest.mark.usefixtures("quick")
async def test_the_owner_signs_in_from_elsewhere_while_somebody_guesses(come_from: From) -> None:
    assert await _let_through(come_from("203.0.113.9"), 8) == 5
    assert (await come_from("203.0.113.9").send("/sign-in", RIGHT)).status_code == 429
    page = await come_from("198.51.100.4").send("/sign-in", RIGHT)
    assert page.status_code == 200
    assert "Sign out" in words(page)


@pytest.mark.usefixtures("quick")
async def test_many_networks_together_are_bounded_and_the_owners_browser_is_not(
    service: Service, come_from: From
) -> None:
    mine = come_from("198.51.100.4")
    assert (await mine.send("/sign-in", RIGHT)).status_code == 200
    await mine.send("/sign-out", {}, page="/account")
    tried = [await _let_through(come_from(f"203.0.113.{number}"), 6) for number in range(24)]
    assert sum(tried) == sign_in_limits.PER_ACCOUNT["sign-in"]
    stranger = await come_from("192.0.2.77").send("/sign-in", RIGHT)
    unknown = await come_from("192.0.2.78").send("/sign-in", {**RIGHT, "email": "nobody@members.example"})
    assert (stranger.status_code, unknown.status_code) == (429, 422)
    mine.http.cookies.delete("afterdrop_visitor", domain="127.0.0.1")
    assert (await mine.send("/sign-in", RIGHT)).status_code == 200
    link = await _reset_link(service, come_from("192.0.2.79"))
    lost = come_from("192.0.2.80")
    await lost.send(link, {"password": PASSWORD})
    assert (await lost.send("/sign-in", RIGHT)).status_code == 200


@pytest.mark.usefixtures("quick")
async def test_a_known_browser_guesses_no_more_than_others_and_for_its_account_only(come_from: From) -> None:
    mine = come_from("198.51.100.4")
    await mine.send("/sign-in", RIGHT)
    await mine.send("/sign-out", {}, page="/account")
    assert await _let_through(mine, 7) == 5
    assert await _let_through(mine, 7, {**WRONG, "email": "free@members.example"}) == 5
    assert await _let_through(come_from("198.51.100.4"), 7) == 5


@pytest.mark.usefixtures("quick")
async def test_a_password_change_ends_known_browsers(service: Service, come_from: From) -> None:
    mine = come_from("198.51.100.4")
    await mine.send("/sign-in", RIGHT)
    cookie = mine.http.cookies["afterdrop_device"]
    async with service.database.write() as conn:
        before = await members.find_account(conn, OWNER)
        await members.set_password(conn, before.id, HASH)
        after = await members.find_account(conn, OWNER)
    secret_box = service.context.secret_box
    assert tokens.token_fits(secret_box, "device", cookie, before)
    assert not tokens.token_fits(secret_box, "device", cookie, after)


@pytest.mark.usefixtures("quick")
async def test_addresses_of_one_ipv6_customer_count_together(come_from: From) -> None:
    tried = [await _let_through(come_from(f"2001:db8:1:2::{number:x}"), 2) for number in range(6)]
    assert sum(tried) == 5


@pytest.mark.usefixtures("quick")
async def test_simultaneous_guesses_all_count(come_from: From) -> None:
    browser = come_from("203.0.113.9")
    await browser.get("/sign-in")
    answers = await asyncio.gather(*(browser.post("/sign-in", WRONG) for _ in range(20)))
    assert Counter(answer.status_code for answer in answers) == {422: 5, 429: 15}


@pytest.mark.usefixtures("quick")
async def test_stored_attempts_are_bounded_and_unreadable(
    service: Service, come_from: From, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "MOST_KEPT", 12)
    for number in range(9):
        await _let_through(come_from(f"203.0.113.{number}"), 1, {**WRONG, "email": f"{number}@x.example"})
    async with service.database.read() as conn:
        kept = (await conn.scalars(sa.select(sign_in_attempts.c.subject))).all()
    assert len(kept) == 12
    assert all(len(subject) == 64 and "@" not in subject for subject in kept)


async def _reset_link(service: Service, browser: Browser) -> str:
    await browser.send("/forgotten", {"email": OWNER})
    return await mailed_link(service, OWNER)


async def test_a_reset_link_used_five_times_at_once_counts_once(service: Service, browser: Browser) -> None:
    link = await _reset_link(service, browser)
    await browser.get(link)
    chosen = [f"password number {number}" for number in range(5)]
    answers = await asyncio.gather(*(browser.post(link, {"password": each}) for each in chosen))
    assert Counter(answer.status_code for answer in answers) == {303: 1, 410: 4}
    [winner] = [each for each, answer in zip(chosen, answers, strict=True) if answer.status_code == 303]
    assert "Sign out" in words(await browser.send("/sign-in", {"email": OWNER, "password": winner}))
    async with service.database.read() as conn:
        assert (await members.find_account(conn, OWNER)).token_version == 2


async def test_a_confirmation_used_five_times_at_once_sets_one_time(
    service: Service, browser: Browser
) -> None:
    async with service.database.read() as conn:
        account = await members.find_account(conn, "unverified@members.example")
    link = f"/verify/{tokens.make_token(service.context.secret_box, 'verify', account, NOW)}"
    await browser.get(link)
    answers = await asyncio.gather(*(browser.post(link, {}) for _ in range(5)))
    assert {answer.status_code for answer in answers} == {200}
    service.clock.move(minutes=5)
    await browser.get(link)
    async with service.database.read() as conn:
        moment = await conn.scalar(sa.select(accounts.c.verified_at).where(accounts.c.id == account.id))
    assert moment == NOW


async def test_an_account_deleted_meanwhile_is_not_confirmed(
    service: Service, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = service.accounts["unverified"]
    async with service.database.read() as conn:
        now = await members.find_account(conn, account.email)
    link = f"/verify/{tokens.make_token(service.context.secret_box, 'verify', now, NOW)}"
    await browser.get(link)
    verify = members.verify_account

    async def late(conn: Any, account_id: int, at: Any) -> bool:
        await store.delete_account(conn, account_id)
        return await verify(conn, account_id, at)

    monkeypatch.setattr(members, "verify_account", late)
    assert (await browser.post(link, {})).status_code == 410


async def test_two_sign_ups_of_one_address_at_once_make_one_account(
    service: Service, browser: Browser, second: Browser
) -> None:
    new = {"email": "new@members.example", "password": "a good long password"}
    pages = await asyncio.gather(browser.send("/sign-up", new), second.send("/sign-up", new))
    assert [page.status_code for page in pages] == [200, 200]
    assert words(pages[0]) == words(pages[1])
    async with service.database.read() as conn:
        made = sa.select(sa.func.count()).where(accounts.c.email == "new@members.example")
        assert await conn.scalar(made) == 1


async def test_a_sign_in_under_way_does_not_outlast_a_new_password(
    service: Service, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old password was right when it was checked, and was changed before the session began."""
    looked, changed = asyncio.Event(), asyncio.Event()

    async def fits(*given: Any, **more: Any) -> bool:
        looked.set()
        await changed.wait()
        return True

    monkeypatch.setattr(auth, "run_hashing", fits)
    await browser.get("/sign-in")
    signing_in = asyncio.create_task(browser.post("/sign-in", RIGHT))
    await looked.wait()
    async with service.database.write() as conn:
        await members.set_password(conn, service.accounts["pro"].id, HASH)
    changed.set()
    assert (await signing_in).status_code == 422
    async with service.database.read() as conn:
        assert await conn.scalar(sa.select(sa.func.count()).select_from(site_sessions)) == 0
