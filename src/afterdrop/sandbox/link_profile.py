"""The link metrics of each domain: values of a given strength with anchors, referring sites and topics.

Pure. The strengths do not overlap: `good` and `strong` names score well over 45, `poor` ones well under it. `weak`
names stay below every threshold of the authority filter, and `unknown` ones are in no index.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from afterdrop.sandbox import name_gen
from afterdrop.sandbox.scenarios import Strength
from afterdrop.sandbox.story import Anchor, Brand, LinkMetrics
from afterdrop.sandbox.texts import Genre, spams

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
    rng: random.Random, strength: Strength, past: str, domain: str, owner: Brand, genre: Genre
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
        anchors=_anchors(rng, past, domain, owner, genre, domains),
        referrers=name_gen.make_referrers(rng, min(domains, 12)),
        topics=_topics(genre, trust),
        known=_known(rng, strength),
    )


def _known(rng: random.Random, strength: Strength) -> frozenset[str]:
    if strength == "unknown":
        return frozenset()
    if strength == "weak":
        return frozenset(name for name in PROVIDERS if rng.random() < 0.6) | {"ahrefs"}
    return frozenset(PROVIDERS[2:]) - {rng.choice(PROVIDERS[2:])} | {"ahrefs", "majestic"}


def _anchors(
    rng: random.Random, past: str, domain: str, owner: Brand, genre: Genre, domains: int
) -> tuple[Anchor, ...]:
    if domains < 3:
        return ()
    name = genre.name.format(brand=owner.name)
    texts = [
        name,
        domain,
        f"www.{domain}",
        owner.name,
        *rng.sample(_PLAIN, 3),
        *rng.sample(genre.things, 2),
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
        Anchor(text, max(1, round(share * scale))) for text, share in zip(texts, shares, strict=True)
    )


def _topics(genre: Genre, trust: int) -> tuple[tuple[str, int], ...]:
    if trust < 5:
        return ()
    rest = [
        item
        for item in ("Reference/Directories", "Regional/Europe", "Society/Issues")
        if item != genre.category
    ]
    return ((genre.category, trust), (rest[0], max(1, trust // 3)), (rest[1], max(1, trust // 5)))
