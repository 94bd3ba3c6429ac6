"""Histories composed from the invented texts beside this file: honest, hijacked and parked ones, and ones with gaps.

They are the same in every run. The expected results are what a careful person would say about the whole history.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.timelines.life import Life, Shot

HERE = Path(__file__).parent
_DOORWAYS = {
    "gambling": "/{n}-best-online-casino-bonus-{n}/", "pharma": "/buy-viagra-online-{n}.html",
    "replica": "/replica-rolex-watches-{n}.html", "doorway": "/スーパーコピー時計-{n}.html",
    "payday": "/payday-loans-no-credit-check-{n}/", "essay": "/write-my-essay-{n}/",
    "warez": "/photoshop-crack-keygen-{n}/", "adult": "/free-porn-videos-{n}/",
}  # fmt: skip


@dataclass(frozen=True)
class Site:
    """One honest site: its texts before and after its redesign."""

    name: str
    language: str
    nav: tuple[str, ...]
    text: str
    later: str
    charset: str = "utf-8"
    hard: bool = False

    @property
    def domain(self) -> str:
        """A domain made from the site's name, or from its length for a name in another script."""
        words = re.findall(r"[a-z]{3,}", self.name.lower())
        return ("-".join(words[:2]) or f"site-{len(self.name)}-{self.language}") + ".com"


@cache
def sites() -> tuple[Site, ...]:
    """The honest sites."""
    return tuple(
        Site(
            one["name"],
            one["language"],
            tuple(one["nav"].split("|")),
            one["text"],
            one["later"],
            one.get("charset", "utf-8"),
            one.get("hard", False),
        )
        for one in _read("honest")["site"]
    )


@cache
def spam() -> tuple[dict[str, Any], ...]:
    """The spam pages."""
    return tuple(_read("spam")["page"])


@cache
def landers() -> tuple[dict[str, Any], ...]:
    """Parking pages."""
    return tuple(_read("landers")["lander"])


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((HERE / f"{name}.toml").read_text("utf-8"))


def _sentences(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"(?<=[.!?。])\s*", " ".join(text.split())) if part.strip()]


def old_page(site: Site, year: int, extra: str = "") -> bytes:
    """The site before its redesign: tables, and an order of paragraphs that changes from year to year."""
    parts = _sentences(site.text)
    turn = year % max(len(parts) - 1, 1)
    body = "".join(f"<p>{escape(part)}</p>" for part in parts[turn:] + parts[:turn])
    links = " | ".join(f'<a href="/{n}.html">{escape(word)}</a>' for n, word in enumerate(site.nav))
    mail = f"info@{site.domain}"
    source = (
        f"<html><head><meta http-equiv='Content-Type' content='text/html; charset={site.charset}'>"
        f"<title>{escape(site.name)}</title></head><body><h1>{escape(site.name)}</h1>{links}{body}{extra}"
        f"<hr><small>&copy; {year} {escape(site.name)} <a href='mailto:{mail}'>{mail}</a></small></body></html>"
    )
    return source.encode(site.charset, "xmlcharrefreplace")


def new_page(site: Site, year: int, extra: str = "", text: str | None = None, language: str = "") -> bytes:
    """The site after its redesign: new words and markup, the same name and address."""
    parts = _sentences(text or site.later)
    turn = year % max(len(parts) - 1, 1)
    body = "".join(f"<section><p>{escape(part)}</p></section>" for part in parts[turn:] + parts[:turn])
    nav = "".join(f'<li><a href="/{n}/">{escape(word)}</a></li>' for n, word in enumerate(site.nav))
    source = (
        f'<!doctype html><html lang="{language or site.language}"><head><meta charset="utf-8">'
        f"<title>{escape(site.nav[0])} – {escape(site.name)}</title></head><body><header><nav><ul>{nav}</ul></nav>"
        f"</header><main><h1>{escape(site.name)}</h1>{body}</main>{extra}<footer>© {year} {escape(site.name)}, "
        f'<a href="mailto:info@{site.domain}">info@{site.domain}</a></footer></body></html>'
    )
    return source.encode()


def spam_page(page: dict[str, Any], year: int, domain: str) -> bytes:
    """A spam page on a dropped name."""
    parts = _sentences(page["text"])
    turn = year % max(len(parts) - 1, 1)
    body = "".join(f"<p>{escape(part)}</p>" for part in parts[turn:] + parts[:turn])
    source = (
        f'<!doctype html><html lang="{page["language"]}"><head><meta charset="utf-8"><title>'
        f"{escape(page['title'])}</title></head><body><h1>{escape(page['title'])}</h1>{body}"
        f"<footer>{year} {escape(domain)}</footer></body></html>"
    )
    return source.encode()


def lander_page(number: int, domain: str) -> bytes:
    """A parking page."""
    one = landers()[number % len(landers())]
    title, text = (one[key].format(domain=domain) for key in ("title", "text"))
    return (
        f"<html><head><meta charset='utf-8'><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p>"
        "</body></html>"
    ).encode()


def planted(page: dict[str, Any], number: int) -> str:
    """A hidden block of links to foreign sites, as a break-in leaves it."""
    words = re.findall(r"[^,.:!?。、｜]{8,60}", page["title"] + ", " + page["text"])[:8]
    links = "".join(
        f'<a href="http://deal{number}-{place}.example.net/">{escape(word.strip())}</a> '
        for place, word in enumerate(words)
    )
    return f'<div style="display:none">{links}</div>'


def _at(year: int, month: int = 3, day: int = 5) -> datetime:
    return datetime(year, month, day, 8, 30, tzinfo=UTC)


def _old(site: Site, first: int, last: int, extra: str = "") -> list[Shot]:
    kind = f"text/html; charset={site.charset}"
    return [
        Shot(_at(year, month), old_page(site, year * 2 + month // 6, extra), content_type=kind)
        for year in range(first, last + 1)
        for month in (2, 9)
    ]


def _new(site: Site, first: int, last: int, extra: str = "") -> list[Shot]:
    return [
        Shot(_at(year, month), new_page(site, year * 2 + month // 6, extra))
        for year in range(first, last + 1)
        for month in (4, 11)
    ]


def _spam(page: dict[str, Any], first: int, last: int, domain: str) -> list[Shot]:
    return [
        Shot(_at(year, month), spam_page(page, year * 3 + month // 4, domain))
        for year in range(first, last + 1)
        for month in (1, 5, 9)
    ]


def _life(site: Site, kind: str, truth: str, *shots: list[Shot], **given: Any) -> Life:
    return Life(site.domain, kind, truth, tuple(shot for group in shots for shot in group), **given)


def honest() -> Iterator[Life]:
    """Histories that must never be rejected."""
    steady = frozenset({"parked", "topic_change", "lang_change", "gap"})
    for number, site in enumerate(sites()):
        yield _life(site, "steady", "honest", _old(site, 2001, 2012), never=steady, language=site.language)
        yield _life(site, "one capture", "honest", _new(site, 2009, 2009)[:1], never=steady)
        redesign = [_old(site, 2000, 2008), _new(site, 2009, 2018)]
        yield _life(site, "redesign", "honest", *redesign, never=steady, language=site.language)
        outage = [
            Shot(
                _at(2009, 1),
                b"<html><title>503 Service Unavailable</title><h1>Service Unavailable</h1></html>",
            ),
            Shot(_at(2009, 2), b"Not found", status=404),
            Shot(_at(2009, 7), b"", status=301, location=f"https://www.{site.domain}/"),
        ]
        yield _life(
            site, "outage", "honest", [Shot(_at(1999, 12), lander_page(9, site.domain))], *redesign, outage,
            never=frozenset({"topic_change", "lang_change", "gap"}), language=site.language,
        )  # fmt: skip
        if number % 2 == 0:
            hacked = planted(spam()[number % len(spam())], number)
            once = [Shot(_at(2013, 6), new_page(site, 4001, hacked))]
            yield _life(site, "hacked once", "honest", *redesign, once, language=site.language)
        else:
            other = sites()[(number + 3) % len(sites())]
            links = "".join(
                f'<link rel="alternate" hreflang="{code}" href="/{code}/">'
                for code in (site.language, other.language)
            )
            foreign = [
                Shot(_at(year, 6), new_page(site, year, links, other.later, other.language))
                for year in range(2013, 2019)
            ]
            yield _life(site, "bilingual", "honest", _new(site, 2005, 2012, links), foreign, never=steady)


def hijacked() -> Iterator[Life]:
    """Histories that must be rejected."""
    for number, page in enumerate(spam()):
        site = sites()[(number * 5 + 1) % len(sites())]
        taken = _spam(page, 2014, 2016, site.domain)
        yield _life(site, "takeover", "spam", _old(site, 2001, 2012), taken)
        parked = [Shot(_at(2017, 2), lander_page(number, site.domain))]
        yield _life(
            site, "short takeover", "spam", _old(site, 2000, 2008), _new(site, 2009, 2012),
            _spam(page, 2014, 2014, site.domain), parked,
        )  # fmt: skip
        yield _life(site, "spam all along", "spam", _spam(page, 2012, 2016, site.domain))
        back = sites()[(number * 7 + 4) % len(sites())]
        yield Life(
            site.domain,
            "spam in between",
            "spam",
            tuple([*_old(site, 2000, 2007), *_spam(page, 2009, 2010, site.domain), *_new(back, 2012, 2019)]),
        )
        if page["category"] in _DOORWAYS:
            paths = [quote(_DOORWAYS[page["category"]].format(n=n), safe="/") for n in range(1, 9)]
            deep = [
                Shot(_at(2015, 2 + n), spam_page(page, 5000 + n, site.domain), path=path)
                for n, path in enumerate(paths)
            ]
            yield _life(site, "doorways", "spam", _new(site, 2008, 2018), deep)
        if page["category"] in ("gambling", "pharma", "replica"):
            hacked = planted(page, number)
            yield _life(site, "planted links", "spam", _new(site, 2008, 2013), _new(site, 2014, 2017, hacked))
            mended = (_new(site, 2005, 2011), _new(site, 2012, 2013, hacked), _new(site, 2014, 2019))
            yield _life(site, "planted, then mended", "spam", *mended)


def parked() -> Iterator[Life]:
    """Histories with parked pages: at the end, in the middle, most of the time."""
    flagged = frozenset({"parked"})
    for number in range(len(landers())):
        site = sites()[(number * 3) % len(sites())]
        lander = lander_page(number, site.domain)

        def stood(first: int, last: int, page: bytes = lander) -> list[Shot]:
            return [Shot(_at(y, m), page) for y in range(first, last + 1) for m in (3, 8)]

        yield _life(
            site, "parked at the end", "honest", _old(site, 2001, 2012), stood(2013, 2014), flags=flagged
        )
        yield _life(
            site, "parked in between", "honest", _old(site, 2001, 2009), stood(2010, 2011),
            _new(site, 2012, 2018), flags=flagged,
        )  # fmt: skip
        yield _life(site, "parked mostly", "honest", _old(site, 2001, 2002), stood(2003, 2012), flags=flagged)


def gaps() -> Iterator[Life]:
    """Histories with two or more whole calendar years without a page."""
    flagged = frozenset({"gap"})
    for number, site in enumerate(sites()):
        pause = 2 + number % 4
        after = 2008 + pause + 1
        yield _life(
            site, "gap", "honest", _old(site, 2001, 2008), _new(site, after, after + 5), flags=flagged
        )


def new_owners() -> Iterator[Life]:
    """Histories in which another honest owner follows, with another language or another subject."""
    by_language = [site for site in sites() if site.language == "en"]
    for number, site in enumerate(sites()):
        other = sites()[(number + 5) % len(sites())]
        if other.language != site.language:
            yield Life(
                site.domain,
                "another language",
                "honest",
                tuple([*_old(site, 2001, 2009), *_new(other, 2011, 2018)]),
                flags=frozenset({"lang_change"}),
            )
    for number, site in enumerate(by_language):
        other = by_language[(number + 3) % len(by_language)]
        yield Life(
            site.domain,
            "another subject",
            "honest",
            tuple([*_old(site, 2001, 2009), *_new(other, 2011, 2018)]),
            flags=frozenset({"topic_change"}),
        )


def everything() -> tuple[Life, ...]:
    """Every composed history."""
    return tuple([*honest(), *hijacked(), *parked(), *gaps(), *new_owners()])
