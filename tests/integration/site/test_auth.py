"""Sign-up, sign-in, sign-out and password reset, and that none of them tells who has an account."""

from __future__ import annotations

import asyncio

import httpx2
import pytest
import sqlalchemy as sa

from afterdrop.accounts import members, sign_in_limits, tokens
from afterdrop.db.tables.accounts import accounts, site_sessions
from afterdrop.db.tables.delivery import mails
from afterdrop.delivery.mail.store import unsubscribe_token
from afterdrop.web.site import auth
from tests.support.browser import HASH, PASSWORD, Browser, mailed_link, words
from tests.support.service import SITE, Service

NEW = {"email": "New.Person@Example.org", "password": "a good long password"}


async def test_sign_up_verify_sign_in(service: Service, browser: Browser) -> None:
    said = await browser.send("/sign-up", {**NEW, "zone": "Europe/Berlin"})
    assert "Check your inbox" in words(said)
    email = "new.person@example.org" if "new.person@example.org" in said.text else "New.Person@example.org"
    link = await mailed_link(service, email)
    assert "Confirm" in words(await browser.get(link))
    async with service.database.read() as conn:
        assert await conn.scalar(sa.select(accounts.c.verified_at).where(accounts.c.email == email)) is None
    # the browser in which somebody signed up is signed in, and in its own time zone
    page = await browser.send(link, {})
    assert page.url.path == "/domains" and "Sign out" in words(page)
    assert "(Berlin)" in words(await browser.get("/desk"))
    await browser.send("/sign-out", {}, page="/account")
    page = await browser.send("/sign-in", {**NEW, "next": "/"})
    assert page.status_code == 200
    assert "Sign out" in words(page)


async def test_confirming_signs_no_other_browser_in(
    service: Service, browser: Browser, second: Browser
) -> None:
    async def confirmed_elsewhere(email: str) -> None:
        await browser.send("/sign-up", {**NEW, "email": email})
        page = await second.send(await mailed_link(service, email), {})
        assert "is confirmed" in words(page) and "Sign out" not in words(page)

    await confirmed_elsewhere("first@example.org")
    # nor one in which somebody signed up with another address, or whose cookie was made up
    await second.send("/sign-up", {**NEW, "email": "other@example.org", "zone": "Nowhere/Land"})
    assert second.http.cookies["afterdrop_newcomer"]
    await confirmed_elsewhere("second@example.org")
    second.http.cookies.clear()
    second.http.cookies.set("afterdrop_newcomer", "x" * 40)
    await confirmed_elsewhere("third@example.org")


async def test_signing_up_again_looks_the_same_and_changes_nothing(
    service: Service, browser: Browser, second: Browser
) -> None:
    known = {"email": "free@members.example", "password": "another password"}
    first = await browser.send(
        "/sign-up", {"email": "nobody@members.example", "password": "another password"}
    )
    again = await second.send("/sign-up", known)
    assert first.status_code == again.status_code
    assert {*browser.http.cookies.keys()} == {*second.http.cookies.keys()}
    assert words(first).replace("nobody@", "free@") == words(again)
    assert "/reset/" in await mailed_link(service, "free@members.example")
    assert "wrong" in words(await second.send("/sign-in", known))


async def test_errors_are_shown_beside_the_fields_and_input_is_kept(browser: Browser) -> None:
    page = await browser.send("/sign-up", {"email": "not <an> address", "password": "short"})
    assert page.status_code == 422
    assert 'value="not &lt;an&gt; address"' in page.text
    assert "is not an e-mail address" in page.text
    assert "must have at least 10 characters" in page.text
    assert "short" not in page.text


async def test_a_wrong_password_and_an_unknown_address_get_the_same_answer(browser: Browser) -> None:
    wrong = await browser.send("/sign-in", {"email": "free@members.example", "password": "nope"})
    unknown = await browser.send("/sign-in", {"email": "fred@members.example", "password": "nope"})
    assert wrong.status_code == unknown.status_code == 422
    assert words(wrong) == words(unknown)


async def test_guessing_is_throttled_even_with_the_right_password(service: Service, browser: Browser) -> None:
    for _ in range(5):
        page = await browser.send("/sign-in", {"email": "free@members.example", "password": "nope"})
        assert page.status_code == 422
    right = {"email": "free@members.example", "password": PASSWORD}
    assert (await browser.send("/sign-in", right)).status_code == 429
    service.clock.move(minutes=16)
    assert (await browser.send("/sign-in", right)).status_code == 200


async def test_forms_of_other_sites_are_refused(service: Service, browser: Browser, second: Browser) -> None:
    await browser.sign_in("pro")
    bare = await browser.post("/sign-out", {}, token=False)
    assert bare.status_code == 403
    await second.sign_in("free")
    stolen = second.token
    assert (await browser.post("/sign-out", {"csrf": stolen}, token=False)).status_code == 403
    assert "Sign out" in words(await browser.get("/"))
    fresh = Browser(service, second.http)
    login = await fresh.post("/sign-in", {"email": "pro@members.example", "password": PASSWORD}, token=False)
    assert login.status_code == 403


async def test_a_second_tab_goes_on_after_the_first_has_signed_in(browser: Browser) -> None:
    await browser.get("/sign-in")
    second_tab = browser.token
    await browser.sign_in("pro")
    fields = {"email": "free@members.example", "password": PASSWORD, "next": "/desk", "csrf": second_tab}
    answer = await browser.post("/sign-in", fields, token=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/desk")
    assert "pro@members.example" in words(await browser.get("/account"))


async def test_a_restored_tab_goes_on_without_its_cookie(browser: Browser) -> None:
    """A browser that was closed forgets the cookie that the form was made for, and keeps the page."""
    await browser.get("/sign-in")
    fields = {"email": "pro@members.example", "password": PASSWORD, "next": "/desk", "csrf": browser.token}
    browser.http.cookies.clear()
    # A program, or a page of another site: nobody is signed in, and the form is there again.
    for headers in ({}, {"Origin": "https://evil.example"}, {"Origin": "null"}):
        answer = await browser.http.post(f"{SITE}/sign-in", data=fields, headers=headers)
        assert answer.status_code == 200 and 'value="pro@members.example"' in answer.text
        assert "Enter your password once more" in words(answer)
        assert "afterdrop_session" not in browser.http.cookies
        browser.http.cookies.clear()
    answer = await browser.http.post(f"{SITE}/sign-in", data=fields, headers={"Origin": SITE})
    assert (answer.status_code, answer.headers["location"]) == (303, "/desk")
    assert "Sign out" in words(await browser.get("/"))


async def test_the_session_is_rotated_hidden_from_scripts_and_ended(
    service: Service, browser: Browser
) -> None:
    await browser.get("/sign-in")
    fields = {"email": "pro@members.example", "password": PASSWORD}
    answer = await browser.post("/sign-in", fields)
    [cookie] = [c for c in answer.headers.get_list("set-cookie") if "session" in c]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    first = browser.http.cookies["afterdrop_session"]
    async with service.database.read() as conn:
        assert first not in (await conn.scalars(sa.select(site_sessions.c.hash))).all()
    await browser.get("/")
    assert (await browser.post("/sign-in", fields)).status_code == 303
    assert browser.http.cookies["afterdrop_session"] != first
    browser.http.cookies.clear()
    browser.headers["Cookie"] = f"afterdrop_session={first}"
    assert "Sign out" not in words(await browser.get("/"))


async def test_a_reset_ends_sessions_and_works_once(
    service: Service, browser: Browser, second: Browser
) -> None:
    await second.sign_in("pro")
    await browser.send("/forgotten", {"email": "pro@members.example"})
    link = await mailed_link(service, "pro@members.example")
    page = await browser.send(link, {"password": "short"})
    assert page.status_code == 422
    await browser.send(link, {"password": "an entirely new one"})
    assert "Sign out" not in words(await second.get("/"))
    assert (await browser.get(link)).status_code == 410
    fields = {"email": "pro@members.example", "password": "an entirely new one", "next": "//evil.example/"}
    page = await browser.send("/sign-in", fields)
    assert str(page.url).endswith("/desk")


async def test_every_response_has_the_security_headers(browser: Browser) -> None:
    for path in ("/", "/sign-in", "/no-such-page", "/static/site.css", "/static/none.css"):
        page = await browser.get(path)
        policy = page.headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert page.headers["x-content-type-options"] == "nosniff"
        assert page.headers["referrer-policy"] == "same-origin"
    page = await browser.get("/no-such-page")
    assert page.status_code == 404
    assert "This page does not exist" in words(page)
    answer = await browser.http.get("http://127.0.0.1:8000/api/nothing")
    assert answer.json()["error"]["code"] == "not_found"


async def test_neither_reset_nor_sign_up_nor_sign_in_tells_who_has_an_account(
    browser: Browser, second: Browser
) -> None:
    known, unknown = "free@members.example", "fred@members.example"
    for path, fields in (
        ("/forgotten", {}),
        ("/sign-up", {"password": "a good long password"}),
        ("/sign-in", {"password": "not the password"}),
    ):
        mine = await browser.send(path, {"email": known, **fields})
        other = await second.send(path, {"email": unknown, **fields})
        assert mine.status_code == other.status_code, path
        assert words(mine).replace(known, "") == words(other).replace(unknown, ""), path
        assert set(mine.headers) == set(other.headers)


async def test_the_time_does_not_tell_who_has_an_account(service: Service, browser: Browser) -> None:
    """Each of them hashes one password, with an account and without."""
    calls: list[str | None] = []

    def counted(stored: str | None, password: str) -> bool:
        calls.append(stored)
        return False

    def hashed(password: str) -> str:
        calls.append(password)
        return HASH

    for name in ("free", "nobody"):
        calls.clear()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(auth, "password_fits", counted)
            patch.setattr(auth, "hash_password", hashed)
            email = {"email": f"{name}@members.example", "password": "a good long password"}
            for path in ("/sign-in", "/forgotten", "/sign-up"):
                await browser.send(path, email)
        assert len(calls) == 3, name


async def test_mails_to_one_address_are_limited(service: Service, browser: Browser) -> None:
    for path in ("/forgotten", "/sign-up") * 4:
        await browser.send(path, {"email": "free@members.example", "password": "a good long password"})
    async with service.database.read() as conn:
        sent = await conn.scalar(sa.select(sa.func.count()).select_from(mails))
    assert sent == 3


async def test_no_mail_is_promised_that_is_not_sent_with_an_account_or_without(
    service: Service, browser: Browser, second: Browser
) -> None:
    for _ in range(3):
        assert (await browser.send("/forgotten", {"email": "free@members.example"})).status_code == 200
        assert (await second.send("/forgotten", {"email": "nobody@members.example"})).status_code == 200
    service.clock.move(seconds=60)
    known = await browser.send("/forgotten", {"email": "free@members.example"})
    unknown = await second.send("/forgotten", {"email": "nobody@members.example"})
    for page in (known, unknown):
        assert page.status_code == 429
        assert page.headers["retry-after"] == "840"
        assert "Too many attempts" in words(page)
        assert "We have just sent" not in words(page)
    assert words(known) == words(unknown)


async def test_the_confirmation_mail_is_sent_again_three_times(service: Service, browser: Browser) -> None:
    await browser.sign_in("unverified")
    for _ in range(3):
        assert "We have just sent" in words(await browser.send("/resend", {}, page="/account"))
    page = await browser.send("/resend", {}, page="/account")
    assert page.status_code == 429
    assert page.headers["retry-after"] == "900"
    assert "Too many attempts" in words(page)


async def test_right_sign_ins_do_not_count_and_wrong_ones_of_the_address_stay_counted(
    service: Service, browser: Browser
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sign_in_limits, "PER_NETWORK", 3)
        right = {"email": "pro@members.example", "password": PASSWORD}
        for _ in range(4):
            assert (await browser.send("/sign-in", right)).status_code == 200
        for name in ("a", "b", "c"):
            await browser.get("/sign-in")
            browser.http.cookies.delete("afterdrop_session")
            browser.http.cookies.delete("afterdrop_device")
            wrong = {"email": f"{name}@members.example", "password": "nope"}
            assert (await browser.send("/sign-in", wrong)).status_code == 422
            if name != "c":
                assert (await browser.send("/sign-in", right)).status_code == 200
        service.clock.move(seconds=30)
        browser.http.cookies.delete("afterdrop_device", domain="127.0.0.1")
        page = await browser.send("/sign-in", right)
    assert page.status_code == 429
    assert page.headers["retry-after"] == "870"


_LOOPBACK = "http://127.0.0.1:8000"


async def _token(service: Service, purpose: tokens.Purpose = "sign_in", name: str = "pro") -> str:
    async with service.database.read() as conn:
        account = await members.find_account(conn, f"{name}@members.example")
    return tokens.make_token(service.context.secret_box, purpose, account, service.clock.now)


async def _once(service: Service) -> str:
    return f"/once/{await _token(service)}"


async def _signed_in(browser: Browser) -> bool:
    return "Sign out" in (await browser.http.get(f"{_LOOPBACK}/account")).text


@pytest.mark.parametrize("more_settings", [{"site_url": _LOOPBACK}])
async def test_a_one_time_address_signs_one_browser_of_this_machine_in(
    service: Service, browser: Browser, second: Browser
) -> None:
    address = _LOOPBACK + await _once(service)
    away = httpx2.ASGITransport(app=service.app, client=("198.51.100.7", 1))
    async with httpx2.AsyncClient(transport=away) as elsewhere:
        assert (await elsewhere.get(address)).status_code == 404
    for _ in range(2):
        looked = await second.http.head(address)
        assert (looked.headers["location"], await _signed_in(second)) == ("/domains", False)
    assert (await second.http.post(address)).status_code == 405
    assert (await browser.http.get(address)).headers["location"] == "/domains"
    assert await _signed_in(browser)
    for used in (await second.http.get(address), await second.http.head(address)):
        assert used.headers["location"] == "/sign-in"
    assert not await _signed_in(second)
    assert await _signed_in(browser), "the session stays"


@pytest.mark.parametrize("more_settings", [{"site_url": _LOOPBACK}])
async def test_a_one_time_address_is_good_for_nothing_else(service: Service, browser: Browser) -> None:
    token = await _token(service)
    for name in ("session", "device", "visitor"):
        browser.http.cookies.set(f"afterdrop_{name}", token, domain="127.0.0.1")
    assert not await _signed_in(browser)
    browser.http.cookies.clear()
    asked = await service.http.get(f"{_LOOPBACK}/api/v1/me", headers={"Authorization": f"Bearer {token}"})
    assert asked.status_code == 401
    for path in ("reset", "verify", "unsubscribe"):
        assert (await browser.http.get(f"{_LOOPBACK}/{path}/{token}")).status_code == 410
    for purpose in ("verify", "reset", "unsubscribe", "device"):
        other = await browser.http.get(f"{_LOOPBACK}/once/{await _token(service, purpose)}")
        assert other.headers["location"] == "/sign-in"
    async with service.database.read() as conn:
        assert not (await conn.execute(sa.select(site_sessions))).all()
    service.clock.move(hours=24)
    assert (await browser.http.get(f"{_LOOPBACK}/once/{token}")).headers["location"] == "/sign-in"
    assert not await _signed_in(browser)


@pytest.mark.parametrize("more_settings", [{"site_url": _LOOPBACK}])
async def test_of_several_browsers_that_use_a_one_time_address_at_once_one_is_signed_in(
    service: Service, browser: Browser
) -> None:
    address = _LOOPBACK + await _once(service)
    answers = await asyncio.gather(*(browser.http.get(address) for _ in range(8)))
    assert sorted(answer.headers["location"] for answer in answers) == ["/domains", *["/sign-in"] * 7]


async def test_looking_at_a_mails_link_uses_none_up(service: Service, browser: Browser) -> None:
    account = service.accounts["free"].id
    mails_end = unsubscribe_token(service.context.secret_box, account, "alerts", service.clock.now)
    links = {
        f"/verify/{await _token(service, 'verify', 'unverified')}": {},
        f"/unsubscribe/{mails_end}": {},
        f"/reset/{await _token(service, 'reset')}": {"password": "another long password"},
    }
    for path, fields in links.items():
        for _ in range(2):
            assert (await browser.http.head(SITE + path)).status_code == 200, path
        page = await browser.get(path)
        assert page.status_code == 200, path
        # password managers keep the password for this name
        named = 'value="pro@members.example" autocomplete="username"' in page.text
        assert named == path.startswith("/reset/")
        used = await browser.post(path, fields, token="unsubscribe" not in path)
        assert used.status_code in (200, 303), path


_PUBLIC = "https://drops.example.com"


@pytest.mark.parametrize("more_settings", [{"site_url": _PUBLIC}])
async def test_a_site_in_public_has_no_one_time_addresses(service: Service, browser: Browser) -> None:
    assert (await browser.http.get(_PUBLIC + await _once(service))).status_code == 404
    assert "Sign out" not in (await browser.http.get(f"{_PUBLIC}/account")).text
