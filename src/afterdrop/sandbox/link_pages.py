"""Pages of linking sites as they stand today: the link in all its forms, taken away, or with its page or site.

Pure. A scene belongs to a whole site (it is gone, it keeps robots out) or to one page of it.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from afterdrop.sandbox.texts import genre, landers, languages

if TYPE_CHECKING:
    from afterdrop.sandbox.story import Link

# What a look must find in each scene.
STATES: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        ("text", "menu", "footer", "comment", "image", "relative", "nofollow", "sponsored"), "there"
    ),
    **dict.fromkeys(("way_out", "moved", "upgraded", "unclosed"), "there"),
    **dict.fromkeys(("removed", "mentioned", "archived", "neighbour"), "removed"),
    **dict.fromkeys(
        ("missing", "gone", "soft_missing", "to_home", "to_other_site", "host_gone"), "page_gone"
    ),
    **dict.fromkeys(("no_name", "parked", "suspended"), "domain_gone"),
    **dict.fromkeys(
        ("forbidden", "refused", "failing", "challenge", "trap", "loop", "robots_fail", "picture"), "unread"
    ),
}
NOFOLLOW: Final = frozenset({"nofollow", "sponsored"})
_OF_SITES: Final = (
    "no_name", "host_gone", "parked", "suspended",
    "forbidden", "refused", "failing", "robots_fail",
)  # fmt: skip
_SITE_SHARE, _THERE_SHARE = 0.25, 0.6


def site_scene(site: str) -> str | None:
    """The scene of a whole site; None where each page has its own."""
    rng = random.Random(f"link site:{site}")
    return rng.choice(_OF_SITES) if rng.random() < _SITE_SHARE else None


def scene_of(site: str, page: str) -> str:
    """The scene of a page, by its site and its address."""
    rng = random.Random(f"link page:{page}")
    there = rng.random() < _THERE_SHARE
    own = [scene for scene, state in STATES.items() if (state == "there") == there and scene not in _OF_SITES]
    return site_scene(site) or rng.choice(own)


@dataclass(frozen=True, slots=True)
class LinkAnswer:
    """The answer of a linking site's server."""

    status: int = 200
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


def robots_txt(site: str) -> LinkAnswer:
    """A linking site's robots.txt; every third site has none."""
    scene = site_scene(site)
    if scene == "robots_fail":
        return LinkAnswer(503, "busy")
    if scene == "forbidden":
        return LinkAnswer(body="User-agent: *\nDisallow: /links/\n")
    if len(site) % 3 == 0:
        return LinkAnswer(404, "not found")
    return LinkAnswer(
        body="# friends welcome\nUser-agent: badbot\nDisallow: /\n\nUser-agent: *\nDisallow: /private/\n"
    )


def page_of(link: Link) -> LinkAnswer:
    """The page of a link."""
    scene, target = link.today, link.target
    redirects = {
        "to_home": "/",
        "to_other_site": f"http://www.new-{link.domain}/",
        "moved": f"{link.page}?moved=1",
        "upgraded": f"{link.page}?moved=1",
        "trap": "http://127.0.0.1:22/",
        "loop": link.page,
    }
    if scene in redirects:
        return LinkAnswer(301 if scene != "moved" else 302, "", {"Location": redirects[scene]})
    if scene == "picture":
        return LinkAnswer(200, "GIF89a", {"Content-Type": "image/gif"})
    statuses = {"missing": 404, "gone": 410, "refused": 403, "failing": 500}
    if scene in statuses:
        return LinkAnswer(statuses[scene], "<html><body><h1>Sorry</h1></body></html>")
    return LinkAnswer(body=_html(link, scene, target), headers={"X-Robots-Tag": "all"})


def moved(link: Link) -> LinkAnswer:
    """Where a page that moved stands now."""
    return LinkAnswer(body=_html(link, "text", link.target))


def home(site: str) -> LinkAnswer:
    """The home page of a linking site."""
    return LinkAnswer(body=_article(site, "", ""))


def _html(link: Link, scene: str, target: str) -> str:
    site = link.domain
    if scene == "parked":
        lander = next(iter(landers().values()))
        return lander.html.format(domain=site, token="0" * 12, stem=site.partition(".")[0])
    if scene == "suspended":
        return (
            "<html><head><title>Account Suspended</title></head><body><h1>Account Suspended</h1>"
            "<p>This account has been suspended. Contact your hosting provider for more information.</p></body></html>"
        )
    if scene == "soft_missing":
        return (
            "<html><head><title>Page not found</title></head><body><h1>404 - Page not found</h1>"
            "<p>Sorry, the page you are looking for does not exist.</p></body></html>"
        )
    if scene == "challenge":
        return (
            "<html><head><title>Just a moment...</title></head><body><h1>Checking your browser before accessing"
            f" {site}</h1><p>Please enable JavaScript and cookies to continue.</p></body></html>"
        )
    return _article(site, *_pieces(link, scene, target))


def _pieces(link: Link, scene: str, target: str) -> tuple[str, str]:
    """The sentence in the article, and what stands around it."""
    name = target.split("/")[2]
    text = escape(link.text)
    anchor = f'<a href="{target}">{text}</a>'
    inside = {
        "text": anchor,
        "image": f'<a href="{target}"><img src="/badge.png" alt="{text}"></a>',
        "relative": f'<a href="{target.removeprefix("http:")}">{text}</a>',
        "nofollow": f'<a rel="external nofollow" href="{target}">{text}</a>',
        "sponsored": f'<a rel="sponsored" href="{target}">{text}</a>',
        "way_out": f'<a href="/out?u={quote(target, safe="")}">{text}</a>',
        "unclosed": f"<a class=ext href={target}>{text}<p>",
        "mentioned": f"the site at {name}, which is no longer linked",
        "archived": f'<a href="https://web.archive.org/web/20180101000000/{target}">{text}</a>',
        "neighbour": f'<a href="http://my{name}/">{text}</a> and <a href="http://{name}.example.org/">{text}</a>',
    }
    around = {
        "menu": f'<aside class="sidebar"><ul class="blogroll"><li>{anchor}</li></ul></aside>',
        "footer": f'<div id="footer"><p>Friends: {anchor}</p></div>',
        "comment": f'<ol class="comment-list"><li><p>Lovely walk. {anchor}</p></li></ol>',
    }
    return inside.get(scene, ""), around.get(scene, "")


def _article(site: str, sentence: str, around: str) -> str:
    rng = random.Random(f"article:{site}")
    language = languages()["en"]
    theme = genre("en", rng.choice(sorted(language.genres)))
    title = site.partition(".")[0].title()
    paragraphs = [f"<p>{escape(text)}</p>" for text in theme.home[:3]]
    paragraphs.insert(1, f"<p>More about it: {sentence or 'ask us'}.</p>")
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}: links</title></head><body>'
        f'<nav><a href="/">Home</a> <a href="/about.html">About</a></nav><main><article><h1>{title}</h1>'
        f"{''.join(paragraphs)}</article>{around}</main></body></html>"
    )
