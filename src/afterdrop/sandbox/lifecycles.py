"""The life cycle of each name at its registry: active, auto-renew, redemption, pending delete, free, registered again.

Pure. Generic extensions have an auto-renew grace, 30 days of redemption and five days of pending delete.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from afterdrop.sandbox.scenarios import Scenario
from afterdrop.sandbox.story import Phase

_DAY = timedelta(days=1)
# Local release times. Where no exact hour is known, the sandbox's registry has an invented one.
_RELEASE = {
    "com": (time(14), "America/New_York"),
    "net": (time(14), "America/New_York"),
    "org": (time(9, 30), "America/New_York"),
    "se": (time(4), "UTC"),
    "pl": (time(10), "Europe/Warsaw"),
}
_OTHER = (time(16), "UTC")
EXPIRED_HOLD = "registrar"


def release_time(tld: str, day: date, second: int) -> datetime:
    """The moment names under `tld` become free on `day`; `second` spreads them over a minute and more."""
    local, zone = _RELEASE.get(tld.rpartition(".")[2], _OTHER)
    moment = datetime.combine(day, local, ZoneInfo(zone)).astimezone(UTC)
    return moment + timedelta(seconds=second)


def expiry_time(scenario: Scenario, end: datetime, rng: random.Random) -> datetime:
    """When the last full registration term expired, given the end of the listing."""
    if scenario.sale == "bid":
        return end - 33 * _DAY - timedelta(hours=rng.randrange(48))
    if scenario.sale == "drop":
        return end - 36 * _DAY - rng.randrange(31, 44) * _DAY - timedelta(hours=rng.randrange(20))
    return end + rng.randrange(40, 300) * _DAY


def registry_phases(
    scenario: Scenario, end: datetime, expires: datetime, years: int, rng: random.Random
) -> tuple[Phase, ...]:
    """Every phase of a name whose listing is gone from `end` on and whose last term expired at `expires`."""
    born = _years(expires, -years)
    registrar = rng.randrange(6)
    active = Phase(born, "active", born, expires, _years(expires, -1) + 3 * _DAY, registrar)
    if scenario.ending == "registry_404":
        return (Phase(born, "registry_404", registrar=registrar),)
    if scenario.sale in ("auction", "buy_now"):
        return (active,)
    grace = Phase(
        expires,
        "auto_renew",
        born,
        _years(expires, 1),
        expires + timedelta(hours=9),
        registrar,
        parked_at=EXPIRED_HOLD,
    )
    if scenario.sale == "bid":
        return (active, grace, *_after_bid(scenario, end, grace, rng))
    deleted = datetime.combine(end.date() - 5 * _DAY, time(9, 15, rng.randrange(60)), UTC)
    redeemed = deleted - 30 * _DAY
    hold = {
        "registered_at": active.registered_at,
        "expires_at": active.expires_at,
        "registrar": active.registrar,
    }
    dying = (
        Phase(redeemed, "redemption", changed_at=redeemed, delegated=False, **hold),  # type: ignore[arg-type]  # a literal dict of Phase's own fields
        Phase(deleted, "pending_delete", changed_at=deleted, delegated=False, **hold),  # type: ignore[arg-type]  # as above
    )
    return (active, grace, *dying, *_AFTER_DROP_BY_ENDING[scenario.ending](end, active, rng))


def _after_bid(scenario: Scenario, end: datetime, grace: Phase, rng: random.Random) -> tuple[Phase, ...]:
    moment = end + timedelta(hours=30 if scenario.ending == "renewed" else 18)
    registrar = grace.registrar if scenario.ending == "renewed" else 6 + rng.randrange(3)
    assert grace.expires_at is not None
    return (Phase(moment, "active", grace.registered_at, _years(grace.expires_at, 1), moment, registrar),)


def _registered_again(moment: datetime, rng: random.Random) -> Phase:
    return Phase(
        moment, "active", moment, _years(moment, 1), moment, 6 + rng.randrange(3), parked_at="afternic"
    )


def _free(end: datetime) -> Phase:
    return Phase(end, "free", delegated=False)


def _restored(end: datetime, active: Phase, rng: random.Random) -> tuple[Phase, ...]:
    assert active.expires_at is not None
    asked, back = end - 30 * timedelta(hours=1), end - 20 * timedelta(hours=1)
    renewed = _years(active.expires_at, 1)
    return (
        Phase(
            asked, "pending_restore", active.registered_at, active.expires_at, asked, active.registrar, False
        ),
        Phase(back, "active", active.registered_at, renewed, back, active.registrar),
    )


_AFTER_DROP_BY_ENDING: dict[str, Callable[[datetime, Phase, random.Random], tuple[Phase, ...]]] = {
    "free": lambda end, active, rng: (_free(end),),
    "caught": lambda end, active, rng: (
        _free(end),
        _registered_again(end + timedelta(seconds=rng.randrange(2, 9)), rng),
    ),
    "caught_later": lambda end, active, rng: (_free(end), _registered_again(end + timedelta(hours=26), rng)),
    "stuck": lambda end, active, rng: (),
    "blocked": lambda end, active, rng: (Phase(end, "blocked", delegated=False),),
    "delegated": lambda end, active, rng: (Phase(end, "free", delegated=True),),
    "restored": _restored,
}


def _years(moment: datetime, count: int) -> datetime:
    """The same day and time `count` years on; 29 February becomes the 28th."""
    day = 28 if (moment.month, moment.day) == (2, 29) else moment.day
    return moment.replace(year=moment.year + count, day=day)
