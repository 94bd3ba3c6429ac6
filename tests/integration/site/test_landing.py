"""What strangers see: today's open domains, a sample report, rejected names without their names, public files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from afterdrop.catalogue import operator_actions
from afterdrop.core.errors import SettingsError
from afterdrop.core.settings import Settings
from afterdrop.web.context import make_web_context
from afterdrop.web.site import visitor_pages
from tests.support.browser import Browser, words
from tests.support.published import reject
from tests.support.service import NOW, OPEN, Service, row
from tests.support.site_world import fill


async def test_strangers_see_the_open_domains_and_no_other(service: Service, browser: Browser) -> None:
    await fill(service.context, service.accounts["pro"])
    page = await browser.get("/")
    said = words(page)
    assert page.status_code == 200
    assert "open-today.com" in said
    assert "alpine-hut" not in page.text
    assert "See a sample report" in said
    assert "What we rejected today" not in said
    assert LexborHTMLParser(page.text).css('#open a[href="/sample/open-today.com"]')


async def test_the_sample_is_a_whole_report_of_an_open_domain(service: Service, browser: Browser) -> None:
    await fill(service.context, service.accounts["pro"])
    said = words(await browser.get("/sample"))
    assert "open-today.com" in said
    assert "Why 76?" in said
    assert "Change of subject" in said
    assert "Stop following" not in said
    assert "Why 76?" in words(await browser.get("/sample/open-today.com"))
    for hidden in ("alpine-hut-1.com", "nothing.com", "%3Cb%3E"):
        assert (await browser.get(f"/sample/{hidden}")).status_code == 404
    assert (await browser.get("/domains/open-today.com")).text.count("<h1>Sign in") == 1
    await browser.sign_in("free")
    assert str((await browser.get("/sample")).url).endswith("/domains/open-today.com")


async def test_the_sample_is_made_once_a_minute_and_belongs_to_nobody(
    service: Service, browser: Browser, second: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(service.context, service.accounts["pro"])
    made = []

    async def counted(*given: Any, real: Any = visitor_pages._open_reports) -> Any:
        made.append(1)
        return await real(*given)

    monkeypatch.setattr(visitor_pages, "_open_reports", counted)
    await browser.sign_in("free")
    made.clear()
    assert str((await browser.get("/sample")).url).endswith("/domains/open-today.com")
    page = await second.get("/sample")
    assert "open-today.com" in words(page)
    assert "Sign out" not in page.text
    assert 'name="csrf"' not in page.text
    assert (await second.get("/sample")).text == page.text
    assert len(made) == 1
    async with service.database.write() as conn:
        await operator_actions.remove(conn, "open-today.com", "test", "asked for", NOW)
    assert (await second.get("/sample")).status_code == 404


async def test_strangers_samples_are_counted_by_network(service: Service, browser: Browser) -> None:
    for _ in range(service.context.settings.site.pages_per_minute):
        assert (await browser.get("/sample")).status_code == 404
    assert (await browser.get("/sample")).status_code == 429
    assert (await browser.get("/")).status_code == 200


async def test_without_an_open_domain_there_is_no_sample(service: Service, browser: Browser) -> None:
    await service.show(row("locked.com"))
    page = await browser.get("/")
    assert "locked.com" not in page.text
    assert "No domains are open yet" in words(page)
    assert (await browser.get("/sample")).status_code == 404


async def test_a_domain_taken_off_leaves_the_start_page_at_once(service: Service, browser: Browser) -> None:
    await service.show(row("first.com", **OPEN))
    assert "first.com" in (await browser.get("/")).text
    async with service.database.write() as conn:
        await operator_actions.remove(conn, "first.com", "test", "asked for", NOW)
    assert "first.com" not in (await browser.get("/")).text


async def test_public_pages_say_what_they_are(service: Service, browser: Browser) -> None:
    seen = set()
    for path in ("/", "/pricing", "/docs", "/docs/score", "/docs/flags", "/sign-up"):
        tree = LexborHTMLParser((await browser.get(path)).text)
        described = tree.css_first("meta[name=description]")
        assert described is not None
        seen.add(described.attributes["content"])
        picture = tree.css_first('meta[property="og:image"]')
        assert picture is not None
        address = str(picture.attributes["content"])
        assert address.startswith(service.context.settings.site_url)
    assert len(seen) == 6
    image = await browser.get(address.removeprefix(service.context.settings.site_url))
    assert image.headers["content-type"] == "image/png"


async def test_crawlers_are_told_what_is_public(service: Service, browser: Browser) -> None:
    robots = await browser.get("/robots.txt")
    assert robots.headers["content-type"].startswith("text/plain")
    site = service.context.settings.site_url
    assert f"Sitemap: {site}/sitemap.xml" in robots.text
    closed = [line.removeprefix("Disallow: ") for line in robots.text.splitlines() if line.startswith("Dis")]
    places = LexborHTMLParser((await browser.get("/sitemap.xml")).text).css("loc")
    paths = [place.text().removeprefix(site) for place in places]
    assert "/pricing" in paths
    assert not [path for path in paths if path.startswith(tuple(closed))]
    for path in paths:
        assert (await browser.get(path)).status_code == (404 if path == "/sample" else 200), path


async def test_terms_are_the_operators_text_and_nothing_in_it_runs(
    service: Service, browser: Browser
) -> None:
    assert (await browser.get("/terms")).status_code == 404
    assert 'href="/terms"' not in (await browser.get("/")).text
    text = "# Terms\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<script>alert(1)</script> [x](javascript:alert(1))"
    service.context.legal["terms"] = text  # type: ignore[index]  # a dict
    page = await browser.get("/terms")
    assert "<h1>Terms</h1>" in page.text
    assert "<td>1</td>" in page.text
    assert "<script>alert" not in page.text
    assert 'href="javascript' not in page.text
    assert 'href="/terms"' in (await browser.get("/")).text


def test_terms_that_cannot_be_read_stop_the_start(service: Service, tmp_path: Path) -> None:
    settings = Settings(site={"terms": tmp_path / "none.md"}, data_dir=tmp_path)  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match=r"site\.terms"):
        make_web_context(settings, service.database, providers=())


@pytest.fixture
def shows_rejections(service: Service) -> Service:
    """The service with the setting on."""
    site = service.context.settings.site.model_copy(
        update={"show_rejections": True, "objections": "law@a.example"}
    )
    settings = service.context.settings.model_copy(update={"site": site})
    object.__setattr__(service.context, "settings", settings)
    return service


async def test_rejected_names_are_masked(shows_rejections: Service, browser: Browser) -> None:
    await reject(shows_rejections.database, "harbour-lights.com")
    page = await browser.get("/")
    shown = LexborHTMLParser(page.text).css_first("#rejected")
    assert shown is not None
    assert len(shown.css("tbody tr")) == 1
    said = shown.text(separator=" ")
    assert "•••••••-••••••.com" in said
    assert "30" in said.split()
    assert "29" not in said.split()
    assert "REJECTED" in said
    assert "ambling spam" in said
    assert "mailto:law@a.example" in (shown.html or "")
    assert "harbour" not in page.text
    assert "web.archive.org" not in (shown.html or "")


async def test_an_operator_withdraws_an_entry_and_lets_it_be_shown_again(
    shows_rejections: Service, browser: Browser, second: Browser
) -> None:
    await reject(shows_rejections.database, "harbour-lights.com")
    await browser.sign_in("operator")
    page = await browser.send("/admin/rejections", {"do": "withdraw", "domain": "harbour-lights.com"})
    assert "Show again" in words(page)
    assert "What we rejected today" not in words(await second.get("/"))
    await browser.send("/admin/rejections", {"do": "readmit", "domain": "harbour-lights.com"})
    assert "What we rejected today" in words(await second.get("/"))
    async with shows_rejections.database.write() as conn:
        await operator_actions.ban(conn, "harbour-lights.com", "test", "asked for", NOW)
    shows_rejections.clock.move(minutes=2)
    assert "What we rejected today" not in words(await second.get("/"))


async def test_only_operators_see_the_names_of_rejected_domains(
    shows_rejections: Service, browser: Browser
) -> None:
    await reject(shows_rejections.database, "harbour-lights.com")
    await browser.sign_in("pro")
    assert (await browser.get("/admin/rejections")).status_code == 404


async def test_without_the_setting_nothing_rejected_is_shown(service: Service, browser: Browser) -> None:
    await reject(service.database, "harbour-lights.com")
    assert "What we rejected today" not in words(await browser.get("/"))
