"""An account's filters: saved ones, and alert rules, which are filters of the live list whose matches are told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qsl

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue.status import ListName
from afterdrop.watching import desk_store as desk
from afterdrop.watching import rules
from afterdrop.watching.criteria import Criteria, restricting
from afterdrop.watching.desk_store import SavedFilter
from afterdrop.web.site.list_query import Tab, filter_words, filters_of, rule_query, rule_values

WEBHOOK: Final = "webhook"


@dataclass(frozen=True, slots=True)
class OwnFilter:
    """A saved filter or an alert rule. `key` names it in forms; `values` are its filters and their order by name.

    `query` is that of the list's address, None for a rule that no address asks for. `told` says how its matches are
    told: `instant`, `daily`, `webhook`, or empty for not at all. `rule` is the rule as the API shows it.
    """

    key: str
    name: str
    which: ListName
    values: Mapping[str, str]
    query: str | None
    told: str = ""
    rule: Mapping[str, Any] | None = None

    @property
    def criteria(self) -> Criteria | None:
        """The criteria of the rule; None of a saved filter."""
        return None if self.rule is None else restricting(self.rule)

    @property
    def words(self) -> list[str]:
        """Its filters, each in a few words."""
        return [*filter_words(filters_of(self.values)).values()]

    @property
    def tab(self) -> Tab | None:
        """The list with the filter, under whose name it is saved again."""
        values = {**self.values, "saved": self.name}
        return None if self.query is None else Tab(self.name, self.which, values, own=True)


async def own_filters(conn: AsyncConnection, account_id: int) -> list[OwnFilter]:
    """The account's saved filters and alert rules by name."""
    saved = [_saved(each) for each in await desk.filters_of(conn, account_id)]
    found = [*saved, *(_told(each) for each in await rules.list_rules(conn, account_id))]
    return sorted(found, key=lambda each: (each.name.casefold(), each.key))


def _saved(each: SavedFilter) -> OwnFilter:
    values = dict(parse_qsl(each["query"], keep_blank_values=True))
    return OwnFilter(f"f{each['id']}", each["name"], each["list"], values, each["query"])


def _told(rule: Mapping[str, Any]) -> OwnFilter:
    criteria = restricting(rule)
    told = (WEBHOOK if rule.get("mail") is False else rule["frequency"]) if rule["active"] else ""
    key, values = f"r{rule['id']}", rule_values(criteria)
    return OwnFilter(key, rule["name"], "live", values, rule_query(criteria), told, rule)
