"""What an account keeps for itself: notes and tags on any domain, saved filters, seen domains, links it shares."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from afterdrop.db.types import Id, Json

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def _owned(
    name: str, *columns: sa.Column[object] | sa.Constraint, key: tuple[str, ...], **options: bool
) -> None:
    op.create_table(
        name,
        *columns,
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f(f"fk_{name}_account_id_accounts"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint(*key, name=op.f(f"pk_{name}")),
        **options,
    )


def upgrade() -> None:
    _notes_and_tags()
    _owned(
        "saved_filters",
        sa.Column("id", Id, nullable=False),
        sa.Column("account_id", Id, nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("list", sa.String(length=12), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("saved_at", sa.BigInteger(), nullable=False),
        sa.UniqueConstraint("account_id", "name", name=op.f("uq_saved_filters_account_id_name")),
        key=("id",),
        sqlite_autoincrement=True,
    )
    _seen()
    _owned(
        "share_links",
        sa.Column("id", Id, nullable=False),
        sa.Column("account_id", Id, nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("domains", Json, nullable=False),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.UniqueConstraint("hash", name=op.f("uq_share_links_hash")),
        key=("id",),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_share_links_account_id", "share_links", ["account_id"])
    op.create_index("ix_share_links_expires_at", "share_links", ["expires_at"])
    op.add_column(
        "accounts", sa.Column("mail_weekly", sa.Boolean(), nullable=False, server_default=sa.true())
    )


def _notes_and_tags() -> None:
    _owned(
        "domain_notes",
        sa.Column("account_id", Id, nullable=False),
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("written_at", sa.BigInteger(), nullable=False),
        key=("account_id", "domain"),
    )
    # Notes were only possible on watched domains.
    op.execute(
        "INSERT INTO domain_notes (account_id, domain, note, written_at) "
        "SELECT account_id, domain, note, created_at FROM watches WHERE note IS NOT NULL"
    )
    op.drop_column("watches", "note")
    _owned(
        "domain_tags",
        sa.Column("account_id", Id, nullable=False),
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.Column("tag", sa.String(length=30), nullable=False),
        sa.Column("tagged_at", sa.BigInteger(), nullable=False),
        key=("account_id", "domain", "tag"),
    )
    op.create_index("ix_domain_tags_tag", "domain_tags", ["account_id", "tag"])


def _seen() -> None:
    _owned(
        "seen_domains",
        sa.Column("account_id", Id, nullable=False),
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        key=("account_id", "domain"),
    )
    op.create_index("ix_seen_domains_seen_at", "seen_domains", ["seen_at"])
    op.create_index("ix_seen_domains_account_id", "seen_domains", ["account_id", "seen_at"])
    _owned(
        "list_visits",
        sa.Column("account_id", Id, nullable=False),
        sa.Column("began_at", sa.BigInteger(), nullable=False),
        sa.Column("last_at", sa.BigInteger(), nullable=False),
        sa.Column("previous_at", sa.BigInteger(), nullable=True),
        key=("account_id",),
    )


def downgrade() -> None:
    op.add_column("watches", sa.Column("note", sa.Text(), nullable=True))
    op.execute(
        "UPDATE watches SET note = (SELECT n.note FROM domain_notes n "
        "WHERE n.account_id = watches.account_id AND n.domain = watches.domain)"
    )
    op.drop_column("accounts", "mail_weekly")
    for name in (
        "share_links",
        "list_visits",
        "seen_domains",
        "saved_filters",
        "domain_tags",
        "domain_notes",
    ):
        op.drop_table(name)
