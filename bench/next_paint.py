"""The list in a browser with a quarter of the processor: how long from a key or click to the next paint.

    python -m bench.next_paint [--turns 5]

Chromium opens the default list of the tests' site, with 50 rows. `j` moves to a row, `x` selects it, a click opens its
short report. What is counted is the processor time of the page's thread, four times, so that neighbours on the machine
disturb it little. The aim is 200 ms.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
from pathlib import Path

from playwright.async_api import Page, async_playwright
from tests.browser.conftest import CHROMIUM, served
from tests.browser.test_hunting import catalogue, opened
from tests.support.rows import put

from afterdrop.db import migrate

SLOWDOWN = 4


async def measure(turns: int) -> dict[str, list[float]]:
    """Milliseconds to the next paint by deed, one for each turn."""
    with tempfile.TemporaryDirectory() as place:
        await asyncio.to_thread(migrate.upgrade, f"sqlite+aiosqlite:///{place}/site.sqlite3")
        async with served(Path(place)) as site, async_playwright() as playwright:
            async with site.environment.database.write() as conn:
                await put(conn, *catalogue())
            browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            try:
                return await _spent(await opened(browser, site), turns)
            finally:
                await browser.close()


async def _spent(page: Page, turns: int) -> dict[str, list[float]]:
    session = await page.context.new_cdp_session(page)
    await session.send("Performance.setTimeDomain", {"timeDomain": "threadTicks"})
    await session.send("Performance.enable")

    async def worked() -> float:
        await page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        found = await session.send("Performance.getMetrics")
        return float(next(each["value"] for each in found["metrics"] if each["name"] == "TaskDuration"))

    spent: dict[str, list[float]] = {"j": [], "x": [], "click": []}
    for turn in range(turns):
        for deed, times in spent.items():
            await page.wait_for_load_state("networkidle")
            before = await worked()
            if deed == "click":
                await page.mouse.click(300, 165 + 32 * turn)
            else:
                await page.keyboard.press(deed)
            times.append(1000 * SLOWDOWN * (await worked() - before))
        await page.locator(".short").wait_for()
    return spent


def main() -> None:
    """Print the medians, and the longest of each."""
    parser = argparse.ArgumentParser(description="The time to the next paint on a slow machine.")
    parser.add_argument("--turns", type=int, default=5)
    for deed, times in asyncio.run(measure(parser.parse_args().turns)).items():
        print(f"{deed:>5}: median {statistics.median(times):.0f} ms, longest {max(times):.0f} ms")


if __name__ == "__main__":
    main()
