"""The operator's accounts: found by a part of the address, given Pro and credits, closed; by operators alone."""

from __future__ import annotations

import logging
import re
from datetime import timedelta
from urllib.parse import urlencode

import pytest

from afterdrop.accounts import members, store
from afterdrop.accounts.account import Account
from tests.support.browser import Browser, words
from tests.support.rows import NOW
from tests.support.service import Service

PATH = "/admin/accounts"
FREE = "free@members.example"


def told(page: str) -> list[str]:
    """The addresses in the table."""
    return re.findall(r">([^<>\s]+@[^<>\s]+)</a>", page)


async def account(service: Service, name: str) -> Account | None:
    """An account as it stands now."""
    async with service.database.read() as conn:
        return await store.account_by_id(conn, service.accounts[name].id)


async def credits(service: Service, name: str) -> int:
    """The credits that it was given, beside its plan's."""
    async with service.database.read() as conn:
        left = await store.credit_balance(conn, service.accounts[name].id, allowance=0, now=NOW)
        return left.available


async def test_accounts_are_found_by_a_part_of_the_address(service: Service, browser: Browser) -> None:
    async with service.database.write() as conn:
        for email in ("anne_b@shop.example", "annexb@shop.example", "xfree@members.example.org"):
            await members.create_account(conn, members.NewAccount(email), now=NOW, welcome=0)
    await browser.sign_in("operator")
    for part, found in (
        ("ANNE", ["anne_b@shop.example", "annexb@shop.example"]),
        ("e_b", ["anne_b@shop.example"]),
        ("%", []),
        ("free@members.example", [FREE]),
        ("free@members", [FREE, "xfree@members.example.org"]),
        ("nobody\x00' OR 1=1", []),
    ):
        page = await browser.get(f"{PATH}?{urlencode({'q': part})}")
        assert (page.status_code, told(page.text)) == (200, found), part
        assert ("No account has such an address." in words(page)) == (not found)
        assert ('name="days"' in page.text) == (len(found) == 1)


async def test_more_accounts_keep_the_search(
    service: Service, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("afterdrop.web.site.operator_pages.PER_PAGE", 2)
    await browser.sign_in("operator")
    first = await browser.get(f"{PATH}?q=members")
    more = re.search(r'href="([^"]+after[^"]+)"', first.text)
    assert more
    rest = await browser.get(more[1].replace("&amp;", "&"))
    assert {*told(first.text), *told(rest.text)} == {each.email for each in service.accounts.values()}


async def test_pro_and_credits_are_given_once_a_form(
    service: Service, browser: Browser, caplog: pytest.LogCaptureFixture
) -> None:
    had = await credits(service, "free")
    await browser.sign_in("operator")
    await browser.get(f"{PATH}?q={FREE}")
    fields = {"email": FREE, "days": "30", "credits": "25"}
    with caplog.at_level(logging.INFO, "afterdrop.operator"):
        answer = await browser.post(PATH, fields)
    assert answer.headers["location"] == "/admin/accounts?q=free%40members.example&done=given"
    found = await account(service, "free")
    assert found
    assert (found.plan_until, await credits(service, "free")) == (NOW + timedelta(days=30), had + 25)
    operator, given = service.accounts["operator"].id, service.accounts["free"].id
    assert caplog.messages == [f"operator {operator}: account {given}, 30 Pro days, 25 credits: given"]
    assert FREE not in caplog.text
    service.clock.move(minutes=1)
    again = await browser.post(PATH, fields)
    assert again.headers["location"].endswith("done=again")
    assert (await account(service, "free"), await credits(service, "free")) == (found, had + 25)
    # Another page's form gives again, and a longer plan stays.
    said = words(await browser.send(PATH, {**fields, "days": "3"}))
    assert "Given." in said
    assert await credits(service, "free") == had + 50
    assert (await account(service, "free")) == found


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"days": "0", "credits": "0"},
        {"days": "-3"},
        {"days": "3651"},
        {"credits": "1000001"},
        {"days": "x", "credits": "5"},
    ],
)
async def test_what_cannot_be_given_is_refused(
    service: Service, browser: Browser, fields: dict[str, str]
) -> None:
    await browser.sign_in("operator")
    refused = await browser.send(PATH, {"email": FREE, **fields})
    assert refused.status_code == 422
    assert "Give up to 3,650 days of Pro, up to 1,000,000 credits, or both." in words(refused)
    found = await account(service, "free")
    assert found
    assert found.plan_until is None


async def test_an_account_is_closed_after_a_question(service: Service, browser: Browser) -> None:
    await browser.sign_in("operator")
    fields = {"do": "close", "email": FREE}
    asked = words(await browser.send(PATH, fields))
    assert f"Close {FREE}?" in asked
    assert "cannot be undone" in asked
    assert await account(service, "free")
    said = words(await browser.send(PATH, {**fields, "sure": "1"}))
    assert "The account is closed." in said
    assert await account(service, "free") is None
    assert (await browser.send(PATH, {**fields, "sure": "1"})).status_code == 404


async def test_an_operator_keeps_his_own_account(service: Service, browser: Browser) -> None:
    await browser.sign_in("operator")
    own = "operator@members.example"
    assert "Close the account" not in (await browser.get(f"{PATH}?q={own}")).text
    refused = await browser.send(PATH, {"do": "close", "email": own.upper(), "sure": "1"})
    assert (refused.status_code, "This is your own account." in words(refused)) == (422, True)
    assert await account(service, "operator")


async def test_others_change_nothing(service: Service, browser: Browser) -> None:
    await browser.sign_in("pro")
    for fields in ({"days": "30"}, {"credits": "5"}, {"do": "close", "sure": "1"}):
        answer = await browser.send(PATH, {"email": FREE, **fields}, page="/account")
        assert answer.status_code == 404
    await browser.sign_in("operator")
    forged = await browser.post(PATH, {"email": FREE, "days": "30"}, token=False)
    assert forged.status_code == 403
    found = await account(service, "free")
    assert found
    assert found.plan_until is None
