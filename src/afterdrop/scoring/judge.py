"""Judge a reviewed domain: score, verdict, flags, what is concluded, whether it would list and why not. Pure.

The daily scan, a member's check and a visitor's check call this, and nothing else decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from afterdrop.review.flags.risk_flags import (
    Flag,
    RiskCheck,
    SpamCheck,
    Verdict,
    found_flags,
    risk_checks,
    spam_check,
    verdict,
)
from afterdrop.review.history.domain_history import History
from afterdrop.scoring.conclusion import Conclusion, Standing, conclude, past_of
from afterdrop.scoring.score import ArchiveYears, Refusal, Risks, Score, refusals, score
from afterdrop.scoring.weights import Weights, current
from afterdrop.sources.metrics.model import TOPIC, TOPICAL_TRUST_FLOW, Metrics
from afterdrop.sources.metrics.values import TOPICS


@dataclass(frozen=True, slots=True)
class Judgement:
    """The conclusions about a domain. With no `refusals` it would list.

    `score` has the points with their parts, notes and inputs.
    """

    history: History
    metrics: Metrics
    checks: tuple[RiskCheck, ...]
    spam_check: SpamCheck
    score: Score
    refusals: tuple[Refusal, ...]

    @property
    def spam(self) -> bool:
        """Whether spam takes the domain off every list: found on its own pages, or in most telling link texts."""
        return self.spam_check.result == "found"

    @property
    def learned_nothing(self) -> bool:
        """Whether there is no capture and no link figure, or no capture that can be read: a score would be made of
        nothing.
        """
        return self.history.unread or not (self.history.captures or self.metrics.knows_any())

    @property
    def standing(self) -> Standing:
        """The conclusion before any number."""
        if self.spam:
            return "rejected"
        seen = self.history.captures and not (self.history.blocked or self.history.unread)
        return "scored" if seen and self.metrics.knows_any() else "unknown"

    @property
    def history_concludes(self) -> Conclusion:
        """The conclusion from the history alone, where link metrics and price were not asked for."""
        captured = bool(self.history.captures) and not self.history.blocked
        seen = captured and not self.history.unread
        standing: Standing = "rejected" if self.spam else "scored" if seen else "unknown"
        past = past_of({era.kind for era in self.history.life}, captured=captured)
        return conclude(standing, None, self.verdict, found_flags(self.checks), past)

    @property
    def flags(self) -> list[Flag]:
        """The flags found, in the order of the flag table."""
        return list(found_flags(self.checks))

    @property
    def verdict(self) -> Verdict:
        """`risky` when a flag found is a risk, or pages or link texts ask for a second look, else `ok`."""
        return verdict(self.checks, self.history, self.metrics)

    @property
    def stated_topic(self) -> str | None:
        """The topic a provider states, or the parent of its strongest topical trust flow."""
        stated = self.metrics.text(TOPIC)
        flows = self.metrics.items(TOPICAL_TRUST_FLOW)
        if stated is not None or not flows:
            return stated
        strongest = max(flows, key=lambda flow: flow["trust_flow"])
        parent = str(strongest["topic"]).partition("/")[0].strip().capitalize()
        return parent if parent in TOPICS else None

    @property
    def reject_reasons(self) -> list[str]:
        """Why it would not list: short English sentences, the weightiest first. Spam is reason enough."""
        if self.spam:
            return [self.refusals[0].sentence]
        if not self.learned_nothing:
            return [refusal.sentence for refusal in self.refusals]
        sentences = [refusal.sentence for refusal in self.refusals if refusal.code != "low_score"]
        return sentences if self.history.unread else ["The web archive has no capture.", *sentences]


def judge(
    history: History,
    metrics: Metrics,
    price_usd: int | None,
    now: datetime,
    *,
    spam_overruled: bool = False,
    weights: Weights | None = None,
) -> Judgement:
    """Judge a reviewed domain on its known metrics. `price_usd` is None when it has no price.

    `spam_overruled`: an operator decided that the spam found is none. `weights` are the newest unless given.
    """
    checks = risk_checks(history, metrics, history.domain)
    spam = spam_check(history, metrics, overruled=spam_overruled)
    spam_note = spam.note if spam.result == "found" else None
    years = frozenset(history.honest_years) if history.parked_share is not None else None
    since = history.last_owner_since
    archive_years = ArchiveYears(
        history.first_capture, history.last_capture, years, since.year if since else None
    )
    risks = Risks(found_flags(checks), spam_note)
    points = score(metrics, archive_years, price_usd, risks, now, weights or current())
    refused = refusals(points, metrics, reviewed=not history.blocked, unread=history.unread, spam=spam_note)
    return Judgement(history, metrics, checks, spam, points, refused)
