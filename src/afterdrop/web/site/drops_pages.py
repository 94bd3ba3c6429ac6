"""The pending-delete desk: the names about to drop by day and window, and a window for a calendar."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from datetime import date, datetime, timedelta
from typing import Final

from starlette.responses import Response

from afterdrop.alerts import store as alerts
from afterdrop.catalogue.chosen_store import chosen
from afterdrop.catalogue.drops import Drop, countdown, drops, window_of
from afterdrop.catalogue.drops_store import drop_counts
from afterdrop.catalogue.filters import ListFilter
from afterdrop.core.time_zones import time_zone
from afterdrop.web.actions import domains
from afterdrop.web.actions.desk import lives_of
from afterdrop.web.actions.domains import Asked
from afterdrop.web.problems import not_found
from afterdrop.web.site.attributions import attributions_for
from afterdrop.web.site.calendar_entry import drop_entry
from afterdrop.web.site.forms import whole_number
from afterdrop.web.site.site_request import SiteRequest

AHEAD: Final = timedelta(days=7)
MOST_SHOWN: Final = 300
FOLLOWED: Final = "followed"
_DAY: Final = timedelta(days=1)


async def drops_page(request: SiteRequest) -> Response:
    """One day's names, or the followed ones of all days."""
    zone = time_zone(request.member.zone)
    today = request.now.astimezone(zone).date()
    followed = await followed_drops(request)
    counts = await _counts_by_day(request)
    asked = request.http.query_params.get("day", "")
    day = _day_of(asked, today)
    found = followed if asked == FOLLOWED else await drops_of(request, day)
    total = sum(counts.values()) if asked == FOLLOWED else counts[day]
    return request.page(
        "drops.html",
        day=FOLLOWED if asked == FOLLOWED else day,
        today=today,
        days=sorted({today, today + _DAY, day, *counts}),
        counts=counts,
        followed=followed,
        watched={item["domain"] for drop in followed for item in drop.domains},
        drops=found,
        total=total,
        most=MOST_SHOWN,
        countdown=countdown,
        lives=await lives_of(request, [item for drop in found for item in drop.domains]),
        credits=attributions_for(request),
    )


async def calendar(request: SiteRequest) -> Response:
    """One window for a calendar, named by the second of its end."""
    end = whole_number(request.http.path_params["end"])
    with suppress(OverflowError, ValueError, OSError):
        closes = datetime.fromtimestamp(end, request.now.tzinfo)
        for drop in await _between(request, closes - _DAY, closes + _DAY):
            if drop.window.closes == closes:
                text = drop_entry(drop, f"{request.context.settings.site_url}/drops", request.now)
                named = {"Content-Disposition": f'attachment; filename="drop-{closes:%Y-%m-%d-%H%M}.ics"'}
                return Response(text, media_type="text/calendar", headers=named)
    raise not_found("No name you can see drops then.")


async def drops_of(request: SiteRequest, day: date) -> list[Drop]:
    """The names that drop on a day of the reader's zone, as he may see them; of very many the best."""
    midnight = datetime(day.year, day.month, day.day, tzinfo=request.now.tzinfo)
    # Wherever the reader lives, the end that a list gives lies within these.
    return await _between(request, midnight - _DAY, midnight + 3 * _DAY, day)


async def _between(
    request: SiteRequest, first: datetime, last: datetime, day: date | None = None
) -> list[Drop]:
    found = await domains.site_page(request, _drops(first, last), 1, MOST_SHOWN)
    return drops(found.rows, time_zone(request.member.zone), day)


def _drops(first: datetime, last: datetime) -> Asked:
    wanted = ListFilter.of(types=["pending_delete"], ends_after=first, ends_before=last)
    return Asked("live", wanted)


async def followed_drops(request: SiteRequest) -> list[Drop]:
    """The followed names that are about to drop and that the reader may see."""
    async with request.context.database.read() as conn:
        names = await alerts.watched_domains(conn, request.member.id)
        seen = await chosen(conn, names, request.viewer, request.now, request.context.links)
    shown = [item for item in seen.values() if item is not None]
    return drops(shown, time_zone(request.member.zone))


async def _counts_by_day(request: SiteRequest) -> Counter[date]:
    zone = time_zone(request.member.zone)
    selection = _drops(request.now, request.now + AHEAD).selection(request)
    counts: Counter[date] = Counter()
    async with request.context.database.read() as conn:
        for tld, ends_at, number in await drop_counts(conn, selection):
            counts[window_of(f"name.{tld}", ends_at).day(zone)] += number
    return counts


def _day_of(text: str, today: date) -> date:
    """The day in the address; today for anything else, and for a day long gone or far ahead."""
    with suppress(ValueError):
        day = date.fromisoformat(text)
        if abs(day - today) <= AHEAD:
            return day
    return today
