"""Looks at the links to a name as they stand today: the strongest known ones, each page once.

The result becomes a metric (`LINKS_TODAY`): the report, the lists and the checks read it as they read every other.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final, TypedDict
from urllib.parse import urlsplit

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.core.domain_names import registrable_domain
from afterdrop.core.errors import BadName
from afterdrop.core.safe_text import one_line
from afterdrop.core.time_zones import midnight
from afterdrop.db.dialects import insert_once
from afterdrop.db.tables.review import live_days
from afterdrop.review.context import ReviewContext
from afterdrop.review.page.backlink import LinkPlace, LinkState, PageLook, look_at
from afterdrop.review.page.pool import PageUnread, ReadingDied
from afterdrop.sources.live.pages import LivePage, NotRead
from afterdrop.sources.metrics.model import LINKS, LINKS_TODAY, TOP_REFERRING_DOMAINS, Metric, Metrics

PROVIDER: Final = "live_pages"
# Pages that are waited for at a time; each of another host, so that one host's pause holds up no other.
_AT_ONCE: Final = 20
_GONE: Final = frozenset({404, 410})
_UNREAD_DAYS: Final = 1


class LinkSeen(TypedDict):
    """The result of a look at the page of a link, as it is stored; `at` is an ISO date, `note` says why in words."""

    page: str
    state: LinkState
    at: str
    text: str | None
    target: str | None
    nofollow: bool | None
    sponsored: bool | None
    place: LinkPlace | None
    note: str


@dataclass(frozen=True, slots=True)
class LinkPage:
    """The address of a page that linked to the name; not `exact` where it is only the home page of a linking site."""

    url: str
    exact: bool = True


def pages_to_look_at(metrics: Metrics, most: int) -> list[LinkPage]:
    """The pages with the strongest known links, at most `most`: single links first, then home pages of referrers.

    Strong is a high rating of the linking site, then a followed link, then one that was seen lately.
    """
    links = [link for link in metrics.items(LINKS) or () if link.get("page")]
    links.sort(key=_strength, reverse=True)
    chosen = {link["page"]: LinkPage(link["page"]) for link in links}
    known = {_site(link["page"]) for link in links}
    for name in metrics.items(TOP_REFERRING_DOMAINS) or ():
        if _site(f"http://{name}/") not in known:
            chosen.setdefault(f"http://{name}/", LinkPage(f"http://{name}/", exact=False))
    return list(chosen.values())[:most]


def _strength(link: Mapping[str, Any]) -> tuple[int, bool, str]:
    rating = link.get("rating")
    return (-1 if rating is None else rating, not link.get("nofollow"), link.get("last_seen") or "")


async def look_at_links(
    context: ReviewContext, domain: str, pages: Sequence[LinkPage], seconds: float
) -> list[LinkSeen]:
    """Look at the pages for at most `seconds`; what was not seen by then, or whose reading died, is left out."""
    seen: dict[str, LinkSeen] = {}
    gate = asyncio.Semaphore(_AT_ONCE)

    async def look_at_one(page: LinkPage) -> None:
        async with gate:
            look = await _look(context, domain, page)
        if look is not None:
            now = context.now()
            link = look.link
            seen[page.url] = {
                "page": page.url,
                "state": look.state,
                "at": now.date().isoformat(),
                "text": link.text if link else None,
                "target": link.target if link else None,
                "nofollow": link.nofollow if link else None,
                "sponsored": link.sponsored if link else None,
                "place": link.place if link else None,
                "note": look.note,
            }

    tasks = [asyncio.create_task(look_at_one(page)) for page in pages]
    try:
        done, _ = await asyncio.wait(tasks, timeout=seconds) if tasks else (set(), set())
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        if not task.cancelled() and (error := task.exception()) is not None:
            raise error
    return [seen[page.url] for page in pages if page.url in seen]


async def looked_at(context: ReviewContext, domain: str, known: Metrics, seconds: float) -> Metric | None:
    """The state of the strongest links to a name, as a metric; None where there is nothing new to tell.

    Pages that were looked at lately are not asked again. Looks for at most `seconds`, at as many pages as the day's cap
    allows; without a contact in the settings nobody is asked.
    """
    settings, now = context.settings.live, context.now()
    pages = pages_to_look_at(known, settings.pages)
    before = _still_good(known, {page.url for page in pages}, now, settings.valid_days)
    todo = [page for page in pages if page.url not in before]
    if not settings.links or not context.settings.contact or not todo:
        return None
    async with context.database.write() as conn:
        granted = await take_pages(conn, len(todo), now, settings.pages_per_day)
    items = await look_at_links(context, domain, todo[:granted], seconds)
    if not items:
        return None
    seen = before | {item["page"]: item for item in items}
    still = [seen[page.url] for page in pages if page.url in seen]
    return Metric(LINKS_TODAY, still, PROVIDER, context.now())


def _still_good(known: Metrics, urls: Collection[str], now: datetime, days: int) -> dict[str, LinkSeen]:
    """The earlier results of these pages that still count; a page that nobody could read is tried again after a day."""
    good = {}
    for item in known.items(LINKS_TODAY) or ():
        age = (now.date() - date.fromisoformat(item["at"])).days
        if item["page"] in urls and age < (_UNREAD_DAYS if item["state"] == "unread" else days):
            good[item["page"]] = item
    return good


async def take_pages(conn: AsyncConnection, wanted: int, now: datetime, most: int) -> int:
    """Count pages that are looked at on the UTC day of `now`; gives how many of `wanted` the day's cap leaves."""
    table, day = live_days, midnight(now)
    await insert_once(conn, table, {"day": day, "pages": 0}, ["day"])
    today = table.c.day == day
    before = (await conn.execute(sa.select(table.c.pages).where(today).with_for_update())).scalar_one()
    granted: int = max(0, min(wanted, most - before))
    await conn.execute(sa.update(table).where(today).values(pages=table.c.pages + granted))
    return granted


async def pages_taken(conn: AsyncConnection, now: datetime) -> int:
    """How many pages were looked at so far on the UTC day of `now`."""
    chosen = sa.select(live_days.c.pages).where(live_days.c.day == midnight(now))
    return (await conn.execute(chosen)).scalar() or 0


async def _look(context: ReviewContext, domain: str, page: LinkPage) -> PageLook | None:
    """The state of the link on a page; None where a reading died, which says nothing of it."""
    try:
        answer = await context.live.read(page.url)
    except NotRead as error:
        return None if error.kind == "died" else await _unreached(context, page.url, error)
    if answer.status in _GONE:
        return PageLook("page_gone", note=f"the page is gone (status {answer.status})")
    if not 200 <= answer.status < 300:
        return PageLook("unread", note=f"the site answers with status {answer.status}")
    kind = answer.headers.get("Content-Type")
    tag = "\n".join(value for name, value in answer.headers.items() if name.lower() == "x-robots-tag")
    try:
        look = await context.pages.run(look_at, answer.body, answer.url, kind, tag, domain, subject=page.url)
    except ReadingDied:
        return None
    except PageUnread as error:
        return PageLook("unread", note=one_line(f"the page could not be read: {error.message}"))
    if look.state != "removed":
        return look
    return _elsewhere(page, answer) or look


def _elsewhere(page: LinkPage, answer: LivePage) -> PageLook | None:
    """The result where a page without the link is not the page that had it; None where it is."""
    if not page.exact:
        return PageLook("unread", note="only the home page is known, and the link is not on it")
    before, after = urlsplit(page.url), urlsplit(answer.url)
    if _site(page.url) != _site(answer.url):
        return PageLook("page_gone", note=f"the page leads to {after.hostname} now")
    if before.path.strip("/") and not after.path.strip("/"):
        return PageLook("page_gone", note="the page leads to the site’s home page now")
    return None


async def _unreached(context: ReviewContext, url: str, error: NotRead) -> PageLook:
    site, led = _site(url), _site(error.url)
    if led not in (None, site):
        why = one_line(f"the page leads to {led} now: {error.message}")
        return PageLook("page_gone" if error.kind == "no_host" else "unread", note=why)
    if error.kind != "no_host":
        return PageLook("unread", note=one_line(error.message))
    if site is not None and await context.live.exists(site):
        return PageLook("page_gone", note=f"{urlsplit(error.url).hostname} is gone, {site} is not")
    return PageLook("domain_gone", note="the referring domain does not answer any more")


def _site(url: str) -> str | None:
    try:
        return registrable_domain(urlsplit(url).hostname or "")
    except (BadName, ValueError):
        return None
