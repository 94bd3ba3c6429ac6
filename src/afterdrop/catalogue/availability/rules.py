"""A registry's answer about a domain whose listing has ended: what it changes, and when to ask again. Pure.

A domain is announced as available after two "not found" answers of the registry's own server, some minutes apart,
with a registered name (the canary) answering there in between. A delegation in the DNS is a veto.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any, Final, Literal, Self

from afterdrop.sources.registry.drop_estimate import Stage, estimate
from afterdrop.sources.registry.rdap_answer import RegistryAnswer
from afterdrop.sources.registry.registry_rules import rule_of

NEAR_DROP: Final = timedelta(days=3)
RENEWED_BY: Final = timedelta(days=300)
FOLLOWED_FOR: Final = timedelta(days=100)
WEEK: Final = timedelta(days=7)
# A term that ends within so long, or ended, is asked about every day.
SOON: Final = timedelta(days=30)
# One or two of a host's few names may well drop at once: that is no sign of a broken registry.
MASS_FROM: Final = 3


# Registries tell a day where they told a moment, or their midnight where it was UTC's: that is no other registration.
_SAME_WITHIN: Final = timedelta(days=2)


def is_another(before: datetime | None, after: datetime | None) -> bool:
    """Whether two dates of registration are those of two registrations; what is not known tells of none."""
    return before is not None and after is not None and after - before > _SAME_WITHIN


@dataclass(frozen=True, slots=True)
class RecheckIntervals:
    """How long to wait: `often` for a domain that may change any hour, else `slow`; `gap` between two "not found"."""

    often: timedelta
    slow: timedelta
    gap: timedelta

    def of(
        self, domain: str, first_free_at: datetime | None, expires_at: datetime | None
    ) -> RecheckIntervals:
        """The waits for one name. Where its registry sells deleted names first, the gap lasts until that is over.

        A name first not found at `first_free_at` was deleted by then, at the latest when the stages after its expiry
        were over. While it is sold, "not found" does not mean free.
        """
        rule = rule_of(domain)
        if rule is None or rule.sold_for is None:
            return self
        sold = timedelta(days=rule.sold_for)
        stages = rule.from_expiry or rule.grace
        if first_free_at is not None and expires_at is not None and stages is not None:
            deleted = expires_at + timedelta(days=stages[1] + 1)
            sold = min(sold, deleted + sold - first_free_at)
        return replace(self, gap=max(self.gap, sold))


@dataclass(frozen=True, slots=True)
class EndedDomain:
    """A domain after its end, as the last re-check left it. `ended_at` is when its last listing ended."""

    domain: str
    type: str
    found_at: datetime
    ended_at: datetime
    announced: bool = False
    first_free_at: datetime | None = None
    available_since: datetime | None = None
    registered_at: datetime | None = None
    expires_at: datetime | None = None
    resolved_at: datetime | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any], first_free_at: datetime | None) -> Self:
        """From a row of `domains`, and when the registry first did not find it after this end."""
        names = set(cls.__slots__) - {"ended_at", "first_free_at"}
        return cls(
            ended_at=row["live_until"], first_free_at=first_free_at, **{name: row[name] for name in names}
        )

    def confirming(self, now: datetime, gap: timedelta) -> bool:
        """Whether another "not found" would confirm the first; the canary is asked before that."""
        return not self.announced and confirming(self.first_free_at, now, gap)


def confirming(first_free_at: datetime | None, now: datetime, gap: timedelta) -> bool:
    """Whether another "not found" would confirm the first, which came at `first_free_at`."""
    return first_free_at is not None and now - first_free_at >= gap


@dataclass(frozen=True, slots=True)
class Doubt:
    """Reasons for and against believing a "not found".

    `delegated`: the DNS knows the name (None: could not be told, so that nothing is believed). `canary`: a name known
    to be registered there answered after the first "not found". `mass`: too many of its names turned at once.
    """

    delegated: bool | None = None
    canary: bool = False
    mass: bool = False


def quiet_for(
    stage: Stage | None, ends: datetime | None, now: datetime, waits: RecheckIntervals
) -> timedelta:
    """How long nothing is expected to happen to a registered name whose term ends at `ends`."""
    if stage == "pending_delete":
        return waits.often
    return WEEK if stage == "active" and ends is not None and ends - now > SOON else waits.slow


NotFound = Literal["delegated", "first", "early", "withheld", "free"]


def judge_not_found(
    first_free_at: datetime | None, doubt: Doubt, now: datetime, waits: RecheckIntervals
) -> NotFound:
    """The meaning of a "not found" at `now` for a name that is not announced as free.

    `delegated`: the DNS knows the name. `first`: it is to be confirmed. `early`: it came too soon after the first.
    `withheld`: confirmed, but not believed.
    """
    if doubt.delegated:
        return "delegated"
    if first_free_at is None:
        return "first"
    if not confirming(first_free_at, now, waits.gap):
        return "early"
    believed = (
        doubt.canary and doubt.delegated is False and not (doubt.mass and now - first_free_at < waits.often)
    )
    return "free" if believed else "withheld"


@dataclass(frozen=True, slots=True)
class Change:
    """`values`: columns of `domains` to set, and of `registry_states`: `first_free_at` and `due_at`.

    `not_found`: what a "not found" meant. `announce`: available from now on. `visible`: readers of the lists notice.
    """

    values: Mapping[str, Any]
    not_found: NotFound | None = None
    announce: bool = False
    visible: bool = False


def decide_ended(
    known: EndedDomain, answer: RegistryAnswer, doubt: Doubt, now: datetime, waits: RecheckIntervals
) -> Change:
    """Decide what the registry's answer about an ended listing's name, received at `now`, changes for the lists."""
    if answer.state == "available":
        return _not_found(known, doubt, now, waits)
    if answer.state in ("registered", "dropping"):
        return _registered(known, answer, now, waits)
    if answer.reason in ("blocked", "reserved", "says_more"):
        values = {"availability": "unknown", "checked_at": now, "due_at": now + waits.slow}
        return _not_free(known, {**values, **_over(known, now, waits.slow)})
    # No answer proves nothing: what was known stays, and an announced name is asked about again as usual.
    if not known.announced and now - known.ended_at >= FOLLOWED_FOR:
        return Change(_resolved(now, WEEK if answer.reason == "no_rdap" else waits.slow))
    if answer.reason == "no_rdap":
        return Change({"availability": "unknown", "due_at": now + waits.slow})
    soon = known.announced or known.first_free_at is not None or _near(known, None, now)
    return Change({"due_at": now + (waits.often if soon else waits.slow)})


def _not_found(known: EndedDomain, doubt: Doubt, now: datetime, waits: RecheckIntervals) -> Change:
    values: dict[str, Any] = {"checked_at": now, "resolved_at": None, "due_at": now + waits.often}
    # A name that the registry does not find and the DNS knows can stay so for good.
    over = _over(known, now, waits.slow)
    verdict = judge_not_found(known.first_free_at, doubt, now, waits)
    if verdict == "delegated":
        return _not_free(known, {**values, "availability": "unknown", **over})
    if known.announced:
        return Change({**values, "availability": "available"})
    if known.first_free_at is None:
        again = {
            "first_free_at": now,
            "availability": "unknown",
            "due_at": now + min(waits.gap, waits.slow),
        }
        return Change({**values, **again}, verdict)
    if verdict == "early":
        return Change({**values, "due_at": min(known.first_free_at + waits.gap, now + waits.slow)})
    if verdict == "withheld":
        return Change({**values, **over}, verdict)
    free = {"availability": "available", "announced": True, "caught_after_drop": False}
    return Change(
        {**values, **free, "available_since": known.first_free_at, "estimated_drop": None},
        verdict,
        announce=True,
        visible=True,
    )


def _registered(known: EndedDomain, answer: RegistryAnswer, now: datetime, waits: RecheckIntervals) -> Change:
    record = answer.record
    drop = estimate(answer, now)
    values: dict[str, Any] = {
        "availability": answer.state,
        "checked_at": now,
        "registrar": record.registrar,
        "registered_at": record.registered_at or known.registered_at,
        "expires_at": record.expires_at or known.expires_at,
        "estimated_drop": drop.earliest.isoformat() if drop.earliest else None,
    }
    quiet = quiet_for(drop.stage, record.expires_at, now, waits)
    if _registered_anew(known, record.registered_at):
        seen_free = known.available_since or known.first_free_at
        caught = {"caught_after_drop": True, "available_since": seen_free}
        return _not_free(known, {**values, **caught, **_resolved(now, quiet)})
    # The same registration as ever: whatever said "not found" before was wrong.
    values["available_since"] = None
    renewed = drop.stage == "active" and _renewed(known, answer)
    if renewed or now - known.ended_at >= FOLLOWED_FOR:
        return _not_free(known, {**values, **_resolved(now, quiet)})
    if known.resolved_at is not None:
        return _not_free(known, {**values, "due_at": now + quiet})
    soon = drop.stage == "pending_delete" or _near(known, drop.earliest, now)
    return _not_free(known, {**values, "due_at": now + (waits.often if soon else waits.slow)})


def _not_free(known: EndedDomain, values: Mapping[str, Any], *, visible: bool = False) -> Change:
    """The domain is not available, or no longer is."""
    return Change({"first_free_at": None, "announced": False, **values}, visible=visible or known.announced)


def _over(known: EndedDomain, now: datetime, wait: timedelta) -> dict[str, Any]:
    return _resolved(now, wait) if now - known.ended_at >= FOLLOWED_FOR else {}


def _resolved(now: datetime, wait: timedelta) -> dict[str, Any]:
    """Nothing more is to be found out for the lists; if somebody watches the domain it is asked about after `wait`."""
    return {"resolved_at": now, "due_at": now + wait}


def _registered_anew(known: EndedDomain, registered_at: datetime | None) -> bool:
    """Whether this is a later registration than the one known.

    A registry that states no date is believed where the name was announced as available.
    """
    if registered_at is None:
        return known.announced
    if known.registered_at is None:
        return registered_at > known.found_at
    return is_another(known.registered_at, registered_at)


def _renewed(known: EndedDomain, answer: RegistryAnswer) -> bool:
    before, after = known.expires_at, answer.record.expires_at
    dated = (known.registered_at is None) == (answer.record.registered_at is None)
    return dated and before is not None and after is not None and after - before >= RENEWED_BY


def _near(known: EndedDomain, earliest: date | None, now: datetime) -> bool:
    """Whether the domain is within three days of its estimated drop; the end of a drop list is such an estimate."""
    if earliest is not None and abs(earliest - now.date()) <= NEAR_DROP:
        return True
    return known.type == "pending_delete" and now - known.ended_at <= NEAR_DROP


def is_mass(turned: int, asked: int, followed: int, most: float) -> bool:
    """Whether so many of a host's names turned "not found" in one pass that the registry is to be doubted.

    `followed`: how many names of that host are re-checked; `most`: the share of them that may turn.
    """
    return turned >= MASS_FROM and turned > most * max(asked, followed)
