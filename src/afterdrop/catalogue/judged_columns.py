"""The columns of `domains` that come from a review and its judgement. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final, cast

from afterdrop.catalogue.cc_rank import cc_rank
from afterdrop.catalogue.kit_shapes import KitEra
from afterdrop.catalogue.link_table import KnownLinks, known_links
from afterdrop.catalogue.lists.search_index import search_text
from afterdrop.catalogue.rows import FactColumns, JudgedColumns, ReviewColumns, StoredReport
from afterdrop.catalogue.shapes import FactSource
from afterdrop.core.domain_names import tld
from afterdrop.core.json_shapes import instant
from afterdrop.core.safe_text import one_line, storable
from afterdrop.review.history.domain_history import History
from afterdrop.review.history.owners import longest_first
from afterdrop.scoring.judge import Judgement
from afterdrop.sources.metrics.model import (
    ADULT,
    AUTHORITY_SCORE,
    BACKLINKS,
    BUYER_FACTS,
    CITATION_FLOW,
    COST_PER_CLICK,
    DOMAIN_AUTHORITY,
    DOMAIN_RATING,
    EXTENSIONS_TAKEN,
    INDEXED_PAGES,
    LINK_RANK,
    PAGERANK,
    REFERRING_DOMAINS,
    SEARCH_VOLUME,
    TOP_REFERRING_DOMAINS,
    TOPICAL_TRUST_FLOW,
    TRUST_FLOW,
    VALUATION,
    Metrics,
    Role,
)
from afterdrop.sources.metrics.values import Topic

_EXTENDED: Final[tuple[Role, ...]] = (
    BACKLINKS, AUTHORITY_SCORE, DOMAIN_AUTHORITY, PAGERANK, INDEXED_PAGES, LINK_RANK,
)  # fmt: skip
# Amounts of money say their currency in JSON.
_FACT_MEMBERS: Final[Mapping[Role, str]] = {
    VALUATION: "valuation_usd",
    COST_PER_CLICK: "cost_per_click_usd",
}
_TITLE_MOST: Final = 300
# What of a review's history a report shows.
_OF_HISTORY: Final = (
    "reviewed_at",
    "outcome",
    "first_capture",
    "last_capture",
    "captures",
    "eras",
    "findings",
)


def review_columns(history: History) -> ReviewColumns:
    """The columns that come from the review alone."""
    title = stored_title(history.title)
    return {
        "tld": tld(history.domain),
        "language": history.language,
        "title": title,
        "search": search_text(history.domain, title),
        "archive_years": history.archive_years,
        "archive_first_year": history.first_year,
        "archive_last_year": history.last_year,
    }


def judged_columns(judgement: Judgement) -> JudgedColumns:
    """The view columns that do not come from a listing; the report lacks the attributions of listings."""
    metrics = judgement.metrics
    stated, earned = judgement.stated_topic, known_links(judgement)
    return {
        "score": judgement.score.points,
        "verdict": judgement.verdict,
        "flags": judgement.flags,
        "flag_count": len(judgement.flags),
        # Providers and reviews name one of the topics, or none.
        "topic": cast(Topic | None, stated or judgement.history.topic),
        "domain_rating": _whole(metrics, DOMAIN_RATING),
        "trust_flow": _whole(metrics, TRUST_FLOW),
        "citation_flow": _whole(metrics, CITATION_FLOW),
        "referring_domains": _whole(metrics, REFERRING_DOMAINS),
        **_fact_columns(metrics),
        "last_owner_links": earned.last_share,
        "live_links": None if earned.today is None else earned.today["there"],
        "report": _report(
            judgement, earned, estimated=stated is None and judgement.history.topic is not None
        ),
    }


def _fact_columns(metrics: Metrics) -> FactColumns:
    cost, adult = metrics.number(COST_PER_CLICK), metrics.number(ADULT)
    return {
        "valuation_usd": _whole(metrics, VALUATION),
        "search_volume": _whole(metrics, SEARCH_VOLUME),
        "cost_per_click_cents": None if cost is None else round(cost * 100),
        "extensions_taken": _whole(metrics, EXTENSIONS_TAKEN),
        "adult": None if adult is None else bool(adult),
    }


def _fact_sources(metrics: Metrics) -> dict[str, FactSource]:
    """The source and the time of each known fact, by its member in JSON; `named_sources` says it neutrally."""
    known = {_FACT_MEMBERS.get(role, role): metrics.best(role) for role in BUYER_FACTS}
    return {
        member: {"source": fact.provider, "at": instant(fact.fetched_at)}
        for member, fact in known.items()
        if fact is not None
    }


def _whole(metrics: Metrics, role: Role) -> int | None:
    """A figure that is a whole number whoever provides it."""
    return cast(int | None, metrics.number(role))


def _report(judgement: Judgement, earned: KnownLinks, *, estimated: bool) -> StoredReport:
    metrics, history, scored = judgement.metrics, judgement.history, judgement.score
    past = history.to_dict()
    members = {
        "standing": judgement.standing,
        "metrics": {
            "tf_cf_ratio": metrics.tf_cf_ratio,
            **metrics.contract(_EXTENDED),
            "archived_urls": history.archived_urls,
        },
        "score_breakdown": dict(scored.breakdown),
        "score_notes": dict(scored.notes),
        "score_inputs": dict(scored.inputs),
        "score_confidence": scored.confidence,
        "score_version": scored.version,
        "top_referring_domains": metrics.items(TOP_REFERRING_DOMAINS),
        "anchors": {"top": earned.anchors, "spam_share": earned.spam_share},
        "links": earned.links,
        "link_eras": earned.eras,
        "links_today": earned.today,
        "cc_rank": cc_rank(metrics),
        "topical_trust_flow": metrics.items(TOPICAL_TRUST_FLOW),
        "risk_checks": [check.to_dict() for check in judgement.checks],
        "spam": judgement.spam_check.to_dict(),
        "topic_estimated": estimated,
        "history": {name: past[name] for name in _OF_HISTORY},
        "review_notes": [*history.reasons, *history.notes],
        "fact_sources": _fact_sources(metrics),
        "attributions": metrics.attributions(),
        "revival_pages": sum(page.overall for page in history.pages),
        "revival_eras": _kits(history),
    }
    return cast(StoredReport, storable(members))


def _kits(history: History) -> list[KitEra]:
    """The kits of a site's owners, the longest time first."""
    pages = Counter(page.era for page in history.pages)
    return [
        {
            "era": owner.era,
            "start": instant(owner.start),
            "end": instant(owner.end),
            "pages": pages[owner.era],
        }
        for owner in longest_first(history.owners)
        if pages[owner.era]
    ]


def stored_title(text: str | None) -> str | None:
    """A stranger's text as one line without control characters, at most 300 characters; None when nothing is left."""
    if text is None:
        return None
    return one_line(text, _TITLE_MOST) or None
