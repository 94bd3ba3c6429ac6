"""Alembic's environment. It runs on the connection that `afterdrop.db.migrate` passes."""

from __future__ import annotations

from typing import Any, Literal

import sqlalchemy as sa
from alembic import context

from afterdrop.db.schema import Instant
from afterdrop.db.tables import metadata


def _spell(kind: str, item: Any, autogen: Any) -> str | Literal[False]:
    """Render our own column types in new migrations as the plain types they store."""
    if kind == "type" and isinstance(item, Instant):
        return "sa.BigInteger()"
    if kind == "type" and isinstance(item, sa.JSON):
        autogen.imports.add("from afterdrop.db.schema import Json")
        return "Json"
    if kind == "type" and isinstance(item, sa.BigInteger):
        autogen.imports.add("from afterdrop.db.schema import Id")
        return "Id" if item._variant_mapping else False
    return False


def _run() -> None:
    connection: sa.Connection = context.config.attributes["connection"]
    context.configure(
        connection=connection,
        target_metadata=metadata,
        render_as_batch=connection.dialect.name == "sqlite",
        render_item=_spell,
        compare_type=True,
    )
    with context.begin_transaction():
        context.run_migrations()


_run()
