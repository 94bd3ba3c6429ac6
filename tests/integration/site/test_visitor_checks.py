"""One check without an account, on the site: the form, the limits, the address of the result."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from afterdrop.db.tables.checks import visitor_checks
from tests.support import told_reports
from tests.support.browser import Browser, words
from tests.support.service import NOW, Service, row


@pytest.fixture
def open_to_visitors(service: Service) -> Service:
    """The service with three checks a day for visitors, two for one network."""
    site = service.context.settings.site.model_copy(update={"visitor_checks": 3})
    settings = service.context.settings.model_copy(update={"site": site})
    object.__setattr__(service.context, "settings", settings)
    return service


async def test_it_is_off_by_default(service: Service, browser: Browser) -> None:
    page = await browser.get("/")
    assert "Check one domain" not in words(page)
    await browser.get("/sign-in")
    assert (await browser.post("/check-one", {"domain": "a.com"})).status_code == 404


async def test_a_visitor_checks_a_name_and_reads_the_result_at_an_address_of_their_own(
    open_to_visitors: Service, browser: Browser, second: Browser
) -> None:
    await open_to_visitors.show(row("locked.com"))
    assert "3 of 3 free checks left" in words(await browser.get("/"))
    page = await browser.send("/check-one", {"domain": "https://www.locked.com/x"}, page="/")
    path = str(page.url.path)
    assert len(path.removeprefix("/check-one/")) == 32
    assert "Waiting." in words(page)
    assert page.headers["x-robots-tag"] == "noindex"
    assert path.removeprefix("/check-one/") not in repr(await _rows(open_to_visitors))
    report = told_reports.check_values(told_reports.casino(), "locked.com")["report"] | {"registration": None}
    async with open_to_visitors.database.write() as conn:
        await conn.execute(
            sa.update(visitor_checks).values(status="done", report=report, finished_at=NOW, due_at=None)
        )
    said = words(await second.get(path))
    assert "locked.com REJECTED" in said
    assert "Sign up for free" in said
    assert (await second.get(path[:-1])).status_code == 404
    open_to_visitors.clock.move(days=7)
    assert (await second.get(path)).status_code == 404


async def test_wrong_names_and_used_up_limits_are_said_on_the_form(
    open_to_visitors: Service, browser: Browser
) -> None:
    wrong = await browser.send("/check-one", {"domain": "not a name"}, page="/")
    assert wrong.status_code == 422
    assert 'aria-invalid="true"' in wrong.text
    for name in ("a.com", "b.com"):
        assert (await browser.send("/check-one", {"domain": name}, page="/")).status_code == 200
    refused = await browser.send("/check-one", {"domain": "c.com"}, page="/")
    assert refused.status_code == 429
    assert "Come back tomorrow" in words(refused)
    assert len(await _rows(open_to_visitors)) == 2


async def test_a_used_up_limit_is_refused_without_a_writing_transaction(
    open_to_visitors: Service, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.com", "b.com"):
        await browser.send("/check-one", {"domain": name}, page="/")

    def write(*_: object) -> None:
        raise AssertionError("it began to write")

    monkeypatch.setattr(type(open_to_visitors.database), "write", write)
    refused = await browser.send("/check-one", {"domain": "c.com"}, page="/")
    assert refused.status_code == 429
    assert "Come back tomorrow" in words(refused)


async def test_strangers_forms_are_counted_by_network(
    open_to_visitors: Service, browser: Browser, second: Browser
) -> None:
    limit = open_to_visitors.context.settings.site.forms_per_minute
    await browser.get("/")
    for _ in range(limit):
        assert (await browser.post("/check-one", {"domain": "not a name"})).status_code == 422
    await second.get("/")
    refused = await second.post("/check-one", {"domain": "a.com"})
    assert refused.status_code == 429
    assert "Too many requests" in words(refused)
    assert await _rows(open_to_visitors) == []
    open_to_visitors.clock.move(minutes=1)
    await second.get("/")
    assert (await second.post("/check-one", {"domain": "a.com"})).status_code == 303


async def test_a_form_of_another_site_orders_nothing(open_to_visitors: Service, browser: Browser) -> None:
    await browser.get("/")
    answer = await browser.post("/check-one", {"domain": "a.com"}, token=False)
    assert answer.status_code == 403
    assert await _rows(open_to_visitors) == []


async def _rows(service: Service) -> list[object]:
    async with service.database.read() as conn:
        return list((await conn.execute(sa.select(visitor_checks))).all())
