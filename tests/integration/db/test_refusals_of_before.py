"""Up to 1106, hosts and providers that refuse stood in `host_pace` under names of their own."""

from __future__ import annotations

import sqlalchemy as sa

from afterdrop.db import migrate
from afterdrop.db.engine import Database
from afterdrop.db.schema_version import plain_engine
from afterdrop.db.tables.feeds import host_pace, provider_faults

BEFORE = [
    ("provider acme", 0.0, 1300.5, "answered 402"),
    ("rdap.example", 1002.5, 1060.0, "429 from rdap.example"),
    ("refused by acme", 0.0, 0.0, "a.com"),
    ("refused by other", 0.0, 0.0, "b.com"),
    ("refusing never-asked.example", 0.0, 1200.0, "answered 403"),
    ("refusing rdap.example", 0.0, 1100.25, "answered 401"),
    ("well.example", 1001.0, 0.0, None),
]


async def test_what_refused_before_still_does(database: Database, database_url: str) -> None:
    await database.close()
    migrate.downgrade(database_url, "1106")
    engine, names = plain_engine(database_url), ("host", "next_at", "blocked_until", "note")
    old = sa.table("host_pace", *map(sa.column, names))
    with engine.begin() as conn:
        conn.execute(sa.insert(old), [dict(zip(names, row, strict=True)) for row in BEFORE])
    migrate.upgrade(database_url)
    with engine.connect() as conn:
        carried = sa.select(*(host_pace.c[name] for name in (*names, "refused_at", "refusal")))
        assert sorted(map(tuple, conn.execute(carried))) == [
            ("never-asked.example", 0.0, 0.0, None, 1200.0, "answered 403"),
            ("rdap.example", 1002.5, 1060.0, "429 from rdap.example", 1100.25, "answered 401"),
            ("well.example", 1001.0, 0.0, None, None, None),
        ]
        assert sorted(map(tuple, conn.execute(sa.select(provider_faults)))) == [
            ("acme", "a.com", 1300.5, "answered 402"),
            ("other", "b.com", 0.0, None),
        ]
    migrate.downgrade(database_url, "1106")
    with engine.connect() as conn:
        back = {row.host: tuple(row)[2:] for row in conn.execute(sa.select(old))}
    migrate.upgrade(database_url)
    refused = {"refused by acme": (1300.5, "a.com"), "never-asked.example": (0.0, None)}
    assert back == {host: (until, note) for host, _, until, note in BEFORE} | refused
