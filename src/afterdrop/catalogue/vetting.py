"""A reviewed domain vetted: score, verdict, flags, would it list and why not, and what its report says. Pure.

The daily scan and a check walk this same code. Vetting is made for one audience: the public's rests on no value that
a licence reserves for operators, so that neither the score nor one of its parts gives such a value away.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from afterdrop.catalogue.filters import search_text
from afterdrop.core.domain_names import tld
from afterdrop.core.safe_text import blank_controls, storable
from afterdrop.metrics.model import (
    ANCHORS,
    AUTHORITY_SCORE,
    BACKLINKS,
    CITATION_FLOW,
    DOMAIN_AUTHORITY,
    DOMAIN_RATING,
    INDEXED_PAGES,
    LINK_RANK,
    PAGERANK,
    REFERRING_DOMAINS,
    TOP_REFERRING_DOMAINS,
    TOPIC,
    TOPICAL_TRUST_FLOW,
    TRUST_FLOW,
    Metrics,
    Role,
)
from afterdrop.metrics.values import TOPICS
from afterdrop.review.flags.anchors import read_anchors, spam_share
from afterdrop.review.flags.risk_flags import RiskCheck, found_flags, risk_checks, spam_reasons, verdict
from afterdrop.review.history.domain_history import History
from afterdrop.review.spam.words import spam_anchor
from afterdrop.scoring.score import Past, Refusal, Score, refusals, score

_EXTENDED: Final[tuple[Role, ...]] = (
    *(BACKLINKS, AUTHORITY_SCORE, DOMAIN_AUTHORITY, PAGERANK, INDEXED_PAGES, LINK_RANK),
)
_FIGURES: Final[tuple[Role, ...]] = (DOMAIN_RATING, TRUST_FLOW, CITATION_FLOW, REFERRING_DOMAINS)
_TITLE_MOST: Final = 300


@dataclass(frozen=True, slots=True)
class Vetting:
    """What was concluded of a domain for one audience. `refusals` empty = it would list."""

    history: History
    metrics: Metrics
    checks: tuple[RiskCheck, ...]
    scored: Score
    refusals: tuple[Refusal, ...]

    @property
    def spam(self) -> bool:
        """Whether a spam finding takes the domain off every list: its own pages', or most telling link texts'."""
        return any(refusal.code == "spam_history" for refusal in self.refusals)

    @property
    def flags(self) -> list[str]:
        """The flags found, in the order of the flag table."""
        return list(found_flags(self.checks))

    @property
    def verdict(self) -> str:
        """`risky` when a flag found is a risk, or pages or link texts ask for a second look, else `ok`."""
        return verdict(self.checks, self.history, self.metrics)

    @property
    def reject_reasons(self) -> list[str]:
        """Why it would not list, short English sentences, the weightiest first."""
        return [refusal.sentence for refusal in self.refusals]


def vet(history: History, metrics: Metrics, price_usd: int | None, now: datetime) -> Vetting:
    """Vet a reviewed domain on the metrics its audience may know. `price_usd` None: it has no price."""
    checks = risk_checks(history, metrics, history.domain)
    past = Past(
        history.first_capture,
        history.last_capture,
        frozenset(history.good_years),
        frozenset(history.parked_years),
    )
    scored = score(metrics, past, price_usd, found_flags(checks), now)
    spam = " ".join(spam_reasons(history, metrics)) or ("The history has spam." if history.spam else None)
    refused = refusals(scored, metrics, reviewed=not history.blocked, spam=spam)
    return Vetting(history, metrics, checks, scored, refused)


def facts(history: History) -> dict[str, Any]:
    """The columns of `domains` that stand for every audience."""
    title = one_line(history.title)
    return {
        "tld": tld(history.domain),
        "language": history.language,
        "title": title,
        "search": search_text(history.domain, title),
        "archive_years": history.archive_years,
        "archive_first_year": history.first_year,
        "archive_last_year": history.last_year,
    }


def view(vetting: Vetting) -> dict[str, Any]:
    """The view columns that do not come from a listing; `report` without the attributions of listings."""
    metrics = vetting.metrics
    stated = _stated_topic(metrics)
    return {
        "score": vetting.scored.points,
        "verdict": vetting.verdict,
        "flags": vetting.flags,
        "flag_count": len(vetting.flags),
        "topic": stated or vetting.history.topic,
        **{role: metrics.number(role) for role in _FIGURES},
        "report": _report(vetting, estimated=stated is None and vetting.history.topic is not None),
    }


def _stated_topic(metrics: Metrics) -> str | None:
    """The topic a provider states, or the parent of its strongest topical trust flow."""
    stated = metrics.text(TOPIC)
    flows = metrics.items(TOPICAL_TRUST_FLOW)
    if stated is not None or not flows:
        return stated
    strongest = max(flows, key=lambda flow: flow["trust_flow"])
    parent = str(strongest["topic"]).partition("/")[0].strip().capitalize()
    return parent if parent in TOPICS else None


def _report(vetting: Vetting, *, estimated: bool) -> dict[str, Any]:
    metrics, history, scored = vetting.metrics, vetting.history, vetting.scored
    past = history.to_dict()
    members = {
        "metrics": {
            "tf_cf_ratio": metrics.tf_cf_ratio,
            **metrics.contract(_EXTENDED),
            "archived_urls": history.archived_urls,
        },
        "score_breakdown": dict(scored.breakdown),
        "score_notes": dict(scored.notes),
        "score_confidence": scored.confidence,
        "score_version": scored.version,
        "top_referring_domains": metrics.items(TOP_REFERRING_DOMAINS),
        "anchors": _anchors(metrics),
        "topical_trust_flow": metrics.items(TOPICAL_TRUST_FLOW),
        "risk_checks": [check.to_dict() for check in vetting.checks],
        "topic_estimated": estimated,
        "history": {
            name: past[name]
            for name in ("reviewed_at", "first_capture", "last_capture", "captures", "eras", "findings")
        },
        "review_notes": [*history.reasons, *history.notes],
        "attributions": metrics.attributions(),
        "revival_pages": len(history.pages),
    }
    cleaned: dict[str, Any] = storable(members)
    return cleaned


def _anchors(metrics: Metrics) -> dict[str, Any]:
    top = metrics.items(ANCHORS)
    share = spam_share(read_anchors(top), lambda text: spam_anchor(text) is not None)
    return {"top": top, "spam_share": share}


def one_line(text: str | None) -> str | None:
    """A foreign text as one line without controls, at most 300 characters; None when nothing is left."""
    if text is None:
        return None
    return " ".join(blank_controls(text).split())[:_TITLE_MOST].strip() or None
