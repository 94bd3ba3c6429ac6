"""Link figures carry their attributions wherever they are shown; operators see how fresh the link ranks are."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from afterdrop.core.settings import Provider
from afterdrop.sources.webgraph.table_dir import open_table_dir
from afterdrop.web.site import lookup_pages
from tests.support.browser import Browser, words
from tests.support.graphs import import_into, make, written
from tests.support.service import ENDED, NOW, OPEN, Service, row

RATING = '<a href="https://ahrefs.com/" rel="noopener noreferrer nofollow">Domain Rating by Ahrefs</a>'
RELEASE = "cc-main-2026-apr-may-jun"


@pytest.fixture
def more_settings(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A provider that asks for attribution, and one whose key is missing."""
    monkeypatch.setenv("AHREFS_API_KEY", "k" * 20)
    monkeypatch.delenv("OPEN_PAGERANK_API_KEY", raising=False)
    presets = ("ahrefs_free", "open_pagerank")
    return {"providers": tuple(Provider(preset=preset) for preset in presets)}


async def test_figures_outside_reports_carry_their_attributions(
    service: Service, browser: Browser, second: Browser, tmp_path: Path
) -> None:
    await service.show(row("open.com", **OPEN), row("gone.com", **ENDED))
    await browser.sign_in("pro")
    assert "Link rank:" not in words(await browser.get("/domains"))
    table_dir = open_table_dir(service.context.settings)
    import_into(table_dir, written(tmp_path, make()), release=RELEASE)
    await browser.get("/domains/open.com")
    await browser.post("/domains/open.com/watch", {})
    for page in (
        await browser.get("/domains"),
        await browser.get("/domains/archive"),
        await browser.get("/account/watchlist"),
    ):
        assert page.text.count(RATING) == 1
        assert f"web graph, release {RELEASE}" in words(page)
        assert "Open PageRank" not in page.text
    assert "Data:" not in words(await browser.get("/domains?q=nothing-there"))
    await second.sign_in("free")
    page = await second.get("/domains/gone.com")
    assert "What is known" in words(page)
    assert RATING in page.text


async def test_the_rating_tool_names_only_providers_of_ratings(
    service: Service, browser: Browser, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async def rated(*_: object) -> list[dict[str, Any]]:
        return [{"domain": "a.com", "domain_rating": 30, "error": None}]

    import_into(open_table_dir(service.context.settings), written(tmp_path, make()))
    monkeypatch.setitem(lookup_pages._TOOLS, "domain-rating", rated)
    await browser.sign_in("pro")
    assert "Data:" not in words(await browser.get("/tools"))
    page = await browser.send("/tools", {"tool": "domain-rating", "rated": "a.com"})
    assert RATING in page.text
    assert "Link rank" not in words(page)


async def test_operators_see_the_link_ranks_and_whether_they_can_be_read(
    service: Service, browser: Browser, tmp_path: Path
) -> None:
    await browser.sign_in("operator")
    assert "Link ranks None." in words(await browser.get("/admin"))
    table_dir = open_table_dir(service.context.settings)
    import_into(table_dir, written(tmp_path, make()), NOW - timedelta(hours=3), RELEASE)
    said = words(await browser.get("/admin"))
    assert f"Link ranks release imported at names state fault {RELEASE} 3 h 0 min ago 200 readable –" in said
    file = table_dir.in_use()
    assert file is not None
    file.write_bytes(b"not a table" * 1000)
    page = await browser.get("/admin")
    assert page.status_code == 200
    assert f"{RELEASE} – – damaged cannot be read" in words(page)
