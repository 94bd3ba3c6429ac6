"""Sites at the world's names after their end: each name's own, or the one that somebody else made of the name.

Pure. A scene belongs to a name, and what a visit must tell of it to the scene.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from afterdrop.sandbox import sites
from afterdrop.sandbox.link_pages import LinkAnswer
from afterdrop.sandbox.pages import spam_page
from afterdrop.sandbox.texts import landers, spams

if TYPE_CHECKING:
    from afterdrop.sandbox.story import Era, Story
    from afterdrop.sandbox.world import World

# What a visit must find in each scene. `cloaked` shows robots the old site and people a casino: robots alone visit.
KINDS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("renewed", "newer", "cloaked"), "same"),
    **dict.fromkeys(("rebuilt", "huge"), "other"),
    **dict.fromkeys(("parked", "placeholder"), "parked"),
    **dict.fromkeys(("for_sale", "sent_to_lander"), "for_sale"),
    **dict.fromkeys(("redirected", "meta_redirected"), "redirected"),
    **dict.fromkeys(("casino", "pills", "sent_to_casino"), "spam"),
    **dict.fromkeys(("missing", "empty", "suspended"), "nothing"),
    **dict.fromkeys(("forbidden", "slow", "loopback", "challenge", "failing", "robots_fail"), "unclear"),
}
# Those of which nothing but robots.txt may be asked.
KEPT_OUT: Final = frozenset({"forbidden", "robots_fail"})
_TRADES: Final = {"casino": "casino_en", "pills": "pharma", "sent_to_casino": "casino_en"}
_CASINO_HOST, _LANDER_HOST = "casino-of-", "lander-of-"
_HUGE_BYTES: Final = 6_000_000
# Prices that for-sale pages name, one each.
PRICES: Final = ("$2,499", "1.250 €", "USD 4888")


def scene_of(domain: str) -> str:
    """The scene of a name."""
    return random.Random(f"after life:{domain}").choice(list(KINDS))


def robots_txt(domain: str) -> LinkAnswer:
    """The name's robots.txt after its end."""
    scene = scene_of(domain)
    if scene == "robots_fail":
        return LinkAnswer(503, "busy")
    if scene == "forbidden":
        return LinkAnswer(body="User-agent: *\nDisallow: /\n")
    return LinkAnswer(404, "not found")


def other_host(host: str) -> str | None:
    """The name whose visitors are sent to this host, None for every other host."""
    for prefix in (_CASINO_HOST, _LANDER_HOST, "new-home-of-"):
        if host.removeprefix("www.").startswith(prefix):
            return host.removeprefix("www.").removeprefix(prefix)
    return None


def page_of(world: World, story: Story, host: str, agent: str) -> LinkAnswer:
    """The home page of a name, or of the host to which it sends its visitors, to the browser or robot `agent`."""
    scene, domain = scene_of(story.domain), story.domain
    if host.startswith(_CASINO_HOST):
        return _spam(domain, "casino_en")
    if host.startswith(_LANDER_HOST):
        return _lander(domain, "hugedomains")
    if other_host(host) is not None:
        return _site(_another(world, story), 0)
    simple = _simple(domain).get(scene)
    if simple is not None:
        return simple
    if scene in ("parked", "placeholder"):
        return _lander(domain, "bodis" if scene == "parked" else "strato")
    if scene == "for_sale":
        price = PRICES[len(domain) % len(PRICES)]
        return LinkAnswer(
            body=f"<html><head><title>{domain} is for sale</title></head><body>"
            f"<h1>The domain name {domain} is for sale</h1><p>Buy now for {price} or make an offer.</p></body></html>"
        )
    if scene in _TRADES or (scene == "cloaked" and "afterdrop" not in agent.lower()):
        return _spam(domain, _TRADES.get(scene, "casino_en"))
    if scene in ("rebuilt", "huge"):
        answer = _site(_another(world, story), 0)
        return replace(answer, body=answer.body + " " * _HUGE_BYTES) if scene == "huge" else answer
    return _site(story, 3 if scene == "newer" else 0)


def _simple(domain: str) -> dict[str, LinkAnswer]:
    """The answers that need nothing but the name, by scene."""
    return {
        "missing": LinkAnswer(
            404, "<html><head><title>404 Not Found</title></head><body><h1>Not Found</h1></body></html>"
        ),
        "empty": LinkAnswer(body=""),
        "failing": LinkAnswer(500, "<html><body><h1>Internal Server Error</h1></body></html>"),
        "loopback": _sent("http://127.0.0.1:22/"),
        "redirected": _sent(f"http://www.new-home-of-{domain}/"),
        "sent_to_casino": _sent(f"http://{_CASINO_HOST}{domain}/"),
        "sent_to_lander": _sent(f"http://{_LANDER_HOST}{domain}/"),
        "meta_redirected": LinkAnswer(
            body=f'<html><head><meta http-equiv="refresh" content="0; url=http://www.new-home-of-{domain}/"></head></html>'
        ),
        "suspended": LinkAnswer(
            body="<html><head><title>Account Suspended</title></head><body><h1>Account Suspended</h1>"
            "<p>This account has been suspended. Contact your hosting provider for more information.</p></body></html>"
        ),
        "challenge": LinkAnswer(
            403,
            "<html><head><title>Just a moment...</title></head><body><h1>Checking your browser before accessing"
            f" {domain}</h1><p>Please enable JavaScript and cookies to continue.</p></body></html>",
        ),
    }


def last_site(story: Story) -> Era | None:
    """The last era in which a site stood at the name."""
    return next((era for era in reversed(story.eras) if era.scene == "site"), None)


def _another(world: World, story: Story) -> Story:
    """Another name with a site, of another owner and genre."""
    mine = last_site(story)
    others = (
        world.stories[(story.index + step) % len(world.stories)] for step in range(1, len(world.stories))
    )
    return next(
        other
        for other in others
        if (era := last_site(other)) is not None and mine is not None and era.key != mine.key
    )


def _site(story: Story, later: int) -> LinkAnswer:
    """The home page of a name's last site, `later` editions after its last one."""
    era = last_site(story)
    assert era is not None
    edition = sites.edition_number(era, (era.end - era.start).days) + later
    html, charset = sites.render(sites.edition_of(story.domain, era, edition), "/")
    return LinkAnswer(body=html.replace(f"charset={charset}", "charset=utf-8"))


def _lander(domain: str, key: str) -> LinkAnswer:
    lander = landers()[key]
    stem = domain.partition(".")[0].replace("-", " ").title()
    return LinkAnswer(body=lander.html.format(domain=domain, token="0" * 12, stem=stem))


def _spam(domain: str, trade: str) -> LinkAnswer:
    return LinkAnswer(body=spam_page(domain, spams()[trade], "/"))


def _sent(to: str) -> LinkAnswer:
    return LinkAnswer(302, "", {"Location": to})
