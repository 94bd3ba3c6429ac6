"""What a page cuts: names, chips, cells, buttons and headings beyond their box, and tables that scroll sideways.

What is folded is opened first.
"""

from __future__ import annotations

from typing import Final

from playwright.async_api import Page

# The widths of phones, tablets, windows and screens that people have.
WIDTHS: Final = (360, 768, 1024, 1280, 1440, 1920)
# From here on, a table has room for all its columns.
TABLES_FIT: Final = 1280

# One pixel is allowed, because boxes end between pixels. A box that scrolls sideways cuts too, for nobody sees that the
# rest of a button is beyond its edge. On a phone people swipe, and such boxes are made for that.
_CUT: Final = r"""([width, tablesFit]) => {
  for (const each of document.querySelectorAll('main details:not(.drop)')) each.open = true;
  const found = new Set(), named = each => each.localName + ' “' + each.textContent.trim().replace(/\s+/g, ' ')
    .slice(0, 60) + '”';
  const shown = each => each.checkVisibility({visibilityProperty: true, opacityProperty: true})
    && each.getBoundingClientRect().width > 1 && !each.closest('.unseen, .skip');
  for (const each of document.querySelectorAll('h1, h2, h3, h4, button, .button, input[type=submit], summary')) {
    if (!shown(each)) continue;
    const box = each.getBoundingClientRect();
    if (each.clientWidth && each.scrollWidth > each.clientWidth + 1)
      found.add(named(each) + ': ' + (each.scrollWidth - each.clientWidth) + ' px of its text');
    let over = Math.max(box.right - document.documentElement.clientWidth, -box.left), by = 'the window', slides = false;
    for (let outer = each.parentElement; outer && outer !== document.body; outer = outer.parentElement) {
      const style = getComputedStyle(outer), edge = outer.getBoundingClientRect();
      slides ||= width < 768 && ['auto', 'scroll'].includes(style.overflowX);
      if (style.position === 'fixed') break;
      if (style.overflowX === 'visible' && !outer.matches('.card, section, td, th')) continue;
      const beyond = Math.max(box.right - edge.right, edge.left - box.left);
      if (beyond > over) [over, by] = [beyond, outer.localName + '.' + outer.className];
    }
    if (over > 1 && !slides) found.add(named(each) + ': ' + Math.round(over) + ' px beyond ' + by);
  }
  // Words in chips, tags and cells, and domain names anywhere. The title of an old site (`t`) may be cut short.
  const words = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  const name = /^[a-z0-9\u00a1-\uffff-]+(\.[a-z0-9\u00a1-\uffff-]+)+$/i, range = document.createRange();
  for (let text; text = words.nextNode(); ) {
    const said = text.data.trim(), holder = text.parentElement;
    if (!said || holder.closest('.t, .unseen, script, style, svg, option')) continue;
    if (!name.test(said) && !holder.closest('td, th, li, .chip, .tag')) continue;
    if (!holder.checkVisibility({visibilityProperty: true, opacityProperty: true})) continue;
    range.selectNodeContents(text);
    if (range.getBoundingClientRect().right < 0) continue; // for who hears the page, not for who sees it
    for (let outer = holder; outer && outer !== document.body; outer = outer.parentElement) {
      const open = getComputedStyle(outer).overflowX === 'visible' && !outer.matches('.card, section, table.cards tr');
      if (open || outer.getBoundingClientRect().width <= 1) continue;
      if (['auto', 'scroll'].includes(getComputedStyle(outer).overflowX)) break; // people scroll it
      const edge = outer.getBoundingClientRect();
      const beyond = box => Math.max(box.right - edge.right, edge.left - box.left);
      const over = Math.round(Math.max(...[...range.getClientRects()].map(beyond)));
      if (over > 1) found.add(`${outer.localName}.${outer.className} cuts “${said.slice(0, 60)}” by ${over} px`);
    }
  }
  if (width >= tablesFit) for (const table of document.querySelectorAll('table')) {
    if (!shown(table)) continue;
    for (let outer = table; outer && outer !== document.documentElement; outer = outer.parentElement) {
      const over = outer.scrollWidth - outer.clientWidth, scrolls = getComputedStyle(outer).overflowX !== 'visible';
      if (over > 1 && (scrolls || outer === table)) found.add(named(table) + ' scrolls ' + over + ' px');
    }
  }
  return [...found];
}"""


async def cut_at(page: Page, *widths: int) -> list[str]:
    """What the page cuts at each of these widths; its window has its own again afterwards."""
    size = page.viewport_size
    assert size is not None
    found: list[str] = []
    for width in widths:
        await page.set_viewport_size({"width": width, "height": size["height"]})
        found += [f"at {width}: {each}" for each in await page.evaluate(_CUT, [width, TABLES_FIT])]
    await page.set_viewport_size(size)
    return found
