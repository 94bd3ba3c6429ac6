"""The pictures that README.md and the first page of the docs open with: `make pictures`.

It starts a demo, signs in on Pro, and photographs a filtered list with a short report beside it, and the whole report
of the same name, in light and in dark. Nothing is chosen by hand but the filter, so the pictures show the product of
the day they are made.
"""

from __future__ import annotations

import asyncio
import base64
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Final

import orjson
from playwright.async_api import Browser, Page, async_playwright

from afterdrop.web.site.templates import STATIC
from tests.browser.conftest import CHROMIUM
from tests.browser.cut import cut_at
from tests.support.living import Living, living

FOLDER: Final = STATIC / "pictures"
SIZE: Final = (1280, 800)
# Sharp on most screens; twice as many points would double what a reader downloads.
SCALE: Final = 1.5
MOST_BYTES: Final = 250_000
# Chromium loses nothing at 100, and what that costs differs with the page: the first that is small enough is taken.
QUALITIES: Final = (100, 95, 90, 80)
# As many as `make demo` has.
DOMAINS: Final = 450
# English alone: not every machine has the letters of every language.
LIST: Final = "/domains?lang=en&min_dr=35&no_serious_risk=true&max_price=500&tld=com,org,net"
ROWS_IN_SIGHT: Final = """[...document.querySelectorAll('.hunt tbody tr')]
  .filter(row => row.getBoundingClientRect().bottom <= innerHeight)
  .map(row => row.querySelector('.name').textContent.trim())"""
NAMES_CUT: Final = """[...document.querySelectorAll('.hunt tbody .name')]
  .filter(name => name.getBoundingClientRect().right > name.closest('th').getBoundingClientRect().right + 1)
  .map(name => name.textContent.trim() + ' is cut')"""
SETTLED: Final = """() => document.fonts.ready
  .then(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))))"""


async def main() -> list[Path]:
    """Write the pictures; gives their files. Nothing is written before all of them are right."""
    if not Path(CHROMIUM).exists():
        sys.exit("The pictures need Chromium, which is not on this machine: apt-get install chromium")
    # The demo's own notice is on every page of a demo and on none of a real service.
    os.environ["AFTERDROP_SITE__NOTICE"] = ""
    with tempfile.TemporaryDirectory() as place:
        async with living(Path(place), DOMAINS) as demo, async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            taken = await _all(browser, demo)
            await browser.close()
    FOLDER.mkdir(exist_ok=True)
    for name, content in taken.items():
        (FOLDER / name).write_bytes(content)
    return [FOLDER / name for name in taken]


async def _all(browser: Browser, demo: Living) -> dict[str, bytes]:
    context = await browser.new_context(
        viewport={"width": SIZE[0], "height": SIZE[1]}, device_scale_factor=SCALE, reduced_motion="reduce"
    )
    page = await context.new_page()
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    await page.goto(await _link(demo))
    await page.goto(demo.url + LIST)
    name = await _shown(page, demo)
    taken = {}
    for look in ("light", "dark"):
        await page.emulate_media(color_scheme="dark" if look == "dark" else "light")
        for what, path in (("list", f"{LIST}&open={name}"), ("report", f"/domains/{name}")):
            answer = await page.goto(demo.url + path, wait_until="networkidle")
            if answer is None or answer.status != 200:
                complaints.append(f"{path} answered {answer and answer.status}")
            await page.evaluate(SETTLED)
            complaints += [f"{what}, {look}: {each}" for each in await _faults(page, demo)]
            taken[f"{what}-{look}.webp"] = await _picture(page)
    complaints += [
        f"{file} has {len(taken[file]):,} bytes" for file in taken if len(taken[file]) > MOST_BYTES
    ]
    if complaints:
        sys.exit("No picture was written:\n" + "\n".join(complaints))
    return taken


async def _link(demo: Living) -> str:
    """The address that the demo prints, which signs in once."""
    for _ in range(100):
        if found := re.search(r"Open (\S+/once/\S+)", (demo.folder / "demo.log").read_text(encoding="utf-8")):
            return found[1]
        await asyncio.sleep(0.1)
    sys.exit("The demo printed no address that signs in")


async def _shown(page: Page, demo: Living) -> str:
    """Of the list's first screen, the strongest name whose past has two owners: it has most to tell."""
    told = orjson.loads((demo.folder / "credentials.json").read_bytes())
    headers = {"Authorization": f"Bearer {told['accounts']['pro']['key']}"}
    found: dict[str, int] = {}
    for name in await page.evaluate(ROWS_IN_SIGHT):
        answer = await page.request.get(f"{told['base_url']}/domains/{name}", headers=headers)
        report = (await answer.json())["data"]
        if len({era["owner"] for era in report["history"]["eras"]} - {None}) > 1:
            found[name] = report["metrics"]["domain_rating"]
    if not found:
        sys.exit(f"No name in the first screen of {LIST} has two owners: widen the filter in {__file__}")
    return max(found, key=lambda name: found[name])


async def _faults(page: Page, demo: Living) -> list[str]:
    """What a picture must not show: names and buttons that are cut, and the machine it was made on."""
    text = await page.inner_text("body")
    machine = [word for word in ("127.0.0.1", "localhost", str(demo.folder)) if word in text]
    names: list[str] = await page.evaluate(NAMES_CUT)
    return [*names, *await cut_at(page, SIZE[0]), *(f"it shows {word}" for word in machine)]


async def _picture(page: Page) -> bytes:
    """What the window shows, as WebP."""
    session = await page.context.new_cdp_session(page)
    window = {
        "x": 0,
        "y": await page.evaluate("scrollY"),
        "width": SIZE[0],
        "height": SIZE[1],
        "scale": SCALE,
    }
    content = b""
    for quality in QUALITIES:
        asked = {"format": "webp", "quality": quality, "clip": window}
        content = base64.b64decode((await session.send("Page.captureScreenshot", asked))["data"])
        if len(content) <= MOST_BYTES:
            break
    return content


if __name__ == "__main__":
    for file in asyncio.run(main()):
        print(f"{file.relative_to(Path.cwd())}: {file.stat().st_size:,} bytes")
