"""Where a page's links lead: its own site, other registrable domains, how many.

Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from afterdrop.core.domain_names import domain_of_url
from afterdrop.core.errors import BadName
from afterdrop.review.page.archive_traces import original_url
from afterdrop.review.page.markup import Parts, domain_of
from afterdrop.review.page.reading import OutLink

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

    Links of a page from an archive lead to what it kept. What names no public domain is left out.
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
