"""Every entry of the table of criteria means one thing: by hand, in SQL, in memory and in alert rules."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, cast

import sqlalchemy as sa
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from afterdrop.accounts.account import Viewer
from afterdrop.accounts.versions import Versions
from afterdrop.catalogue.lists.asking import ListContext
from afterdrop.catalogue.lists.criteria import CRITERIA, RULE_CRITERIA, facts_of
from afterdrop.catalogue.lists.filters import ListFilter, ListSelection
from afterdrop.catalogue.lists.snapshot import Snapshot
from afterdrop.catalogue.lists.snapshots import Snapshots
from afterdrop.catalogue.purchase import Catcher, Places
from afterdrop.catalogue.rows import DomainRow
from afterdrop.catalogue.status import STATUSES_OF, ListName
from afterdrop.catalogue.summary import access, sees_availability, site_row, summary
from afterdrop.db.engine import Database
from afterdrop.db.tables.catalogue import domains
from afterdrop.watching.criteria import as_filter, matches, restricting
from afterdrop.web.problems import Invalid
from afterdrop.web.schemas.rules import NewRule
from afterdrop.web.site.list_query import (
    SiteQuery,
    query_string,
    rule_members,
    rule_query,
    tidy_query,
    unkept_filters,
)
from afterdrop.web.strict_input import read_query
from tests.integration.catalogue.test_lists_property import _row, asked, facts, views
from tests.support import POSTGRES_IS_LONG, examples
from tests.support.oracle import accepts
from tests.support.rows import DAY, FREE, NOW, PRO, put
from tests.support.rows import LINKS as USUAL_LINKS

LINKS = replace(
    USUAL_LINKS, places=Places({"com": [Catcher("Catch & Co", "https://catch.example/{domain}")]})
)
LISTS: tuple[ListName, ...] = ("live", "available", "archive")
NAMES = [
    *("a.com", "b-1.com", "c.co.uk", "xn--bcher-kva.de", "e.net", "f1-7.com", "g.org", "xn--80ak6aa92e.com"),
    *("plainer.com", "house.net", "houses.org", "x9.de", "99.com", "a--b.net", "longest-of-all-names.com"),
]
# A listing with an end: what shows none once it is gone is another test's matter.
rows = st.tuples(facts, views.map(lambda view: {**view, "ends_at": view["ends_at"] or NOW + 3 * DAY}))
# Some values of each entry, as a query or a rule gives them.
values = st.fixed_dictionaries({name: st.lists(each, min_size=2, max_size=2) for name, each in asked.items()})


@asynccontextmanager
async def in_memory(database: Database, made: list[dict[str, Any]]) -> AsyncGenerator[Snapshot, None]:
    """The lists of these rows and no others."""
    async with database.write() as conn:
        await conn.execute(sa.delete(domains))
        await put(conn, *made)
    snapshots = Snapshots(database, Versions(database), LINKS)
    snapshots.start()
    await snapshots.made()
    snapshot = await snapshots.current()
    assert snapshot is not None
    yield snapshot
    await snapshots.close()


def by_hand(made: list[dict[str, Any]], which: ListName, wanted: ListFilter, viewer: Viewer) -> set[str]:
    """The names of a list, as the rules for one summary have it."""
    found = set()
    for each in made:
        row, shown = cast(DomainRow, each), site_row(cast(DomainRow, each), viewer, NOW, LINKS)
        allowed = access(row, viewer, NOW) in ("full", "basic") and shown["status"] in STATUSES_OF[which]
        if (
            allowed
            and (which != "available" or sees_availability(row, viewer))
            and accepts(wanted, shown, NOW)
        ):
            found.add(shown["domain"])
    return found


@POSTGRES_IS_LONG
@settings(
    max_examples=3,
    phases=[Phase.generate],
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(rows, min_size=len(NAMES), max_size=len(NAMES)), values)
async def test_each_entry_by_hand_and_in_memory(
    database: Database, drawn: list[Any], bounds: dict[str, list[Any]]
) -> None:
    assert set(bounds) == set(CRITERIA)
    made = [_row(name, fact, view, None) for name, (fact, view) in zip(NAMES, drawn, strict=True)]
    async with in_memory(database, made) as snapshot:
        for name, chosen in bounds.items():
            for wanted in (ListFilter.of(**{name: bound}) for bound in chosen):
                for viewer in (PRO, FREE):
                    for which in LISTS:
                        asked_for = ListSelection(ListContext(which, viewer, NOW, LINKS.fees), wanted)
                        kept = snapshot.page(asked_for, 1, 100).rows
                        shown = {each["domain"] for each in snapshot.summaries(kept, asked_for.at)}
                        assert shown == by_hand(made, which, wanted, viewer), (name, wanted, viewer, which)


@settings(
    max_examples=30, phases=[Phase.generate], deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
@given(st.lists(rows, min_size=len(NAMES), max_size=len(NAMES)), values)
def test_each_member_of_a_rule_matches_what_its_filter_passes(
    drawn: list[Any], bounds: dict[str, list[Any]]
) -> None:
    for name, (fact, view) in zip(NAMES, drawn, strict=True):
        listed = {**fact, "removed_at": None}
        shown = summary(cast(DomainRow, _row(name, listed, view, None)), PRO, NOW, LINKS)
        for member, each in RULE_CRITERIA.items():
            for bound in bounds[each.name]:
                if bound in ("\n", ("\n",)):
                    continue  # no body of a rule holds a line break
                # Rules store what their bodies' models made of it: extensions without dots, topics as they are spelled.
                stored = sorted(each.fold(bound) or []) if each.of_rule.many else bound
                rule = restricting({member: stored})
                assert matches(rule, facts_of(shown)) == accepts(as_filter(rule), shown, NOW), (member, bound)


def _text(bound: Any) -> str:
    """A value as an address has it."""
    if isinstance(bound, tuple | list):
        return ",".join(map(str, bound))
    return str(bound).lower() if bound is True else str(bound)


@POSTGRES_IS_LONG
@settings(
    max_examples=examples(20),
    phases=[Phase.generate],
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    st.lists(rows, min_size=len(NAMES), max_size=len(NAMES)),
    values,
    st.lists(
        st.lists(st.sampled_from([*CRITERIA]), min_size=1, max_size=3, unique=True), min_size=40, max_size=40
    ),
)
async def test_a_saved_filter_tells_of_exactly_the_names_that_its_list_shows(
    database: Database, drawn: list[Any], bounds: dict[str, list[Any]], filters: list[list[str]]
) -> None:
    made = [_row(name, fact, view, None) for name, (fact, view) in zip(NAMES, drawn, strict=True)]
    async with in_memory(database, made) as snapshot:
        listed = [
            summary(cast(DomainRow, each), PRO, NOW, LINKS) for each in made if each["removed_at"] is None
        ]
        live = [each for each in listed if each["status"] in STATUSES_OF["live"]]
        for names in filters:
            try:
                text, _, _ = tidy_query(
                    query_string({name: _text(bounds[name][0]) for name in names}).encode()
                )
                query = read_query(text.encode(), SiteQuery)
            except (Invalid, UnicodeEncodeError):
                continue  # some values are for rules alone, and no address holds half a character
            if unkept_filters(query):
                continue
            criteria = restricting(NewRule.model_validate({"name": "n", **rule_members(query)}).model_dump())
            selection = ListSelection(
                ListContext("live", PRO, NOW, LINKS.fees), ListFilter.of(**query.asked())
            )
            found = snapshot.summaries(snapshot.page(selection, 1, 100).rows, selection.at)
            told = {each["domain"] for each in live if matches(criteria, facts_of(each))}
            assert told == {each["domain"] for each in found}, (text, criteria)
            address = rule_query(criteria)
            assert address is not None
            assert ListFilter.of(**read_query(address.encode(), SiteQuery).asked()) == selection.wanted, (
                text,
                address,
            )
