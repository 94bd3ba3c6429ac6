"""Pages composed as the test of the test: written after the rules were set, in three files by what they are."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

_HERE = Path(__file__).parent
_DOMAINS = ("silverbrook.com", "northgate.net", "tallpines.org", "bluequay.info", "redmaple.eu")
_MENUS = {
    "spam": ("Home", "Bonus", "FAQ", "Contact", "18+", "Privacy"),
    "legit": ("Home", "About us", "News", "Contact", "Privacy"),
}


@dataclass(frozen=True)
class Fresh:
    """One composed page: what it is of, its label and language ("" for parked), its bytes."""

    name: str
    label: str
    language: str
    kind: str
    body: bytes


def _page(title: str, heading: str, text: str, menu: tuple[str, ...] = ()) -> bytes:
    links = "".join(f'<li><a href="/{number}">{name}</a></li>' for number, name in enumerate(menu))
    nav = f"<nav><ul>{links}</ul></nav>" if links else ""
    return (
        f"<!doctype html><html><head><meta charset='utf-8'><title>{escape(title)}</title></head>"
        f"<body>{nav}<h1>{escape(heading)}</h1><p>{escape(text)}</p></body></html>"
    ).encode()


def _worded(label: str, name: str) -> Iterator[Fresh]:
    for language, kinds in tomllib.loads((_HERE / name).read_text("utf-8")).items():
        for kind, (title, text) in kinds.items():
            language = language.partition("_")[0]
            yield Fresh(f"{kind} {language}", label, language, kind, _page(title, title, text, _MENUS[label]))


def fresh_pages() -> list[Fresh]:
    """Every page of the three files."""
    pages = [*_worded("spam", "spam.toml"), *_worded("legit", "honest.toml")]
    parked = tomllib.loads((_HERE / "parked.toml").read_text("utf-8"))["pages"]
    for number, (kind, *said) in enumerate(parked):
        title, heading, text = (piece.replace("{d}", _DOMAINS[number % len(_DOMAINS)]) for piece in said)
        pages.append(Fresh(f"parked {number}", "parked", "", kind, _page(title, heading, text)))
    return pages
