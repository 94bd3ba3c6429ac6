"""The lists in memory agree with the pure rules about single summaries, on both databases."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, cast
from zoneinfo import ZoneInfo

import orjson
import sqlalchemy as sa
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from afterdrop.accounts.versions import Versions
from afterdrop.catalogue.drops import due
from afterdrop.catalogue.lists.asking import ListContext
from afterdrop.catalogue.lists.columns import SORTED_BY
from afterdrop.catalogue.lists.comparisons import Days
from afterdrop.catalogue.lists.criteria import CRITERIA
from afterdrop.catalogue.lists.filters import ListFilter, ListSelection
from afterdrop.catalogue.lists.snapshot import LiveFigures, Snapshot
from afterdrop.catalogue.lists.snapshots import Snapshots
from afterdrop.catalogue.lists.sort_orders import SORTS, Order, Sort, orders_of
from afterdrop.catalogue.rows import DomainRow
from afterdrop.catalogue.shapes import SiteRow
from afterdrop.catalogue.status import BECAME, STATUSES_OF, ListName
from afterdrop.catalogue.summary import access, sees_availability, site_row, summary
from afterdrop.db.engine import Database
from afterdrop.db.tables.catalogue import domains
from afterdrop.sources.registry.release_hours import drop_end, shown_moment
from tests.support import POSTGRES_IS_LONG, examples
from tests.support.oracle import accepts, place_of
from tests.support.rows import (
    DAY,
    FREE,
    LINKS,
    NOW,
    PRO,
    put,
    row,
)

HOUR = timedelta(hours=1)
hours = st.none() | st.sampled_from([-300, -24, -1, 0, 1, 23, 24, 25, 100, 700])
small = st.none() | st.sampled_from([0, 1, 10, 50, 100])


ZONES = (
    "Europe/Berlin", "America/New_York", "Asia/Tokyo", "Pacific/Honolulu", "Pacific/Auckland", "UTC",
)  # fmt: skip


def _ends(value: int | None) -> Any:
    return None if value is None else NOW + value * HOUR


# The ends that drop lists give for a day: its last second in UTC, or two hours after the registry's release.
drop_ends = st.builds(
    lambda count, name: drop_end(NOW.date() + count * DAY, name),
    st.integers(-2, 3),
    st.sampled_from(["a.com", "a.se", "a.org"]),
)

views = st.fixed_dictionaries(
    {
        "score": st.sampled_from([44, 45, 60, 90]),
        "verdict": st.sampled_from(["ok", "risky"]),
        "flags": st.sampled_from([[], ["gap"], ["trademark"]]),
        "topic": st.sampled_from([None, "Arts", "Games"]),
        "domain_rating": small,
        "trust_flow": small,
        "citation_flow": small,
        "valuation_usd": small,
        "search_volume": small,
        "cost_per_click_cents": small,
        "extensions_taken": small,
        "adult": st.sampled_from([None, False, True]),
        "last_owner_links": small,
        "live_links": small,
        "source": st.sampled_from(["market_a", "market_b"]),
        "source_title": st.sampled_from([None, "Harbour", "Anchor"]),
        "url": st.sampled_from([None, "https://market.example/1"]),
        "bids": st.sampled_from([0, 0, 1, 7]),
        "referring_domains": small,
        "type": st.sampled_from(["auction", "buy_now", "bid", "pending_delete"]),
        "price_usd": small,
        "ends_at": hours.map(_ends) | drop_ends,
        "certain_from": hours.map(_ends),
    }
)
facts = st.fixed_dictionaries(
    {
        "title": st.none() | st.sampled_from(["Öl 100%", "Bücher_Haus", "plain\\x"]),
        "language": st.sampled_from([None, "en", "de"]),
        "archive_years": small,
        "archive_first_year": st.sampled_from([None, 2004, 2020]),
        "availability": st.sampled_from([None, "unknown", "registered", "registered", "available"]),
        "available_since": st.sampled_from([None, NOW - 5 * DAY]),
        "registrar": st.sampled_from([None, "Some Registrar"]),
        "registered_at": st.sampled_from([None, NOW - 9 * DAY, NOW - 3 * DAY]),
        "caught_after_drop": st.sampled_from([False, False, True]),
        "resolved_at": st.sampled_from([None, NOW - DAY]),
        "life": st.sampled_from([None, "s200101201001"]),
        "found_at": st.sampled_from([NOW - DAY, NOW, NOW - 9 * DAY]),
        "announced": st.booleans(),
        "open_now": st.booleans(),
        "removed_at": st.sampled_from([None, None, None, None, NOW]),
    }
)
entries = st.lists(
    st.tuples(
        st.sampled_from(
            ["a.com", "b-1.com", "c.co.uk", "xn--bcher-kva.de", "e.net", "f1-7.com", "g.org", "h.se"]
        ),
        facts,
        views,
        st.none() | st.integers(1, 900),
    ),
    min_size=4,
    max_size=7,
    unique_by=lambda entry: entry[0],
)
least = st.sampled_from([1, 10, 50])
days = st.integers(-2, 3).map(lambda count: NOW.date() + count * DAY)
zones = st.sampled_from(ZONES).map(ZoneInfo)
_BY_KIND: dict[str, st.SearchStrategy[Any]] = {
    "number": least,
    "flag": st.just(True),
    "text": st.sampled_from(["a", "com"]),
    "moment": st.sampled_from([NOW - DAY, NOW, NOW + DAY]),
}
# What is asked for: of each entry of the table something of its kind, of these what is odd or near a bound.
asked: dict[str, st.SearchStrategy[Any]] = {
    **{name: _BY_KIND[each.takes.kind] for name, each in CRITERIA.items() if each.takes.kind in _BY_KIND},
    "q": st.sampled_from(["BÜ", "%", "_", "\\", "0% ", "com", "\n"]),
    "min_score": st.sampled_from([45, 60]),
    "max_price": small,
    "tld": st.just((".com", "CO.UK")),
    "type": st.just(("auction", "bid")),
    "topic": st.just(("arts",)),
    "lang": st.just(("EN", "de")),
    "since": st.sampled_from([NOW - DAY, NOW]),
    "ending_within_hours": st.sampled_from([1, 24, 720]),
    "max_first_year": st.sampled_from([0, 2003, 2004, 2019, 2020]),
    "min_age": st.sampled_from([1, 6, 7, 22, 23]),
    "min_bids": st.sampled_from([1, 7]),
    "max_bids": st.sampled_from([0, 1]),
    "source": st.just(("market_b",)),
    "marketplace": st.sampled_from([("Harbour",), ("Catch & Co", "market_a"), ("market.example", "Anchor")]),
    "outcome": st.lists(st.sampled_from(BECAME), min_size=1, max_size=3),
    "ends_by": st.builds(Days, st.none(), days, zones),
    "drops_on": st.tuples(days, zones).map(lambda asked: Days(asked[0], asked[0], asked[1])),
    "tag": st.sampled_from([(), ("a.com", "b.com", "xn--bcher-kva.de", "nowhere.org")]),
    "unrejected": st.just(("b.com", "nowhere.org")),
    "min_trust_ratio": st.sampled_from([1, 10, 99, 100, 101, 500]),
    "exclude_tld": st.sampled_from([("com",), (".COM", "co.uk")]),
    "exclude": st.sampled_from([("BÜ", "plain"), ("%",), ("\n",), ("_", "a")]),
    "any": st.sampled_from([("BÜ", "plain"), ("%", "nowhere"), ("\n",)]),
    "min_length": st.sampled_from([1, 2, 6, 7]),
    "max_length": st.sampled_from([0, 1, 6]),
    "starts_with": st.sampled_from(["a", "BÜ", "büch", "xn--", "%", "1", "a.", "\n"]),
    "ends_with": st.sampled_from(["a", "cher", "ER", "-", "7", "1-7", "e.com", "\ud800"]),
    "unseen": st.just(("a.com", "f.com", "nowhere.org")),
}
# With these one can ask for one certain name.
NAMING = {"q", "any", "exclude", "starts_with", "ends_with", "tag", "unseen", "unrejected"}
site_sorts = st.builds(Order, st.sampled_from([*SORTED_BY]), st.booleans())
Sorting = Sort | Order | tuple[Order, ...]
sorts: st.SearchStrategy[Sorting] = (
    st.sampled_from(SORTS)
    | site_sorts
    | st.lists(site_sorts, min_size=2, max_size=3, unique_by=lambda order: order.column).map(tuple)
)
# One or two at a time: with all of them at once nothing would be left to compare.
filters = (
    st.lists(
        st.sampled_from([*sorted(asked), "min_tf", "min_tf", "q", "max_price", "outcome", "outcome"]),
        max_size=2,
        unique=True,
    )
    .flatmap(lambda names: st.fixed_dictionaries({name: asked[name] for name in names}))
    .map(lambda values: ListFilter.of(**values))
)


def _row(name: str, fact: dict[str, Any], view: dict[str, Any], last: int | None) -> dict[str, Any]:
    # What a listing without an end shows once it is gone is the end of the domain.
    live_until = view["ends_at"] if view["ends_at"] is not None or last is None else NOW + (last - 450) * HOUR
    opened = "2026-11-01" if fact["open_now"] or fact["archive_years"] == 10 else None
    return row(name, **fact, **view, live_until=live_until, last_open_on=opened)


def _listed(rows: Iterable[dict[str, Any]], at: ListContext, wanted: ListFilter) -> list[SiteRow]:
    """The list by the pure rules alone."""
    found, viewer, now = [], at.viewer, at.now
    for each in rows:
        # A listing that follows is shown as soon as it is on; lists are sorted by what is stored until it is published.
        row = cast(DomainRow, {**each, "next_listings": None, "next_listing_at": None})
        seen, shown = access(row, viewer, now), site_row(row, viewer, now, LINKS)
        allowed = seen in ("full", "basic")
        if at.which == "available":
            allowed = allowed and sees_availability(row, viewer)
        if allowed and shown["status"] in STATUSES_OF[at.which] and accepts(wanted, shown, now):
            found.append(shown)
    return found


def _locked(rows: Iterable[dict[str, Any]], at: ListContext, wanted: ListFilter) -> int | None:
    """How much more the Pro list has; None where the viewer is not told."""
    named = {name for name, _ in wanted.pairs} & NAMING
    if at.viewer.plan == "pro" or at.which == "archive" or named:
        return None
    rows = [*rows]
    mine = {each["domain"] for each in _listed(rows, at, ListFilter())}
    pro = replace(at, viewer=replace(at.viewer, plan="pro"))
    return sum(each["domain"] not in mine for each in _listed(rows, pro, wanted.without_trust_flow()))


def _figures(rows: Iterable[dict[str, Any]], now: datetime) -> tuple[LiveFigures, tuple[int, int]]:
    """The figures of the lists by what is stored of each domain."""
    shown = [each for each in rows if each["removed_at"] is None]
    live = [each for each in shown if each["live_until"] is None or each["live_until"] > now]
    over = [each for each in shown if each not in live]
    ratings = [each["domain_rating"] for each in live if each["domain_rating"] is not None]
    figures = LiveFigures(
        domains=len(live),
        open=sum(bool(each["open_now"]) for each in live),
        ending_within_24h=sum(
            each["ends_at"] is not None
            and now < each["ends_at"]
            and shown_moment(each["type"], each["domain"], each["ends_at"])[0] <= now + DAY
            for each in live
        ),
        scores=len(live),
        score_sum=sum(each["score"] for each in live),
        ratings=len(ratings),
        rating_sum=sum(ratings),
    )
    return figures, (len(over), sum(each["announced"] for each in over))


def _order(shown: SiteRow, order: Order) -> tuple[Any, ...]:
    listing, metrics = shown["listing"], shown["metrics"]
    said: Mapping[str, Any] = shown.get("facts") or {}
    values: dict[str, Any] = {
        "score": shown["score"],
        "tf": metrics.get("trust_flow"),
        "cf": metrics.get("citation_flow"),
        "dr": metrics["domain_rating"],
        "ref_domains": metrics["referring_domains"],
        "years": metrics["archive_years"],
        "price": listing["price_usd"],
        "bids": listing["bids"],
        "valuation": said.get("valuation_usd"),
        "searches": said.get("search_volume"),
        "cpc": said.get("cost_per_click_usd"),
        "taken": said.get("extensions_taken"),
        "live_links": shown.get("live_links"),
        "marketplace": place_of(shown),
        "ends": due(listing),
        "name": shown["domain"],
        "found": shown["found_at"],
    }
    value = values[order.column]
    if value is None:
        return (1, 0)
    if not order.descending:
        return (0, value)
    return (0, -value) if isinstance(value, int | float) else (0, (*_backwards(value), 1))


def _backwards(text: str) -> tuple[int, ...]:
    return tuple(-ord(char) for char in text)


def _sorted(shown: list[SiteRow], which: ListName, sort: Sorting) -> list[str]:
    ties = sorted(shown, key=lambda each: (_backwards(each["found_at"] or ""), each["domain"]))
    orders = orders_of(which, sort)
    return [
        each["domain"] for each in sorted(ties, key=lambda each: [_order(each, order) for order in orders])
    ]


LISTS: tuple[ListName, ...] = ("live", "available", "archive")


def test_every_filter_is_asked_for() -> None:
    assert set(asked) == set(CRITERIA)


changes = st.lists(
    st.tuples(st.sampled_from(["a.com", "b.com", "e.net", "new.org"]), facts, views, st.none()),
    max_size=3,
    unique_by=lambda entry: entry[0],
)
followed = st.booleans().map(
    lambda asked: (
        [
            {
                "source_title": None,
                "shown_from": int((NOW + 2 * HOUR).timestamp()),
                "ends_at": int((NOW + 30 * HOUR).timestamp()),
                "certain_from": int((NOW + HOUR).timestamp()),
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


Rows = dict[str, dict[str, Any]]


async def _write(database: Database, made: list[Any], next_listings: Any) -> Rows:
    """Store domains; gives what their rows hold."""
    held: Rows = {}
    async with database.write() as conn:
        for each in made:
            made_row = _row(*each)
            if next_listings:
                made_row |= {"next_listings": next_listings, "next_listing_at": NOW + 2 * HOUR}
                # the latest end of all listings, as publishing stores it
                if made_row["live_until"] is not None:
                    made_row["live_until"] = max(made_row["live_until"], NOW + 30 * HOUR)
            await conn.execute(sa.delete(domains).where(domains.c.domain == made_row["domain"]))
            await put(conn, made_row)
            held[made_row["domain"]] = made_row
    return held


@POSTGRES_IS_LONG
@settings(
    max_examples=examples(60),
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
            st.sampled_from([PRO, FREE]),
            sorts,
            st.sampled_from([-25, -1, 0, 0.5, 1, 2, 3, 24, 25, 50, 101]),
            st.sampled_from([(1, 100), (2, 2), (1, 3)]),
        ),
        min_size=3,
        max_size=6,
    ),
    st.booleans(),
)
async def test_memory_and_the_pure_rules_give_the_same_bytes(
    database: Database,
    made: list[Any],
    later: Any,
    changed: list[Any],
    queries: list[Any],
    anew: bool,
) -> None:
    """`anew`: each change is taken by a process that began with the file of the one before."""
    async with database.write() as conn:
        await conn.execute(sa.delete(domains))
    held = await _write(database, made, later)
    seconds = itertools.count(step=10.0)
    snapshots = Snapshots(database, Versions(database, lambda: next(seconds)), LINKS, lambda: next(seconds))
    await snapshots.made()
    for change in [[], *changed]:
        if anew:
            assert snapshots._held is not None
            snapshots._held = Snapshot.restored(LINKS, snapshots._held.arrays())
        held |= await _write(database, change, None)
        for wanted, viewer, sort, hours_on, place in queries:
            snapshot = await snapshots.current()
            assert snapshot is not None
            now = NOW + hours_on * HOUR
            for which in LISTS:
                asked_for = ListSelection(ListContext(which, viewer, now, LINKS.fees), wanted, sort)
                _same(snapshot, asked_for, held, place)
            seconds_now = int(now.timestamp())
            figures, over = _figures(held.values(), now)
            assert snapshot.live_figures(seconds_now) == figures
            assert snapshot.ended_counts(seconds_now) == over
    await snapshots.close()


def _same(
    snapshot: Snapshot, asked_for: ListSelection, rows: Mapping[str, dict[str, Any]], place: tuple[int, int]
) -> None:
    at, wanted, (page, per_page) = asked_for.at, asked_for.wanted, place
    expected = _listed(rows.values(), at, wanted)
    names = _sorted(expected, at.which, asked_for.orders)[(page - 1) * per_page : page * per_page]
    found = snapshot.page(asked_for, page, per_page)
    assert (found.total, found.locked) == (len(expected), _locked(rows.values(), at, wanted))
    assert snapshot.total(asked_for) == len(expected)
    assert snapshot.site_rows(found.rows, at) == [
        site_row(cast(DomainRow, rows[name]), at.viewer, at.now, LINKS) for name in names
    ]
    told = [summary(cast(DomainRow, rows[name]), at.viewer, at.now, LINKS) for name in names]
    assert snapshot.summaries(found.rows, at) == told
    assert orjson.dumps(snapshot.ready(found.rows, at)) == orjson.dumps(told)


@POSTGRES_IS_LONG
@settings(
    max_examples=examples(40),
    phases=[Phase.generate],
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    entries,
    st.lists(
        st.tuples(filters, sorts, st.sampled_from([-25, 0, 25])),
        min_size=4,
        max_size=8,
    ),
)
async def test_nothing_tells_free_callers_what_became_of_the_others(
    database: Database, made: list[Any], queries: list[Any]
) -> None:
    """Whatever is asked for, rows that were never open look the same whatever the registry says of them."""
    shown = []
    for registry in REGISTRY:
        async with database.write() as conn:
            await conn.execute(sa.delete(domains))
        await _write(database, [_never_open(each, registry) for each in made], None)
        snapshots = Snapshots(database, Versions(database), LINKS)
        snapshots.start()
        seen: list[Any] = []
        for wanted, sort, hours_on in queries:
            now = NOW + hours_on * HOUR
            await snapshots.made()
            snapshot = await snapshots.current()
            assert snapshot is not None
            for which in LISTS:
                asked_for = ListSelection(ListContext(which, FREE, now, LINKS.fees), wanted, sort)
                found = snapshot.page(asked_for, 1, 100)
                seen.append((found.total, snapshot.site_rows(found.rows, asked_for.at)))
                seen.append(snapshot.total(asked_for))
        await snapshots.close()
        shown.append(seen)
    assert all(seen == shown[0] for seen in shown)


_UNTOLD = {
    **{"announced": False, "availability": "unknown", "available_since": None, "resolved_at": None},
    **{"caught_after_drop": False, "registrar": None, "registered_at": None, "open_now": False},
}
_KEPT = {**_UNTOLD, "availability": "registered", "resolved_at": NOW - DAY, "registrar": "Some Registrar"}
# Not known, available, kept by the registry, and caught.
REGISTRY: list[dict[str, Any]] = [
    _UNTOLD,
    {**_UNTOLD, "announced": True, "availability": "available", "available_since": NOW - DAY},
    _KEPT,
    {
        **_KEPT,
        **{"caught_after_drop": True, "available_since": NOW - 5 * DAY, "registered_at": NOW - 3 * DAY},
    },
]


def _never_open(each: Any, registry: dict[str, Any]) -> Any:
    """An entry that was not open on any date, and of which the registry says this."""
    name, fact, view, last = each
    # `_row` takes these years for a sign that it was open.
    years = {"archive_years": 50 if fact["archive_years"] == 10 else fact["archive_years"]}
    return (name, {**fact, **registry, **years}, view, last)
