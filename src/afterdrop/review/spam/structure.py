"""What a page is for, by its build, as numbers: where its links lead, who signs it, how it sells, how little it says.

Pure. None of it asks for a language: a story whose every link leads to one shop, a farm of biographies whose addresses
are all built alike, a page that nobody signs, a server's default page are built the same way everywhere. BUILT tells
what each number is; most lie between 0 and 1.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

from afterdrop.review.page.links import COMMON
from afterdrop.review.page.marks import MEASURED
from afterdrop.review.page.markup import Parts
from afterdrop.review.page.view import PageView
from afterdrop.review.spam.slugs import families, slug_of

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

_SOURCE, _TEXT, _LINKS_MOST = 150_000, 20_000, 300
_SHORT = 150
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
_DIGIT, _MIXED_LEAST = re.compile(r"\d"), 6
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
    marks, text = view.marks, parts.text[:_TEXT]
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
    return len(slug) >= _MIXED_LEAST and bool(_DIGIT.search(slug)) and bool(_MIXED.search(slug))


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
    short = view.words < _SHORT
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
