"""A page's elements as Markdown (CommonMark with GitHub's tables) that shows the page's text and does nothing else.

Pure. It reads HTML and the elements that trafilatura makes of it. The page's own text is escaped, so that it
is no markup: no front matter, no link, no raw HTML. Links keep their address when it is http or https.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any
from urllib.parse import urljoin

# An lxml element, which has no types.
Element = Any
# Nothing nests deeper on honest pages, but in tables for layout; what does is plain text.
DEEPEST = 120
ADDRESS_CHARS = 2_000
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = frozenset({"ul", "ol", "list", "menu", "dir"})
_ITEMS = frozenset({"li", "item"})
_ROWS = frozenset({"tr", "row"})
_CELLS = frozenset({"td", "th", "cell"})
_QUOTES = frozenset({"blockquote", "quote"})
_PARTS = frozenset(
    {"address", "article", "aside", "body", "caption", "center", "dd", "details", "div", "dl", "dt", "fieldset",
     "figcaption", "figure", "footer", "form", "frameset", "header", "hgroup", "hr", "html", "legend", "main", "nav",
     "noframes", "p", "section", "summary", "tbody", "tfoot", "thead"}
)  # fmt: skip
BLOCKS = _PARTS | _LISTS | _ITEMS | _ROWS | _CELLS | _QUOTES | frozenset(_HEADINGS) | {"head", "pre", "table"}
_BREAKS = frozenset({"br", "lb"})
_EMPHASIS = {"b": "**", "strong": "**", "i": "*", "em": "*", "del": "~~", "s": "~~", "strike": "~~"}
_RENDERED = {"#b": "**", "#i": "*"}
_TYPED = frozenset({"code", "kbd", "samp", "tt"})
_NUMBER = re.compile(r"\d{1,9}")
# Markup within a line, character references, and what site generators run (`{{`, `{%`).
_MARK = re.compile(r"[\\`*_\[\]<>~|]|&(?=#?\w{1,40};)|\{(?=[{%])|(?<=\{)[{%]")
_TEMPLATE = re.compile(r"\{[{%]")
# What makes a heading, a list, a rule, a table or front matter at the start of a line.
_LINE_MARK = re.compile(r"^(\d{1,9}(?=[.)](?:\s|$))|(?=[#=]|\+(?:[\s+]|$)|-(?:[\s:|-]|$)|:-))")
_SILENT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")
_WEB = re.compile(r"https?://[^/?#\s]", re.IGNORECASE)
_UNSAFE = re.compile(r"[\s<>\\|`\x00-\x1f\x7f]")
# A cell ends there, even within code.
_BAR = re.compile(r"(?<!\\)\|")
_FENCES = re.compile(r"`+")
_BREAK = "\n"


def markdown(element: Element, base: str = "") -> str:
    """The text of an element without scripts and comments; addresses are made absolute from `base`."""
    return "\n\n".join(_blocks(element, base, 0))


def one_line(text: str) -> str:
    """Plain text as one line of Markdown that shows just that text."""
    return _lines(_escaped(text).replace(_BREAK, " "))[0]


def _escaped(text: str) -> str:
    """Text with all that is markup within a line made inert, and single blanks."""
    return _MARK.sub(r"\\\g<0>", re.sub(r"\s+", " ", _SILENT.sub("", text)))


def _lines(inline: str) -> list[str]:
    """The lines of inline Markdown, each without what is markup at its start; one empty line for none."""
    lines = (re.sub(r" {2,}", " ", line).strip() for line in inline.split(_BREAK))
    return [_LINE_MARK.sub(r"\1\\", line) for line in lines]


def _paragraphs(inline: str) -> Iterator[str]:
    """Inline Markdown as paragraphs: an empty line parts them, a single break stays one."""
    for some, lines in groupby(_lines(inline), bool):
        if some:
            yield "  \n".join(lines)


def _blocks(element: Element, base: str, depth: int) -> list[str]:
    """The blocks of an element's content, one after the other."""
    if depth > DEEPEST:
        return list(_paragraphs(_escaped(" ".join(element.itertext()))))
    blocks: list[str] = []
    run: list[str] = [_escaped(element.text or "")]
    for child in element:
        tag = child.tag
        if tag in BLOCKS or (tag == "code" and _BREAK in (child.text or "").strip()):
            blocks += _paragraphs("".join(run))
            run.clear()
            blocks += _block(child, tag, base, depth + 1)
        elif _holds_blocks(child):
            blocks += _paragraphs("".join(run))
            run.clear()
            blocks += _blocks(child, base, depth + 1)
        else:
            run.append(_inline(child, base, depth + 1))
        run.append(_escaped(child.tail or ""))
    return [*blocks, *_paragraphs("".join(run))]


def _holds_blocks(element: Element) -> bool:
    """Whether an inline element has blocks right inside, as a `font` around a whole page has."""
    return any(child.tag in BLOCKS or (child.tag in _FORMATS and _holds_blocks(child)) for child in element)


_FORMATS = frozenset({"a", "b", "big", "em", "font", "i", "small", "span", "strong", "u"})


def _block(element: Element, tag: str, base: str, depth: int) -> list[str]:
    if tag in _HEADINGS or tag == "head":
        level = _HEADINGS.get(element.get("rend", "") if tag == "head" else tag, 2)
        text = " ".join(filter(None, _lines(_inside(element, base, depth))))
        return [f"{'#' * level} {text}"] if text else []
    if tag in _LISTS:
        return list(filter(None, ["\n".join(_items(element, base, depth))]))
    if tag in _QUOTES:
        return [
            "\n".join(f"> {line}" if line else ">" for line in block.split("\n"))
            for block in ["\n\n".join(_blocks(element, base, depth))]
            if block
        ]
    if tag == "table":
        return _table(element, base, depth)
    if tag in {"pre", "code"}:
        return _verbatim("".join(element.itertext()))
    return _blocks(element, base, depth)


def _verbatim(text: str) -> list[str]:
    text = _SILENT.sub("", text).strip("\n").rstrip()
    if _TEMPLATE.search(text):
        return list(_paragraphs(_BREAK.join(map(_escaped, text.split("\n")))))
    fence = "`" * max([3, *(len(run) + 1 for run in _FENCES.findall(text))])
    return [f"{fence}\n{text}\n{fence}"] if text.strip() else []


def _items(element: Element, base: str, depth: int) -> Iterator[str]:
    """The items of a list, as it numbers them; a list between two items is the upper one's."""
    ordered = element.tag == "ol" or element.get("rend") == "ol"
    number = _number(element.get("start"), 1) - 1
    mark = ""
    for child in element:
        inside = child.tag in _LISTS and mark
        blocks = (
            _blocks(child, base, depth + 1)
            if child.tag in _ITEMS
            else _block(child, child.tag, base, depth + 1)
        )
        if blocks:
            number = number if inside else _number(child.get("value"), number + 1)
            mark = f"{number}. " if ordered else "- "
            lines = "\n".join(blocks).replace("\n", "\n" + " " * len(mark))
            yield (" " * len(mark) if inside else mark) + lines


def _number(told: str | None, otherwise: int) -> int:
    return int(told) if told and told.isascii() and _NUMBER.fullmatch(told) else otherwise


def rows_of(table: Element) -> Iterator[Element]:
    """The rows of a table, and of no table inside."""
    for child in table:
        if child.tag in _ROWS:
            yield child
        elif child.tag in {"tbody", "thead", "tfoot"}:
            yield from (row for row in child if row.tag in _ROWS)


def _table(element: Element, base: str, depth: int) -> list[str]:
    rows: list[list[str]] = []
    headed = False
    for row in rows_of(element):
        cells = [cell for cell in row if cell.tag in _CELLS]
        texts = [_BAR.sub(r"\|", " ".join(_inside(cell, base, depth + 1).split())) for cell in cells]
        if any(texts):
            headed = headed or (
                not rows and all(bool(cell.tag == "th" or cell.get("role") == "head") for cell in cells)
            )
            rows.append(texts)
    if not rows:
        return []
    width = max(map(len, rows))
    if not headed:
        rows.insert(0, [""] * width)
    lines = [f"| {' | '.join([*row, *[''] * (width - len(row))])} |" for row in rows]
    lines.insert(1, f"|{'---|' * width}")
    captions = [child for child in element if child.tag == "caption"]
    return [*(block for caption in captions for block in _blocks(caption, base, depth + 1)), "\n".join(lines)]


def _inside(element: Element, base: str, depth: int) -> str:
    """An element's whole content as inline Markdown; blocks in it are set apart by blanks."""
    if depth > DEEPEST:
        return _escaped(" ".join(element.itertext()))
    parts = [_escaped(element.text or "")]
    for child in element:
        inner = _inline(child, base, depth + 1)
        parts.append(f" {inner} " if child.tag in BLOCKS else inner)
        parts.append(_escaped(child.tail or ""))
    return "".join(parts)


def _inline(element: Element, base: str, depth: int) -> str:
    tag = element.tag
    if tag in _BREAKS:
        return _BREAK
    inner = _inside(element, base, depth)
    if tag in {"a", "ref"}:
        return _link(inner, element.get("href") or element.get("target") or "", base)
    if tag in _TYPED or (tag == "hi" and element.get("rend") == "#t"):
        # Code within a line; text where it could end early or run, or has breaks or links of its own.
        text = "".join(element.itertext())
        code = " ".join(_SILENT.sub("", text).split())
        if (
            not code
            or "`" in code
            or _TEMPLATE.search(code)
            or any(True for _ in element.iter("a", "br", "ref", "lb"))
        ):
            return inner
        before, after = (" " if text[:1].isspace() else ""), (" " if text[-1:].isspace() else "")
        return f"{before}`{code}`{after}"
    mark = _EMPHASIS.get(tag) or (_RENDERED.get(element.get("rend") or "") if tag == "hi" else None)
    return _wrapped(inner, mark) if mark else inner


def _wrapped(inner: str, mark: str) -> str:
    """Inline Markdown between two marks, which touch its words; as it is where it is empty or has such marks."""
    plain = inner.strip()
    if not plain or mark[0] in plain.replace(f"\\{mark[0]}", "") or _BREAK * 2 in plain:
        return inner
    start = inner.index(plain)
    return f"{inner[:start]}{mark}{plain}{mark}{inner[start + len(plain) :]}"


def _link(inner: str, address: str, base: str) -> str:
    plain = " ".join(inner.split())
    target = web_address(address, base)
    if not plain or target is None:
        return inner
    before, after = (" " if inner[:1].isspace() else ""), (" " if inner[-1:].isspace() else "")
    return f"{before}[{plain}]({target}){after}"


def web_address(address: str, base: str) -> str | None:
    """An address as Markdown writes the target of a link; None unless it is http or https."""
    try:
        whole = urljoin(base, address.strip())
    except ValueError:
        return None
    if address.strip().startswith("#") or not _WEB.match(whole) or len(whole) > ADDRESS_CHARS:
        return None
    safe = _UNSAFE.sub(lambda sign: "".join(f"%{byte:02X}" for byte in sign[0].encode()), whole)
    safe = re.sub(r"&(?=#?\w{1,40};)", r"\\&", safe)
    return f"<{safe}>" if "(" in safe or ")" in safe else safe
