"""Match one published or dropped domain against everybody's rules and watches, a page of accounts at a time.

How far it has come is written together with the matches, so that after a crash the next worker goes on there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.account import Viewer
from afterdrop.catalogue.lists.comparisons import Facts
from afterdrop.catalogue.lists.criteria import facts_of
from afterdrop.catalogue.report import registration
from afterdrop.catalogue.shapes import ReportRegistration, Summary
from afterdrop.catalogue.store import visible_domain
from afterdrop.catalogue.summary import Links, summary
from afterdrop.watching.criteria import matches
from afterdrop.watching.matching_store import AccountPage, DomainStamp, ToMatchRow

# The most matches that are written in one transaction.
_MATCHES_AT_ONCE: Final = 250
# Rules evaluated before other tasks get a turn at the processor.
_RULES_A_TURN: Final = 1000


@dataclass(frozen=True, slots=True)
class MatchTarget:
    """The domain being matched, as accounts on Pro see it. `registration` is set for one that dropped."""

    domain: str
    round: int
    summary: Summary
    facts: Facts
    registration: ReportRegistration | None
    stamp: DomainStamp


@dataclass(frozen=True, slots=True)
class AccountMatch:
    """An account that a domain concerns: the rules that match it, and whether the account watches it."""

    account_id: int
    rule_ids: tuple[int, ...]
    watching: bool


@dataclass(frozen=True, slots=True)
class MatchBatch:
    """Matches to be written together; after that, accounts up to `up_to` are done (None: all are)."""

    matches: list[AccountMatch]
    up_to: int | None


async def load_target(
    conn: AsyncConnection, row: ToMatchRow, now: datetime, links: Links
) -> MatchTarget | None:
    """The domain of a row of `to_match` as it is now; None when there is nothing to match any more.

    That is: it is off the lists, in another round, or is no longer available although the row says so.
    """
    viewer = Viewer(0, "pro")
    seen = await visible_domain(conn, row["domain"], viewer, now)
    if seen is None or seen.row["round"] != row["round"]:
        return None
    shown = summary(seen.row, viewer, now, links)
    dropped = row["kind"] == "available"
    if dropped and shown["status"] != "available":
        return None
    registered = registration(seen.row, now, links) if dropped else None
    stamp = DomainStamp.of(seen.row)
    return MatchTarget(row["domain"], row["round"], shown, facts_of(shown), registered, stamp)


async def evaluate_rules(target: MatchTarget, page: AccountPage) -> list[AccountMatch]:
    """The accounts of the page that the domain concerns, in the order of their ids."""
    found, since_pause = [], 0
    for account_id in page.ids:
        rules = page.rules.get(account_id, ())
        matched = tuple(rule_id for rule_id, criteria in rules if matches(criteria, target.facts))
        watching = account_id in page.watching
        if matched or watching:
            found.append(AccountMatch(account_id, matched, watching))
        since_pause += len(rules)
        if since_pause >= _RULES_A_TURN:
            since_pause = 0
            await asyncio.sleep(0)
    return found


def batches(found: list[AccountMatch], page: AccountPage) -> Iterator[MatchBatch]:
    """The matches of a page in batches that one transaction can take; at least one, and the last ends the page."""
    batch: list[AccountMatch] = []
    size = 0
    for match in found:
        weight = max(len(match.rule_ids), 1)
        if batch and size + weight > _MATCHES_AT_ONCE:
            yield MatchBatch(batch, batch[-1].account_id)
            batch, size = [], 0
        batch.append(match)
        size += weight
    yield MatchBatch(batch, None if page.last else page.ids[-1])
