"""Whether an alert rule matches a domain: the one truth. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from afterdrop.catalogue.filters import fold, search_text

# The restricting members of a rule, as the interface names them. Absent, null, 0 and [] restrict nothing.
Criteria = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Facts:
    """What rules are held against, taken once from a domain's full summary."""

    score: int
    domain_rating: int | None
    trust_flow: int | None
    referring_domains: int | None
    archive_years: int | None
    price_usd: int | None
    tld: str
    listing_type: str
    topic: str | None
    language: str | None
    clean: bool
    text: str


def facts(summary: Mapping[str, Any]) -> Facts:
    """The facts of a domain summary with `detail` full."""
    metrics, listing = summary["metrics"], summary["listing"]
    return Facts(
        score=summary["score"],
        domain_rating=metrics["domain_rating"],
        trust_flow=metrics["trust_flow"],
        referring_domains=metrics["referring_domains"],
        archive_years=metrics["archive_years"],
        price_usd=listing["price_usd"],
        tld=summary["tld"],
        listing_type=listing["type"],
        topic=summary["topic"],
        language=summary["language"],
        clean=summary["verdict"] == "ok" and not summary["flags"],
        text=search_text(summary["domain"], summary["title"]),
    )


def matches(criteria: Criteria, domain: Facts) -> bool:
    """True when the domain passes every restriction of the rule.

    A minimum excludes an unknown value; `langs` and `topics` never pass an unknown one; `max_price` passes a domain
    without a price. A keyword is a case-insensitive part of the name, its Unicode form or the old title.
    """
    return all(_PASSES[name](bound, domain) for name, bound in criteria.items() if bound and name in _PASSES)


# Thousands of rules hold the same few words against every domain.
_folded = lru_cache(maxsize=16_384)(fold)


def _least(value: int | None, bound: int) -> bool:
    return value is not None and value >= bound


_PASSES: Final[Mapping[str, Callable[[Any, Facts], bool]]] = {
    "min_score": lambda bound, domain: domain.score >= bound,
    "min_dr": lambda bound, domain: _least(domain.domain_rating, bound),
    "min_tf": lambda bound, domain: _least(domain.trust_flow, bound),
    "min_ref_domains": lambda bound, domain: _least(domain.referring_domains, bound),
    "min_archive_years": lambda bound, domain: _least(domain.archive_years, bound),
    "max_price": lambda bound, domain: domain.price_usd is None or domain.price_usd <= bound,
    "tlds": lambda chosen, domain: domain.tld in chosen,
    "listing_types": lambda chosen, domain: domain.listing_type in chosen,
    "topics": lambda chosen, domain: domain.topic in chosen,
    "langs": lambda chosen, domain: domain.language in chosen,
    "clean_only": lambda _, domain: domain.clean,
    "keywords": lambda words, domain: any(_folded(word) in domain.text for word in words),
}
