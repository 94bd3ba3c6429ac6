"""Stage 3, counted: a page as numbers. Phrases by trade, what the rules say, its shape, and how it is built.

Pure. NAMES tells what each number is. Numbers are scaled so that most lie between 0 and 1.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, get_args
from urllib.parse import urlsplit

import numpy as np

from afterdrop.review.page.identity import COMMON
from afterdrop.review.page.source import MEASURED
from afterdrop.review.page.text import families, fold, slug_of
from afterdrop.review.page.values import (
    LEVELS,
    PLACES,
    Category,
    PageView,
    PageWords,
    Parts,
    Signs,
    Tally,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


_LINKS = (
    "one address under links", "few addresses", "dead links", "tracked links", "long slugs", "slugs of one build",
    "slugs of letters and digits", "links without text", "text in links", "one link text", "one outside domain",
    "no way back home", "sponsored links", "links that shout", "pages about the site",
)  # fmt: skip
_SIGNED = (
    "contacts", "profiles", "measured", "copyright line", "author named", "site named", "organisation marked",
    "article marked", "product marked", "feed", "years",
)  # fmt: skip
_SALE = (
    "countdown", "struck prices", "buttons", "stars", "quotations", "pictures", "hotlinked pictures", "bold",
    "headings", "headings that ask", "keywords", "title in parts", "year in title", "title is the heading",
    "mail field", "password field",
)  # fmt: skip
_SCRIPTS = ("inline scripts", "packed scripts", "writes itself", "title of another script")
_BARE = (
    "server named", "host named", "server's paths", "short and alone", "short and unsigned", "markup to text",
    "style to text",
)  # fmt: skip
BUILT = (*_LINKS, *_SIGNED, *_SALE, *_SCRIPTS, *_BARE)

_SOURCE, _BUILT_TEXT, _LINKS_MOST = 150_000, 20_000, 300
_SHORT_WORDS = 150
# Names in an address that count whose visitors they send on, and folders that do.
_TRACKERS = frozenset(
    {
        "aff", "affid", "affiliate", "aid", "cid", "click_id", "clickid", "hop", "offer", "partner", "pid",
        "ref", "refid", "s1", "s2", "sub_id", "subid", "tag", "tid", "utm_campaign", "utm_content",
        "utm_medium", "utm_source", "utm_term",
    }
)  # fmt: skip
_SENDER = re.compile(r"[/?#](?:click|go(?:to)?|offer|out|recommends|redirect|track|visit)(?:[/?#]|\Z)")
_ABOUT = frozenset(
    {
        "about", "aboutus", "about-us", "a-propos", "aviso-legal", "careers", "chi-siamo", "contact",
        "contacts", "contactus", "contact-us", "contacto", "contato", "contatti", "contatto", "cookies",
        "datenschutz", "disclaimer", "faculty", "hakkimizda", "iletisim", "impressum", "imprint", "jobs",
        "kapcsolat", "kontakt", "kontakty", "legal", "mentions-legales", "o-nama", "o-nas", "om-os", "om-oss",
        "over-ons", "politica-de-privacidad", "press", "privacidade", "privacy", "privacy-policy", "sobre",
        "staff", "team", "terms", "terms-of-service", "tos", "uber-uns", "ueber-uns", "yhteystiedot",
    }
)  # fmt: skip
_QUERY = re.compile(r"[?&]([^=&#]{1,20})=")
_DIGIT, _MIXED_CHARS = re.compile(r"\d"), 6
_MIXED = re.compile(r"(?=[a-z]{0,20}\d)(?=\d{0,20}[a-z])[a-z0-9]{6,}")
# That no word goes before is asked after the first digit: so a text is searched for digits, not tried at every place.
_YEAR = re.compile(r"(?:1(?<!\w1)9[89]|2(?<!\w2)0[0-3])\d\b")
_CLOCK = re.compile(r"\d(?<!\w\d)\d ?: ?\d\d ?: ?\d\d\b")
_APART = re.compile(r" ?[|»·•–—,:] ?| - ")
_COPYRIGHT = re.compile(r"©|\(c\) |copyright", re.IGNORECASE)
_SERVER = re.compile(
    r"apache|nginx|lighttpd|litespeed|openresty|caddy|tomcat|tengine|\biis\b|internet information services|c-?panel"
    r"|plesk|directadmin|ispconfig|webmin|virtualmin|froxlor|hestia|vesta|cyberpanel|phpmyadmin|lnmp|lamp|xampp|wamp"
    r"|web ?server|debian|ubuntu|centos|fedora|rocky linux|almalinux|red hat|\u5b9d\u5854|isp ?manager|kloxo|sentora"
    r"|zpanel|webuzo|interworx",
    re.IGNORECASE,
)
_HOST = re.compile(
    r"\b(?:[a-z0-9-]{1,63}\.){1,3}(?:[a-z]{2,6}|xn--[a-z0-9]{2,20})\b|\b(?:\d{1,3}\.){3}\d{1,3}\b|localhost"
)
_PATHS = re.compile(
    r"/var/www|/usr/share|/etc/|public_html|htdocs|wwwroot|\bindex\.(?:html?|php)|default\.html?|\.conf\b|/home/\w"
    r"|httpdocs|\bftp\b|\bdns\b|\bssl\b",
    re.IGNORECASE,
)


def structure(view: PageView) -> Sequence[float]:
    """One number for each of BUILT."""
    parts = view.parts
    marks, text = view.marks, parts.text[:_BUILT_TEXT]
    named = view.contacts
    return (
        *_links(parts, view, marks),
        *_signed(parts, marks, text, named),
        *_sale(parts, marks, text, view.words),
        *_scripts(parts, marks, text),
        *_bare(parts, view, text, bool(named)),
    )


def _per(count: float, words: int, scale: float) -> float:
    """A count in so many words, at most 1."""
    return min(1.0, scale * count / (words + 30))


def _share(most: Iterable[int], total: int) -> float:
    return max(most, default=0) / (total + 1)


def _links(parts: Parts, view: PageView, marks: Counter[str]) -> Sequence[float]:
    anchors = [
        one for one in parts.anchors[:_LINKS_MOST] if not one.href[:7].lower().startswith(("mailto", "tel:"))
    ]
    count = len(anchors)
    addresses = Counter(one.href for one in anchors)
    dead = {address for address in addresses if _is_dead(address)}
    texts = Counter(one.text.lower() for one in anchors if one.text)
    outside = outside_domains(view)
    buttons = sum(outside[domain] for domain in COMMON)
    slugs = {address: slug for address in addresses if (slug := slug_of(address))}
    alike = next(iter(families(slugs)), [])
    alive = [times for address, times in addresses.items() if address not in dead]
    return (
        _share(alive, count) if count > 2 else 0.0,
        1 / (1 + len(alive)),
        sum(addresses[address] for address in dead) / (count + 1),
        sum(times for address, times in addresses.items() if _is_tracked(address)) / (count + 1),
        sum(slug.count("-") >= 3 for slug in slugs.values()) / (count + 1),
        len(alike) / (count + 1),
        sum(map(_is_mixed, slugs.values())) / (count + 1),
        sum(not one.text for one in anchors) / (count + 1),
        min(1.0, sum(len(one.text) for one in anchors) / (len(parts.text) + 50)),
        _share(texts.values(), count) if count > 2 else 0.0,
        _share(
            (times for domain, times in outside.items() if domain not in COMMON), outside.total() - buttons
        ),
        not any(map(_is_home, addresses)),
        min(1.0, marks["sponsored"] / (count + 1)),
        sum(one.text.isupper() or "!" in one.text for one in anchors) / (count + 1),
        math.log1p(len(_ABOUT.intersection(slugs.values()))) / 2,
    )


def outside_domains(view: PageView) -> Counter[str]:
    """How often a page links to each other registrable domain.

    Where nothing says which is its own, to each that it names: pages are trained on without their addresses.
    """
    return Counter(link.target_domain for link in view.links if link.external or view.site is None)


def _is_dead(address: str) -> bool:
    return address in {"", "/"} or address[0] == "#" or address[:11].lower() == "javascript:"


def _is_mixed(slug: str) -> bool:
    """Whether letters and digits stand together in a slug, as in one that a program made up."""
    return len(slug) >= _MIXED_CHARS and bool(_DIGIT.search(slug)) and bool(_MIXED.search(slug))


def _is_tracked(address: str) -> bool:
    """Whether an address counts whose visitors it sends on, or is one that sends on."""
    low = address.lower()
    named = "=" in low and not _TRACKERS.isdisjoint(_QUERY.findall(low))
    return named or _SENDER.search(low) is not None


def _is_home(href: str) -> bool:
    if href in {"/", "./", "index.html", "/index.html", "index.php", "../"}:
        return True
    if "//" not in href[:8]:
        return False
    try:
        told = urlsplit(href)
    except ValueError:
        return False
    return bool(told.netloc) and told.path in {"", "/"} and not told.query


def _signed(parts: Parts, marks: Counter[str], text: str, named: frozenset[str]) -> Sequence[float]:
    profiles = COMMON.intersection(anchor.domain for anchor in parts.anchors if anchor.domain)
    return (
        math.log1p(len(named)) / 2,
        math.log1p(len(profiles)) / 2,
        any(marks[name] for name in MEASURED),
        _COPYRIGHT.search(parts.text[-3000:]) is not None,
        bool(parts.metas.get("author")),
        bool(parts.metas.get("og:site_name")),
        marks["organisation"] > 0,
        parts.article or marks["article"] > 0,
        marks["product"] > 0,
        marks["feed"] > 0,
        math.log1p(len(set(_YEAR.findall(text)))) / 3,
    )


def _sale(parts: Parts, marks: Counter[str], text: str, words: int) -> Sequence[float]:
    hosts = sum("//" in asset[:8] for asset in parts.assets[:200])
    headings = parts.headings
    title, first = parts.title.lower(), headings[0].lower() if headings else ""
    keywords = parts.metas.get("keywords", "").count(",")
    return (
        marks["countdown"] > 0 or _CLOCK.search(text) is not None,
        min(1.0, marks["struck"] / 5),
        _per(marks["button"], words, 20),
        min(1.0, marks["star"] / 10),
        min(1.0, marks["quoted"] / 10),
        _per(marks["picture"], words, 10),
        hosts / (len(parts.assets[:200]) + 1),
        _per(marks["bold"], words, 10),
        _per(len(headings), words, 20),
        sum("?" in one or "？" in one for one in headings) / (len(headings) + 1),
        min(1.0, keywords / 30),
        min(1.0, len(_APART.findall(parts.title)) / 5),
        _YEAR.search(parts.title) is not None,
        bool(first) and (first in title or title in first),
        marks["mail field"] > 0,
        marks["password field"] > 0,
    )


def _scripts(parts: Parts, marks: Counter[str], text: str) -> Sequence[float]:
    return (
        min(1.0, marks["script"] / 30),
        min(1.0, marks["packed"] / 5),
        min(1.0, marks["writes"] / 5),
        abs(_far(parts.title) - _far(text)) if parts.title and text else 0.0,
    )


def _far(text: str) -> float:
    """The share of letters beyond Latin, Greek and Cyrillic."""
    letters = [sign for sign in text[:500] if sign.isalpha()]
    return sum(sign > "\u052f" for sign in letters) / (len(letters) + 1)


def _bare(parts: Parts, view: PageView, text: str, named: bool) -> Sequence[float]:
    short = view.words < _SHORT_WORDS
    head = f"{parts.title}\n{text[:2000]}" if short else ""
    alone = short and len(parts.anchors) <= 3
    size = len(parts.text) + 100
    return (
        _SERVER.search(head) is not None,
        _HOST.search(head.lower()) is not None,
        _PATHS.search(head) is not None,
        alone,
        short and not named and not _COPYRIGHT.search(head),
        min(1.0, math.log1p(len(parts.source) / size) / 5),
        min(1.0, _style(parts.source[:_SOURCE]) / size),
    )


def _style(source: str) -> int:
    """The characters of style sheets within a page."""
    total, start = 0, source.find("<style")
    while start >= 0:
        end = source.find("</style", start)
        total += (end if end >= 0 else len(source)) - start
        start = source.find("<style", end) if end >= 0 else -1
    return total


TRADES: tuple[Category, ...] = tuple(sorted(set(get_args(Category)) - {"injected"}))
_COUNTS = tuple(f"{place} {level}" for place in PLACES for level in LEVELS)
_RULES = (
    "points", "density", "strong", "medium", "guards", "headed", "reported", "titled", "spam", "suspect", "hint",
    "spam and no guard", "headed and no guard",
)  # fmt: skip
_SHAPE = (
    "words", "few words", "hardly any words", "outside domains", "anchors", "outside anchors", "most linked domain",
    "article", "publisher", "publishers", "hidden text", "lists", "forms", "frames", "other language",
    "keywords", "title length", "title words in text", "title pair in text", "different words", "repeated sentences",
    "digits", "percents", "prices", "shouting", "signs", "own links", "no link", "bare name as title",
    "bare name as heading", "trade in a short page's title",
)  # fmt: skip
_OTHERS = ("planted", "surely planted", "parked by rules", "surely parked", "error by rules")
NAMES = (
    *(f"{trade} {count}" for trade in TRADES for count in _COUNTS),
    *(f"any {count}" for count in _COUNTS),
    *(f"rules: {name}" for name in _RULES),
    *(f"page: {name}" for name in _SHAPE),
    *(f"found: {name}" for name in _OTHERS),
    *(f"built: {name}" for name in BUILT),
)
_TEXT, _PAIRS = 10_000, 6
_SENTENCE = re.compile(r"[.!?…。！？]+")
_PRICES, _PRICE_WORDS = "$€£¥₽₹", ("usd", "eur", "rub", "idr", "rp")
_SIGN = re.compile("[\u2600-\u2fff\U0001f000-\U0001ffff]")
_NAME = re.compile(r"^\W*+(?:https?://)?(?:www\.)?[\w-]{1,63}(?:\.[\w-]{2,63}){1,2}\W*$")
_SENTENCE_CHARS, _FEW_WORDS, _HARDLY_ANY_WORDS = 25, 60, 20


def figures(view: PageView, signs: Signs) -> Floats:
    """One number for each of NAMES."""
    words = signs.words
    counted = np.array([_counts(words.tallies.get(trade)) for trade in TRADES], np.float32)
    numbers = (
        *_by_rules(words),
        *_shape(view, words),
        *_others(signs),
        *structure(view),
    )
    return np.concatenate([counted.ravel(), counted.max(axis=0), np.array(numbers, np.float32)])


def _counts(tally: Tally | None) -> list[float]:
    return [
        math.log1p(len(tally.found[place, level])) if tally else 0.0 for place in PLACES for level in LEVELS
    ]


def _by_rules(found: PageWords) -> Sequence[float]:
    """The rules' figures of the trade with most points."""
    pages = found.weighed.values()
    if not pages:
        return [0.0] * len(_RULES)
    best, said = max(pages, key=lambda page: page.points), {page.says for page in pages}
    spam, suspect = "spam" in said, not said.isdisjoint({"spam", "suspect"})
    return (
        max(-1.0, min(3.0, best.points / 10)),
        min(2.0, best.density / 4),
        math.log1p(best.strong) / 2,
        math.log1p(best.medium) / 2,
        math.log1p(best.guards) / 2,
        math.log1p(best.headed),
        min(2.0, best.reported),
        min(1.0, best.titled),
        spam,
        suspect,
        said != {""},
        spam and not best.guards,
        best.headed > 0 and not best.guards,
    )


def _others(found: Signs) -> Sequence[float]:
    planted, parked = found.planted, found.parked
    return (
        planted is not None,
        planted is not None and planted.sure,
        parked is not None,
        parked is not None and parked.sure,
        found.fault is not None,
    )


def _shape(view: PageView, found: PageWords) -> Sequence[float]:
    parts, words = view.parts, view.words
    outside = outside_domains(view)
    links, publishers = len(parts.anchors), len(found.publisher_phrases)
    titled = any(one.distinct(level, "title") for one in found.tallies.values() for level in (3, 2, 1))
    return (
        math.log1p(words) / 5,
        words < _FEW_WORDS,
        words < _HARDLY_ANY_WORDS,
        math.log1p(len(outside)) / 3,
        math.log1p(links) / 4,
        outside.total() / (links + 1),
        max(outside.values(), default=0) / (links + 1),
        parts.article,
        publishers > 0,
        math.log1p(publishers),
        math.log1p(len(parts.hidden)) / 8,
        sum(end - start for start, end in found.lists) / (len(parts.text) + 1),
        min(3, parts.forms) / 3,
        min(3, len(parts.frames)) / 3,
        parts.html_lang is not None and view.spoken.language not in {None, parts.html_lang},
        math.log1p(len(parts.metas.get("keywords", ""))) / 6,
        min(2.0, len(parts.title) / 80),
        *_text(parts.title, parts.text[:_TEXT]),
        math.log1p(links - outside.total()) / 4,
        links == 0,
        _NAME.match(parts.title) is not None,
        any(map(_NAME.match, parts.headings[:2])),
        words < _FEW_WORDS and titled,
    )


def _text(title: str, text: str) -> Sequence[float]:
    plain = fold(text)
    words = plain.split()
    total = len(words) + 20
    counts = Counter(words)
    prices = sum(map(text.count, _PRICES)) + sum(counts[word] for word in _PRICE_WORDS)
    named = [word for word in fold(title).split() if len(word) > 3]
    pairs = [f"{one} {other}" for one, other in pairwise(named)]
    sentences = [one.strip() for one in _SENTENCE.split(text.lower())]
    long = [one for one in sentences if len(one) >= _SENTENCE_CHARS]
    return (
        min(2.0, 10 * sum(counts[word] for word in set(named)) / total),
        min(2.0, 50 * max((plain.count(pair) for pair in set(pairs[:_PAIRS])), default=0) / total),
        len(counts) / total,
        1 - len(set(long)) / len(long) if long else 0.0,
        min(1.0, 10 * sum(times for word, times in counts.items() if word.isdigit()) / total),
        min(1.0, 20 * text.count("%") / total),
        min(1.0, 20 * prices / total),
        min(1.0, 20 * (text.count("!") + text.count("！")) / total),
        min(1.0, 10 * len(_SIGN.findall(text)) / total),
    )
