"""Stage 1, parsing: whose a page is. Its links, contacts, accounts and brand words.

Pure. Services that serve many sites (`data/third_parties.toml`) tell nothing of an owner.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any, Final

from selectolax.lexbor import LexborHTMLParser

from afterdrop.core.domain_names import domain_of_url
from afterdrop.core.errors import BadName
from afterdrop.review.page.markup import domain_of, domain_of_host
from afterdrop.review.page.source import original_url
from afterdrop.review.page.text import Phrases
from afterdrop.review.page.values import OutLink, Parts

# Hosts of buttons, counters and fonts: linked from everywhere, they say nothing about a page.
COMMON = frozenset(
    {
        "facebook.com", "twitter.com", "x.com", "instagram.com", "linkedin.com", "youtube.com", "youtu.be",
        "google.com", "goo.gl", "pinterest.com", "tumblr.com", "reddit.com", "wordpress.org", "wordpress.com",
        "w3.org", "adobe.com", "microsoft.com", "apple.com", "gravatar.com", "t.me", "telegram.org",
        "whatsapp.com", "wa.me", "vk.com", "ok.ru", "flickr.com", "vimeo.com", "github.com", "tiktok.com",
        "feedburner.com", "creativecommons.org", "addthis.com", "cloudflare.com", "blogger.com", "bit.ly",
    }
)  # fmt: skip

_ABSOLUTE: Final = re.compile(r"(?:https?:)?//", re.IGNORECASE)


def linked_domains(source: str, zones: tuple[str, ...] = ()) -> set[str]:
    """The registrable domains of all links of a page's source, its own among them where it writes whole addresses.

    Links of a page from an archive lead to what it kept. A link without a public domain is left out.
    """
    domains = set[str]()
    for node in LexborHTMLParser(source).css("a[href],area[href]"):
        address = original_url((node.attributes.get("href") or "").strip())
        if _ABSOLUTE.match(address):
            with suppress(BadName):
                domains.add(domain_of_url(address, zones))
    return domains


def site_of(parts: Parts, url: str, site: str | None) -> str | None:
    """The page's own registrable domain: as told, by its address, by what it says of itself, or by its files.

    None when nothing says it; then a link to another domain proves nothing.
    """
    told = site or domain_of(original_url(url)) or domain_of(original_url(parts.canonical or ""))
    if told:
        return told
    domains = Counter(
        domain for asset in parts.assets if (domain := domain_of(asset)) and domain not in COMMON
    )
    linked = Counter(
        anchor.domain for anchor in parts.anchors if anchor.domain and anchor.domain not in COMMON
    )
    both = [domain for domain, count in linked.most_common(5) if domain in domains and count >= 3]
    if both:
        return both[0]
    (top, count), *_ = linked.most_common(1) or [("", 0)]
    return top if count >= 5 and count * 2 > linked.total() else None


def out_links(parts: Parts, site: str | None) -> tuple[OutLink, ...]:
    """Every absolute link of a page with its target's registrable domain."""
    return tuple(
        OutLink(
            anchor.domain, anchor.text, anchor.hidden, site is not None and anchor.domain != site, anchor.href
        )
        for anchor in parts.anchors
        if anchor.domain
    )


def outlink_domains(links: tuple[OutLink, ...]) -> int:
    """How many other registrable domains a page links to, buttons and counters aside."""
    return len({link.target_domain for link in links if link.external and link.target_domain not in COMMON})


# Makers name themselves at the end of a page, in so many characters.
_END, _LINE = 3_000, 120
# "Site problems? Write to …" ends no line.
_ASKING = 3
# Where a maker's line ends; a name may have a point ("Pixel Ltd. & Co").
_LINE_ENDS = re.compile(r"[|•·©\n]|[.!?] (?=\S{3})")
_SENTENCE = re.compile(r"[^.!?。！？]+[.!?。！？]?")


@dataclass(frozen=True, slots=True)
class Makers:
    """The maker of a page by its own words: `spans` of its text, and the domains that are linked or written there."""

    spans: tuple[tuple[int, int], ...]
    domains: frozenset[str]

    def wrote(self, start: int) -> bool:
        """Whether a place in the text is in a maker's line."""
        return any(first <= start < end for first, end in self.spans)


class ThirdParties:
    """The data in searchable form."""

    def __init__(self, table: dict[str, Any]) -> None:
        self.mailers = frozenset(table["mailers"])
        self.placeholders = frozenset(table["placeholders"])
        self.profiles = frozenset(table["profiles"])
        self.linked = frozenset(table["linked"])
        self._makers = Phrases(phrase for listed in table["makers"].values() for phrase in listed)
        self._law = Phrases(table["law"]["words"])

    def makers(self, text: str, links: Iterable[tuple[str, str | None]]) -> Makers:
        """The makers' lines at the end of a text with single blanks; `links` are texts with the domains linked."""
        begin = max(0, len(text) - _END)
        spans: list[tuple[int, int]] = []
        for found in self._makers.find(text[begin:]):
            start = begin + found.start
            line = text[begin + found.end : start + _LINE]
            end = _LINE_ENDS.search(line, _ASKING)
            stop = begin + found.end + (end.start() if end else len(line))
            if spans and start < spans[-1][1]:
                start, stop = spans[-1][0], max(stop, spans.pop()[1])
            spans.append((start, stop))
        lines = [text[start:end] for start, end in spans]
        domains = {
            domain
            for said, domain in (links if lines else ())
            if domain and said and any(said in line for line in lines)
        }
        return Makers(tuple(spans), frozenset(domains))

    def owners_text(self, text: str) -> str:
        """A text without makers' lines and the sentences of privacy statements, disclaimers and terms."""
        for start, end in reversed(self.makers(text, ()).spans):
            text = f"{text[:start]} {text[end:]}"
        found = self._law.find(text)
        if not found:
            return text
        places = iter([one.start for one in found])
        place = next(places, None)
        kept: list[str] = []
        for sentence in _SENTENCE.finditer(text):
            told = False
            while place is not None and place < sentence.end():
                told = told or place >= sentence.start()
                place = next(places, None)
            if not told:
                kept.append(sentence[0])
        return "".join(kept)


@lru_cache(maxsize=1)
def third_parties() -> ThirdParties:
    """The shipped data, read once a process."""
    text = resources.files("afterdrop.review").joinpath("data/third_parties.toml").read_text("utf-8")
    return ThirdParties(tomllib.loads(text))


# From the sign on: few texts have one. The domain's own end may not be the next address's name.
_EMAIL = re.compile(r"@(?<=[\w.+-]@)([\w-]{1,63}(?:\.[\w-]{1,63}){1,4})@?")
_LOCAL = re.compile(r"[\w.+-]{1,64}$")
# All that a number may stand in; searched first, for most of a text is far from one.
_NUMBERS = re.compile(r"[+(\d][\d ()/.+-]{7,}+")
# A full stop or an abbreviation's point beside a number is not of it; one between figures is a decimal's.
_PHONE = re.compile(r"(?<!\w)(?<!\d\.)(?:\+|00)?\(?\d[\d ()/.-]{6,18}\d(?!\w|\.\w)")
# Dates, and the first and last year of a copyright or an association.
_DATED = re.compile(
    r"(?:19|20)\d\d(?:[-./ ]+\d\d?[-./ ]+\d\d?| ?[-/] ?(?:19|20)\d\d)|\d\d?[-./ ]+\d\d?[-./ ]+(?:19|20)\d\d"
)
# Hours that a shop is open, and years in a row.
_HOURS = re.compile(r"(?:(?:[01]?\d|2[0-4])[.:]?[0-5]\d[ -]{0,3}){2,4}|(?:(?:19|20)\d\d[ /.-]{0,3}){2,4}")
# Before a number of a book or journal.
_OF_BOOKS = re.compile(
    r"\b(?:issn|isbn|ean|doi|oclc|lccn|upc|asin|pmid|ismn|urn)\W{0,4}(?:1[03]\W{1,3})?$", re.IGNORECASE
)
_TEL = re.compile(r"^(?:tel|callto):(?://)?([+\d][\d ().-]{5,20})", re.IGNORECASE)
_OWNER = re.compile(
    r"(?:©|\(c\)|&copy;|copyright)\W{0,3}(?:copyright\W{0,3})?(?:(?:19|20)\d\d(?:\s*[-–,]\s*(?:(?:19|20)\d\d|now|present))?)?"
    r"\W{0,3}(?:by\s+)?([^\W\d_][^.|©<>\n\r]{1,60})",
    re.IGNORECASE,
)
# Titles come with single blanks.
_SPLIT = re.compile(r" ?[|»«·•—–:] ?| - ")
_WORD = re.compile(r"[^\W\d_]{3,}")
_SHARED_WORDS = """
all rights reserved copyright the and for with from your our home homepage welcome page site website web online official
index untitled document new www com net org inc ltd llc gmbh rechte vorbehalten alle startseite willkommen tous droits
réservés
accueil bienvenue todos los derechos reservados inicio bienvenidos tutti diritti riservati benvenuti rechten
voorbehouden welkom direitos bem vindo strona główna wszelkie prawa zastrzeżone главная все права защищены design
powered
wordpress
"""
_COMMON = frozenset(_SHARED_WORDS.split())
_CONTACTS_MOST = 40
# Accounts at services of measurement and advertising, each with the mark of its service, without which no page is
# searched for it ("G-" alone has none); the property's number behind the account's may change. Each begins with its
# letters, so that a page is searched for them and not tried at every place.
_ACCOUNTS = tuple(
    (mark, re.compile(pattern))
    for mark, pattern in (
        ("google property", r"UA-(?<!\wUA-)\d{4,10}(?=-\d)"),
        (None, r"G-(?<!\wG-)[A-Z0-9]{9,12}\b"),
        ("google tag", r"GTM-(?<!\wGTM-)[A-Z0-9]{4,8}\b"),
        ("google publisher", r"ca-pub-(?<!\wca-pub-)\d{10,20}"),
        ("statcounter", r"sc_project(?<!\wsc_project)\s{0,3}=\s{0,3}\d{5,12}"),
        ("yandex", r"mc\.yandex\.ru/watch/\d{4,12}"),
    )
)
_NETWORKS = "facebook|twitter|instagram|youtube|linkedin|pinterest|vk|flickr|vimeo|tumblr|t"
_PROFILE_SITES = frozenset(f"{name}.{end}" for name in _NETWORKS.split("|") for end in ("com", "me"))
_PROFILE = re.compile(
    rf"^(?:https?:)?//(?:[\w-]{{1,20}}\.)?({_NETWORKS})"
    r"\.(?:com|me)/(?:#!/)?((?:user/|channel/|c/|company/|in/|groups/|pages/|photos/)?@?[\w.%-]{2,100})",
    re.IGNORECASE,
)
# Addresses at these hosts that are nobody's profile.
_NO_PROFILE = re.compile(
    r"(?:^|/)(?:share|sharer|share\.php|sharer\.php|sharearticle|intent|home|home\.php|plugins|dialog|log-?in|pin|hashtag"
    r"|search|watch|embed|widgets|policies|privacy|help|about|cws|tr|events|profile\.php|pages|explore|reels?|stories"
    r"|accounts|direct|shorts|playlist|results|feed|ads|business|legal|developers|settings|marketplace|story\.php"
    r"|photo\.php|l\.php|oauth|tags|messages|download|signup|terms)$",
    re.IGNORECASE,
)


def brand_tokens(parts: Parts) -> frozenset[str]:
    """Lower-case words that name the owner: site name, title's ends, logo's alt text, copyright line."""
    named = [
        parts.metas.get(name, "") for name in ("og:site_name", "application-name", "author", "twitter:site")
    ]
    pieces = _SPLIT.split(parts.title)
    named += [pieces[0], pieces[-1]] if pieces else []
    named += [match for match in _OWNER.findall(parts.text[-4000:])]
    words = {word.lower() for text in named for word in _WORD.findall(text)[:8]}
    return frozenset(words - _COMMON)


def contacts(parts: Parts) -> frozenset[str]:
    """Domains of e-mail addresses, and telephone numbers as digits, that a page gives as its owner's.

    At a mailer's domain, which is nobody's, the whole address. Not those of who made or hosts the site, of templates,
    nor numbers of books, hours and years.
    """
    known = third_parties()
    makers = known.makers(parts.text, ((anchor.text, anchor.domain) for anchor in parts.anchors))
    mails = [(parts.text, match) for match in _EMAIL.finditer(parts.text)]
    numbers = {_digits(number): makers.wrote(at) for number, at in _phones(parts.text)}
    theirs = {_mail_domain(match) for _, match in mails if makers.wrote(match.start())} | makers.domains
    for anchor in parts.anchors:
        if anchor.href[:1] not in {"m", "M", "t", "T", "c", "C"}:
            continue
        if anchor.href[:7].lower() == "mailto:":
            mails += [(anchor.href, match) for match in _EMAIL.finditer(anchor.href)]
        elif tel := _TEL.match(anchor.href):
            numbers.setdefault(_digits(tel[1]), False)
    found = {number for number, of_maker in numbers.items() if not of_maker}
    for text, match in mails:
        domain = _mail_domain(match)
        if domain and domain not in theirs and domain not in known.placeholders:
            found.add(_whole(text, match, domain) if domain in known.mailers else domain)
    return frozenset(sorted(found)[:_CONTACTS_MOST])


def is_mail(contact: str) -> bool:
    """Whether a contact is of mail, and no telephone number."""
    return not contact.isdigit()


def _mail_domain(match: re.Match[str]) -> str | None:
    return domain_of_host(match[1].lower())


def _whole(text: str, match: re.Match[str], domain: str) -> str:
    local = _LOCAL.search(text[max(0, match.start() - 64) : match.start()])
    return f"{local[0].lower() if local else ''}@{domain}"


def accounts(parts: Parts, marks: Mapping[str, int]) -> frozenset[str]:
    """Accounts that a page uses or names as its own: of measurement, advertising, and profiles elsewhere.

    `marks` are those of its source.
    """
    linked = (anchor.href for anchor in parts.anchors if anchor.domain in _PROFILE_SITES)
    profiles = [match for href in linked if (match := _PROFILE.match(href))]
    makers = third_parties().profiles
    named = {
        f"{match[1]}:{match[2]}".lower()
        for match in profiles
        if not _NO_PROFILE.search(match[2]) and match[2].lower().lstrip("@") not in makers
    }
    searched = (account for mark, account in _ACCOUNTS if mark is None or mark in marks)
    used = (match for account in searched for match in account.findall(parts.source))
    return frozenset(sorted(named.union(used))[:_CONTACTS_MOST])


def _phones(text: str) -> Iterator[tuple[str, int]]:
    """Telephone numbers as written, with their places."""
    for run in _NUMBERS.finditer(text):
        # One character more, by which a number that goes on as a word is told.
        for found in _PHONE.finditer(text, run.start(), run.end() + 1):
            number = found[0]
            if not 8 <= len(_digits(number)) <= 15 or _DATED.fullmatch(number) or _HOURS.fullmatch(number):
                continue
            if not _OF_BOOKS.search(text[max(0, found.start() - 20) : found.start()]):
                yield number, found.start()


def _digits(number: str) -> str:
    return re.sub(r"\D", "", number).lstrip("0")
