"""Values that the stages of reading a page hand on, in their order: parsed, searched, found, counted, judged, read.

Pure. Values only; a newcomer reads them first. Verdicts, zones and categories are closed sets, so that a rule that
misspells one does not type-check.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Generic, Literal, NamedTuple, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from afterdrop.sources.metrics.values import Topic

    Columns = NDArray[np.int32]
    Floats = NDArray[np.float32]


PageVerdict = Literal["spam", "suspect", "parked", "error", "clean"]
Zone = Literal["title", "meta", "body", "anchor", "link", "url", "markup", "hidden"]
Category = Literal[
    "gambling", "adult", "pharma", "payday", "replica", "essay", "crypto", "warez", "doorway", "injected"
]
ParkedKind = Literal["for_sale", "pay_per_click", "hosting_placeholder", "coming_soon"]
ErrorKind = Literal[
    "not_found",
    "suspended",
    "directory_index",
    "blocked",
    "challenge",
    "server_error",
    "empty",
    "not_html",
    "defaced",
    "consent",
]

# What the rule of an act begins with; the rest says what the page does.
ACT = "act: "

# A page of fewer words that has frames or sends its visitors on is another's door: that one is to be read.
FEW_WORDS = 20


@dataclass(frozen=True, slots=True)
class Capture:
    """One archived answer with its body, as the archive client hands it over.

    `timestamp` is the capture asked for, which need not be the one the archive served. `url` is the archived URL,
    `replay_url` the address a person can open. `status` is the archived HTTP status, `digest` the archive's content
    digest ("" when not given).
    """

    timestamp: datetime
    url: str
    replay_url: str
    status: int
    mimetype: str
    digest: str
    body: bytes = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Evidence:
    """One thing seen, that a person can find again in the page.

    `code` names the finding (`spam_phrase`, `injected_link`, `parking_markup` …), `category` its subject
    (a spam Category, a ParkedKind or an ErrorKind), `severity` runs 0 (worth knowing) to 3 (decides alone).
    `quote` is verbatim text of `zone` in whole words, at most `text.QUOTE_CHARS` long; of the zone `markup`, which
    nobody saw, there is none. `rule` and `lexicon` (data version) say
    who found it.
    """

    code: str
    category: str
    severity: int
    zone: Zone
    quote: str
    rule: str
    lexicon: str


@dataclass(frozen=True, slots=True)
class OutLink:
    """One link to a host: `target_domain` is registrable, `external` when it is not the site's own."""

    target_domain: str
    text: str
    hidden: bool
    external: bool
    url: str = ""


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text, the Python codec that gave it, and notes on what was odd. `size` counts the bytes as given.

    `cut` says that the end is missing: of a long page, and of what was damaged on its way.
    """

    text: str
    charset: str
    notes: tuple[str, ...] = ()
    size: int = 0
    cut: bool = False


class Refresh(NamedTuple):
    """A page's own word on where to go and after how many seconds. The address is as written, and may be relative."""

    seconds: int
    url: str


class PageLink(NamedTuple):
    """A link: `text` as read by a visitor (alt text of images too), `domain` None for links within the host."""

    text: str
    href: str
    domain: str | None
    hidden: bool


@dataclass(frozen=True, slots=True)
class Parts:
    """One page in parts. `main` is the text of paragraphs, `text` all that is visible, `hidden` the rest.

    `heads` is what the page tells of itself to search engines, networks and browsers beside its title. `mask` is the
    address of another page that one frame shows instead of it.
    """

    source: str
    title: str
    metas: dict[str, str]
    headings: tuple[str, ...]
    text: str
    main: str
    hidden: str
    anchors: tuple[PageLink, ...]
    assets: tuple[str, ...]
    frames: tuple[str, ...]
    refresh: Refresh | None
    html_lang: str | None
    hreflangs: frozenset[str]
    canonical: str | None
    forms: int
    article: bool
    heads: tuple[str, ...]
    amphtml: str | None
    mask: str | None


CLEAR_LETTERS = 200


@dataclass(frozen=True, slots=True)
class Spoken:
    """A language (two letters) or None, how many of the three detectors named it, and letters seen.

    `sure` holds when two detectors agree on at least 200 letters, or one script decides.
    """

    language: str | None
    agreed: int = 0
    letters: int = 0

    @property
    def sure(self) -> bool:
        """Whether a change of language may be concluded from it."""
        return self.language is not None and self.agreed >= 2 and self.letters >= CLEAR_LETTERS


@dataclass(frozen=True, slots=True)
class PageView:
    """A page as the rules look at it. Evidence is quoted from the decoded text.

    `site` is the page's own registrable domain where it is told or shows, `told` only where it is told. `words` counts
    the visible words. `elsewhere` are addresses of other sites that it gives as its own. `notes` name what was odd,
    `contacts` are the mail domains and telephone numbers it gives, `marks` how often marks of each name stand in its
    source. `accounts` are the owner's at other services, `brand_tokens` lower-case words naming him. `shell`: scripts
    fill it. `unseen` says why it does not show what its visitors saw.
    """

    url: str
    decoded: Decoded
    parts: Parts
    words: int
    spoken: Spoken
    site: str | None
    told: str | None
    elsewhere: tuple[str, ...]
    links: tuple[OutLink, ...]
    outlink_domains: int
    notes: tuple[str, ...]
    contacts: frozenset[str]
    accounts: frozenset[str]
    brand_tokens: frozenset[str]
    marks: Counter[str]
    refresh: Refresh | None
    shell: bool
    unseen: str


Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Term:
    """One phrase of the lexicon: `level` 3 strong, 2 medium, 1 weak, -1 guard; `language` two letters or `any`.

    Level 0 is an ordinary word that holds a term and keeps it from counting, -2 says who stands behind a page, -3 is of
    another subject that uses the category's word.
    """

    category: Category
    level: int
    language: str
    phrase: str
    single: bool
    latin: bool


class Hit(NamedTuple):
    """A term found in a text, with the place of its words in it."""

    term: Term
    start: int
    end: int


Place = Literal["title", "head", "body", "list"]
PLACES: tuple[Place, ...] = ("title", "head", "body", "list")
LEVELS = (3, 2, 1, -1)
# Occurrences in text and in lists of links: strong, product word, subject.
_WEIGHTS = {3: 1.0, 2: 0.6, 1: 0.15}
_LIST_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Shown:
    """A hit with the piece it stands in."""

    level: int
    zone: Zone
    hit: Hit
    text: str


@dataclass
class Tally:
    """The counts of one trade in one page: distinct phrases by place and level, and their weight in the text."""

    found: dict[tuple[Place, int], set[str]] = field(
        default_factory=lambda: {(place, level): set() for place in PLACES for level in LEVELS}
    )
    weight: float = 0.0
    shown: list[Shown] = field(default_factory=list)

    def add(self, place: Place, zone: Zone, hit: Hit, text: str) -> None:
        """Count one hit."""
        level, phrase = hit.term.level, hit.term.phrase.lower()
        if level > 0 and phrase not in self.found[place, level]:
            self.shown.append(Shown(level, zone, hit, text))
        self.found[place, level].add(phrase)
        if place != "head":
            self.weight += _WEIGHTS.get(level, 0.0) * (_LIST_SHARE if place == "list" else 1)

    def distinct(self, level: int, *places: Place) -> int:
        """How many different phrases of a level stand in these places (none named: in any but the lists)."""
        return len(set().union(*(self.found[place, level] for place in places or PLACES[:3])))

    def listed(self, level: int) -> int:
        """How many different phrases of a level stand in lists of links alone."""
        return len(self.found["list", level].difference(*(self.found[p, level] for p in PLACES[:3])))


@dataclass(frozen=True, slots=True)
class PageWords:
    """`lists` are spans of the page's text, `tallies` its phrases by trade, `weighed` what these amount to.

    `publisher_phrases` say who stands behind the page; the names of public bodies that it links to are among them.
    `reports` are words of reports wherever they stand.
    """

    lists: tuple[Span, ...]
    tallies: Mapping[Category, Tally]
    weighed: Mapping[Category, Weighed]
    publisher_phrases: frozenset[str]
    reports: frozenset[str]


@dataclass(frozen=True, slots=True)
class Weighed:
    """One category's figures: points, occurrences per hundred words, distinct phrases, those in title or head.

    `reported` are different words of reports per hundred words, `publisher_phrases` phrases that say who stands there.
    `says` is what the rules of `trades.py` make of them.
    """

    points: float
    density: float
    strong: int
    medium: int
    guards: int
    headed: int
    explicit: bool
    reported: float = 0.0
    publisher_phrases: int = 0
    words: int = 0
    titled: int = 0
    says: Literal["spam", "suspect", "hint", ""] = ""


Kind = TypeVar("Kind", Category, ParkedKind, ErrorKind)


@dataclass(frozen=True, slots=True)
class Finding(Generic[Kind]):
    """One rule's answer with its quotes; `sure` where it need not be asked again: spam, or a provider's own markup.

    `points` are a trade's or an act's, `hinted`: too few for suspect. `provider` parks the page, where one is known.
    """

    kind: Kind
    evidence: tuple[Evidence, ...]
    sure: bool = False
    points: float = 0.0
    hinted: bool = False
    provider: str | None = None


@dataclass(frozen=True, slots=True)
class Signs:
    """The signs that the rules found on one page.

    `listed` is the word lists' trade, `head` one that stands in the head alone, `repeated` a doorway's sentences,
    `planted` what others put there. `silent`: the page says who stands behind it or was never filled, so the model
    alone may not accuse it. `teaches`: it speaks as reports do, so the model has to be surer.
    """

    words: PageWords
    listed: Finding[Category] | None
    head: Finding[Category] | None
    repeated: Finding[Category] | None
    act: Finding[Category] | None
    planted: Finding[Category] | None
    parked: Finding[ParkedKind] | None
    fault: Finding[ErrorKind] | None
    silent: bool
    teaches: bool


@dataclass(frozen=True, slots=True)
class Block:
    """One zone's features: different `columns` and their `values` (length 1 together), made from `text`."""

    text: str
    columns: Columns
    values: Floats


@dataclass(frozen=True, slots=True)
class Features:
    """A page as the model sees it: hashed words by zone, and a figure for each of NAMES."""

    blocks: tuple[Block, ...]
    figures: Floats


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict with its kind and reasons."""

    verdict: PageVerdict
    evidence: tuple[Evidence, ...] = ()
    category: Category | None = None
    parked_kind: ParkedKind | None = None
    provider: str | None = None
    error_kind: ErrorKind | None = None


@dataclass(frozen=True, slots=True)
class PageReading:
    """Everything one page says. `text` is the full visible text (bounded), `words` its count of words.

    `category` is set for spam and suspect, `parked_kind` and `provider` for parked, `error_kind` for error.
    `language` is a two-letter code or None where little text left the detectors at odds; `language_sure`
    when they agreed on enough text. `contacts` are e-mail domains and phone numbers, `brand_tokens`
    lower-case words naming the owner, `accounts` those at other services. `notes` name odd input in one
    sentence each. `refresh_url` is where the page sends its visitors by itself, `refresh_after` seconds later. `size`
    is the body's length in bytes as given. `spam_chance` is the page model's probability, 0 to 1; `publisher_phrases`
    counts phrases that say who stands behind the page. `unseen` says why the page does not show what its visitors saw.
    """

    verdict: PageVerdict
    category: Category | None = None
    parked_kind: ParkedKind | None = None
    provider: str | None = None
    error_kind: ErrorKind | None = None
    language: str | None = None
    language_sure: bool = False
    title: str | None = None
    description: str | None = None
    text: str = field(default="", repr=False)
    words: int = 0
    topic: Topic | None = None
    links: tuple[OutLink, ...] = field(default=(), repr=False)
    outlink_domains: int = 0
    brand_tokens: frozenset[str] = frozenset()
    contacts: frozenset[str] = frozenset()
    accounts: frozenset[str] = frozenset()
    evidence: tuple[Evidence, ...] = ()
    notes: tuple[str, ...] = ()
    size: int = 0
    charset: str | None = None
    html_lang: str | None = None
    hreflangs: frozenset[str] = frozenset()
    refresh_url: str | None = None
    refresh_after: int = 0
    frame_urls: tuple[str, ...] = ()
    spam_chance: float = 0.0
    publisher_phrases: int = 0
    unseen: str = ""
