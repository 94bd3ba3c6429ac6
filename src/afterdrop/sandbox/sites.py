"""Honest sites as HTML: home page, about, offers, contact and articles, in the markup of their years.

Pure. A site's text changes every thirteen months (an edition), its markup with the decade. The brand, its
contacts and its copyright line stay.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape

from afterdrop.sandbox.name_gen import ascii_label
from afterdrop.sandbox.story import Era
from afterdrop.sandbox.texts import Genre, Language, genre, languages, translated

_EDITION_DAYS = 400


@dataclass(frozen=True, slots=True)
class PageContent:
    """The content of one page before its markup: texts are plain, `blocks` are HTML."""

    title: str
    lead: str
    blocks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SiteEdition:
    """One edition of a site: its era, number, language and genre."""

    domain: str
    era: Era
    number: int
    language: Language
    genre: Genre

    @property
    def year(self) -> int:
        """The year in which this edition was published."""
        return self.era.start.year + (self.era.start.timetuple().tm_yday + self.number * _EDITION_DAYS) // 366

    @property
    def name(self) -> str:
        """The site's own name."""
        return self.genre.name.format(brand=self.era.brand.name)

    def fill(self, text: str) -> str:
        """A text with names, town and year filled in."""
        owner = self.era.brand
        return text.format(
            brand=owner.name, name=self.name, city=owner.city, person=owner.person,
            year=owner.founded, domain=self.domain, phone=owner.phone,
        )  # fmt: skip


def edition_number(era: Era, days: int) -> int:
    """The number of the edition that is online `days` after the era began."""
    return max(0, days) // _EDITION_DAYS


def edition_of(domain: str, era: Era, number: int) -> SiteEdition:
    """Edition `number` of a site; a bilingual site uses its second language in every third edition."""
    first = genre(era.language, era.key)
    if era.second and number % 3 == 1:
        return SiteEdition(domain, era, number, languages()[era.second], translated(first, era.second))
    return SiteEdition(domain, era, number, languages()[era.language], first)


def paths(domain: str, era: Era) -> tuple[str, ...]:
    """Every page path of a site, the home page first."""
    site = edition_of(domain, era, 0)
    end = (".html", "/", "")[(len(domain) + era.look) % 3]
    slugs = site.language.slugs
    inner = [f"/{slugs[key]}{end}" for key in ("about", "things", "contact")]
    articles = [f"/{slugs['articles']}/{slug(title)}{end}" for title, _ in site.genre.articles]
    return ("/", *inner, *articles)


def slug(title: str) -> str:
    """A title as a path segment; a title without Latin letters becomes a number that is always the same."""
    words = re.findall(r"[\w]+", title.lower())[:6]
    label = "-".join(part for part in (ascii_label(word) for word in words) if part != "site")
    return label or f"a{sum(map(ord, title))}"


def render(site: SiteEdition, path: str) -> tuple[str, str]:
    """A page's HTML and its character set."""
    all_paths = paths(site.domain, site.era)
    content = _content(site, all_paths.index(path) if path in all_paths else 0, all_paths)
    modern = site.year >= 2010 or site.era.look > 2
    charset = "utf-8" if modern else site.language.charset
    return wrap(site, content, charset, all_paths), charset


def _content(site: SiteEdition, number: int, all_paths: tuple[str, ...]) -> PageContent:
    if number == 0:
        return home(site, all_paths)
    language = site.language
    if number == 1:
        return PageContent(
            f"{language.nav['about']} – {site.name}", site.genre.lead, _paragraphs(site, language.about)
        )
    if number == 2:
        items = "".join(f"<li>{escape(item)}</li>" for item in site.genre.things)
        texts = site.genre.home[1:4]
        return PageContent(
            f"{language.nav['things']} – {site.name}",
            site.genre.lead,
            (f"<h2>{escape(language.nav['things'])}</h2><ul>{items}</ul>", *_paragraphs(site, texts)),
        )
    if number == 3:
        texts = (language.contact, *language.about[:2])
        return PageContent(f"{language.nav['contact']} – {site.name}", site.name, _paragraphs(site, texts))
    title, text = site.genre.articles[(number - 4) % len(site.genre.articles)]
    others = (text, site.genre.home[number % 5], language.about[number % 3])
    return PageContent(
        f"{title} – {site.name}", title, (f"<h2>{escape(title)}</h2>", *_paragraphs(site, others))
    )


def home(site: SiteEdition, all_paths: tuple[str, ...]) -> PageContent:
    """The home page: four paragraphs of five, the offers, the headlines."""
    turn = site.number % 5
    texts = (site.genre.home * 2)[turn : turn + 4]
    offers = "".join(f"<li>{escape(item)}</li>" for item in site.genre.things)
    news = "".join(
        f'<li><a href="{where}">{escape(title)}</a></li>'
        for where, (title, _) in zip(all_paths[4:], site.genre.articles, strict=False)
    )
    nav = site.language.nav
    lists = (
        f"<h3>{escape(nav['things'])}</h3><ul>{offers}</ul><h3>{escape(nav['articles'])}</h3><ul>{news}</ul>"
    )
    return PageContent(site.genre.title, site.genre.lead, (*_paragraphs(site, texts), lists))


def _paragraphs(site: SiteEdition, texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"<p>{escape(site.fill(text), quote=False)}</p>" for text in texts)


def wrap(site: SiteEdition, content: PageContent, charset: str, all_paths: tuple[str, ...]) -> str:
    """The content in the markup of its year, with navigation and footer."""
    nav = site.language.nav
    names = (nav["home"], nav["about"], nav["things"], nav["contact"])
    menu = " ".join(
        f'<a href="{where}">{escape(name)}</a>' for where, name in zip(all_paths, names, strict=False)
    )
    season = site.language.seasons[site.number % len(site.language.seasons)]
    footer = (
        f"{site.language.updated.format(season=season, when=site.year)} "
        f"&copy; {site.era.start.year}–{site.year} {escape(site.name)}, {escape(site.era.brand.city)}. "
        f'{escape(site.language.rights)} <a href="mailto:info@{site.domain}">info@{site.domain}</a> '
        f"{escape(site.era.brand.phone)}"
    )
    parts = {
        "title": escape(site.fill(content.title)), "lead": escape(site.fill(content.lead)),
        "body": "\n".join(content.blocks), "menu": menu, "footer": footer,
        "name": escape(site.name), "language": site.language.code, "charset": charset,
        "alternates": _alternates(site),
    }  # fmt: skip
    return _markup(site).format(**parts)


def _alternates(site: SiteEdition) -> str:
    if not site.era.second:
        return ""
    return "".join(
        f'<link rel="alternate" hreflang="{code}" href="https://{site.domain}/{code}/">'
        for code in (site.era.language, site.era.second)
    )


def _markup(site: SiteEdition) -> str:
    if site.era.look > 2:
        return _CARDS
    if site.year < 2008:
        return _TABLES
    return _BLOCKS if site.year < 2015 else _MODERN


_TABLES = """<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">
<html><head><meta http-equiv="Content-Type" content="text/html; charset={charset}">
<title>{title}</title><meta name="description" content="{lead}">{alternates}</head>
<body bgcolor="#ffffff" text="#222222"><table width="760" border="0" align="center"><tr><td colspan="2">
<img src="/logo.gif" alt="{name}" width="240" height="60"></td></tr><tr><td width="140" valign="top">{menu}</td>
<td valign="top"><h1>{name}</h1>
{body}
</td></tr><tr><td colspan="2"><font size="1">{footer}</font></td></tr></table></body></html>
"""
_BLOCKS = """<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" lang="{language}"><head>
<meta http-equiv="Content-Type" content="text/html; charset={charset}" /><title>{title}</title>
<meta name="description" content="{lead}" />{alternates}<link rel="stylesheet" href="/style.css" /></head>
<body><div id="page"><div id="head"><a href="/"><img src="/logo.png" alt="{name}" /></a></div><div id="nav">{menu}</div>
<div id="content"><h1>{name}</h1>
{body}
</div><div id="foot">{footer}</div></div></body></html>
"""
_MODERN = """<!doctype html>
<html lang="{language}"><head><meta charset="{charset}">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>
<meta name="description" content="{lead}"><meta property="og:site_name" content="{name}">
{alternates}<link rel="stylesheet" href="/style.css"></head><body>
<header><a href="/">{name}</a><nav>{menu}</nav></header>
<main><article><h1>{name}</h1><p class="lead">{lead}</p>
{body}
</article></main><footer><small>{footer}</small></footer></body></html>
"""
_CARDS = """<!doctype html>
<html lang="{language}"><head><meta charset="{charset}"><title>{title}</title>
<meta name="description" content="{lead}">{alternates}
<link rel="icon" href="/logo.png"><link rel="stylesheet" href="/style.css"></head><body class="cards">
<nav class="bar"><img src="/logo.png" alt="{name}">{menu}</nav>
<section class="hero"><h1>{name}</h1><p>{lead}</p></section>
<section class="grid">
{body}
</section><footer>{footer}</footer></body></html>
"""
