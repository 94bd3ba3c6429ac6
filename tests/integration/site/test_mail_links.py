"""Every address of ours in every kind of mail opens."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag

import pytest

from afterdrop.accounts import store, tokens
from afterdrop.accounts.account import Account
from afterdrop.delivery.mail import message
from afterdrop.delivery.mail.store import unsubscribe_token
from afterdrop.watching import store as watching
from afterdrop.watching.notices import mail_domain
from tests.support.browser import Browser
from tests.support.mail_kinds import TAKEOVER
from tests.support.service import NOW, SITE, Service
from tests.support.site_world import fill


async def _mails(service: Service) -> dict[str, message.MailMessage]:
    await fill(service.context, service.accounts["pro"])
    secret_box = service.context.secret_box
    async with service.database.read() as conn:
        account = await store.account_by_email(conn, "pro@members.example")
        unverified = await store.account_by_email(conn, "unverified@members.example")
    assert account and unverified
    end = f"{SITE}/unsubscribe/{unsubscribe_token(secret_box, account.id, 'alerts', NOW)}"
    letter = message.MailFrame("Afterdrop", SITE, "UTC", end)
    domain = (await service.get("/domains/open-today.com")).json()["data"]
    freed: dict[str, Any] = (await service.get("/domains/freed.net")).json()["data"]
    finds = [message.MatchedDomain(mail_domain(domain), ["a rule"])]

    owner: dict[tokens.Purpose, Account] = {"verify": unverified, "reset": account}

    def link(purpose: tokens.Purpose) -> str:
        return f"{SITE}/{purpose}/{tokens.make_token(secret_box, purpose, owner[purpose], NOW)}"

    return {
        "instant_matches": message.instant_matches(letter, finds),
        "digest": message.digest(letter, finds, 3),
        "weekly": message.weekly(letter, [mail_domain(domain)], 3),
        "reminder": message.reminder(letter, mail_domain(domain), 24, "watchlist"),
        "drop_notice": message.drop_notice(
            letter, mail_domain(freed), freed["registration"]["checked_at"], "alert"
        ),
        "registry_notice": message.registry_notice(
            letter, message.RegistryNews("a.com", "dropped", "2026-11-18T12:00:00Z", None, None, None)
        ),
        "takeover_notice": message.takeover_notice(
            letter, replace(TAKEOVER, url=f"{SITE}/domains/watched.com/takeover")
        ),
        "checks": message.checks(letter, [mail_domain(domain)], f"{SITE}/checks"),
        "endpoint_off": message.endpoint_off(letter, "https://hooks.example.com/in", 15, "timeout"),
        "verification": message.verification(letter, link("verify")),
        "password_reset": message.password_reset(letter, link("reset")),
        "announcement": message.announcement(letter, "News", "A text."),
        "operator": message.operator(letter, "1 alarm", f"A text. {SITE}/ shows more.\n"),
    }


@pytest.mark.parametrize("part", ["text", "html"])
async def test_every_link_of_every_mail_opens(service: Service, browser: Browser, part: str) -> None:
    mails = await _mails(service)
    found: dict[str, set[str]] = {}
    for kind, mail in mails.items():
        told = getattr(mail, part)
        found[kind] = {each.rstrip(".,") for each in re.findall(rf"{re.escape(SITE)}[^\s\"<>)]*", told)}
        assert found[kind], kind
    await browser.sign_in("pro")
    async with service.database.write() as conn:
        await watching.insert_watches(conn, service.accounts["pro"].id, ["watched.com"], NOW)
    for kind, links in found.items():
        for link in links:
            page, anchor = urldefrag(link)
            answer = await browser.get(page.removeprefix(SITE) or "/")
            assert answer.status_code == 200, (kind, link)
            assert not anchor or f'id="{anchor}"' in answer.text, (kind, link)


def test_every_kind_of_mail_is_there() -> None:
    kinds = {path.stem for path in Path(message.__file__).with_name("templates").glob("*.txt")} - {
        "match_rows",
        "footer",
        "domain",
        "registry_said",
    }
    assert kinds == {
        *(
            "instant_matches",
            "digest",
            "reminder",
            "drop_notice",
            "registry_notice",
            "takeover_notice",
            "endpoint_off",
            "verification",
            "password_reset",
        ),
        *("announcement", "operator", "checks", "weekly"),
    }
