"""Vet a reviewed domain: score, verdict, flags, whether it would list and why not, and what its report says. Pure.

The daily scan and a check use this same code. A vetting is made for one audience: the public's uses no value that a
licence reserves for operators, so that neither the score nor one of its parts gives such a value away.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, cast

from afterdrop.catalogue.filters import search_text
from afterdrop.catalogue.rows import ReviewColumns, StoredReport, VettedColumns
from afterdrop.catalogue.standing import Standing
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
from afterdrop.review.flags.risk_flags import (
    RiskCheck,
    SpamCheck,
    found_flags,
    risk_checks,
    spam_check,
    verdict,
)
from afterdrop.review.history.domain_history import History
from afterdrop.review.spam.words import spam_anchor
from afterdrop.scoring.score import ArchiveYears, Refusal, Risks, Score, refusals, score
from afterdrop.scoring.weights import current, earlier

_EXTENDED: Final[tuple[Role, ...]] = (
    *(BACKLINKS, AUTHORITY_SCORE, DOMAIN_AUTHORITY, PAGERANK, INDEXED_PAGES, LINK_RANK),
)
_TITLE_MOST: Final = 300


@dataclass(frozen=True, slots=True)
class Vetting:
    """What was concluded about a domain for one audience. With no `refusals` it would list."""

    history: History
    metrics: Metrics
    checks: tuple[RiskCheck, ...]
    spam_check: SpamCheck
    scored: Score
    refusals: tuple[Refusal, ...]

    @property
    def spam(self) -> bool:
        """Whether spam takes the domain off every list: found on its own pages, or in most telling link texts."""
        return self.spam_check.result == "found"

    @property
    def learned_nothing(self) -> bool:
        """Whether there is no capture and no link figure: a score would be made of nothing."""
        return not self.history.captures and not self.metrics.knows_any()

    @property
    def standing(self) -> Standing:
        """What is concluded before any number."""
        if self.spam:
            return "rejected"
        return "scored" if self.history.captures and self.metrics.knows_any() else "unknown"

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
        """Why it would not list: short English sentences, the weightiest first."""
        if not self.learned_nothing:
            return [refusal.sentence for refusal in self.refusals]
        told = [refusal.sentence for refusal in self.refusals if refusal.code != "low_score"]
        told.insert(1 if self.spam else 0, "The web archive has no capture.")
        return told


def vet(
    history: History, metrics: Metrics, price_usd: int | None, now: datetime, *, spam_overruled: bool = False
) -> Vetting:
    """Vet a reviewed domain on the metrics its audience may know. `price_usd` is None when it has no price.

    `spam_overruled`: an operator decided that the spam found is none.
    """
    checks = risk_checks(history, metrics, history.domain)
    looked = spam_check(history, metrics, overruled=spam_overruled)
    spam = looked.note if looked.result == "found" else None
    dated = history.honest_years is None
    risks = Risks(found_flags(checks), None if dated else spam)
    scored = score(metrics, _years(history), price_usd, risks, now, earlier() if dated else current())
    refused = refusals(scored, metrics, reviewed=not history.blocked, spam=spam)
    return Vetting(history, metrics, checks, looked, scored, refused)


def _years(history: History) -> ArchiveYears:
    """A review made before years were told honest is scored as it was then, until the next one."""
    first, last = history.first_capture, history.last_capture
    if history.honest_years is None:
        return ArchiveYears(first, last, frozenset(history.good_years), frozenset(history.parked_years))
    return ArchiveYears(
        first, last, None if history.parked_share is None else frozenset(history.honest_years)
    )


def review_columns(history: History) -> ReviewColumns:
    """The columns of `domains` that are the same for every audience."""
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


def vetted_columns(vetting: Vetting) -> VettedColumns:
    """The view columns that do not come from a listing; the report lacks the attributions of listings."""
    metrics = vetting.metrics
    stated = _stated_topic(metrics)
    return {
        "score": vetting.scored.points,
        "verdict": vetting.verdict,
        "flags": vetting.flags,
        "flag_count": len(vetting.flags),
        "topic": stated or vetting.history.topic,
        "domain_rating": _whole(metrics, DOMAIN_RATING),
        "trust_flow": _whole(metrics, TRUST_FLOW),
        "citation_flow": _whole(metrics, CITATION_FLOW),
        "referring_domains": _whole(metrics, REFERRING_DOMAINS),
        "report": _report(vetting, estimated=stated is None and vetting.history.topic is not None),
    }


def _whole(metrics: Metrics, role: Role) -> int | None:
    """A figure that is a whole number whoever provides it."""
    return cast(int | None, metrics.number(role))


def _stated_topic(metrics: Metrics) -> str | None:
    """The topic a provider states, or the parent of its strongest topical trust flow."""
    stated = metrics.text(TOPIC)
    flows = metrics.items(TOPICAL_TRUST_FLOW)
    if stated is not None or not flows:
        return stated
    strongest = max(flows, key=lambda flow: flow["trust_flow"])
    parent = str(strongest["topic"]).partition("/")[0].strip().capitalize()
    return parent if parent in TOPICS else None


def _report(vetting: Vetting, *, estimated: bool) -> StoredReport:
    metrics, history, scored = vetting.metrics, vetting.history, vetting.scored
    past = history.to_dict()
    members = {
        "standing": vetting.standing,
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
        "anchors": _anchors(metrics),
        "topical_trust_flow": metrics.items(TOPICAL_TRUST_FLOW),
        "risk_checks": [check.to_dict() for check in vetting.checks],
        "spam": vetting.spam_check.to_dict(),
        "topic_estimated": estimated,
        "history": {
            name: past[name]
            for name in (
                "reviewed_at",
                "outcome",
                "first_capture",
                "last_capture",
                "captures",
                "eras",
                "findings",
            )
        },
        "review_notes": [*history.reasons, *history.notes],
        "attributions": metrics.attributions(),
        "revival_pages": len(history.pages),
    }
    return cast(StoredReport, storable(members))


def _anchors(metrics: Metrics) -> dict[str, Any]:
    top = metrics.items(ANCHORS)
    share = spam_share(read_anchors(top), lambda text: spam_anchor(text) is not None)
    if top is not None:
        top = sorted(top, key=lambda anchor: -anchor["referring_domains"])
    return {"top": top, "spam_share": share}


def one_line(text: str | None) -> str | None:
    """A stranger's text as one line without control characters, at most 300 characters; None when nothing is left."""
    if text is None:
        return None
    return " ".join(blank_controls(text).split())[:_TITLE_MOST].strip() or None
