"""The list in a browser with a quarter of the processor: how long from a key or click to the next paint.

    python -m bench.next_paint [--turns 5]

Chromium opens the default list of the tests' site, with 50 rows, and is slowed down four times. `j` moves to a row, `x`
selects it, a click opens its short report. The figure is what Chromium itself reports of each event (Event Timing, from
which Interaction to Next Paint is made), on the clock: the machine should have nothing else to do. The aim is 200 ms.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
from pathlib import Path

from playwright.async_api import Page, async_playwright
from tests.browser.conftest import CHROMIUM, served
from tests.browser.hunting_world import catalogue
from tests.browser.test_hunting import opened
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


WATCH = """window.events = []; new PerformanceObserver(list => {
  for (const each of list.getEntries()) window.events.push([each.interactionId, each.duration]);
}).observe({type: "event", durationThreshold: 16, buffered: true})"""
# The longest event of an interaction is its figure; below 16 ms nothing is reported.
LONGEST = "Math.max(0, ...window.events.splice(0).filter(([id]) => id).map(([, lasted]) => lasted))"


async def _spent(page: Page, turns: int) -> dict[str, list[float]]:
    session = await page.context.new_cdp_session(page)
    await session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
    await page.evaluate(WATCH)
    spent: dict[str, list[float]] = {"j": [], "x": [], "click": []}
    for turn in range(turns):
        for deed, times in spent.items():
            if deed == "click":
                await page.mouse.click(300, 165 + 32 * turn)
                await page.locator(".short").wait_for()
            else:
                await page.keyboard.press(deed)
            await page.wait_for_load_state("networkidle")
            # Entries come with the frame after; this waits for some.
            await page.wait_for_timeout(1000)
            times.append(float(await page.evaluate(LONGEST)))
    return spent


def main() -> None:
    """Print the medians, and the longest of each."""
    parser = argparse.ArgumentParser(description="The time to the next paint on a slow machine.")
    parser.add_argument("--turns", type=int, default=5)
    for deed, times in asyncio.run(measure(parser.parse_args().turns)).items():
        print(f"{deed:>5}: median {statistics.median(times):.0f} ms, longest {max(times):.0f} ms")


if __name__ == "__main__":
    main()
