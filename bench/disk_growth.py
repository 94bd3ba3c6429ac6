"""How much a day's names add to the database.

    python -m bench.disk_growth [--names 250 1000] [--days 2] [--url postgresql://…]

Runs whole scans of the sandbox, a new world each day, with the texts of the most-archived pages, into an empty
database, and prints what a day added to each table and to the file. Pages of the sandbox are shorter than most real
ones, so real texts take more.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sqlite3
import tempfile
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import sqlalchemy as sa

from afterdrop.core import clock
from afterdrop.core.settings_file import load
from afterdrop.db import migrate
from afterdrop.db.engine import Database, open_database
from afterdrop.db.schema_version import plain_engine
from afterdrop.queue.loop import QueueRunner
from afterdrop.sandbox import settings_toml, start
from afterdrop.scan.page_texts import text_queue
from afterdrop.scan.run import run_scan
from afterdrop.worker.context import open_context


async def live_a_day(database: Database, folder: Path, seed: int, size: int, moment: datetime) -> None:
    """Scan a world of its own as of `moment`, and extract the texts of its pages."""
    async with start(seed, size, day=moment.date()) as running:
        running.clock.put(moment)
        file = folder / "afterdrop.toml"
        file.write_text(
            f'data_dir = "{folder}"\nscan.reviews_per_day = 8000\n' + settings_toml(running),
            encoding="utf-8",
        )
        settings = load(file=file)
        environ = {**os.environ, **running.environment}
        async with open_context(
            settings, database, worker="bench", now=lambda: moment, environ=environ
        ) as context:
            await run_scan(context)
            texts = QueueRunner(text_queue(context), database, context.now, asyncio.Event(), asyncio.Event())
            await texts.run(until_empty=True)


def sizes(url: str) -> dict[str, int]:
    """Bytes of each table with its indexes, and of the whole."""
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.partition("///")[2])) as conn:
            conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            owner = dict(conn.execute("SELECT name, tbl_name FROM sqlite_master"))
            found: dict[str, int] = {}
            for name, pages in conn.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"):
                found[owner.get(name, name)] = found.get(owner.get(name, name), 0) + pages
        return {**found, "whole": Path(url.partition("///")[2]).stat().st_size}
    asked = "SELECT relname, pg_total_relation_size(relid) FROM pg_stat_user_tables"
    with plain_engine(url).connect() as conn:
        found = {name: int(size) for name, size in conn.execute(sa.text(asked))}
        return {
            **found,
            "whole": int(conn.scalar(sa.text("SELECT pg_database_size(current_database())")) or 0),
        }


async def measured(names: int, days: int, url: str, folder: Path) -> None:
    """Print a day's growth by table, after the first day of which some is the empty schema's."""
    migrate.upgrade(url)
    database, began = open_database(url), clock.monotonic()
    before, grown = sizes(url), dict[str, int]()
    first = datetime(2026, 11, 1, 12, tzinfo=UTC)
    for day in range(days):
        await live_a_day(database, folder, names + day, names, first + timedelta(days=day))
    after = sizes(url)
    grown = {name: (size - before.get(name, 0)) // days for name, size in after.items()}
    async with database.read() as conn:
        asked = sa.text(
            "SELECT (SELECT count(*) FROM candidates), (SELECT count(*) FROM domains), (SELECT count(*) FROM reviews),"
            " (SELECT count(*) FROM archived_pages), (SELECT avg(length(content)) FROM archived_pages)"
        )
        candidates, domains, reviews, pages, text = (await conn.execute(asked)).one()
    await database.close()
    took = clock.monotonic() - began
    print(f"\n{names} names a day in the feeds, {days} days, {took:.0f} s:", end=" ")
    print(
        f"{candidates} passed, {reviews} reviewed, {domains} published, {pages} page texts of {text or 0:.0f} bytes"
    )
    each = grown["whole"] * days / max(candidates, 1)
    print(f"{grown['whole'] / 1e6:.2f} MB a day, {each / 1000:.1f} kB a reviewed name")
    for name, size in sorted(grown.items(), key=lambda item: -item[1])[:9]:
        print(f"  {name:20} {size / 1000:9.1f} kB a day")


def main() -> None:
    """Measure each number of names in an empty database."""
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("--names", type=int, nargs="+", default=[250, 1000])
    given.add_argument("--days", type=int, default=2)
    given.add_argument("--url", default="", help="an empty PostgreSQL database; default a new SQLite file")
    asked = given.parse_args()
    for names in asked.names:
        with tempfile.TemporaryDirectory() as folder:
            settings_url = asked.url or f"sqlite:///{folder}/afterdrop.sqlite3"
            url = settings_url.replace("sqlite:", "sqlite+aiosqlite:").replace(
                "postgresql:", "postgresql+psycopg:"
            )
            asyncio.run(measured(names, asked.days, url, Path(folder)))


if __name__ == "__main__":
    main()
