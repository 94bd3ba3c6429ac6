"""Alert rules' criteria: which members restrict, how they are stored and shown, and whether they match a domain. Pure.

A rule stores only what restricts: a number of 0, an empty array and false are the same as nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, TypedDict

from afterdrop.catalogue.lists.comparisons import Facts, Passes, RuleComparison
from afterdrop.catalogue.lists.criteria import RULE_CRITERIA
from afterdrop.catalogue.lists.filters import ListFilter

# The restricting members of a rule, as the interface names them. Absent, null, 0 and [] restrict nothing.
Criteria = Mapping[str, Any]

CRITERIA: Final = tuple(RULE_CRITERIA)
OWN_COLUMNS: Final = ("name", "active", "frequency", "mail")


class RuleRow(TypedDict):
    """A row of `alert_rules`."""

    id: int
    account_id: int
    name: str
    active: bool
    frequency: str
    mail: bool
    criteria: dict[str, object]
    match_count: int
    last_matched_at: datetime | None
    created_at: datetime


def restricting(members: Mapping[str, object]) -> dict[str, object]:
    """The members that restrict, as `alert_rules.criteria` stores them."""
    return {name: members[name] for name in CRITERIA if members.get(name)}


def changed(criteria: Criteria, sent: Mapping[str, object]) -> dict[str, object]:
    """The criteria after a change that sends some members; null, 0, [] and false clear."""
    return restricting({**criteria, **{name: value for name, value in sent.items() if name in CRITERIA}})


def rule_json(row: RuleRow) -> dict[str, object]:
    """A rule as the interface shows it; what the interface does not know is there only where it changes something."""
    criteria = row["criteria"]
    return {
        "id": row["id"],
        "name": row["name"],
        "active": row["active"],
        "frequency": row["frequency"],
        **({} if row["mail"] else {"mail": False}),
        **{
            name: criteria.get(name, each.nothing)
            for name, each in RULE_CRITERIA.items()
            if name in criteria or not each.extension
        },
        "match_count": row["match_count"],
        "last_matched_at": row["last_matched_at"],
        "created_at": row["created_at"],
    }


def as_filter(criteria: Criteria) -> ListFilter:
    """The filter of a list that passes what the rule matches."""
    used = {each.name: criteria[name] for name, each in RULE_CRITERIA.items() if criteria.get(name)}
    return ListFilter.of(**used)


_PASSES: Final[Mapping[str, Passes]] = {
    name: each.test.passes(each.column.name)
    for name, each in RULE_CRITERIA.items()
    if isinstance(each.test, RuleComparison)
}


def matches(criteria: Criteria, domain: Facts) -> bool:
    """Whether the domain with these facts (`catalogue.lists.criteria.facts_of`) passes every restriction of the rule.

    A minimum excludes an unknown value; `langs` and `topics` never pass an unknown one; `max_price` passes a domain
    without a price. A keyword is a case-insensitive part of the name, its Unicode form or the old title.
    """
    return all(_PASSES[name](bound, domain) for name, bound in criteria.items() if bound and name in _PASSES)
