"""In 1.0, hosts and providers that refuse stood in `host_pace` under names of their own."""

from __future__ import annotations

import sqlalchemy as sa

from afterdrop.db import migrate
from afterdrop.db.schema_version import plain_engine
from afterdrop.db.tables.feeds import host_pace, provider_faults
from tests.support import kept_releases

BEFORE = [
    ("provider acme", 0.0, 1300.5, "answered 402"),
    ("rdap.example", 1002.5, 1060.0, "429 from rdap.example"),
    ("refused by acme", 0.0, 0.0, "a.com"),
    ("refused by other", 0.0, 0.0, "b.com"),
    ("refusing never-asked.example", 0.0, 1200.0, "answered 403"),
    ("refusing rdap.example", 0.0, 1100.25, "answered 401"),
    ("well.example", 1001.0, 0.0, None),
]


def test_what_refused_before_still_does(empty_url: str) -> None:
    names = ("host", "next_at", "blocked_until", "note")
    rows: list[dict[str, object]] = [dict(zip(names, row, strict=True)) for row in BEFORE]
    kept_releases.begin(empty_url, "1.0.0", {"host_pace": rows})
    migrate.upgrade(empty_url)
    with plain_engine(empty_url).connect() as conn:
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
