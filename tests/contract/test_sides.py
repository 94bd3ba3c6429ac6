"""Sentences about more than the API: the site, mails, documentation pages, and how the service is started."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import orjson
import pytest
import sqlalchemy as sa

from afterdrop.accounts import members
from afterdrop.cli.serve import check_binding
from afterdrop.core.errors import SettingsError
from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.db.tables.delivery import events
from afterdrop.db.tables.watching import alert_rules
from tests.support.browser import HASH, Browser
from tests.support.service import ENDED, FREED, OPEN, Service, row
from tests.support.world import World

DOCS = Path(__file__).resolve().parents[2] / "docs"
SHOWN = re.compile(r'name="d" value="([a-z0-9-]+\.com)"')


def test_a_10_beyond_this_machine_it_is_https_or_said_loudly(caplog: pytest.LogCaptureFixture) -> None:
    plain = Settings(database_url="", site_url="http://drops.example")
    check_binding(plain, "127.0.0.1")
    check_binding(plain.model_copy(update={"site_url": "https://drops.example"}), "0.0.0.0")
    for host in ("0.0.0.0", "192.0.2.7", "::"):
        with pytest.raises(SettingsError, match="must be https://"):
            check_binding(plain, host)
    assert caplog.messages == []
    check_binding(plain.model_copy(update={"allow_http": True}), "0.0.0.0")
    assert "keys and passwords travel unencrypted" in caplog.text


async def test_g_09_a_key_returns_what_its_account_sees_on_the_site(service: Service) -> None:
    rows = (row("live.com"), row("open.com", **OPEN), row("gone.com", **ENDED), row("free.com", **FREED))
    await service.show(*rows, row("low.com", score=50))
    for who in ("free", "pro"):
        async with service.database.write() as conn:
            await members.set_password(conn, service.accounts[who].id, HASH)
        service.http.cookies.clear()
        browser = Browser(service, service.http)
        await browser.sign_in(who)
        for path in ("/domains", "/domains/available", "/domains/archive", "/domains?min_score=60&sort=dr"):
            page = (await browser.get(path)).text
            listed = await service.names(path, who)
            assert list(dict.fromkeys(SHOWN.findall(page))) == listed, (who, path)
        for name in ("live.com", "open.com", "gone.com", "free.com"):
            answer = await service.get(f"/domains/{name}", who)
            page_status = (await browser.get(f"/domains/{name}")).status_code
            assert page_status == answer.status_code, (who, name)


async def test_ce_12_polling_faster_is_limited_by_the_rate_alone(service: Service) -> None:
    document = (await service.get("/openapi.json")).json()
    assert "every 10 seconds" in document["paths"]["/checks"]["post"]["description"]
    check = (await service.ask("POST", "/checks", json={"domain": "a.com"})).json()["data"]["id"]
    statuses = [(await service.get(f"/checks/{check}")).status_code for _ in range(119)]
    assert statuses == [200] * 119
    assert (await service.get(f"/checks/{check}")).status_code == 429


async def test_ev_15_what_a_ping_says(service: Service) -> None:
    url = "https://hooks.example.org/in"
    hook = (await service.ask("POST", "/webhooks", json={"url": url})).json()["data"]["id"]
    delivery = (await service.ask("POST", f"/webhooks/{hook}/test")).json()["data"]
    async with service.database.read() as conn:
        (body,) = await conn.scalars(sa.select(events.c.body))
    said: dict[str, Any] = orjson.loads(body)
    assert (said["id"], said["type"], said["created_at"]) == (delivery["id"], "ping", delivery["created_at"])
    assert set(said["data"]) == {"message", "webhook"}
    assert said["data"]["webhook"] == {"id": hook, "url": url}
    assert said["data"]["message"]


async def test_t_16_a_rule_switched_on_again_matches_again(database: Database, settings: Settings) -> None:
    world = World(database, settings)
    rule = await world.rule(await world.account(), active=False)
    for name, active, found in (("one.com", False, 0), ("two.com", True, 1)):
        async with database.write() as conn:
            await conn.execute(sa.update(alert_rules).where(alert_rules.c.id == rule).values(active=active))
        await world.publish(name)
        await world.match()
        assert len(await world.matches()) == found


def test_db_11_db_14_what_receivers_are_told_in_words() -> None:
    page = (DOCS / "integrate" / "webhooks.md").read_text(encoding="utf-8")
    assert "can come out of order" in page and "`created_at` orders them" in page
    assert "Chat services" in page and "intermediary" in page
