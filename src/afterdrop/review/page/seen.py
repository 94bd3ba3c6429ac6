"""Stage 1, parsing: which elements visitors do not see, and words that their markup joins.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from selectolax.lexbor import LexborHTMLParser, LexborNode

Attributes = Mapping[str, str | None]

_UNSEEN = re.compile(
    r"display\s*:\s*none"
    r"|visibility\s*:\s*hidden"
    r"|font-size\s*:\s*(?:0(?:\.\d*)?(?:px|pt|%)?|0(?:\.0\d*)?(?:em|rem)|1(?:px|pt|%))\s*(?:;|!|$)"
    r"|text-indent\s*:\s*-\d{3,}"
    r"|(?:left|top|right|margin-left|margin-top|margin)\s*:\s*-\d{3,}"
    r"|clip\s*:\s*rect\(\s*[01](?:px)?\b"
    # Looked behind only after the word, so that the search knows with which letters a match begins.
    r"|opacity(?<![\w-]opacity)\s*:\s*0(?:\.0\d*)?\s*(?:;|!|$)"
    r"|scale(?:3d|[xy])?\(\s*0(?:\.0+)?\s*[,)]"
    r"|clip-path\s*:\s*(?:inset\(\s*(?:[5-9]\d|100)(?:\.\d+)?%|circle\(\s*0|polygon\(\s*0(?:px|%)?\s+0(?:px|%)?\s*,\s*0(?:px|%)?\s+0)"
    r"|translate[xy3d]{0,2}\([^)]{0,20}?-\d{3,}(?:\.\d+)?px"
    r"|filter\s*:\s*alpha\(\s*opacity\s*=\s*0\s*\)"
)
_SMALL = re.compile(
    r"(?:^|[;\s])(?:max-)?(?:height|width)\s*:\s*(?:[01](?:px|pt)?|0(?:\.0+)?(?:em|ex|rem|%|mm|cm|in|pc|vh|vw))\s*(?:;|!|$)"
)
_CLIPPED = re.compile(r"overflow(?:-[xy])?\s*:\s*(?:hidden|auto|scroll|clip)")
# Scripts that hide an element, or write the beginning of a hidden one.
_HIDES = re.compile(
    r"""(?:getElementById\(|querySelector\(|\$\(|jQuery\()\s{0,5}["']\#?(?P<name>[\w-]{1,60})["']\s{0,5}\)\s{0,5}
    \.\s{0,5}(?:hide\(|style\s{0,5}\.\s{0,5}(?:display\s{0,5}=\s{0,5}["']none|visibility\s{0,5}=\s{0,5}["']hidden))""",
    re.VERBOSE,
)
_WRITES = re.compile(
    r"""<script\b[^<>]{0,200}>\s{0,20}(?:<!--)?\s{0,20}document\.write(?:ln)?\s{0,5}\(\s{0,5}
    (?P<quote>["'])(?P<tag></?(?:div|span|font|p|ul|table|marquee)\b(?:(?!(?P=quote))[^<>]){0,300}>)(?P=quote)
    \s{0,5}\)\s{0,5};?\s{0,20}(?://)?\s{0,5}(?:-->)?\s{0,20}</script\s{0,5}>""",
    re.VERBOSE | re.IGNORECASE,
)
_NOTHING = frozenset({"0", "1", "0px", "1px", "0%"})
_NAME = re.compile(r"^(?:\w{1,20})?([.#])([\w-]{1,60})$")
_COLOUR = re.compile(r"(?:^|[;\s])color\s*:\s*([#\w(), .]{3,30})")
_BACKGROUND = re.compile(r"background(?:-color)?\s*:\s*([#\w(), .]{3,30})")
_LAYOUT = frozenset({"td", "table", "div"})
_NAMED = {"white": "ffffff", "black": "000000", "fff": "ffffff", "000": "000000"}
_SHEET_CHARS, _RULE_CHARS, _STYLE_CHARS = 200_000, 2_000, 2_000
_NAMES_MOST = 200


def hidden_nodes(tree: LexborHTMLParser, sheet: str = "") -> list[LexborNode]:
    """The outermost elements a visitor does not see, with the text of the page's own style sheets as `sheet`."""
    # One that has two of these is found twice.
    marked = {node.mem_id: node for node in tree.css("[style],[hidden],font[color],marquee")}
    told = [(node, node.attributes) for node in marked.values()]
    nodes = [node for node, attributes in told if unseen_style(attributes.get("style") or "")]
    nodes += [node for node, attributes in told if "hidden" in attributes or _is_sliver(node, attributes)]
    nodes += _by_sheet(tree, sheet)
    nodes += _by_colour(tree, told)
    nodes = [node for node in nodes if node.tag not in {"body", "html", "input", "img", "iframe"}]
    return outermost(nodes)


def _is_sliver(node: LexborNode, attributes: Attributes) -> bool:
    sizes = (attributes.get("height"), attributes.get("width"))
    return node.tag == "marquee" and any((size or "").strip() in _NOTHING for size in sizes)


def hidden_by_scripts(code: str) -> str:
    """A style sheet for the elements that a page's scripts hide by their ids."""
    return "".join(f"#{found['name']}{{display:none}}" for found in _HIDES.finditer(code[:_SHEET_CHARS]))


def with_written(source: str) -> str:
    """A page with the tags that its scripts write, one literal tag a script: links are hidden in such boxes."""
    return _WRITES.sub(lambda found: found["tag"], source) if "document.write" in source else source


def outermost(nodes: list[LexborNode]) -> list[LexborNode]:
    """Each once, without those inside others of the list: they go with their ancestor's memory."""
    listed = {node.mem_id for node in nodes}
    known: dict[int, bool] = {}
    return list(
        {
            node.mem_id: node
            for node in nodes
            if not _within(node, lambda above: above.mem_id in listed, known)
        }.values()
    )


def unseen_style(style: str) -> bool:
    """Whether an inline style hides its element."""
    written = style[:_STYLE_CHARS].lower()
    return bool(_UNSEEN.search(written) or (_CLIPPED.search(written) and _SMALL.search(written)))


def sheet_names(sheet: str) -> set[tuple[str, str]]:
    """(`.` or `#`, name) of plain selectors that a style sheet hides, outside media queries' own braces."""
    names: set[tuple[str, str]] = set()
    for rule in sheet[:_SHEET_CHARS].lower().split("}"):
        selectors, _, body = rule.rpartition("{")
        if not unseen_style(body):
            continue
        for selector in selectors[-_RULE_CHARS:].rpartition("{")[2].split(","):
            match = _NAME.match(selector.strip())
            if match:
                names.add((match[1], match[2]))
    return names


def _by_sheet(tree: LexborHTMLParser, sheet: str) -> list[LexborNode]:
    names = sheet_names(sheet) if sheet else set()
    if not names:
        return []
    found: list[LexborNode] = []
    classes = {name for sign, name in names if sign == "."}
    hiding: dict[str, bool] = {}
    for node in tree.css("[class],[id]"):
        attributes = node.attrs
        written = attributes.get("class") or ""
        if written not in hiding:
            hiding[written] = not classes.isdisjoint(written.lower().split())
        if hiding[written] or ("#", (attributes.get("id") or "").lower()) in names:
            found.append(node)
            if len(found) >= _NAMES_MOST:
                break
    return found


def _by_colour(tree: LexborHTMLParser, told: Sequence[tuple[LexborNode, Attributes]]) -> list[LexborNode]:
    coloured = [(node.tag, _colour(node.attributes.get("bgcolor") or "")) for node in tree.css("[bgcolor]")]
    page = next((colour for tag, colour in coloured if tag == "body"), "")
    # Few letters have the colour of any box: only for these it is asked what stands behind them.
    boxes = {colour for _, colour in coloured} | {_own_ground(attributes) for _, attributes in told}
    grounds: dict[int, str] = {}
    found: list[LexborNode] = []
    for node, attributes in told:
        style = (attributes.get("style") or "")[:_STYLE_CHARS].lower()
        written = _COLOUR.search(style) if "color" in style else None
        of_font = attributes.get("color") if node.tag == "font" else None
        colour = _colour(written[1] if written else of_font or "")
        if not colour or colour not in boxes:
            continue
        if colour == (_own_ground(attributes) or _ground(node, page, grounds)):
            found.append(node)
    return found


def _own_ground(attributes: Attributes) -> str:
    """The background colour that an element gives itself, "" for none."""
    own = _BACKGROUND.search((attributes.get("style") or "")[:_STYLE_CHARS].lower())
    return _colour(own[1] if own else attributes.get("bgcolor") or "")


def _ground(node: LexborNode, page: str, known: dict[int, str]) -> str:
    """The colour behind an element: of what it stands in, else of the page; "" where a style sheet may say another.

    `known` has the answers so far, so that nobody is asked twice.
    """
    path: list[int] = []
    above = node.parent
    found = page
    while above is not None and above.tag != "body":
        if (answer := known.get(above.mem_id)) is not None:
            found = answer
            break
        path.append(above.mem_id)
        attributes = above.attributes
        own = _own_ground(attributes)
        if own or (above.tag in _LAYOUT and (attributes.get("background") or attributes.get("class"))):
            found = own
            break
        above = above.parent
    known.update(dict.fromkeys(path, found))
    return found


def _within(node: LexborNode, wanted: Callable[[LexborNode], bool], known: dict[int, bool]) -> bool:
    """Whether an ancestor is a wanted one. `known` has the answers so far, so that nobody is asked twice."""
    path: list[int] = []
    above = node.parent
    found = False
    while above is not None:
        if (answer := known.get(above.mem_id)) is not None:
            found = answer
            break
        path.append(above.mem_id)
        if wanted(above):
            found = True
            break
        above = above.parent
    known.update(dict.fromkeys(path, found))
    return found


def _colour(written: str) -> str:
    plain = written.strip().lower().lstrip("#").split(" ")[0].removesuffix("!important")
    if len(plain) == 3 and plain not in _NAMED:
        return "".join(letter * 2 for letter in plain)
    return _NAMED.get(plain, plain)


# A noncharacter, which no page's own text needs (Unicode, 23.7).
_MARK = "\ufdd0"
# The tags and comments between two letters, figures or entities. What stands before them is looked at behind the first
# sign, so that a search knows with what a match begins.
_BETWEEN = re.compile(
    r"<(?<=[\w;]<)"
    r"(?:/?(?:font|big|small|b|i|em|strong|u|s|strike|tt|sub|ins|del|mark|nobr|wbr|abbr|acronym|bdi|bdo|blink|span)"
    r"\b[^<>]{0,300}>(?:<(?=[/!a-z])|(?=[\w&]))|!--(?:[^-<]|-(?!->)){0,200}-->(?:<(?=[/!a-z])|(?=[\w&]))){1,20}"
    r"(?<!<)(?=[\w&])",
    re.IGNORECASE,
)
_SPAN = re.compile(r"</?span\b", re.IGNORECASE)
# Classes of spans that a style sheet keeps apart from the words beside them, and of pictures between words.
_APART = re.compile(r"sr-|screen|visual|hid|badge|count|label|tag|price|date", re.IGNORECASE)
_PICTURE = re.compile(r"icon|\bfa-|glyph", re.IGNORECASE)


def marked(source: str) -> str:
    """The source with a mark wherever tags or comments stand within a word."""
    return _BETWEEN.sub(_marked, source)


def unmarked(text: str) -> str:
    """A text with single blanks, its marked words joined."""
    return text.replace(f"{_MARK} ", "").replace(_MARK, "") if _MARK in text else text


def _marked(between: re.Match[str]) -> str:
    spans = _SPAN.findall(between[0])
    if _PICTURE.search(between[0]) or (spans and not _within_word(between, len(spans))):
        return between[0]
    return f"{_MARK}{between[0]}"


def _within_word(between: re.Match[str], spans: int) -> bool:
    """Whether spans part a word: beside a letter that stands alone, or one span within it where small letters go on.

    Any other is a label or an entry of its own.
    """
    text, start, end = between.string, between.start(), between.end()
    if not text[start - 1].isalpha() or text[end] == "&":
        return False
    alone = start < 2 or not (text[start - 2].isalnum() or text[start - 2] == ";")
    goes_on = text[end].isalpha() and not text[end].isupper()
    if alone:
        return goes_on or not text[end + 1 : end + 2].isalnum()
    return spans == 1 and goes_on and not _APART.search(between[0])
