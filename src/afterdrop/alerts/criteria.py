"""Alert rules' criteria: which members restrict, how they are stored and shown, and whether they match a domain. Pure.

A rule stores only what restricts: a number of 0, an empty array and false are the same as nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, TypedDict

from afterdrop.catalogue.filters import fold, search_text
from afterdrop.catalogue.summary import DomainSummary

# The restricting members of a rule, as the interface names them. Absent, null, 0 and [] restrict nothing.
Criteria = Mapping[str, Any]

NUMBERS: Final = ("min_score", "min_dr", "min_tf", "min_ref_domains", "min_archive_years", "max_price")
ARRAYS: Final = ("tlds", "listing_types", "topics", "langs", "keywords")
CRITERIA: Final = (*NUMBERS, *ARRAYS, "clean_only")
OWN_COLUMNS: Final = ("name", "active", "frequency")


class RuleRow(TypedDict):
    """A row of `alert_rules`."""

    id: int
    account_id: int
    name: str
    active: bool
    frequency: str
    criteria: dict[str, Any]
    match_count: int
    last_matched_at: datetime | None
    created_at: datetime


def restricting(members: Mapping[str, Any]) -> dict[str, Any]:
    """The members that restrict, as `alert_rules.criteria` stores them."""
    return {name: members[name] for name in CRITERIA if members.get(name)}


def changed(criteria: Criteria, sent: Mapping[str, Any]) -> dict[str, Any]:
    """The criteria after a change that sends some members; null, 0, [] and false clear."""
    return restricting({**criteria, **{name: value for name, value in sent.items() if name in CRITERIA}})


def rule_json(row: RuleRow) -> dict[str, Any]:
    """A rule as the interface shows it."""
    criteria = row["criteria"]
    return {
        "id": row["id"],
        "name": row["name"],
        "active": row["active"],
        "frequency": row["frequency"],
        **{name: criteria.get(name) for name in NUMBERS},
        **{name: criteria.get(name, []) for name in ARRAYS},
        "clean_only": criteria.get("clean_only", False),
        "match_count": row["match_count"],
        "last_matched_at": row["last_matched_at"],
        "created_at": row["created_at"],
    }


@dataclass(frozen=True, slots=True)
class DomainFacts:
    """What rules are matched against, taken once from a domain's full summary."""

    score: int
    domain_rating: int | None
    trust_flow: int | None
    referring_domains: int | None
    archive_years: int | None
    price_usd: int | None
    tld: str
    listing_type: str | None
    topic: str | None
    language: str | None
    clean: bool
    text: str


def facts_of(summary: DomainSummary) -> DomainFacts:
    """The facts of a domain summary with `full` detail."""
    metrics, listing = summary["metrics"], summary["listing"]
    return DomainFacts(
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


def matches(criteria: Criteria, domain: DomainFacts) -> bool:
    """Whether the domain passes every restriction of the rule.

    A minimum excludes an unknown value; `langs` and `topics` never pass an unknown one; `max_price` passes a domain
    without a price. A keyword is a case-insensitive part of the name, its Unicode form or the old title.
    """
    return all(_PASSES[name](bound, domain) for name, bound in criteria.items() if bound and name in _PASSES)


# Thousands of rules look for the same few words in every domain.
_folded = lru_cache(maxsize=16_384)(fold)


def _least(value: int | None, bound: int) -> bool:
    return value is not None and value >= bound


_PASSES: Final[Mapping[str, Callable[[Any, DomainFacts], bool]]] = {
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
