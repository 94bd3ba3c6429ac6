"""Pages composed as the test of the test: written after the rules were set, in seven lots, by what they are."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
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
    lot: int = 1


def _page(title: str, heading: str, text: str, menu: Sequence[str] = ()) -> bytes:
    links = "".join(f'<li><a href="/{number}">{name}</a></li>' for number, name in enumerate(menu))
    nav = f"<nav><ul>{links}</ul></nav>" if links else ""
    return (
        f"<!doctype html><html><head><meta charset='utf-8'><title>{escape(title)}</title></head>"
        f"<body>{nav}<h1>{escape(heading)}</h1><p>{escape(text)}</p></body></html>"
    ).encode()


def _worded(label: str, name: str, lot: int) -> Iterator[Fresh]:
    for section, kinds in tomllib.loads((_HERE / name).read_text("utf-8")).items():
        language = section.partition("_")[0]
        for key, (title, text) in kinds.items():
            body = _page(title, title, text, _MENUS[label])
            kind = key.partition("_")[0]
            yield Fresh(f"{label} {key} {section} {lot}", label, language, kind, body, lot)


def _parked(name: str, lot: int) -> Iterator[Fresh]:
    for number, row in enumerate(tomllib.loads((_HERE / name).read_text("utf-8"))["pages"]):
        domain = _DOMAINS[number % len(_DOMAINS)]
        title, heading, text = (piece.replace("{d}", domain) for piece in row[-3:])
        before, *links = text.split("|")
        after = links.pop() if links else ""
        body = _page(title, heading, f"{before} {after}".strip(), links)
        label = "error" if row[0] == "error" else "parked"
        yield Fresh(f"parked {number} {lot}", label, "", row[0], body, lot)


def fresh_pages() -> list[Fresh]:
    """Every page of all lots."""
    return [
        *_worded("spam", "spam.toml", 1),
        *_worded("legit", "honest.toml", 1),
        *_parked("parked.toml", 1),
        *_worded("spam", "more_spam.toml", 2),
        *_worded("legit", "more_honest.toml", 2),
        *_parked("more_parked.toml", 2),
        *_worded("spam", "third_spam.toml", 3),
        *_worded("legit", "third_honest.toml", 3),
        *_parked("third_parked.toml", 3),
        *_worded("spam", "fourth_spam.toml", 4),
        *_worded("legit", "fourth_honest.toml", 4),
        *_parked("fourth_parked.toml", 4),
        *_worded("spam", "fifth_spam.toml", 5),
        *_worded("legit", "fifth_honest.toml", 5),
        *_worded("legit", "fifth_honest_parked.toml", 5),
        *_parked("fifth_parked.toml", 5),
        *_worded("legit", "sixth_honest.toml", 6),
        *_worded("legit", "sixth_honest_parked.toml", 6),
        *_parked("sixth_parked.toml", 6),
        *_worded("spam", "seventh_spam.toml", 7),
        *_worded("legit", "seventh_honest.toml", 7),
    ]
