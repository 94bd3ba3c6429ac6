"""The pending-delete desk: the names about to drop by day and window, and a window for a calendar."""

from __future__ import annotations

from contextlib import suppress
from datetime import date, datetime, timedelta
from typing import Final

from starlette.responses import Response

from afterdrop.alerts import store as alerts
from afterdrop.catalogue.chosen_store import chosen
from afterdrop.catalogue.drops import Drop, countdown, drops, ends_of_day
from afterdrop.core.time_zones import time_zone
from afterdrop.web.actions import domains
from afterdrop.web.actions.desk import MOST_DROPS, dropping, lives_of
from afterdrop.web.problems import not_found
from afterdrop.web.site.attributions import attributions_for
from afterdrop.web.site.calendar_entry import drop_entry
from afterdrop.web.site.forms import whole_number
from afterdrop.web.site.site_request import SiteRequest

DAYS: Final = 7
FOLLOWED: Final = "followed"
_DAY: Final = timedelta(days=1)


async def drops_page(request: SiteRequest) -> Response:
    """One day's names, or the followed ones of all days."""
    today = today_of(request)
    followed = await _followed_drops(request)
    days = [today + each * _DAY for each in range(DAYS)]
    totals = await domains.list_totals(request, [dropping(*_ends(request, each)) for each in days])
    counts = dict(zip(days, totals, strict=True))
    asked = request.http.query_params.get("day", "")
    day = next((each for each in days if each.isoformat() == asked), today)
    found = followed if asked == FOLLOWED else await drops_of(request, day)
    return request.page(
        "drops.html",
        day=FOLLOWED if asked == FOLLOWED else day,
        today=today,
        days=[each for each in days if counts[each] or each in (today, today + _DAY, day)],
        counts=counts,
        followed=followed,
        watched={item["domain"] for drop in followed for item in drop.domains},
        drops=found,
        most=MOST_DROPS,
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


def today_of(request: SiteRequest) -> date:
    """The date on the reader's clock."""
    return request.now.astimezone(time_zone(request.member.zone)).date()


async def drops_of(request: SiteRequest, day: date) -> list[Drop]:
    """The names that drop on a day of the reader's zone, as he may see them; of very many the best."""
    return await _between(request, *_ends(request, day))


def _ends(request: SiteRequest, day: date) -> tuple[datetime, datetime]:
    return ends_of_day(day, time_zone(request.member.zone))


async def _between(request: SiteRequest, after: datetime, until: datetime) -> list[Drop]:
    return drops((await domains.site_page(request, dropping(after, until), 1, MOST_DROPS)).rows)


async def _followed_drops(request: SiteRequest) -> list[Drop]:
    """The followed names that are about to drop and that the reader may see."""
    async with request.context.database.read() as conn:
        names = await alerts.watched_domains(conn, request.member.id)
        seen = await chosen(conn, names, request.viewer, request.now, request.context.links)
    return drops(seen.values())
