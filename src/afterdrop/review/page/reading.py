"""What reading one archived page gives: values only, shared by the page side and the timeline.

Pure. Verdicts, zones and categories are closed sets, so that a rule that misspells one does not type-check.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from afterdrop.sources.metrics.values import Topic

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
    `quote` is verbatim text of `zone` in whole words, at most `quotes.QUOTE_CHARS` long; of the zone `markup`, which
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
