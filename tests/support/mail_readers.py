"""What the readers of mails make of HTML and CSS: the subset that all of them draw, and each of them imitated.

After the support tables of caniemail.com for Gmail, Apple Mail, Outlook on Windows (Word's engine), Outlook.com and
Yahoo Mail.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Final, Literal

Reader = Literal["Apple Mail", "Gmail", "Outlook on Windows"]

# Elements, with the attributes that they may have besides `class` and `style`.
ELEMENTS: Final[dict[str, set[str]]] = {
    "html": {"lang"}, "head": set(), "meta": {"charset", "name", "content"}, "title": set(), "style": set(),
    "body": set(), "div": set(), "p": set(), "h1": set(), "span": set(), "b": set(), "br": set(), "tbody": set(),
    "table": {"role", "width", "cellspacing", "cellpadding"}, "tr": set(), "td": {"align", "valign", "width", "height"},
    "a": {"href", "rel"}, "img": {"src", "width", "height", "alt"},
}  # fmt: skip
DRAWN_BY_ALL: Final = {
    "background-color", "border", "border-bottom", "border-collapse", "border-top", "color", "display", "font-family",
    "font-size", "font-weight", "line-height", "margin", "padding", "padding-right", "text-align", "text-decoration",
    "width",
}  # fmt: skip
# What a reader may drop, and what it leaves instead.
MAY_BE_DROPPED: Final = {
    "border-radius": "square corners",
    "max-width": "a table of 600 pixels",
    "max-height": "the hidden preview is hidden by `display`",
    "overflow": "the same",
    "word-break": "a long name widens its table",
}
# Gmail cuts a mail off above this, in bytes.
MOST_BYTES: Final = 102_000
_AT_RULE: Final = re.compile(
    r"@media \((?:prefers-color-scheme: dark|max-width: 620px)\) \{((?:[^{}]*\{[^{}]*\})*)\s*\}"
)
_RULE: Final = re.compile(r"\s*((?:\.[a-z-]+,? ?)+)\{([^{}]*)\}")
_VALUE: Final = re.compile(r"[-\w#%.,' \"]+")


class _Checker(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.faults: list[str] = []
        self.sheet = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ELEMENTS:
            self.faults.append(f"<{tag}>")
            return
        self.sheet = tag == "style"
        for name, value in attrs:
            self.faults += _attribute(tag, name, value or "")
        if tag == "table" and dict(attrs).get("role") != "presentation":
            self.faults.append("<table> without role=presentation")

    def handle_endtag(self, tag: str) -> None:
        self.sheet = False

    def handle_data(self, data: str) -> None:
        if not self.sheet:
            return
        self.faults += [f"style sheet: {rest[:60]}" for rest in [_AT_RULE.sub("", data).strip()] if rest]
        for rules in _AT_RULE.findall(data):
            self.faults += [f"style sheet: {rest[:60]}" for rest in [_RULE.sub("", rules).strip()] if rest]
            for _, declarations in _RULE.findall(rules):
                self.faults += _declarations(declarations.replace("!important", ""), padding=True)


def _attribute(tag: str, name: str, value: str) -> Iterator[str]:
    if name == "style":
        yield from _declarations(value)
    elif name == "src":
        if not re.fullmatch(r"cid:[\w@.-]+", value):
            yield f"<img src={value}>: only what is attached is shown without asking"
    elif name == "href":
        if not re.match(r"https?://", value):
            yield f"<a href={value}>"
    elif name != "class" and name not in ELEMENTS[tag]:
        yield f"<{tag} {name}>"


def _declarations(text: str, *, padding: bool = False) -> Iterator[str]:
    """What is wrong with declarations. With `padding` also its single sides and a border's colour are known."""
    known = DRAWN_BY_ALL | set(MAY_BE_DROPPED)
    known |= {"padding-left", "border-color"} if padding else set()
    for each in filter(None, (part.strip() for part in text.split(";"))):
        name, _, value = (part.strip() for part in each.partition(":"))
        laid_out = name == "display" and value not in ("none", "block")
        if name not in known or laid_out or not _VALUE.fullmatch(value):
            yield f"{name}: {value}"


def faults(html: str) -> list[str]:
    """What a common reader of mails would not draw."""
    checker = _Checker()
    checker.feed(html)
    size = len(html.encode())
    return [*checker.faults, *([f"{size} bytes: Gmail cuts it off"] if size > MOST_BYTES else [])]


def as_read_by(reader: Reader, html: str) -> str:
    """The page as that reader draws it, in a browser that knows more."""
    if reader == "Gmail":
        return re.sub(r"@media \(prefers-color-scheme: dark\) \{(?:[^{}]*\{[^{}]*\})*\s*\}", "", html)
    if reader == "Outlook on Windows":
        dropped = "|".join(MAY_BE_DROPPED)
        plain = re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL)
        return re.sub(rf"(?<=[;\"])(?:{dropped}):[^;\"]*;?", "", plain)
    return html
