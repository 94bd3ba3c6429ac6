"""The drop estimate: the stage of a domain's life cycle, and the days on which its registry may release it. Pure.

A day that the registry itself names, in its answer or its list, counts before all. Else the days come from its rules
(`registry_rules`), counted from where the stage began. The only sign of that is mostly the last change of the whole
object, and com/net move the expiry on before the registrar decides; where the registrar's own is in the answer, it
tells. So the estimate is a window, not a day. A country code whose registry publishes no days has none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from afterdrop.core.json_shapes import Day
from afterdrop.sources.registry.rdap_answer import Registration, RegistryAnswer
from afterdrop.sources.registry.registry_rules import Days, RegistryRule, hour_words, rule_of

GRACE_DAYS = 45
# Registrars delegate the names that their owners let expire to these hosts. Within the grace days after the date that
# the expiry moved on from, this delegation is all that com and net show of an expired name (1989shack.com, 2025-12).
EXPIRY_NAMESERVERS = (
    "dns-expired.com",
    "expirationwarning.net",
    "expired1.namebrightdns.com",
    "expired2.namebrightdns.com",
    "expirenotification.com",
    "expirens3.hichina.com",
    "expirens4.hichina.com",
    "onamae-expired.com",
    "pendingrenewaldeletion.com",
    "renewyourdomain.net",
    "renewyourname.net",
)


Stage = Literal["active", "expired", "redemption", "pending_delete", "available", "unknown"]


class DropEstimateJson(TypedDict):
    """When the name may drop: a window, exact only where a registry names the day."""

    stage: Annotated[Stage, Field(description="How far the registration has got towards its end")]
    earliest: Annotated[Day | None, Field(description="The first day of the window; null if unknown")]
    latest: Annotated[Day | None, Field(description="The last day of the window; null if unknown")]
    exact: Annotated[bool, Field(description="Whether a registry names the day")]
    drop_hour_utc: Annotated[
        int | None, Field(ge=0, le=23, description="The hour of the drop on `earliest`, UTC; null if unknown")
    ]
    rests_on: Annotated[str | None, Field(description="The source of the days, and its year")]
    hour_rests_on: Annotated[str | None, Field(description="The source of the hour: a registry, or a guide")]


@dataclass(frozen=True, slots=True)
class DropEstimate:
    """The contract's drop estimate, both dates None where the day cannot be estimated.

    Dates are in UTC where the hour is known, else the registry's own days. Only `latest` is None while a restore is
    pending. `drop_hour_utc` is the hour of `earliest`. `rests_on` and `hour_rests_on` say what the days and the hour
    come from, for people.
    """

    stage: Stage
    earliest: date | None = None
    latest: date | None = None
    exact: bool = False
    drop_hour_utc: int | None = None
    rests_on: str | None = None
    hour_rests_on: str | None = None

    def as_json(self) -> DropEstimateJson:
        """The estimate with its contract keys; dates in the form YYYY-MM-DD."""
        return {
            "stage": self.stage,
            "earliest": self.earliest.isoformat() if self.earliest else None,
            "latest": self.latest.isoformat() if self.latest else None,
            "exact": self.exact,
            "drop_hour_utc": self.drop_hour_utc,
            "rests_on": self.rests_on,
            "hour_rests_on": self.hour_rests_on,
        }


@dataclass(frozen=True, slots=True)
class ListedDrop:
    """The drop of a name on a registry's list: when it drops, and whether that is certain.

    `opens_at` and `ends_at` are aware UTC: the opening of the release, where it is known, and when the name is gone.
    """

    ends_at: datetime
    opens_at: datetime | None
    certain: bool


def estimate(answer: RegistryAnswer, now: datetime, *, listed: ListedDrop | None = None) -> DropEstimate:
    """Estimate the drop of the domain that `answer` is about, seen from `now` (aware UTC).

    `listed` is what a registry's drop list says of it. It counts as long as the registry shows the name on its way
    out. The estimate is exact where the registry names the day, and the name has left its ordinary term.
    """
    stage = stage_of(answer, now)
    domain = answer.record.domain
    rule = rule_of(domain) if domain is not None else None
    named = _named(stage, answer, listed, rule, now)
    if named is not None:
        return named
    if rule is None:
        return DropEstimate(stage)
    earliest, latest = _never_past(_window(stage, answer, rule, now), rule.today(now))
    if earliest is None:
        return DropEstimate(stage)
    if rule.release is not None:
        earliest = rule.release.on_or_after(earliest)
        latest = rule.release.on_or_after(latest) if latest else None
    return _with_hour(DropEstimate(stage, earliest, latest, rests_on=_rests_on(rule, now)), rule, now)


def _rests_on(rule: RegistryRule, now: datetime) -> str:
    """The rule's registry, and the fate of a deleted name before anybody can register it."""
    words = rule.words(now.date())
    return f"{words}. {rule.how_to_buy}" if rule.sold_for else words


def _named(
    stage: Stage,
    answer: RegistryAnswer,
    listed: ListedDrop | None,
    rule: RegistryRule | None,
    now: datetime,
) -> DropEstimate | None:
    """The day that the registry itself names, in its answer before its list; None where it names none to come."""
    today = rule.today(now) if rule else now.date()
    if answer.releases_at is not None and answer.releases_at >= now:
        moment, source = answer.releases_at, "the registry's answer"
        day = moment.date()
        return DropEstimate(stage, day, day, stage != "active", moment.hour, source, source)
    if answer.releases_on is not None and answer.releases_on >= today:
        day = answer.releases_on
        found = DropEstimate(stage, day, day, stage != "active", rests_on="the registry's answer")
        return _with_hour(found, rule, now)
    if listed is None or not _counts(listed, stage, rule) or listed.ends_at < now:
        return None
    day = (listed.opens_at or listed.ends_at).date()
    found = DropEstimate(stage, day, day, listed.certain, rests_on="the registry's drop list")
    if rule is not None and rule.release is not None and rule.release.second_listed:
        return replace(found, drop_hour_utc=listed.ends_at.hour, hour_rests_on="the registry's drop list")
    return _with_hour(found, rule, now)


def _counts(listed: ListedDrop, stage: Stage, rule: RegistryRule | None) -> bool:
    """Whether a list's word about a name in `stage` counts; a generic name it lists is beyond redemption."""
    if rule is not None and rule.generic:
        return listed.certain and stage == "pending_delete"
    return stage in ("expired", "redemption", "pending_delete")


def _with_hour(found: DropEstimate, rule: RegistryRule | None, now: datetime) -> DropEstimate:
    """The estimate with the hour (UTC) from which the registry releases names on its first day, where one is known."""
    if rule is None or rule.release is None or found.earliest is None:
        return found
    moments = rule.release.moments(found.earliest)
    if not moments:
        return found
    return replace(found, drop_hour_utc=moments[0].hour, hour_rests_on=hour_words(rule.release, now.date()))


def stage_of(answer: RegistryAnswer, now: datetime) -> Stage:
    """The stage of the life cycle that an answer shows at `now`."""
    record = answer.record
    if answer.state in ("available", "unknown"):
        return answer.state
    words = frozenset(record.statuses)
    if words & {"redemption period", "pending restore"}:  # redemption carries "pending delete" too
        return "redemption"
    if answer.state == "dropping" or "pending delete" in words:
        return _last_stage(answer, now)
    expired = record.expires_at is not None and record.expires_at <= now
    if (
        expired
        or _unpaid_since(answer, now)
        or "auto renew period" in words
        or _renewed_while_expired(record, now)
    ):
        return "expired"
    return "active"


def _last_stage(answer: RegistryAnswer, now: datetime) -> Stage:
    """Redemption or pending delete: WHOIS says it in the country's own words, RDAP as `pending delete`."""
    record = answer.record
    rule = rule_of(record.domain) if record.domain else None
    said = answer.reason or "pending_delete"
    if said == "quarantine":
        return (rule.quarantine if rule else None) or "redemption"
    if rule is None:
        return "redemption" if said == "redemption" else "pending_delete"
    suspended = rule.restorable_until is not None and "suspended" in record.statuses
    if suspended and answer.releases_on is not None:
        # Suspended for the calendar month before the release (JPRS): in its last days nobody can restore the name.
        restorable = answer.releases_on - timedelta(days=1)
        over = rule.today(now) > restorable.replace(day=rule.restorable_until or restorable.day)
        return "pending_delete" if over else "redemption"
    if rule.pending_delete_word == "last" and record.expires_at is not None and rule.from_expiry is not None:
        last = (rule.pending_delete or (0, 0))[1]
        restorable_to = record.expires_at + timedelta(days=rule.from_expiry[0] - last)
        return "redemption" if now < restorable_to else "pending_delete"
    return "redemption" if said == "redemption" else "pending_delete"


def _unpaid_since(answer: RegistryAnswer, now: datetime) -> datetime | None:
    """When the term ended that the registry renewed and the holder has not paid, within the grace days.

    The registry moves its expiry on at the day of expiry; the registrar's (an event since 2025) waits for the holder.
    """
    ended, renewed_to = answer.registrar_expires_at, answer.record.expires_at
    if ended is None or renewed_to is None or not ended < renewed_to:
        return None
    return ended if ended <= now <= ended + timedelta(days=GRACE_DAYS) else None


def _renewed_while_expired(record: Registration, now: datetime) -> bool:
    """Whether the registry shows next year's expiry while the registrar treats the name as expired."""
    ended = _year_before(record.expires_at)
    if ended is None or not ended <= now <= ended + timedelta(days=GRACE_DAYS):
        return False
    if record.registered_at is not None and record.registered_at > ended - timedelta(days=300):
        return False  # its first year: nothing was renewed yet
    return any(
        name == host or name.endswith("." + host)
        for name in record.nameservers
        for host in EXPIRY_NAMESERVERS
    )


def _year_before(moment: datetime | None) -> datetime | None:
    if moment is None:
        return None
    try:
        return moment.replace(year=moment.year - 1)
    except ValueError:  # 29 February
        return moment.replace(year=moment.year - 1, day=28)


def _window(
    stage: Stage, answer: RegistryAnswer, rule: RegistryRule, now: datetime
) -> tuple[date | None, date | None]:
    """The days of `rule` counted from where the stage began; those of a generic one also where that is not known."""
    record = answer.record
    if stage == "active":
        return _span(record.expires_at, rule.from_expiry)
    if stage == "expired":
        return _expired(answer, rule, now)
    if stage == "redemption":
        first, last = _redemption(answer, rule, now)
        return (first, None if "pending restore" in record.statuses else last)
    if stage == "pending_delete":
        days = rule.from_pending_delete
        if days is not None and (began := _trusted(answer.record.updated_at, now, days[1])):
            return _span(began, days)
        if rule.from_redemption and (deleted := _trusted(answer.deleted_at, now, rule.from_redemption[1])):
            return _span(
                deleted, rule.from_redemption
            )  # counted from the start of the redemption, where it is told
        if days is not None and rule.generic:
            return (now.date(), _later(now, days[0]))
        return _span(answer.record.expires_at, rule.from_expiry) if days is None else (None, None)
    return (None, None)


def _expired(answer: RegistryAnswer, rule: RegistryRule, now: datetime) -> tuple[date | None, date | None]:
    if rule.from_expiry is None:
        return (None, None)
    finished = _finished_term(answer.record, now)
    ended = (_unpaid_since(answer, now) or finished or now) if rule.generic else finished
    first, last = _span(ended, rule.from_expiry)
    # The redemption, where there is one, is still to come.
    soonest = _later(now, rule.from_redemption[0]) if rule.from_redemption else None
    return (max(filter(None, (first, soonest)), default=None), last)


def _redemption(answer: RegistryAnswer, rule: RegistryRule, now: datetime) -> tuple[date | None, date | None]:
    days = rule.from_redemption
    if days is None:
        return _span(answer.record.expires_at, rule.from_expiry) if rule.from_expiry else (None, None)
    within = days[1] - 1
    began = _trusted(answer.deleted_at, now, within) or _trusted(answer.record.updated_at, now, within)
    if began is None and rule.generic:
        return (now.date(), _later(now, days[0]))
    return _span(began, days)


def _span(began: datetime | None, days: Days | None) -> tuple[date | None, date | None]:
    return (_later(began, days[0]), _later(began, days[1])) if days else (None, None)


def _finished_term(record: Registration, now: datetime) -> datetime | None:
    """The expiry of the term that ended: the registry's own when it is past, else that of the year before."""
    if record.expires_at is None or record.expires_at <= now:
        return record.expires_at
    before = _year_before(record.expires_at)
    return before if before is not None and before <= now else None


def _trusted(began: datetime | None, now: datetime, days: int) -> datetime | None:
    """`began`, or None when it is in the future or longer ago than its stage can last: then only `now` is known."""
    return began if began is not None and began <= now < began + timedelta(days=days + 1) else None


def _later(moment: datetime | None, days: int) -> date | None:
    """The date `days` after `moment`; None for "never" (registries write the year 9999)."""
    if moment is None or moment.year > 9000:
        return None
    return (moment + timedelta(days=days)).date()


def _never_past(window: tuple[date | None, date | None], today: date) -> tuple[date | None, date | None]:
    earliest, latest = window
    if earliest is None:
        return (None, None)
    earliest = max(earliest, today)
    return (earliest, None if latest is None else max(earliest, latest))
