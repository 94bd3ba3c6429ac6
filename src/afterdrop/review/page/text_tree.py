"""The elements of a page that are its text: without what nobody sees, without menus, without advertising comments.

Pure. Tables for layout are parts of a page here, as are forms and the text that frames hide. lxml is imported with
trafilatura, at the first call.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import islice, pairwise

from selectolax.lexbor import LexborHTMLParser

from afterdrop.review.page.lexicon import lexicon
from afterdrop.review.page.markdown import BLOCKS, Element, rows_of
from afterdrop.review.page.markup import domain_of
from afterdrop.review.page.seen import hidden_nodes
from afterdrop.review.page.text import count_words

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
    r"|gästbok|viewtopic|showt(?:hread|opic)|/threads?[/-]|wwwboard|message.?board|\bforum",
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
# Boards have each post's author in an `aside`.
_AUTHOR = re.compile(r"author|user|poster", re.IGNORECASE)
_MENU_TAGS = frozenset({"nav", "aside", "footer"})
_LISTING = frozenset({"center", "div", "dl", "header", "ol", "p", "section", "table", "ul"})
MENU_LINKS, MENU_SHARE = 3, 0.7
# A numbered list of links is text, as is one with so many prices, of which each has a name and few links and words.
_LISTS_OF_LINKS = _LISTING - {"ol"}
_PRICE = re.compile(
    r"(?:[$€£¥₽]|\b(?:USD|EUR|GBP|CHF|DM|Rs)\b)\s?\d[\d.,]*+|(?<![\d.,])\d[\d.,]*+\s?"
    r"(?:[$€£¥₽]|(?:USD|EUR|GBP|CHF|DM|zł|Kč|kr|Ft|lei|руб|TL)\b)|(?<![\d.,])\d{1,6}+[.,]\d\d(?![\d.,])"
)
# Fewer products stand beside a text to be looked at next.
_PRODUCTS, _PRODUCT_LINKS, _PRODUCT_LETTERS = 6, 4, (4, 300)
# Records of one kind share so many of their parts, looked for so far down; each has some data beside its text.
_ALIKE, _SHAPE_DEPTH, _DATA_SIGNS, _RECORDS = 0.5, 3, 200, 2
_PLAIN = frozenset(
    {"a", "b", "big", "blockquote", "br", "em", "font", "hr", "i", "img", "p", "small", "span", "strong", "u"}
)
_HEADS = frozenset({"h1", "h2", "h3"})
_DIGITS = re.compile(r"\d+")
_CENTRED = re.compile(r"text-align\s?:\s?center", re.IGNORECASE)
_IMPRINT = re.compile(r"©|\(c\)|copyright|webmaster|all rights reserved", re.IGNORECASE)
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


def drop_unread(body: Element) -> None:
    """Take out what is not read as text, such as scripts and lists to choose from."""
    for node in list(body.iter(*UNREAD)):
        node.drop_tree()


def without_comments(body: Element, about: str) -> tuple[bool, int]:
    """Take out comments that are not the page's text, and all that advertise: (thread, how many advertised).

    `about` is the page's address and title. Where it is nearly all comments, or visitors write it, they are its
    text: it is a thread.
    """
    named = (
        node
        for node in body.iter(*_COMMENTS_IN)
        if _COMMENT.search(node.get("class", "")) or _COMMENT.search(node.get("id", ""))
    )
    comments = _outermost(named)
    open_to_all = bool(_OPEN_TO_ALL.search(about))
    zones = [body] if open_to_all else [*comments, *_after_responses(body), *_posts(body)]
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


def _posts(body: Element) -> Iterator[Element]:
    """Records that are most of a page, as the posts of a thread are."""
    signs = _Counts.within(body).signs
    node = body
    while node is not None and signs[node] * 2 >= signs[body]:
        alike = [part for one, part in pairwise(node) if _alike(_shape(one), _shape(part))]
        if len(alike) >= _RECORDS:
            yield from node
            return
        node = max(node, key=signs.__getitem__, default=None)


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


@dataclass(frozen=True, slots=True)
class _Counts:
    """The counts of elements in all their parts: links with words, letters within links, signs, letters, and prices."""

    links: Counter[Element] = field(default_factory=Counter)
    linked: Counter[Element] = field(default_factory=Counter)
    signs: Counter[Element] = field(default_factory=Counter)
    letters: Counter[Element] = field(default_factory=Counter)
    prices: Counter[Element] = field(default_factory=Counter)

    @classmethod
    def within(cls, body: Element) -> _Counts:
        """The counts of all elements inside, in one pass from the last to the first."""
        counts = cls()
        for node in reversed(list(body.iterdescendants())):
            counts._add(node, node.text)
            if node.tag == "a":
                counts.links[node], counts.linked[node] = int(counts.signs[node] > 0), counts.signs[node]
            above = node.getparent()
            for counter in (counts.links, counts.linked, counts.signs, counts.letters, counts.prices):
                counter[above] += counter[node]
            counts._add(above, node.tail)
        return counts

    def _add(self, node: Element, text: str | None) -> None:
        if text and (text := text.strip()):
            self.signs[node] += len(text)
            self.letters[node] += sum(map(str.isalpha, text))
            self.prices[node] += sum(1 for _ in _PRICE.finditer(text))

    def is_list_of_links(self, node: Element) -> bool:
        """Whether nearly all of an element is links."""
        return self.links[node] >= MENU_LINKS and self.linked[node] > MENU_SHARE * self.signs[node]

    def is_shelf(self, node: Element) -> bool:
        """Whether an element lists products: prices, of which each has a name, and few other words."""
        prices = self.prices[node]
        named = _PRODUCT_LETTERS[0] * prices <= self.letters[node] <= _PRODUCT_LETTERS[1] * prices
        return prices >= _PRODUCTS and self.links[node] <= _PRODUCT_LINKS * prices and named


def _menus(body: Element) -> list[Element]:
    """The menus of a page, and the lists of links.

    An element with most of a page is no menu, whatever its name (`content-sidebar-wrap`).
    """
    most = sum(len(text.strip()) for text in body.itertext()) / 2
    counts = _Counts.within(body)
    return [
        node
        for node in body.iterdescendants()
        if (_is_menu(node) and counts.signs[node] < most)
        or (node.tag in _LISTS_OF_LINKS and counts.is_list_of_links(node) and not counts.is_shelf(node))
    ]


def _is_menu(node: Element) -> bool:
    named = node.tag in _LISTING and (_MENU.search(node.get("class", "")) or _MENU.search(node.get("id", "")))
    return bool(named) or (node.tag in _MENU_TAGS and not _AUTHOR.search(node.get("class", "")))


def shelf_words(element: Element) -> int:
    """How many words of an element stand in lists of products."""
    counts = _Counts.within(element)
    return sum(
        map(
            words_of,
            _outermost(
                filter(counts.is_shelf, element.iterdescendants("div", "ol", "section", "table", "ul"))
            ),
        )
    )


def widened(place: Element, whole: Element) -> Element:
    """The place of a text with what belongs to it.

    Such are records of its kind, as a thread's other posts are, centred lines, and products. Everything else beside
    it is dropped.
    """
    node = place
    counts = _Counts.within(whole)
    most = 2 * counts.signs[place] + _DATA_SIGNS
    while node is not whole and counts.signs[node] <= most:
        above = node.getparent()
        shape = _shape(node)
        alike = [
            part
            for part in above
            if part.tag == node.tag and part is not node and _alike(shape, _shape(part))
        ]
        own = {node, *alike, *(part for part in above if _is_centred(part) or counts.is_shelf(part))}
        if len(own) > 1:
            for part in [part for part in above if part not in own and part.tag not in _HEADS]:
                part.drop_tree()
            place = above
        node = above
    return place


def _is_centred(node: Element) -> bool:
    centred = (
        node.tag == "center"
        or node.get("align", "").lower() == "center"
        or _CENTRED.search(node.get("style", ""))
    )
    return bool(centred) and not _IMPRINT.search(text_of(node))


def _alike(ours: frozenset[tuple[int, str, str]], theirs: frozenset[tuple[int, str, str]]) -> bool:
    """Whether elements of two shapes are records of one kind: they have mostly the same parts."""
    return len(ours & theirs) > 1 and len(ours & theirs) >= _ALIKE * len(ours | theirs)


def _shape(node: Element, depth: int = _SHAPE_DEPTH) -> frozenset[tuple[int, str, str]]:
    """The parts of an element, by how deep they stand, without marks of text and numbers of records."""
    found: set[tuple[int, str, str]] = set()
    for part in node if depth else ():
        name = _DIGITS.sub("", part.get("class", ""))
        if name or part.tag not in _PLAIN:
            found.add((depth, part.tag, name))
        found |= _shape(part, depth - 1)
    return frozenset(found)


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
