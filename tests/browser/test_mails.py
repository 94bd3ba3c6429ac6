"""Every kind of mail in Chromium as its readers draw it: light and dark, wide and on a phone."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page

from afterdrop.delivery.mail import message
from afterdrop.delivery.mail.message import MARK
from tests.browser.conftest import IN_CHROMIUM
from tests.support.mail_kinds import every_kind
from tests.support.mail_readers import Reader, as_read_by

pytestmark = IN_CHROMIUM
MAILS = every_kind()
PICTURE = base64.b64encode(Path(message.__file__).with_name("mark.png").read_bytes()).decode()
AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")
ROOM = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
RUN_AXE = """axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']})
  .then(found => found.violations.map(each => each.id + ' ' + each.nodes[0].html))"""
# Mails about domains with the longest of names, or with a title of one long word: that renderer cannot break them.
LONG_NAMED = (
    *("instant_matches", "digest", "reminder", "endpoint_off", "weekly", "checks"),
    "takeover_notice",
)
BUTTONS = """[...document.querySelectorAll('.button')].map(cell => {
  const [box, style] = [cell.getBoundingClientRect(), getComputedStyle(cell)];
  return [box.height >= 32, style.backgroundColor];
})"""


@pytest.mark.parametrize(
    ("reader", "width", "dark"),
    [
        ("Apple Mail", 700, False),
        ("Apple Mail", 700, True),
        ("Apple Mail", 360, False),
        ("Gmail", 360, True),
        ("Outlook on Windows", 700, False),
    ],
)
async def test_mails_can_be_read(chromium: Browser, reader: Reader, width: int, dark: bool) -> None:
    context = await chromium.new_context(
        viewport={"width": width, "height": 600}, color_scheme="dark" if dark else "light"
    )
    page = await context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for kind, mail in MAILS.items():
        shown = as_read_by(reader, mail.html).replace(f"cid:{MARK}", f"data:image/png;base64,{PICTURE}")
        await page.set_content(shown)
        await _can_be_read(page, kind, reader, dark)
    assert [url for url in asked if not url.startswith("data:")] == [], "nothing is loaded from outside"
    await context.close()


async def _can_be_read(page: Page, kind: str, reader: Reader, dark: bool) -> None:
    assert await page.evaluate("document.images[0].naturalWidth") == 48, kind
    if reader == "Outlook on Windows":
        widths = await page.evaluate("[...document.querySelectorAll('.box')].map(box => box.offsetWidth)")
        assert widths[0] <= 600 or kind in LONG_NAMED, "only the longest of names and addresses widens it"
    else:
        assert await page.evaluate(ROOM) <= 0, f"{kind}: nothing is cut off at the right"
    colour = "rgb(108, 202, 190)" if dark and reader == "Apple Mail" else "rgb(11, 92, 87)"
    assert all(button == [True, colour] for button in await page.evaluate(BUTTONS)), kind
    await page.add_script_tag(content=AXE)
    assert await page.evaluate(RUN_AXE) == [], kind
