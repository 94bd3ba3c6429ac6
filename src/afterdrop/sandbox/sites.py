"""Honest sites as HTML: home page, about, offers, contact and articles, in the fashion of their years.

Pure. A site's text turns over every thirteen months (an edition), its markup with the decade; the brand,
its contacts and its copyright line stay.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape

from afterdrop.sandbox.name_gen import ascii_label
from afterdrop.sandbox.site_history import counterpart
from afterdrop.sandbox.story import Era
from afterdrop.sandbox.texts import Genre, Language, genre, languages

_EDITION_DAYS = 400


@dataclass(frozen=True, slots=True)
class Sheet:
    """One page before it is wrapped in markup: texts are plain, `blocks` are HTML."""

    title: str
    lead: str
    blocks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where and when a page stands: its era, edition, and the words it is written with."""

    domain: str
    era: Era
    edition: int
    spoken: Language
    genre: Genre

    @property
    def year(self) -> int:
        """The year this edition went up."""
        return (
            self.era.start.year + (self.era.start.timetuple().tm_yday + self.edition * _EDITION_DAYS) // 366
        )

    @property
    def name(self) -> str:
        """What the site calls itself."""
        return self.genre.name.format(brand=self.era.brand.name)

    def fill(self, text: str) -> str:
        """A text with names, town and year put in."""
        owner = self.era.brand
        return text.format(
            brand=owner.name, name=self.name, city=owner.city, person=owner.person,
            year=owner.founded, domain=self.domain, phone=owner.phone,
        )  # fmt: skip


def edition(era: Era, days: int) -> int:
    """The edition on view `days` after the era began."""
    return max(0, days) // _EDITION_DAYS


def place(domain: str, era: Era, number: int) -> Place:
    """The place of edition `number`; a bilingual site shows its second language in every third edition."""
    first = genre(era.language, era.key)
    if era.second and number % 3 == 1:
        spoken = languages()[era.second]
        other = counterpart(era.second, first) or next(iter(spoken.genres.values()))
        return Place(domain, era, number, spoken, other)
    return Place(domain, era, number, languages()[era.language], first)


def paths(domain: str, era: Era) -> tuple[str, ...]:
    """Every page path of a site, the home page first."""
    here = place(domain, era, 0)
    end = _ending(domain, era)
    slugs = here.spoken.slugs
    inner = [f"/{slugs[key]}{end}" for key in ("about", "things", "contact")]
    articles = [f"/{slugs['articles']}/{slug(title)}{end}" for title, _ in here.genre.articles]
    return ("/", *inner, *articles)


def slug(title: str) -> str:
    """A title as a path segment; scripts without Latin letters become a number that stays the same."""
    words = re.findall(r"[\w]+", title.lower())[:6]
    label = "-".join(part for part in (ascii_label(word) for word in words) if part != "site")
    return label or f"a{sum(map(ord, title))}"


def _ending(domain: str, era: Era) -> str:
    return (".html", "/", "")[(len(domain) + era.look) % 3]


def render(here: Place, path: str) -> tuple[str, str]:
    """A page's HTML and the character set it is written in."""
    all_paths = paths(here.domain, here.era)
    sheet = _sheet(here, all_paths.index(path) if path in all_paths else 0, all_paths)
    modern = here.year >= 2010 or here.era.look > 2
    charset = "utf-8" if modern else here.spoken.charset
    return wrap(here, sheet, charset, all_paths), charset


def _sheet(here: Place, number: int, all_paths: tuple[str, ...]) -> Sheet:
    if number == 0:
        return home(here, all_paths)
    spoken = here.spoken
    if number == 1:
        return Sheet(f"{spoken.nav['about']} – {here.name}", here.genre.lead, _paragraphs(here, spoken.about))
    if number == 2:
        items = "".join(f"<li>{escape(item)}</li>" for item in here.genre.things)
        texts = here.genre.home[1:4]
        return Sheet(
            f"{spoken.nav['things']} – {here.name}",
            here.genre.lead,
            (f"<h2>{escape(spoken.nav['things'])}</h2><ul>{items}</ul>", *_paragraphs(here, texts)),
        )
    if number == 3:
        texts = (spoken.contact, *spoken.about[:2])
        return Sheet(f"{spoken.nav['contact']} – {here.name}", here.name, _paragraphs(here, texts))
    title, text = here.genre.articles[(number - 4) % len(here.genre.articles)]
    others = (text, here.genre.home[number % 5], spoken.about[number % 3])
    return Sheet(f"{title} – {here.name}", title, (f"<h2>{escape(title)}</h2>", *_paragraphs(here, others)))


def home(here: Place, all_paths: tuple[str, ...]) -> Sheet:
    """The home page: four paragraphs of five, the offers, the headlines."""
    turn = here.edition % 5
    texts = (here.genre.home * 2)[turn : turn + 4]
    offers = "".join(f"<li>{escape(item)}</li>" for item in here.genre.things)
    news = "".join(
        f'<li><a href="{where}">{escape(title)}</a></li>'
        for where, (title, _) in zip(all_paths[4:], here.genre.articles, strict=False)
    )
    nav = here.spoken.nav
    lists = (
        f"<h3>{escape(nav['things'])}</h3><ul>{offers}</ul><h3>{escape(nav['articles'])}</h3><ul>{news}</ul>"
    )
    return Sheet(here.genre.title, here.genre.lead, (*_paragraphs(here, texts), lists))


def _paragraphs(here: Place, texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"<p>{escape(here.fill(text), quote=False)}</p>" for text in texts)


def wrap(here: Place, sheet: Sheet, charset: str, all_paths: tuple[str, ...]) -> str:
    """A sheet in the markup of its year, with navigation and footer."""
    nav = here.spoken.nav
    names = (nav["home"], nav["about"], nav["things"], nav["contact"])
    menu = " ".join(
        f'<a href="{where}">{escape(name)}</a>' for where, name in zip(all_paths, names, strict=False)
    )
    season = here.spoken.seasons[here.edition % len(here.spoken.seasons)]
    footer = (
        f"{here.spoken.updated.format(season=season, when=here.year)} "
        f"&copy; {here.era.start.year}–{here.year} {escape(here.name)}, {escape(here.era.brand.city)}. "
        f'{escape(here.spoken.rights)} <a href="mailto:info@{here.domain}">info@{here.domain}</a> '
        f"{escape(here.era.brand.phone)}"
    )
    parts = {
        "title": escape(here.fill(sheet.title)), "lead": escape(here.fill(sheet.lead)),
        "body": "\n".join(sheet.blocks), "menu": menu, "footer": footer,
        "name": escape(here.name), "language": here.spoken.code, "charset": charset,
        "alternates": _alternates(here),
    }  # fmt: skip
    return _markup(here).format(**parts)


def _alternates(here: Place) -> str:
    if not here.era.second:
        return ""
    return "".join(
        f'<link rel="alternate" hreflang="{code}" href="https://{here.domain}/{code}/">'
        for code in (here.era.language, here.era.second)
    )


def _markup(here: Place) -> str:
    if here.era.look > 2:
        return _CARDS
    if here.year < 2008:
        return _TABLES
    return _BLOCKS if here.year < 2015 else _MODERN


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
