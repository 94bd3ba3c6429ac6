"""The lists as SQL agree with the pure rules about single summaries, on both databases."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import timedelta
from typing import Any, cast

import orjson
import sqlalchemy as sa
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from afterdrop.accounts.plans import Viewer
from afterdrop.accounts.versions import Versions
from afterdrop.catalogue.access import access, sees_availability
from afterdrop.catalogue.filters import SORTS, ListFilter, Sort, accepts
from afterdrop.catalogue.lists import list_page
from afterdrop.catalogue.rows import DomainRow
from afterdrop.catalogue.snapshots import Snapshots
from afterdrop.catalogue.status import STATUSES_OF, ListName
from afterdrop.catalogue.store import ListSelection, ended_counts, live_figures
from afterdrop.catalogue.summary import DomainSummary, summary
from afterdrop.db.engine import Database
from afterdrop.db.tables.catalogue import domains, reserved_views
from tests.support.rows import (
    DAY,
    FREE,
    LINKS,
    NOW,
    OPERATOR,
    PRO,
    VIEW,
    put,
    put_reserved,
    row,
)

HOUR = timedelta(hours=1)
FREE_OPERATOR = Viewer(9, "free", operator=True)
hours = st.none() | st.sampled_from([-300, -24, -1, 0, 1, 23, 24, 25, 100, 700])
small = st.none() | st.sampled_from([0, 1, 10, 50, 100])


def _ends(value: int | None) -> Any:
    return None if value is None else NOW + value * HOUR


views = st.fixed_dictionaries(
    {
        "score": st.sampled_from([44, 45, 60, 90]),
        "verdict": st.sampled_from(["ok", "risky"]),
        "flags": st.sampled_from([[], ["gap"]]),
        "topic": st.sampled_from([None, "Arts", "Games"]),
        "domain_rating": small,
        "trust_flow": small,
        "referring_domains": small,
        "type": st.sampled_from(["auction", "buy_now", "bid", "pending_delete"]),
        "price_usd": small,
        "ends_at": hours.map(_ends),
    }
)
facts = st.fixed_dictionaries(
    {
        "title": st.none() | st.sampled_from(["Öl 100%", "Bücher_Haus", "plain\\x"]),
        "language": st.sampled_from([None, "en", "de"]),
        "archive_years": small,
        "found_at": st.sampled_from([NOW - DAY, NOW, NOW - 9 * DAY]),
        "gated": st.sampled_from([False, False, False, True]),
        "announced": st.booleans(),
        "open_now": st.booleans(),
        "removed_at": st.sampled_from([None, None, None, None, NOW]),
    }
)
entries = st.lists(
    st.tuples(
        st.sampled_from(["a.com", "b.com", "c.co.uk", "xn--bcher-kva.de", "e.net", "f.com", "g.org"]),
        facts,
        views,
        st.none() | views,
        st.none() | st.integers(1, 900),
    ),
    min_size=4,
    max_size=7,
    unique_by=lambda entry: entry[0],
)
least = st.sampled_from([1, 10, 50])
asked: dict[str, st.SearchStrategy[Any]] = {
    "q": st.sampled_from(["BÜ", "%", "_", "\\", "0% ", "com", "\n"]),
    "min_score": st.sampled_from([45, 60]),
    "min_dr": least,
    "min_tf": least,
    "min_ref_domains": least,
    "min_archive_years": least,
    "max_price": small,
    "tlds": st.just((".com", "CO.UK")),
    "types": st.just(("auction", "bid")),
    "topics": st.just(("arts",)),
    "langs": st.just(("EN", "de")),
    "clean": st.just(True),
    "since": st.sampled_from([NOW - DAY, NOW]),
    "ending_within_hours": st.sampled_from([1, 24, 720]),
}
# One or two at a time: with all of them at once nothing would be left to compare.
filters = (
    st.lists(st.sampled_from([*sorted(asked), "min_tf", "min_tf", "q", "max_price"]), max_size=2, unique=True)
    .flatmap(lambda names: st.fixed_dictionaries({name: asked[name] for name in names}))
    .map(lambda values: ListFilter.of(**values))
)


def _row(name: str, fact: dict[str, Any], view: dict[str, Any], last: int | None) -> dict[str, Any]:
    # What a listing without an end shows once it is gone is the end of the domain.
    live_until = view["ends_at"] if view["ends_at"] is not None or last is None else NOW + (last - 450) * HOUR
    opened = "2026-11-01" if fact["open_now"] or fact["archive_years"] == 10 else None
    both = {"last_open_on": opened, "operators_last_open_on": opened, "operators_open_now": fact["open_now"]}
    return row(name, **fact, **view, live_until=live_until, **both)


def _both(
    name: str, fact: dict[str, Any], view: dict[str, Any], own: dict[str, Any] | None, last: int | None
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """The row everybody sees, and the operators' where it differs."""
    public = _row(name, fact, view, last)
    if own is None or fact["gated"]:
        return public, None
    return public, {**public, **{key: _row(name, fact, own, last)[key] for key in VIEW}}


def _listed(
    rows: list[dict[str, Any]], which: ListName, wanted: ListFilter, viewer: Viewer
) -> list[DomainSummary]:
    """The list by the pure rules alone."""
    found = []
    for each in rows:
        row = cast(DomainRow, each)
        seen, shown = access(row, viewer, NOW), summary(row, viewer, NOW, LINKS)
        allowed = seen in ("full", "basic")
        if which == "available":
            allowed = allowed and sees_availability(row, viewer)
        if allowed and shown["status"] in STATUSES_OF[which] and accepts(wanted, shown, NOW):
            found.append(shown)
    return found


def _locked(rows: list[dict[str, Any]], which: ListName, wanted: ListFilter, viewer: Viewer) -> int:
    pro = Viewer(viewer.account_id, "pro", viewer.operator)
    mine = {each["domain"] for each in _listed(rows, which, ListFilter(), viewer)}
    every = _listed(rows, which, wanted.without_trust_flow(), pro)
    return sum(each["domain"] not in mine for each in every)


def _order(shown: DomainSummary, sort: Sort) -> tuple[Any, ...]:
    listing = shown["listing"]
    value = {
        "score": shown["score"],
        "dr": shown["metrics"]["domain_rating"],
        "ending": listing["ends_at"],
        "ended": listing["ends_at"],
        "newest": shown["found_at"],
        "price": listing["price_usd"],
    }[sort]
    if value is None:
        return (1, 0)
    if sort in ("ending", "price"):
        return (0, value)
    return (0, -value) if isinstance(value, int) else (0, _backwards(value))


def _backwards(text: str) -> tuple[int, ...]:
    return tuple(-ord(char) for char in text)


def _sorted(shown: list[DomainSummary], sort: Sort) -> list[str]:
    ties = sorted(shown, key=lambda each: (_backwards(each["found_at"] or ""), each["domain"]))
    return [each["domain"] for each in sorted(ties, key=lambda each: _order(each, sort))]


@settings(
    max_examples=50,
    phases=[Phase.generate],  # an example is a database filled anew: shrinking would take minutes
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(entries, filters, st.sampled_from([PRO, FREE, OPERATOR, FREE_OPERATOR]), st.sampled_from(SORTS))
async def test_sql_and_the_pure_rules_agree(
    database: Database, made: list[Any], wanted: ListFilter, viewer: Viewer, sort: Sort
) -> None:
    seen: list[dict[str, Any]] = []
    async with database.write() as conn:
        await conn.execute(sa.delete(reserved_views))
        await conn.execute(sa.delete(domains))
        every = [_both(*each) for each in made]
        await conn.execute(sa.insert(domains), [public for public, _ in every])
        for public, theirs in every:
            if theirs is not None:
                await put_reserved(conn, theirs)
            seen.append(theirs if viewer.operator and theirs is not None else public)
    lists: tuple[ListName, ...] = ("live", "available", "archive")
    async with database.read() as conn:
        for which in lists:
            page = await list_page(
                conn, ListSelection(which, wanted, viewer, NOW, LINKS.fees, sort), LINKS, per_page=100
            )
            expected = _listed(seen, which, wanted, viewer)
            assert [each["domain"] for each in page.rows] == _sorted(expected, sort)
            assert {each["domain"]: each for each in page.rows} == {each["domain"]: each for each in expected}
            assert page.total == len(expected)
            asked = viewer.plan == "free" and which != "archive" and wanted.q is None
            assert page.locked == (_locked(seen, which, wanted, viewer) if asked else None)


changes = st.lists(
    st.tuples(
        st.sampled_from(["a.com", "b.com", "e.net", "new.org"]), facts, views, st.none() | views, st.none()
    ),
    max_size=3,
    unique_by=lambda entry: entry[0],
)
followed = st.booleans().map(
    lambda asked: (
        [
            {
                "shown_from": int((NOW + 2 * HOUR).timestamp()),
                "ends_at": int((NOW + 30 * HOUR).timestamp()),
                "source": "later",
                "type": "auction",
                "price_usd": 7,
                "bids": 1,
                "url": None,
            }
        ]
        if asked
        else None
    )
)


async def _write(database: Database, made: list[Any], next_listings: Any) -> None:
    async with database.write() as conn:
        for each in made:
            public, theirs = _both(*each)
            public["source_title"] = None
            if next_listings:
                public |= {"next_listings": next_listings, "next_listing_at": NOW + 2 * HOUR}
            await conn.execute(sa.delete(domains).where(domains.c.domain == public["domain"]))
            await put(conn, public)
            if theirs is not None:
                await put_reserved(conn, {**public, **theirs})


@settings(
    max_examples=60,
    phases=[Phase.generate],
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    entries,
    followed,
    st.lists(changes, max_size=2),
    st.lists(
        st.tuples(
            filters,
            st.sampled_from([PRO, FREE, OPERATOR, FREE_OPERATOR]),
            st.sampled_from(SORTS),
            st.sampled_from([-25, -1, 0, 0.5, 1, 2, 3, 24, 25, 50, 101]),
            st.sampled_from([(1, 100), (2, 2), (1, 3)]),
        ),
        min_size=3,
        max_size=6,
    ),
)
async def test_memory_and_sql_give_the_same_bytes(
    database: Database, made: list[Any], later: Any, changed: list[Any], queries: list[Any]
) -> None:
    async with database.write() as conn:
        await conn.execute(sa.delete(reserved_views))
        await conn.execute(sa.delete(domains))
    await _write(database, made, later)
    seconds = itertools.count(step=10.0)
    snapshots = Snapshots(database, Versions(database, lambda: next(seconds)), LINKS, lambda: next(seconds))
    snapshots.start()
    for operator in (False, True):
        await snapshots.made(operator)
    for change in [[], *changed]:
        await _write(database, change, None)
        for wanted, viewer, sort, hours_on, (page, per_page) in queries:
            snapshot = await snapshots.current(viewer.operator)
            assert snapshot is not None
            now = NOW + hours_on * HOUR
            for which in ("live", "available", "archive"):
                asked_for = ListSelection(which, wanted, viewer, now, LINKS.fees, sort)
                async with database.read() as conn:
                    true = await list_page(conn, asked_for, LINKS, page=page, per_page=per_page)
                    figures = await live_figures(conn, viewer.operator, now)
                    over = await ended_counts(conn, viewer.operator, now)
                found = snapshot.page(asked_for, page, per_page)
                assert (found.total, found.locked) == (true.total, true.locked)
                assert orjson.dumps(snapshot.ready(found.rows, asked_for)) == orjson.dumps(true.rows)
                assert snapshot.summaries(found.rows, asked_for) == true.rows
            seconds_now = int(now.timestamp())
            mine = snapshot.live_figures(seconds_now)
            assert (
                replace(figures, score_sum=figures.score_sum or 0, rating_sum=figures.rating_sum or 0) == mine
            )
            assert snapshot.ended_counts(seconds_now) == over
    await snapshots.close()
