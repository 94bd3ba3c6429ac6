"""The pictures that README.md and the first page of the docs open with: there, small, and as large as is said."""

from __future__ import annotations

import re
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from afterdrop.web.site.templates import STATIC
from tests.support import POSTGRES_IS_LONG
from tests.support.browser import Browser

SIZE = (1280, 800)
ROOT = Path(__file__).parents[3]
NAMES = [f"{what}-{look}.webp" for what in ("list", "report") for look in ("light", "dark")]


def size_of(picture: Path) -> tuple[int, int]:
    """Width and height of a WebP file as Chromium writes it: after 24 bytes of heads, each less one in 24 bits."""
    head = picture.read_bytes()[:30]
    assert (head[:4], head[8:16]) == (b"RIFF", b"WEBPVP8X"), picture.name
    return int.from_bytes(head[24:27], "little") + 1, int.from_bytes(head[27:30], "little") + 1


def shown(text: str) -> list[tuple[str, dict[str, str | None]]]:
    """The dark picture's address and the light one's attributes, for each picture of a text."""
    found = []
    for each in LexborHTMLParser(text).css("picture"):
        dark, light = each.css_first("source"), each.css_first("img")
        assert dark and light
        assert dark.attributes["media"] == "(prefers-color-scheme: dark)"
        assert len(light.attributes["alt"] or "") > 100
        found.append((dark.attributes["srcset"] or "", light.attributes))
    return found


def test_the_pictures_are_in_the_package_and_small() -> None:
    assert sorted(each.name for each in (STATIC / "pictures").iterdir()) == sorted(NAMES)
    for name in NAMES:
        picture = STATIC / "pictures" / name
        assert picture.stat().st_size <= 250_000, name
        width, height = size_of(picture)
        assert (width * SIZE[1], width >= SIZE[0]) == (height * SIZE[0], True), name


def test_the_readme_opens_with_them() -> None:
    opening = (ROOT / "README.md").read_text(encoding="utf-8").partition("\n- ")[0]
    found = [(Path(dark), Path(light["src"] or ""), light["width"]) for dark, light in shown(opening)]
    assert [each.name for dark, light, _ in found for each in (light, dark)] == NAMES
    for dark, light, width in found:
        assert (ROOT / dark).is_file() and (ROOT / light).is_file()
        assert width == str(SIZE[0])


@POSTGRES_IS_LONG
async def test_the_docs_open_with_them(browser: Browser) -> None:
    found = shown((await browser.get("/docs")).text)
    addresses = [address or "" for dark, light in found for address in (light["src"], dark)]
    assert [re.sub(r"^/static/pictures/(.*)\?v=\w+$", r"\1", each) for each in addresses] == NAMES
    for address, name in zip(addresses, NAMES, strict=True):
        answer = await browser.get(address)
        assert answer.headers["content-type"] == "image/webp"
        assert answer.content == (STATIC / "pictures" / name).read_bytes()
    for _, light in found:
        assert (light["width"], light["height"]) == tuple(map(str, SIZE))
        assert light["loading"] == "lazy"
