"""The drop estimate: the stage of a domain's life cycle, and the days on which its registry may release it. Pure.

Generic extensions: 0-45 days of auto-renew grace after expiry, 30 days of redemption, 5 days of pending delete
(ICANN ERRP and the registry agreements). The only sign of when a status began is the last change of
the whole object, and com/net move the expiry on before the registrar decides; where the registrar's own is in the
answer, it tells. So the estimate is a window, not a day.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from afterdrop.core.json_shapes import Day
from afterdrop.sources.registry.rdap_answer import Registration, RegistryAnswer
from afterdrop.sources.registry.release_hours import is_generic, release_hour

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

    stage: Stage
    earliest: Day | None
    latest: Day | None
    exact: bool
    drop_hour_utc: Annotated[int | None, Field(ge=0, le=23)]


@dataclass(frozen=True, slots=True)
class DropEstimate:
    """The contract's drop estimate: dates in UTC, both None where the day cannot be estimated.

    Only `latest` is None while a restore is pending. `drop_hour_utc` is the hour of `earliest`.
    """

    stage: Stage
    earliest: date | None = None
    latest: date | None = None
    exact: bool = False
    drop_hour_utc: int | None = None

    def as_json(self) -> DropEstimateJson:
        """The estimate with its contract keys; dates in the form YYYY-MM-DD."""
        return {
            "stage": self.stage,
            "earliest": self.earliest.isoformat() if self.earliest else None,
            "latest": self.latest.isoformat() if self.latest else None,
            "exact": self.exact,
            "drop_hour_utc": self.drop_hour_utc,
        }


def estimate(answer: RegistryAnswer, now: datetime, *, drop_day: date | None = None) -> DropEstimate:
    """Estimate the drop of the domain that `answer` is about, seen from `now` (aware UTC).

    `drop_day` is the day that a registry's drop list names for it. The estimate is then exact, as long as the registry
    shows the name as pending delete.
    """
    record = answer.record
    stage = stage_of(answer, now)
    if answer.releases_at is not None and answer.releases_at.date() >= now.date():
        day = answer.releases_at.date()
        return DropEstimate(stage, day, day, drop_hour_utc=_hour(record.domain, day))
    if record.domain is None or not is_generic(record.domain):
        return DropEstimate(stage)
    exact = stage == "pending_delete" and drop_day is not None and drop_day >= now.date()
    window = (drop_day, drop_day) if exact else _window(stage, answer, now)
    earliest, latest = _never_past(window, now.date())
    return DropEstimate(stage, earliest, latest, exact, _hour(record.domain, earliest))


def _hour(domain: str | None, day: date | None) -> int | None:
    """The hour of `day`, in UTC, from which the domain's registry releases names, where it is known."""
    hour = release_hour(domain) if domain else None
    return hour.at(day).hour if hour and day else None


def stage_of(answer: RegistryAnswer, now: datetime) -> Stage:
    """The stage of the life cycle that an answer shows at `now`."""
    record = answer.record
    if answer.state in ("available", "unknown"):
        return answer.state
    words = frozenset(record.statuses)
    if words & {"redemption period", "pending restore"}:  # redemption carries "pending delete" too
        return "redemption"
    if "pending delete" in words:
        return "pending_delete"
    if (
        answer.state == "dropping"
    ):  # a country's own word, as WHOIS writes it; many let the holder undo a quarantine
        return "pending_delete" if answer.reason == "pending_delete" else "redemption"
    expired = record.expires_at is not None and record.expires_at <= now
    if (
        expired
        or _unpaid_since(answer, now)
        or "auto renew period" in words
        or _renewed_while_expired(record, now)
    ):
        return "expired"
    return "active"


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


def _window(stage: Stage, answer: RegistryAnswer, now: datetime) -> tuple[date | None, date | None]:
    record = answer.record
    if stage == "active":
        return (_later(record.expires_at, 35), _later(record.expires_at, 81))
    if stage == "expired":
        ended = _unpaid_since(answer, now) or _finished_term(record, now) or now
        return (_later(now, 35), _later(ended, 81))
    if stage == "redemption":
        began = _redemption_start(answer, now)
        first, last = (_later(began, 35), _later(began, 37)) if began else (now.date(), _later(now, 35))
        return (first, None if "pending restore" in record.statuses else last)
    if stage == "pending_delete":
        began = _trusted(record.updated_at, now, 6)
        return (_later(began, 5), _later(began, 6)) if began else (now.date(), _later(now, 5))
    return (None, None)


def _finished_term(record: Registration, now: datetime) -> datetime | None:
    """The expiry of the term that ended: the registry's own when it is past, else that of the year before."""
    if record.expires_at is None or record.expires_at <= now:
        return record.expires_at
    before = _year_before(record.expires_at)
    return before if before is not None and before <= now else None


def _redemption_start(answer: RegistryAnswer, now: datetime) -> datetime | None:
    """When redemption began: the deletion event where the registry shows one, else the last change."""
    return _trusted(answer.deleted_at, now, 36) or _trusted(answer.record.updated_at, now, 36)


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
