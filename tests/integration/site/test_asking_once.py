"""What cannot be undone is asked once, on a page of its own that needs no script; unfollowing can be undone."""

from __future__ import annotations

import re

import pytest

from tests.support.browser import Browser, words
from tests.support.service import OPEN, Service, row
from tests.support.site_world import fill


def hidden(text: str) -> dict[str, str]:
    """The fields of the form on a page that asks, without its token."""
    found = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', text.partition("<h1>")[2])
    return {name: value for name, value in found if name != "csrf"}


@pytest.mark.parametrize(
    ("path", "fields", "left"),
    [
        ("/account/filters", {"delete": "r{rule}"}, "/account/filters"),
        ("/account/webhooks/{hook}", {"do": "delete"}, "/account/webhooks"),
        ("/account/keys", {"delete": "{key}"}, "/account/keys"),
    ],
)
async def test_deleting_asks_first_and_then_deletes(
    service: Service, browser: Browser, path: str, fields: dict[str, str], left: str
) -> None:
    made = await fill(service.context, service.accounts["pro"])
    await browser.sign_in("pro")
    keys = await browser.get("/account/keys")
    [key, *_] = re.findall(r'name="delete" value="(\d+)"', keys.text)
    values = {"rule": made["rule"], "hook": made["hook"], "key": key}
    here, sent = path.format(**values), {name: text.format(**values) for name, text in fields.items()}
    before = await browser.get(left)
    asked = await browser.send(here, sent)
    assert "Delete" in words(asked)
    assert "Keep it" in words(asked)
    assert (await browser.get(left)).text.count("<tr>") == before.text.count("<tr>")
    asked = await browser.send(here, sent)
    answered = await browser.post(here, hidden(asked.text))
    assert answered.status_code == 303
    assert (await browser.get(left)).text.count("<tr>") < before.text.count("<tr>")


async def test_the_question_cannot_be_made_to_run_something(service: Service, browser: Browser) -> None:
    made = await fill(service.context, service.accounts["pro"])
    await browser.sign_in("pro")
    evil = '"><script>alert(1)</script>'
    page = await browser.send("/account/filters", {"delete": f"r{made['rule']}", "x": evil})
    assert "<script>alert" not in page.text


async def test_unfollowing_can_be_undone_and_keeps_the_note(service: Service, browser: Browser) -> None:
    await service.show(row("open.com", **OPEN))
    await browser.sign_in("pro")
    await browser.send("/domains/open.com/watch", {}, page="/domains/open.com")
    await browser.send("/domains/open.com/note", {"note": "mine"}, page="/domains/open.com")
    page = await browser.send("/domains/open.com/unwatch", {"from": "watchlist"}, page="/account/watchlist")
    assert "You no longer follow open.com" in words(page)
    page = await browser.send(
        "/domains/open.com/watch",
        {"back": "/account/watchlist"},
        page="/account/watchlist?unfollowed=open.com",
    )
    assert "mine" in words(page)
    assert "You no longer follow" not in words(page)
    odd = await browser.get("/account/watchlist?unfollowed=%22%3E%3Cscript%3E")
    assert odd.status_code == 200
    assert "You no longer follow" not in words(odd)
