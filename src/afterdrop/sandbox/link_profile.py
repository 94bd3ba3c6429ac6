"""The link metrics of each domain: values of a given strength with anchors, referring sites and topics.

Pure. The strengths do not overlap: `good` and `strong` names score well over 45, `poor` ones well under it. `weak`
names stay below every threshold of the authority filter, and `unknown` ones are in no index.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from afterdrop.sandbox import link_pages, name_gen, sites
from afterdrop.sandbox.scenarios import Strength
from afterdrop.sandbox.story import Brand, Era, KnownAnchor, Link, LinkMetrics
from afterdrop.sandbox.texts import Genre, genre, spams

PROVIDERS = ("ahrefs", "majestic", "moz", "semrush", "openpagerank", "graph")
_FOREIGN = (
    "สูตรอาหารไทย",
    "北京旅游攻略",
    "上海天气预报",
    "ремонт холодильников",
    "ท่องเที่ยวเชียงใหม่",
    "网站优化",
    "рецепты супов",
)
# What a link index lists of one name, how much more a first owner's days earn, and how many links have dates.
MOST_LINKS = 60
_FIRST_OWNER = 4
_DATED = 0.8
_SITES = frozenset({"site", "hacked", "injected"})
_PLAIN = ("here", "website", "read more", "visit site", "source", "link")


@dataclass(frozen=True, slots=True)
class _Range:
    rating: tuple[int, int]
    trust: tuple[int, int]
    domains: tuple[int, int]
    authority: tuple[int, int]
    moz: tuple[int, int]
    pagerank: tuple[float, float]
    indexed: tuple[int, int]


_RANGES: dict[str, _Range] = {
    "strong": _Range((44, 64), (27, 42), (260, 1400), (26, 48), (32, 52), (3.8, 5.5), (80, 600)),
    "good": _Range((27, 44), (17, 28), (95, 420), (16, 32), (20, 38), (3.0, 4.6), (25, 240)),
    "poor": _Range((6, 8), (5, 7), (12, 20), (5, 6), (5, 9), (2.0, 2.3), (1, 8)),
    "weak": _Range((0, 3), (0, 3), (0, 7), (0, 3), (0, 5), (0.0, 1.4), (0, 4)),
    "unknown": _Range((0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0.0, 0.0), (0, 0)),
    "inflated": _Range((62, 72), (6, 8), (26, 38), (9, 12), (12, 16), (3.0, 3.6), (20, 60)),
}


def link_metrics(
    rng: random.Random, strength: Strength, past: str, domain: str, owner: Brand, theme: Genre
) -> LinkMetrics:
    """The metrics of `domain`, which agree with its history."""
    span = _RANGES["inflated" if past == "inflated" else strength]
    domains = rng.randint(*span.domains)
    trust = rng.randint(*span.trust)
    return LinkMetrics(
        domain_rating=rng.randint(*span.rating),
        trust_flow=trust,
        citation_flow=trust + rng.randint(2, 9),
        referring_domains=domains,
        backlinks=domains * rng.randint(4, 30),
        authority_score=rng.randint(*span.authority),
        domain_authority=rng.randint(*span.moz),
        pagerank=round(rng.uniform(*span.pagerank), 2),
        indexed_pages=0 if past == "not_indexed" else rng.randint(*span.indexed),
        anchors=_anchors(rng, past, domain, owner, theme, domains),
        referrers=name_gen.make_referrers(rng, min(domains, 12)),
        topics=_topics(theme, trust),
        known=_known(rng, strength),
    )


def _known(rng: random.Random, strength: Strength) -> frozenset[str]:
    if strength == "unknown":
        return frozenset()
    if strength == "weak":
        return frozenset(name for name in PROVIDERS if rng.random() < 0.6) | {"ahrefs"}
    return frozenset(PROVIDERS[2:]) - {rng.choice(PROVIDERS[2:])} | {"ahrefs", "majestic"}


def _anchors(
    rng: random.Random, past: str, domain: str, owner: Brand, theme: Genre, domains: int
) -> tuple[KnownAnchor, ...]:
    if domains < 3:
        return ()
    name = theme.name.format(brand=owner.name)
    texts = [
        name,
        domain,
        f"www.{domain}",
        owner.name,
        *rng.sample(_PLAIN, 3),
        *rng.sample(theme.things, 2),
    ]
    shares = [0.24, 0.2, 0.12, 0.1, 0.08, 0.07, 0.06, 0.05, 0.04]
    if past == "anchor_foreign":
        texts += rng.sample(_FOREIGN, 5)
        shares += [0.22, 0.18, 0.16, 0.12, 0.1]
    if past == "spam_anchors":
        texts += [*rng.sample(spams()["casino_en"].phrases, 4), "viagra online"]
        shares += [0.2, 0.15, 0.12, 0.1, 0.08]
    scale = domains / sum(shares)
    return tuple(
        KnownAnchor(text, max(1, round(share * scale))) for text, share in zip(texts, shares, strict=True)
    )


def _topics(theme: Genre, trust: int) -> tuple[tuple[str, int], ...]:
    if trust < 5:
        return ()
    rest = [
        item
        for item in ("Reference/Directories", "Regional/Europe", "Society/Issues")
        if item != theme.category
    ]
    return ((theme.category, trust), (rest[0], max(1, trust // 3)), (rest[1], max(1, trust // 5)))


def links_of(domain: str, eras: Sequence[Era], referring_domains: int) -> tuple[Link, ...]:
    """The links that an index lists, one for each linking site, each earned while one owner's site stood."""
    rng = random.Random(f"links:{domain}")
    owned = [era for era in eras if era.scene in _SITES]
    owners = list(dict.fromkeys(era.brand for era in owned))
    if not owned or not referring_domains:
        return ()
    weights = [
        max(1, (era.end - era.start).days) * (_FIRST_OWNER if era.brand == owners[0] else 1) for era in owned
    ]
    until = max(era.end for era in eras).date()
    linking = name_gen.make_referrers(rng, min(referring_domains, MOST_LINKS))
    earned = rng.choices(owned, weights, k=len(linking))
    return tuple(
        _link(rng, domain, (number, name), era, owners.index(era.brand) + 1, until)
        for number, (name, era) in enumerate(zip(linking, earned, strict=True))
    )


def _link(
    rng: random.Random, domain: str, linking: tuple[int, str], era: Era, owner: int, until: date
) -> Link:
    number, name = linking
    kind = genre(era.language, era.key)
    texts = (
        kind.name.format(brand=era.brand.name),
        era.brand.name,
        domain,
        rng.choice(_PLAIN),
        rng.choice(kind.things),
    )
    path = "/" if rng.random() < 0.7 else rng.choice(sites.paths(domain, era))
    first = era.start.date() + timedelta(days=rng.randrange(max(1, (era.end - era.start).days)))
    last = first + timedelta(days=rng.randrange(max(1, (until - first).days)))
    dated = rng.random() < _DATED
    text = rng.choices(texts, (5, 4, 4, 3, 2))[0]
    page = f"http://www.{name}/links/{domain}/{number}.html"
    today = link_pages.scene_of(name, page)
    return Link(
        name,
        text,
        f"http://{domain}{path}",
        first if dated else None,
        last if dated else None,
        owner,
        page,
        rating=random.Random(f"rating:{name}").randint(1, 80),
        nofollow=today in link_pages.NOFOLLOW,
        today=today,
    )
