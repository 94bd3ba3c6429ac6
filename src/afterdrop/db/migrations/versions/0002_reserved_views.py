"""What operators see beside the public view of a domain"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from afterdrop.db.types import Json

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "reserved_views",
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.Column("score", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.String(length=8), nullable=False),
        sa.Column("flags", Json, nullable=False),
        sa.Column("flag_count", sa.Integer(), nullable=False),
        sa.Column("topic", sa.String(length=20), nullable=True),
        sa.Column("domain_rating", sa.Integer(), nullable=True),
        sa.Column("trust_flow", sa.Integer(), nullable=True),
        sa.Column("citation_flow", sa.Integer(), nullable=True),
        sa.Column("referring_domains", sa.BigInteger(), nullable=True),
        sa.Column("source", sa.String(length=64), nullable=False),
        sa.Column("type", sa.String(length=16), nullable=False),
        sa.Column("price_usd", sa.BigInteger(), nullable=True),
        sa.Column("bids", sa.Integer(), nullable=False),
        sa.Column("ends_at", sa.BigInteger(), nullable=True),
        sa.Column("url", sa.Text(), nullable=True),
        sa.Column("live_until", sa.BigInteger(), nullable=True),
        sa.Column("turns_at", sa.BigInteger(), nullable=True),
        sa.Column("later", Json, nullable=True),
        sa.Column("report", Json, nullable=False),
        sa.ForeignKeyConstraint(
            ["domain"], ["domains.domain"], name=op.f("fk_reserved_views_domain_domains"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("domain", name=op.f("pk_reserved_views")),
    )
    with op.batch_alter_table("domains", schema=None) as batch_op:
        batch_op.add_column(sa.Column("turns_at", sa.BigInteger(), nullable=True))
        batch_op.add_column(sa.Column("later", Json, nullable=True))
        batch_op.add_column(sa.Column("registry_host", sa.String(length=300), nullable=True))
        batch_op.create_index("ix_domains_turns_at", ["turns_at"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("domains", schema=None) as batch_op:
        batch_op.drop_index("ix_domains_turns_at")
        batch_op.drop_column("registry_host")
        batch_op.drop_column("later")
        batch_op.drop_column("turns_at")

    op.drop_table("reserved_views")
