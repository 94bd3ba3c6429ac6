"""A preview of a rule says what matching domain by domain says."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, cast

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from afterdrop.accounts.account import Viewer
from afterdrop.accounts.versions import Versions
from afterdrop.catalogue.lists import row_masks, sort_orders
from afterdrop.catalogue.lists.criteria import facts_of
from afterdrop.catalogue.lists.snapshots import Snapshots
from afterdrop.catalogue.rows import DomainRow
from afterdrop.catalogue.summary import summary
from afterdrop.db.engine import Database
from afterdrop.db.tables.catalogue import domains
from afterdrop.watching import rules as previews
from afterdrop.watching.criteria import Criteria, matches, restricting
from afterdrop.watching.rules import LOOKED_BACK, SHOWN, Preview, preview
from tests.support import examples
from tests.support.rows import DAY, LINKS, NOW, PRO, put, row

small = st.none() | st.sampled_from([0, 1, 10, 50, 100])
later = {
    **{
        "source_title": None,
        "shown_from": int((NOW + DAY).timestamp()),
        "ends_at": int((NOW + 9 * DAY).timestamp()),
        "certain_from": None,
    },
    **{"source": "later", "type": "buy_now", "price_usd": 7, "bids": 1, "url": None},
}
values = st.fixed_dictionaries(
    {
        "score": st.sampled_from([45, 60, 90]),
        "verdict": st.sampled_from(["ok", "risky"]),
        "flags": st.sampled_from([[], ["gap"]]),
        "topic": st.sampled_from([None, "Arts", "Games"]),
        "language": st.sampled_from([None, "en", "de"]),
        "title": st.sampled_from([None, "Öl 100%", "Bücher_Haus"]),
        "domain_rating": small,
        "trust_flow": small,
        "referring_domains": small,
        "archive_years": small,
        "type": st.sampled_from(["auction", "buy_now", "bid", "pending_delete"]),
        "price_usd": small,
        "ends_at": st.sampled_from([None, NOW - DAY, NOW + 2 * DAY, NOW + 9 * DAY]),
        "found_at": st.sampled_from([NOW, NOW - DAY, NOW - 30 * DAY, NOW - 31 * DAY]),
        "announced": st.booleans(),
        "removed_at": st.sampled_from([None, None, None, NOW]),
        "next_listings": st.sampled_from([None, None, [later]]),
    }
)
names = ["a.com", "b.com", "c.co.uk", "xn--bcher-kva.de", "e.net", "f.com", "g.org"]
entries = st.lists(st.tuples(st.sampled_from(names), values), min_size=4, unique_by=lambda entry: entry[0])
least = st.sampled_from([1, 10, 50])
members: dict[str, st.SearchStrategy[Any]] = {
    **dict.fromkeys(("min_dr", "min_tf", "min_ref_domains", "min_archive_years", "max_price"), least),
    "min_score": st.sampled_from([45, 60]),
    "tlds": st.just(["com", "co.uk"]),
    "listing_types": st.just(["auction", "buy_now"]),
    "topics": st.just(["Arts"]),
    "langs": st.just(["en", "de"]),
    "clean_only": st.just(True),
    "keywords": st.lists(st.sampled_from(["BÜ", "%", "com", "0% ", "e", "nowhere"]), min_size=1, max_size=3),
}
rules = st.lists(st.sampled_from(sorted(members)), max_size=3, unique=True).flatmap(
    lambda names: st.fixed_dictionaries({name: members[name] for name in names})
)


@settings(
    max_examples=examples(60),
    phases=[Phase.generate],
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(entries, st.lists(rules, min_size=3, max_size=6), st.sampled_from([0, 25, 60]), st.booleans())
async def test_a_preview_is_what_matching_each_domain_says(
    database: Database, made: list[Any], asked: list[Any], hours_on: int, few: bool
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        if not few:
            # As with lists of many rows.
            patched.setattr(sort_orders, "_FEW", 0)
            patched.setattr(row_masks, "_READ_AGAIN", 0)
        await _previews_as_matching_does(database, made, asked, NOW + timedelta(hours=hours_on))


async def _previews_as_matching_does(
    database: Database, made: list[Any], asked: list[Any], now: datetime
) -> None:
    rows = [_row(name, each) for name, each in made]
    async with database.write() as conn:
        await conn.execute(sa.delete(domains))
        await put(conn, *rows)
    snapshots = Snapshots(database, Versions(database), LINKS)
    snapshots.start()
    await snapshots.made()
    snapshot = await snapshots.current()
    assert snapshot is not None
    for rule in asked:
        criteria = restricting(rule)
        assert preview(snapshot, criteria, PRO, now, LINKS) == _by_hand(rows, criteria, PRO, now)
    await snapshots.close()


def _by_hand(rows: list[dict[str, Any]], criteria: Criteria, viewer: Viewer, now: datetime) -> Preview:
    listed = [each for each in rows if each["removed_at"] is None and each["found_at"] >= now - LOOKED_BACK]
    newest = sorted(
        sorted(listed, key=lambda each: each["domain"]), key=lambda each: each["found_at"], reverse=True
    )
    unset = {**dict.fromkeys(domains.c.keys()), "open_now": False}
    seen = [summary(cast(DomainRow, {**unset, **each}), viewer, now, LINKS) for each in newest]
    found = [each for each in seen if matches(criteria, facts_of(each))]
    return Preview(len(found), len(newest), found[:SHOWN])


def _row(name: str, each: dict[str, Any]) -> dict[str, Any]:
    following = each["next_listings"]
    if not following:
        return row(name, **each)
    # The later listing follows the first and ends last.
    ends = {"ends_at": NOW + DAY, "live_until": NOW + 9 * DAY, "next_listing_at": NOW + DAY}
    return row(name, **{**each, **ends})


async def test_only_the_newest_are_looked_at(database: Database, monkeypatch: Any) -> None:
    monkeypatch.setattr(previews, "MOST", 2)
    async with database.write() as conn:
        await put(conn, *(row(f"n{age}.com", found_at=NOW - age * DAY) for age in range(4)))
    snapshots = Snapshots(database, Versions(database), LINKS)
    snapshots.start()
    await snapshots.made()
    snapshot = await snapshots.current()
    assert snapshot is not None
    found = preview(snapshot, {"keywords": ["n1", "n2"]}, PRO, NOW, LINKS)
    assert (found.count, found.looked_at, found.cut) == (1, 2, True)
    assert [each["domain"] for each in found.found] == ["n1.com"]
    await snapshots.close()
