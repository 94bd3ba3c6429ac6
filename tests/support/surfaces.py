"""What the surfaces of the product say of one domain, read from their pages."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from datetime import date, datetime
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

Words = dict[str, str]


def drawn(node: LexborNode | LexborHTMLParser) -> Words:
    """The flags that a part of a page draws, as icons or words, with the word at the end of each one's tip."""
    marks = node.css("span.flag[title], abbr.tag[title]")
    tips = [(each.css_first(".unseen") or each, each.attributes["title"] or "") for each in marks]
    return {each.text().split(" (")[0]: tip.rpartition("(")[2].rstrip(")") for each, tip in tips}


def on_report(page: str) -> Words:
    """The rows of the risks found on a report, each in its colour."""
    said = {}
    for each in LexborHTMLParser(page).css("#risks .risk-row:has(.pts)"):
        what, mark, points = (each.css_first(part) for part in (".what", ".flag", ".pts"))
        assert what and mark and points
        word = re.match(r"[a-z]*", points.text())
        assert word
        assert mark.attributes["class"] == f"flag {word[0]}"
        said[what.text()] = word[0]
    return said


LABELS = {
    "TF": "trust_flow", "Trust Flow": "trust_flow", "DR": "domain_rating", "Domain Rating": "domain_rating",
    "RD": "referring_domains", "Ref. domains": "referring_domains", "Referring domains": "referring_domains",
    "Years": "archive_years", "Years archived": "archive_years", "Bids": "bids",
}  # fmt: skip
_TIME = r"\d{1,2} [A-Z][a-z]{2} \d{4}, \d\d:\d\d UTC"


def facts(*parts: LexborNode) -> set[tuple[str, str]]:
    """What parts of a page say of one domain: times, prices, bids, and figures by their names."""
    found: set[tuple[str, str]] = set()
    for part in parts:
        page = part.html or ""
        found |= {("due", at) for at in re.findall(r'<time[^>]* datetime="([^"]+)"', page)}
        found |= {("until", at) for at in re.findall(r'data-until="([^"]+)"', page)}
        found |= {("said", text) for text in re.findall(rf"{_TIME}|during \d+ [A-Z][a-z]+ \d+", page)}
        found |= {("price", text) for text in re.findall(r"\$[\d,]+", part.text(separator=" "))}
        found |= {("bids", text) for text in re.findall(r"([\d,]+) bid", page)}
        pairs = [*zip(part.css("dt"), part.css("dd"), strict=False)]
        named = [(head.text(), cell) for head, cell in pairs]
        cells = [part] if part.tag == "td" else part.css("td")
        named += [(cell.attributes.get("data-label") or "", cell) for cell in cells]
        found |= {
            (LABELS[label], cell.text().strip().replace(",", "")) for label, cell in named if label in LABELS
        }
    return found


def allowed(item: dict[str, Any]) -> set[tuple[str, str]]:
    """What the pages may say of a domain of the API."""
    listing, figures = item["listing"], item["metrics"]
    due, day = listing["opens_at"] or listing["ends_at"], listing.get("day")
    known = {("due", due), ("until", listing["ends_at"]), ("bids", str(listing["bids"] or "–"))}
    known.add(("price", f"${listing['price_usd']:,}" if listing["price_usd"] is not None else ""))
    if due:
        at = datetime.fromisoformat(day or due)
        known.add(("said", f"during {at.day} {at:%b %Y}" if day else f"{at.day} {at:%b %Y, %H:%M} UTC"))
    return known | {(name, str(figures[name])) for name in LABELS.values() if name != "bids"}


async def parts_of(
    get: Callable[[str], Awaitable[Any]], name: str, path: str, tomorrow: date
) -> dict[str, list[LexborNode]]:
    """Where pages show a domain: its row on a list (at `path`), panel, report, comparison, drops and desk."""

    async def shown(address: str, selector: str) -> list[LexborNode]:
        answer = await get(address)
        assert answer.status_code == 200, (address, answer.status_code)
        return LexborHTMLParser(answer.text).css(selector)

    lines = f'tr:has(a[href*="{name}"])'
    return {
        "list": await shown(f"{path}?per_page=100", lines),
        "panel": await shown(f"{path}?open={name}", "#panel .buy, #panel [aria-label=Figures]"),
        "report": await shown(f"/domains/{name}", "#listing, #links .figures"),
        "comparison": await shown(f"/compare?d={name}", "table.cmp td"),
        "desk": await shown("/desk", f"table {lines}"),
        "today": await shown("/drops", lines),
        "tomorrow": await shown(f"/drops?day={tomorrow}", lines),
    }
