"""Checking many names in a real browser: with a file and without scripts, and a batch that fills in by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from playwright.async_api import Browser, Page, expect

from afterdrop.db.tables.checks import checks
from tests.browser.conftest import IN_CHROMIUM, Site, open_page, picture
from tests.support.rows import NOW

pytestmark = IN_CHROMIUM


async def finish(site: Site, domain: str, **values: Any) -> None:
    async with site.environment.database.write() as conn:
        changes = {"status": "done", "slot": None, "finished_at": NOW, "reject_reasons": [], **values}
        await conn.execute(sa.update(checks).where(checks.c.domain == domain).values(**changes))


async def shoot(page: Page, name: str) -> None:
    for width in (360, 1280, 1920):
        await page.set_viewport_size({"width": width, "height": 900})
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        await picture(page, f"{name}-{width}", whole=True)


async def test_from_a_file_to_the_table_without_scripts(
    chromium: Browser, site: Site, tmp_path: Path
) -> None:
    context = await chromium.new_context(java_script_enabled=False)
    page = await context.new_page()
    await site.sign_in(page, "pro")
    await page.goto(f"{site.url}/checks")
    file = tmp_path / "names.csv"
    file.write_text("domain,price\nopen-today.com,1\nfirst-new.com,2\nsecond-new.com,3\nno name,4\n")
    await page.set_input_files("#f-file", file)
    await page.get_by_role("button", name="Preview").click()
    await expect(page.get_by_role("button", name="Check 2 names for 2 credits")).to_be_visible()
    await expect(
        page.get_by_text("no name: contains a blank, a control character or a backslash")
    ).to_be_visible()
    await page.get_by_label("Include second-new.com").uncheck()
    await page.get_by_role("button", name="Check 2 names for 2 credits").click()
    await page.wait_for_url("**/checks/batch/bat_*")
    await expect(page.get_by_text("0 of 1 done")).to_be_visible()
    await expect(page.get_by_role("link", name="open-today.com")).to_be_visible()
    assert await page.get_by_text("second-new.com").count() == 0
    await finish(
        site, "first-new.com", score=71, verdict="ok", would_list=True, report={"conclusion": "clean"}
    )
    async with page.expect_download() as downloading:
        await page.get_by_role("link", name="Download as CSV so far").click()
    text = Path(await (await downloading.value).path()).read_text(encoding="utf-8")
    assert "first-new.com,new,done,71" in text
    await context.close()


@pytest.mark.parametrize("dark", [False, True])
async def test_a_batch_fills_in_by_itself(chromium: Browser, site: Site, dark: bool) -> None:
    page = await open_page(chromium, site, dark=dark)
    await site.sign_in(page, "pro")
    await page.goto(f"{site.url}/checks")
    await page.fill("#f-names", "open-today.com done.com one-new.com, https://two-new.com/x")
    await page.get_by_role("button", name="Preview").click()
    order = page.get_by_role("button", name="Check 2 names for 2 credits")
    await expect(order).to_be_visible()
    await shoot(page, f"bulk-preview-{'dark' if dark else 'light'}")
    await order.click()
    await expect(page.get_by_text("1 of 3 done")).to_be_visible()
    notes = {"conclusion": "rejected"}
    spam: dict[str, Any] = {"score": 38, "verdict": "risky", "would_list": False, "report": notes}
    await finish(site, "one-new.com", **{**spam, "reject_reasons": ["Casino pages from 2019."]})
    await expect(page.get_by_text("2 of 3 done · 1 rejected")).to_be_visible()
    await expect(page.get_by_text("REJECTED", exact=True)).to_be_visible()
    assert await page.get_by_text("38", exact=True).count() == 0
    await shoot(page, f"bulk-batch-{'dark' if dark else 'light'}")
    await finish(site, "two-new.com", score=71, verdict="ok", would_list=True, report={"conclusion": "clean"})
    await expect(page.get_by_text("3 of 3 done")).to_be_visible()
    assert site.complaints == []
