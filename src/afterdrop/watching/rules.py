"""Alert rules: create up to the plan's limit, change member by member, preview them, list them and their matches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection
from typing_extensions import TypedDict

from afterdrop.accounts.account import Viewer
from afterdrop.accounts.store import lock_account
from afterdrop.catalogue.shapes import Summary
from afterdrop.catalogue.store import summaries
from afterdrop.catalogue.summary import Links
from afterdrop.core.errors import AfterdropError
from afterdrop.core.json_shapes import Id, Moment
from afterdrop.watching import store
from afterdrop.watching.criteria import (
    OWN_COLUMNS,
    as_filter,
    changed,
    restricting,
    rule_json,
)
from afterdrop.watching.store import MatchesWanted, MatchPlace


class TooManyRules(AfterdropError):
    """The account has as many rules as its plan allows."""

    code, status = "limit_reached", 409


async def count_rules(conn: AsyncConnection, account_id: int) -> int:
    """How many rules an account has, the paused ones included."""
    return await store.count_rules(conn, account_id)


async def list_rules(conn: AsyncConnection, account_id: int) -> list[dict[str, object]]:
    """An account's rules by id, as the interface shows them."""
    return [rule_json(row) for row in await store.rules_of(conn, account_id)]


async def get_rule(conn: AsyncConnection, account_id: int, rule_id: int) -> dict[str, object] | None:
    """One of the account's rules, or None."""
    row = await store.rule(conn, account_id, rule_id)
    return rule_json(row) if row else None


async def create_rule(
    conn: AsyncConnection, account_id: int, members: Mapping[str, object], *, limit: int, now: datetime
) -> dict[str, object]:
    """Add a rule from all members of the interface's body. Raises TooManyRules at `limit`, even under a race."""
    await lock_account(conn, account_id)
    if await store.count_rules(conn, account_id) >= limit:
        raise TooManyRules("", f"the plan allows {limit} alert rules; delete one first")
    own = {name: members[name] for name in OWN_COLUMNS}
    values = {**own, "account_id": account_id, "criteria": restricting(members), "created_at": now}
    return rule_json(await store.insert_rule(conn, values))


async def twin_of(
    conn: AsyncConnection, account_id: int, members: Mapping[str, object], but: int | None = None
) -> str | None:
    """The name of the account's rule that asks for the same as one with these members; `but`: none but that rule."""
    wanted = as_filter(restricting(members))
    rows = await store.rules_of(conn, account_id)
    same = (row["name"] for row in rows if row["id"] != but and as_filter(row["criteria"]) == wanted)
    return next(same, None)


async def change_rule(
    conn: AsyncConnection, account_id: int, rule_id: int, sent: Mapping[str, object]
) -> dict[str, object] | None:
    """Change the members that were sent; None when the account has no such rule."""
    row = await store.rule(conn, account_id, rule_id, lock=True)
    if row is None:
        return None
    values: dict[str, object] = {name: sent[name] for name in OWN_COLUMNS if name in sent}
    criteria = changed(row["criteria"], sent)
    if criteria != row["criteria"]:
        values["criteria"] = criteria
    return rule_json(await store.update_rule(conn, rule_id, values) if values else row)


async def delete_rule(conn: AsyncConnection, account_id: int, rule_id: int) -> bool:
    """Delete one of the account's rules with its matches; False when it has no such rule."""
    return await store.delete_rule(conn, account_id, rule_id)


class RuleName(TypedDict):
    """Which rule."""

    id: Annotated[Id, Field(description="The id of the rule")]
    name: Annotated[str, Field(description="Your name for the rule")]


class MatchJson(TypedDict):
    """A newly listed domain that matched a rule."""

    matched_at: Annotated[Moment, Field(description="When it matched")]
    alert: Annotated[RuleName, Field(description="The rule")]
    domain: Annotated[Summary, Field(description="The domain")]


@dataclass(frozen=True, slots=True)
class Matches:
    """Matches as the interface shows them, and the place after which more follow, if any do."""

    rows: list[MatchJson]
    rest: MatchPlace | None


async def list_matches(
    conn: AsyncConnection, viewer: Viewer, now: datetime, links: Links, wanted: MatchesWanted
) -> Matches:
    """The matches of the viewer's rules, newest first, with each domain as it is now for the viewer."""
    found = await store.matches_of(conn, viewer.account_id, wanted)
    rows = found[: wanted.limit]
    seen = await summaries(conn, [row["domain"] for row in rows], viewer, now, links)
    shown: list[MatchJson] = [
        {
            "matched_at": row["matched_at"],
            "alert": {"id": row["rule_id"], "name": row["name"]},
            "domain": seen[row["domain"]],
        }
        for row in rows
    ]
    last = rows[-1] if len(found) > len(rows) else None
    return Matches(shown, MatchPlace(last["matched_at"], last["id"]) if last else None)
