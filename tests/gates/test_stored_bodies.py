"""The gate on readers of stored bodies: it finds them all, and those that ask do ask."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gates.stored_bodies import ASKS, READERS, asks, readers


def test_whoever_reads_a_stored_body_is_listed() -> None:
    assert set(readers()) == set(READERS)


def test_those_listed_as_asking_ask() -> None:
    assert [reader for reader, why in READERS.items() if why == ASKS and not asks(reader)] == []


_IMPORTS = "from afterdrop.db.tables.delivery import deliveries, events, mails\n"


@pytest.mark.parametrize(
    ("code", "reads"),
    [
        ("def f(): return sa.select(events.c.body)", True),
        ("_row = events.c\ndef f(): return sa.select(_row.id, _row.body)", True),
        ("def f(): return sa.select(*(events.c[name] for name in NAMES))", True),
        ("def f(): return sa.select(events)", True),
        ("def f():\n    other = events.alias()\n    return sa.select(other.c.body)", True),
        ("class A:\n    def f(self): return claim(conn, mails)", True),
        ("def f(): return sa.text('SELECT body FROM events')", True),
        ("def f(): return sa.select(events.c.id).select_from(events).where(events.c['type'] == 'x')", False),
        ("def f(): return sa.update(mails).values(text='', html=None)", False),
        ("def f(): return sa.select(deliveries)", False),
    ],
)
def test_the_gate_finds_a_reader_however_it_is_written(tmp_path: Path, code: str, reads: bool) -> None:
    (tmp_path / "new_door.py").write_text(_IMPORTS + code, encoding="utf-8")
    assert bool(readers(tmp_path)) is reads
