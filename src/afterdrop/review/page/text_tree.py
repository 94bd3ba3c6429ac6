"""The elements of a page that are its text: without what nobody sees, without menus, without advertising comments.

Pure. Tables for layout are parts of a page here, as are forms and the text that frames hide. lxml is imported with
trafilatura, at the first call.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from copy import deepcopy
from itertools import islice

from selectolax.lexbor import LexborHTMLParser

from afterdrop.review.page.hidden import hidden_nodes
from afterdrop.review.page.markdown import BLOCKS, Element, rows_of
from afterdrop.review.page.markup import domain_of
from afterdrop.review.page.scripts import count_words
from afterdrop.review.spam.lexicon import lexicon

# What is not read as text.
UNREAD = frozenset(
    {"applet", "audio", "button", "canvas", "embed", "iframe", "map", "math", "noscript", "object", "option", "script",
     "select", "style", "svg", "template", "textarea", "title", "video"}
)  # fmt: skip
# Frames, and how few words that name them only excuse what is not shown.
_FRAMES = re.compile(r"</?(?:noframes|frameset|frame)\b[^<>]*>?", re.IGNORECASE)
_EXCUSE, _EXCUSE_WORDS = re.compile(r"frame", re.IGNORECASE), 40
_COMMENT = re.compile(
    r"(?:^|\s)(?:(?:article|entry|post)-)?(?:comments?(?!ary|s?[_-](?:open|closed|off|count|link|feed))|disqus_thread)",
    re.IGNORECASE,
)
_COMMENTS_IN = frozenset({"article", "details", "div", "dl", "li", "ol", "section", "table", "ul"})
_RESPONSES = re.compile(
    r"(?:(?:\d{1,5}|one|no) (?:comment|response|repl(?:y|ies)|thought|kommentar|antwort|commentaire|réponse"
    r"|comentario|comentário|respuesta|resposta|comment[oi]|rispost|reactie|odpowied|komentarz|комментари|yorum)"
    r"|(?:comments?|responses|replies|kommentare|commentaires|comentarios|commenti|reacties|komentarze)\s*:?$)",
    re.IGNORECASE,
)
# With so many words of its own a page is an article, however much is said of it.
ARTICLE_WORDS = 150
# Pages on which visitors write.
_OPEN_TO_ALL = re.compile(
    r"guest-?_? ?book|g(?:ä|ae)stebuch|livre d.or|libro de (?:visitas|firmas)|libro (?:degli )?ospiti|gastenboek"
    r"|gästbok|viewtopic|showthread|\bforum",
    re.IGNORECASE,
)
# Frames stand at the beginning of a page.
_HEAD_CHARS = 200_000
_ANCHOR_WORDS = 8
_SPAM_LEVEL = 2
_MENU = re.compile(
    r"(?:^|[\s_-])(?:nav(?:bar|igation|menu)?|menu|side-?bar|foot(?:er)?|breadcrumbs?|cookie\w{0,20}|share|social)(?:$|[\s_-])",
    re.IGNORECASE,
)
_MENU_TAGS = frozenset({"nav", "aside", "footer"})
_LISTING = frozenset({"center", "div", "dl", "header", "ol", "p", "section", "table", "ul"})
MENU_LINKS, MENU_SHARE = 3, 0.7
# Where less is left of a page than both, its menus are the page.
LEAST_WORDS, LEAST_SHARE = 40, 0.3
# An extract's place has so much of its text, looked for by pieces of so many letters, so many of them.
NEARLY, _TOLD_CHARS, _TOLD_MOST = 0.9, 15, 2_000
_CELL_CHARS, _CELL_MEAN = 250, 60
_LAYOUT_INSIDE = frozenset(
    {"blockquote", "center", "form", "h1", "h2", "h3", "h4", "hr", "ol", "pre", "table", "ul"}
)


def seen_source(source: str) -> str:
    """Page source without elements that no visitor sees, and with the text that stands in for frames."""
    framed = "<noframes" in source[:_HEAD_CHARS].lower()
    source = _FRAMES.sub(" ", source) if framed else source
    tree = LexborHTMLParser(source)
    if framed and tree.body is not None and _EXCUSE.search(said := tree.body.text()):
        source = "" if count_words(said) < _EXCUSE_WORDS else source
    sheet = "\n".join(node.text() or "" for node in tree.css("style"))
    unseen = hidden_nodes(tree, sheet)
    if not unseen:
        return source
    everything = len(tree.text())
    # Shown by a script, where it is most of the page.
    if sum(len(node.text()) for node in unseen) * 10 > everything * 9:
        return source
    for node in unseen:
        node.decompose()
    return tree.html or source


def words_of(element: Element) -> int:
    """How many words stand in an element."""
    return count_words(text_of(element))


def text_of(element: Element) -> str:
    """The text of an element, with single blanks."""
    return " ".join(" ".join(element.itertext()).split())


def _outermost(elements: Iterable[Element]) -> list[Element]:
    """Elements in order of the page, without those inside others of them."""
    kept: list[Element] = []
    inside: set[Element] = set()
    for element in elements:
        if element not in inside:
            kept.append(element)
            inside.update(element.iter())
    return kept


def lay_out(body: Element, *, thread: bool = False) -> None:
    """Make the tables of a page's layout its parts, as all tables of a thread are."""
    for table in list(body.iter("table")):
        if not thread and is_data(table):
            continue
        for row in rows_of(table):
            cells = [cell for cell in row if cell.tag in ("td", "th")]
            # One line, as of a name and what is told of it.
            line = 1 < len(cells) < 4 and not any(_parted(cell) for cell in cells) and words_of(row) < 30
            for cell in cells:
                cell.tag = "span" if line else "div"
                cell.tail = " "
            row.tag = "p" if line else "div"
        table.tag = "div"
        for part in list(table):
            if part.tag in ("tbody", "thead", "tfoot"):
                part.tag = "div"


def _parted(cell: Element) -> bool:
    return any(node.tag in BLOCKS or node.tag == "br" for node in cell.iter() if node is not cell)


def is_data(table: Element) -> bool:
    """Whether a table tells data rather than where the parts of a page stand."""
    if any(node.tag in _LAYOUT_INSIDE for node in table.iter() if node is not table):
        return False
    rows = [[cell for cell in row if cell.tag in ("td", "th")] for row in rows_of(table)]
    rows = [row for row in rows if row]
    widths = [len(row) for row in rows]
    if len(rows) < 2 or max(widths) < 2 or sum(width == max(widths) for width in widths) * 2 < len(rows):
        return False
    lengths = [len(text_of(cell)) for row in rows for cell in row]
    if max(lengths) > _CELL_CHARS or sum(lengths) > _CELL_MEAN * len(lengths):
        return False
    linked = sum(len(text_of(link)) for link in table.iter("a"))
    return linked <= MENU_SHARE * sum(lengths)


def _comments(body: Element) -> list[Element]:
    named = (
        node
        for node in body.iter(*_COMMENTS_IN)
        if _COMMENT.search(node.get("class", "")) or _COMMENT.search(node.get("id", ""))
    )
    return _outermost(named)


def drop_unread(body: Element) -> None:
    """Take out what is not read as text, such as scripts and lists to choose from."""
    for node in list(body.iter(*UNREAD)):
        node.drop_tree()


def without_comments(body: Element, about: str) -> tuple[bool, int]:
    """Take out comments that are not the page's text, and all that advertise: (thread, how many advertised).

    `about` is the page's address and title. Where it is nearly all comments, or visitors write it, they are its
    text: it is a thread.
    """
    comments = _comments(body)
    open_to_all = bool(_OPEN_TO_ALL.search(about))
    zones = [body] if open_to_all else [*comments, *_after_responses(body)]
    spam = _advertising(zones, about, words_of(body))
    for block in spam:
        block.drop_tree()
    words, said = words_of(body), sum(map(words_of, comments))
    thread = open_to_all or (said * 2 > words and words - said < ARTICLE_WORDS)
    if not thread:
        for comment in comments:
            if comment.getparent() is not None:
                comment.drop_tree()
    else:
        for comment in comments:
            for node in comment.iter(*_COMMENTS_IN):
                node.attrib.pop("class", None)
                node.attrib.pop("id", None)
    return thread, len(spam)


def _after_responses(body: Element) -> Iterator[Element]:
    for heading in body.iter("h1", "h2", "h3", "h4", "h5", "h6", "p", "b", "strong"):
        if _RESPONSES.match(text_of(heading)[:80]):
            yield from heading.itersiblings()


def _advertising(zones: Iterable[Element], about: str, words: int) -> list[Element]:
    """The blocks within these elements whose links, to other sites, sell what spam sells."""
    own = domain_of(about.split(" ", 1)[0])
    found: dict[Element, None] = {}
    for zone in zones:
        for link in zone.iter("a"):
            outside = domain_of(link.get("href", ""))
            text = text_of(link)
            if outside in (None, own) or not _sells(text):
                continue
            block = link
            while block.getparent() is not None and block.tag not in BLOCKS:
                block = block.getparent()
            if words_of(block) * 2 < words:
                found[block] = None
    return _outermost(found)


def _sells(text: str) -> bool:
    return len(text.split()) <= _ANCHOR_WORDS and any(
        hit.term.level >= _SPAM_LEVEL for hit in lexicon().hits(text, None)
    )


def without_menus(body: Element) -> Element:
    """A copy of a page's body without menus, footers and lists of links, unless they are the page."""
    pruned = deepcopy(body)
    for part in _outermost(_menus(pruned)):
        part.drop_tree()
    words = words_of(pruned)
    return pruned if words >= LEAST_WORDS or words >= words_of(body) * LEAST_SHARE else body


def _menus(body: Element) -> list[Element]:
    """The menus of a page, and the lists of links; one pass from the last element to the first counts the links.

    What has most of a page is no menu, whatever its name (`content-sidebar-wrap`).
    """
    most = sum(len(text.strip()) for text in body.itertext()) / 2
    links: Counter[Element] = Counter()
    linked: Counter[Element] = Counter()
    letters: Counter[Element] = Counter()
    found: list[Element] = []
    for node in reversed(list(body.iterdescendants())):
        letters[node] += len((node.text or "").strip())
        if node.tag == "a":
            links[node], linked[node] = 1, letters[node]
        if (_is_menu(node) and letters[node] < most) or (
            node.tag in _LISTING and links[node] >= MENU_LINKS and linked[node] > MENU_SHARE * letters[node]
        ):
            found.append(node)
        above = node.getparent()
        links[above] += links[node]
        linked[above] += linked[node]
        letters[above] += letters[node] + len((node.tail or "").strip())
    return found[::-1]


def _is_menu(node: Element) -> bool:
    named = node.tag in _LISTING and (_MENU.search(node.get("class", "")) or _MENU.search(node.get("id", "")))
    return bool(named) or node.tag in _MENU_TAGS


def place_of(extract: Element, whole: Element) -> Element:
    """The smallest element of a page that has nearly all of an extract's text."""
    text, spans = _spans(whole)
    found: list[tuple[int, int]] = []
    at = 0
    for piece in islice(
        filter(lambda piece: len(piece) >= _TOLD_CHARS, map(_dense, extract.itertext())), _TOLD_MOST
    ):
        place = max(text.find(piece, at), 0) or text.find(piece)
        if place >= 0:
            found.append((place, len(piece)))
            at = place + len(piece)
    place, wanted = whole, NEARLY * sum(length for _, length in found)
    least = NEARLY * len(_dense("".join(extract.itertext())))
    middle = sorted(found)[len(found) // 2][0] if found else -1
    while (child := next((part for part in place if _within(spans, part, middle)), None)) is not None:
        start, end = spans[child]
        if end - start < least or sum(size for at, size in found if start <= at < end) < wanted:
            break
        place = child
    return place


def _within(spans: dict[Element, tuple[int, int]], element: Element, place: int) -> bool:
    start, end = spans[element]
    return start <= place < end


def _dense(text: str | None) -> str:
    return "".join((text or "").split())


def _spans(whole: Element) -> tuple[str, dict[Element, tuple[int, int]]]:
    """An element's text without blanks, and where in it that of each element inside stands."""
    pieces: list[str] = []
    spans: dict[Element, tuple[int, int]] = {}
    size = 0
    todo = [(whole, -1)]
    while todo:
        node, start = todo.pop()
        if start >= 0:
            spans[node] = (start, size)
            pieces.append(_dense(node.tail))
        else:
            pieces.append(_dense(node.text))
            todo.append((node, size))
            todo.extend((child, -1) for child in reversed(node))
        size += len(pieces[-1])
    return "".join(pieces), spans
