"""Photograph every page for each kind of visitor at three widths, light and dark, and as it is printed.

`python -m tests.browser.photograph FOLDER [PART]` writes PNG files; PART keeps to pages whose path contains it. Look at
them one by one: no test sees what is ugly.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from pathlib import Path

from playwright.async_api import Page, async_playwright

from afterdrop.db import migrate
from tests.browser.conftest import CHROMIUM, Site, open_page, served
from tests.browser.test_every_page import paths_of
from tests.support.rows import NOW

LOOKS = [(360, False), (360, True), (1280, False), (1280, True), (1920, False), (1920, True)]
PRINTED = 800


async def main(folder: Path, part: str) -> int:
    """Write the pictures; gives how many."""
    folder.mkdir(parents=True, exist_ok=True)
    taken = 0
    with tempfile.TemporaryDirectory() as place:
        await asyncio.to_thread(migrate.upgrade, f"sqlite+aiosqlite:///{place}/site.sqlite3")
        async with served(Path(place)) as site, async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            for who in ("visitor", "free", "pro", "operator"):
                paths = [path for path in paths_of(site, who) if part in path]
                for width, dark in LOOKS if paths else ():
                    page = await open_page(browser, site, width=width, dark=dark)
                    taken += await _taken(
                        page, site, who, paths, folder, f"{width}-{'dark' if dark else 'light'}"
                    )
                if paths:
                    page = await open_page(browser, site, width=PRINTED)
                    taken += await _taken(page, site, who, paths, folder, "print")
            await browser.close()
    return taken


async def _taken(page: Page, site: Site, who: str, paths: list[str], folder: Path, look: str) -> int:
    await page.clock.set_fixed_time(NOW)
    if who != "visitor":
        await site.sign_in(page, who)
    if look == "print":
        await page.emulate_media(media="print")
    for path in paths:
        await page.goto(site.url + path)
        kind = re.sub(r"(verify|reset|unsubscribe|check-one)/(.).*", r"\1-\2", path)
        name = re.sub(r"\W+", "-", kind).strip("-") or "home"
        await page.screenshot(path=folder / f"{name}-{who}-{look}.png", full_page=True, timeout=180_000)
    await page.context.close()
    return len(paths)


if __name__ == "__main__":
    print(asyncio.run(main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "")), "pictures")
