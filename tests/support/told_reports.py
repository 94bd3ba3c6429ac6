"""Reports made by the real review and judge from a few invented captures: a change of owner, spam, nothing known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from afterdrop.catalogue.judged_columns import judged_columns, review_columns
from afterdrop.catalogue.report import check_report
from afterdrop.catalogue.report import report as make_report
from afterdrop.review.history.domain_history import review
from afterdrop.review.history.life import packed, stored_life
from afterdrop.review.history.samples import Sample
from afterdrop.scoring.judge import Judgement, judge
from afterdrop.sources.metrics.model import NOTHING_KNOWN, Metric, Metrics
from tests.support.histories import SHIPS, index_of, sample, spam, stranger
from tests.support.rows import LINKS, NOW, PRO, row

ANCHORS = [
    {"text": "Harris bread", "referring_domains": 190},
    {"text": "oldmill-bakery.com", "referring_domains": 157},
    {"text": "Harris & Sons", "referring_domains": 78},
    {"text": "Adriatic charter", "referring_domains": 63},
]
FIGURES: dict[str, Any] = {
    "domain_rating": 48,
    "trust_flow": 27,
    "citation_flow": 33,
    "referring_domains": 752,
    "vendor_a_authority_score": 31,
    "anchors": ANCHORS,
}


def metrics(**figures: Any) -> Metrics:
    """Good link figures of one provider, changed as told."""
    told: dict[Any, Any] = {**FIGURES, **figures}
    return Metrics.of(
        Metric(role, value, "linkindex", NOW) for role, value in told.items() if value is not None
    )


def bread(first: int, last: int) -> list[Sample]:
    """A capture a year of the bakery."""
    return [sample(f"{year}-03") for year in range(first, last + 1)]


def judged(samples: Sequence[Sample], known: Metrics, price: int | None = None) -> Judgement:
    """The judgement of these captures of the home page."""
    index = index_of(*((f"{one.at:%Y-%m-%d}", one.digest) for one in samples))
    return judge(review(index, samples, NOW), known, price, NOW)


def turned(price: int = 222) -> Judgement:
    """A bakery, then a yacht charter; the links still name the bakery."""
    ships = [sample(f"{year}-03", stranger(text=f"{SHIPS} {year}")) for year in range(2014, 2025)]
    return judged([*bread(2005, 2012), *ships], metrics(), price)


def steady(price: int = 80) -> Judgement:
    """The bakery all along, with fewer links."""
    return judged(
        bread(2009, 2024), metrics(domain_rating=35, trust_flow=19, vendor_a_authority_score=None), price
    )


def casino() -> Judgement:
    """The bakery, then gambling."""
    pages = [
        sample(f"{year}-03", spam(text=f"Welcome to the best online casino {SHIPS}"))
        for year in (2021, 2022, 2023)
    ]
    return judged([*bread(2005, 2016), *pages], metrics())


def nothing() -> Judgement:
    """No capture and no link figure."""
    return judged([], NOTHING_KNOWN)


def row_values(made: Judgement) -> dict[str, Any]:
    """The columns of `domains` that come from a judgement."""
    columns = judged_columns(made)
    return {
        **review_columns(made.history),
        **columns,
        "life": packed(stored_life(columns["report"]["history"])),
    }


def listed_report(made: Judgement, domain: str, price: int) -> Any:
    """The report of a listed domain, as a Pro account sees it."""
    unseen = dict.fromkeys(
        (
            "availability",
            "checked_at",
            "available_since",
            "registrar",
            "registered_at",
            "expires_at",
            "last_open_on",
        )
    )
    flags = dict.fromkeys(("announced", "caught_after_drop", "open_now"), False)
    columns: Any = row(
        domain, **{**unseen, **flags, "removed_at": None, **row_values(made), "price_usd": price}
    )
    return dict(make_report(columns, PRO, NOW, LINKS))


def check_values(made: Judgement, domain: str) -> dict[str, Any]:
    """The columns of a finished check."""
    columns: Any = {"domain": domain, **row_values(made)}
    registered: Any = {"availability": "registered", "checked_at": None, "register_url": None}
    report = check_report(columns, None, registered, PRO, NOW, LINKS)
    if made.learned_nothing:
        report["score"] = report["verdict"] = None
    return {
        "status": "done",
        "slot": None,
        "finished_at": NOW,
        "score": report["score"],
        "verdict": report["verdict"],
        "would_list": not made.refusals,
        "reject_reasons": made.reject_reasons,
        "report": report,
        "registration": {
            "state": "registered",
            "registrar": "Registrar One",
            "registered_at": None,
            "expires_at": None,
        },
    }
