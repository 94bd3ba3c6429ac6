"""Ranks and open domains are the operators' own, too, and a domain may be open on several dates.

What was opened and ranked so far held for everybody, so both audiences go on from it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from alembic import op

from afterdrop.db.types import Id

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_Rows = list[dict[str, Any]]
_OWN = ("rank_on_hunt_day", "last_open_on", "open_now")


def upgrade() -> None:
    # SQLite rebuilds the table, so that the large report stays its last column.
    rebuild = op.get_bind().dialect.name == "sqlite"
    with op.batch_alter_table("domains", recreate="always" if rebuild else "never") as batch:
        last = "open_now"
        for column in (
            sa.Column("operators_rank_on_hunt_day", sa.Integer()),
            sa.Column("operators_last_open_on", sa.String(length=10)),
            sa.Column("operators_open_now", sa.Boolean(), server_default=sa.false(), nullable=False),
        ):
            batch.add_column(column, insert_after=last if rebuild else None)
            last = column.name
    op.execute(f"UPDATE domains SET {', '.join(f'operators_{name} = {name}' for name in _OWN)}")
    _make_anew(_keyed_by_audience, _for_both)


def downgrade() -> None:
    with op.batch_alter_table("domains") as batch:
        for name in _OWN:
            batch.drop_column(f"operators_{name}")
    _make_anew(_keyed_by_day, _of_the_public)


def _make_anew(create: Callable[[], None], change: Callable[[_Rows], _Rows]) -> None:
    kept = {}
    for table in ("open_domains", "open_draws"):
        kept[table] = [
            dict(row) for row in op.get_bind().execute(sa.text(f"SELECT * FROM {table}")).mappings()
        ]
        op.drop_table(table)
    create()
    for table, rows in reversed(kept.items()):
        if changed := change(rows):
            columns: list[sa.ColumnClause[Any]] = [sa.column(name) for name in changed[0]]
            op.bulk_insert(sa.table(table, *columns), changed)


def _for_both(rows: _Rows) -> _Rows:
    return [{"audience": audience, **row} for audience in ("public", "operators") for row in rows]


def _of_the_public(rows: _Rows) -> _Rows:
    """The older schema opens a domain on one date only: the last."""
    mine = [
        {name: row[name] for name in row if name != "audience"} for row in rows if row["audience"] == "public"
    ]
    return list(
        {row.get("domain", row["day"]): row for row in sorted(mine, key=lambda row: row["day"])}.values()
    )


def _create(by: tuple[str, ...], key: tuple[str, ...]) -> None:
    """Make both tables; `by` names the columns before the day in their keys, `key` the key of `open_domains`."""
    op.create_table(
        "open_draws",
        *(sa.Column(name, sa.String(length=10), nullable=False) for name in (*by, "day")),
        sa.Column("drawn_at", sa.BigInteger(), nullable=False),
        sa.Column("scan_id", Id, nullable=True),
        sa.PrimaryKeyConstraint(*by, "day", name="pk_open_draws"),
    )
    op.create_table(
        "open_domains",
        *(sa.Column(name, sa.String(length=10), nullable=False) for name in (*by, "day")),
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.PrimaryKeyConstraint(*key, name="pk_open_domains"),
        sa.ForeignKeyConstraint(
            [*by, "day"],
            [f"open_draws.{name}" for name in (*by, "day")],
            name=f"fk_open_domains_{(*by, 'day')[0]}_open_draws",
            ondelete="CASCADE",
        ),
    )


def _keyed_by_audience() -> None:
    _create(("audience",), ("audience", "day", "domain"))


def _keyed_by_day() -> None:
    _create((), ("domain",))
