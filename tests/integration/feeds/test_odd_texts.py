"""Texts that no database stores: they spoil neither the feed nor the scan."""

from __future__ import annotations

import json
from typing import Any

import pytest
import sqlalchemy as sa

from afterdrop.feeds import store
from tests.support.desk import DAY, NOON, Desk, feed, lines, offer

FIELDS = ("d", "t", "id", "u", "p", "c", "b", "e", "tf", "dr")


def written(rows: list[dict[str, Any]], fmt: str) -> bytes:
    """The rows in a format; a CSV has its zeros as they are."""
    if fmt == "csv":
        table = [FIELDS, *([str(row.get(name, "")) for name in FIELDS] for row in rows)]
        return "\n".join(",".join(cells) for cells in table).encode()
    return json.dumps(rows).encode() if fmt == "json" else lines(rows)


@pytest.mark.parametrize("fmt", ["csv", "json", "ndjson"])
@pytest.mark.parametrize("field", FIELDS)
async def test_a_zero_in_a_text_costs_no_other_row(desk: Desk, fmt: str, field: str) -> None:
    rows = [offer("a.com", dr=30), offer("b.com", c="XYZ", dr=30), offer("c.com", dr=30)]
    rows[1][field] = f"{rows[1][field]}\0x"
    run = await desk.take(written(rows, fmt), spec=feed(format=fmt))
    assert (run.state, run.rows) == ("done", 3)
    stored = await desk.listings()
    assert {"a.com", "c.com"} <= {row["domain"] for row in stored.values()}
    assert "\0" not in repr((stored, await desk.runs(), await desk.metrics()))


@pytest.mark.parametrize("fmt", ["csv", "json", "ndjson"])
async def test_a_zero_in_a_header_can_be_told(desk: Desk, fmt: str) -> None:
    data = written([offer("a.com")], fmt)
    data = data.replace(b"d,", b"d\0,", 1) if fmt == "csv" else data.replace(b'"d"', rb'"d\u0000"')
    run = await desk.take(data, spec=feed(format=fmt))
    assert run.state == "failed" and "no column d for the domain" in str(run.error)


async def test_a_value_that_the_database_refuses_fails_its_feed_only(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = store.put_listings

    async def refuse(conn: Any, rows: Any) -> None:
        if any(row["external_id"] == "id-odd.com" for row in rows):
            raise sa.exc.DataError("INSERT", {}, ValueError("too\0long"))
        await put(conn, rows)

    monkeypatch.setattr(store, "put_listings", refuse)
    scan = await desk.scan(NOON)
    run = await desk.take([offer("odd.com")], scan=scan)
    assert (run.state, run.error) == (
        "failed",
        "sample: has a value that the database does not take (too long)",
    )
    assert (await desk.take([offer("a.com")], scan=scan, spec=feed(name="other"))).state == "done"

    async def gone(conn: Any, rows: Any) -> None:
        raise sa.exc.OperationalError("INSERT", {}, ValueError("server closed the connection"))

    monkeypatch.setattr(store, "put_listings", gone)
    with pytest.raises(sa.exc.OperationalError):
        await desk.take([offer("b.com")], NOON + DAY)
