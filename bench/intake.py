"""Intake of a one-million-row zipped feed: names a second and peak memory, against a plain loop.

    .venv/bin/python bench/intake.py [--rows 1000000] [--json]
    .venv/bin/python bench/intake.py --closeouts 309000 [--rows 400000] [--json]

Both contestants read the same generated files (the CSV and the JSON shape of two large marketplaces) in processes of
their own. `plain` is what a script would do: csv.DictReader or orjson.loads over the zip member, tldextract on each
name. `read` is Afterdrop's streamed reading with every field mapped, normalised and reduced; `intake` is the whole of
it into an empty SQLite database: authority filter, look-ups, and writing the few per cent that pass. The longest of its
write transactions is printed too (BEGIN IMMEDIATE to the connection's return): none should hold others up for 50 ms.

`--closeouts` measures two days of GoDaddy's file with so many closeouts beside `--rows` auctions: names without an end,
a fifth of them new each day and a fifth gone, all others cheaper than the day before. What passes counts as published.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import gc
import io
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from afterdrop.feeds.run_context import SourceRun

ROWS = 1_000_000
NOW = datetime(2026, 11, 20, 16, tzinfo=UTC)
SHAPES = {"namecheap_market": "csv", "godaddy_auctions": "json"}
_PARTS = (
    "ba",
    "ko",
    "mi",
    "ra",
    "ten",
    "shop",
    "lo",
    "ver",
    "data",
    "go",
    "ni",
    "sun",
    "web",
    "quay",
    "otter",
    "news",
)
_ENDS = ["com"] * 10 + ["net", "org", "de", "co.uk", "io", "xyz", "com.au", "fr"]
_CSV_HEAD = (
    "url,name,startDate,endDate,price,startPrice,renewPrice,bidCount,ahrefsDomainRating,umbrellaRanking,"
    "cloudflareRanking,estibotValue,extensionsTaken,keywordSearchCount,registeredDate,lastSoldPrice,lastSoldYear,"
    "isPartnerSale,semrushAScore,majesticCitation,ahrefsBacklinks,semrushBacklinks,majesticBacklinks,"
    "majesticTrustFlow,goValue\n"
)


def names(count: int) -> Iterator[tuple[int, str, int, int]]:
    """Row number, name, day of the end, a metric that exceeds the filter's threshold in about 3 % of rows."""
    rng = random.Random(7)
    for number in range(count):
        name = "".join(rng.choices(_PARTS, k=rng.randint(2, 4))) + str(number % 9973)
        yield number, f"{name}.{rng.choice(_ENDS)}", rng.randint(1, 28), int(rng.random() ** 80 * 60)


def csv_row(number: int, name: str, day: int, metric: int) -> str:
    """A row in the CSV shape."""
    return (
        f"https://www.namecheap.com/market/sale/{number:022x}/,{name},2026-11-01T08:38:08Z,"
        f"2026-12-{day:02}T16:00:00Z,{number % 90}.00,1.00,13.98,{number % 7},{metric % 5},,,140.00,340,241000,"
        f"2015-01-15T00:00:00Z,,,1,{metric % 5},,16,,,{metric},1116.00\n"
    )


def json_row(number: int, name: str, day: int, metric: int) -> str:
    """A row in the JSON shape."""
    return json.dumps(
        {
            "domainName": name.title(),
            "link": f"https://www.godaddy.com/domain-auctions/x-{600_000_000 + number}?isc=json_biddable",
            "auctionType": "Bid",
            "auctionEndTime": f"2026-12-{day:02}T16:00:00Z",
            "price": f"${number % 9000:,}",
            "numberOfBids": number % 7,
            "domainAge": 4,
            "pageviews": 12,
            "valuation": "$9,999",
            "monthlyParkingRevenue": "$0",
            "isAdult": False,
            "majesticTf": metric,
            "majesticCf": metric % 5,
            "majesticBacklinks": 300,
            "majesticReferringDomains": metric % 5,
            "semrushAs": metric % 5,
            "semrushReferringDomains": 188,
            "semrushBacklinks": 262,
            "semrushCpc": 0.1,
        }
    )


CLOSEOUT_PRICES = (50, 40, 30, 11, 5)


def closeout_rows(day: int, count: int) -> Iterator[str]:
    """The closeouts of a day: the five last cohorts, each at the price of its age."""
    for age, price in enumerate(CLOSEOUT_PRICES):
        cohort = day - age + 10
        for number, name, _, metric in names(count // len(CLOSEOUT_PRICES)):
            row = json.loads(
                json_row(200_000_000 + cohort * 1_000_000 + number, f"c{cohort}{name}", 1, metric)
            )
            row |= {"auctionType": "BuyNow", "price": f"${price}"}
            row["auctionEndTime"] = f"2026-11-{20 - age + day:02}T15:00:00Z"
            yield json.dumps(row)


def generate_days(folder: Path, auctions: int, closeouts: int) -> list[Path]:
    """Write GoDaddy's file of two days."""
    files = []
    for day in range(2):
        files.append(folder / f"day{day}.zip")
        with (
            zipfile.ZipFile(files[-1], "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive,
            archive.open("list.json", "w", force_zip64=True) as member,
        ):
            rows = chain((json_row(*row) for row in names(auctions)), closeout_rows(day, closeouts))
            member.write(b'{"meta": {"rows": 1}, "data": [')
            for number, row in enumerate(rows):
                member.write((b", " if number else b"") + row.encode())
            member.write(b"]}")
    return files


def generate(folder: Path, count: int) -> None:
    """Write both feeds."""
    for preset, shape in SHAPES.items():
        with (
            zipfile.ZipFile(folder / f"{preset}.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive,
            archive.open(f"list.{shape}", "w", force_zip64=True) as member,
        ):
            if shape == "csv":
                member.write(_CSV_HEAD.encode())
                for row in names(count):
                    member.write(csv_row(*row).encode())
            else:
                member.write(b'{"meta": {"rows": 1}, "data": [')
                for row in names(count):
                    member.write((b", " if row[0] else b"") + json_row(*row).encode())
                member.write(b"]}")


@dataclass
class Watch:
    """Wall and CPU seconds of a block, without imports and set-up."""

    wall: float = 0.0
    cpu: float = 0.0
    writes: list[float] = field(default_factory=list)

    def __enter__(self) -> Watch:
        self.wall, self.cpu = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *_error: object) -> None:
        self.wall, self.cpu = time.perf_counter() - self.wall, time.process_time() - self.cpu


def plain(preset: str, file: Path, watch: Watch) -> int:
    """The loop a script would have: names reduced by tldextract, nothing else."""
    import orjson
    import tldextract

    extract = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
    found = 0
    extract("warm.co.uk")
    with watch, zipfile.ZipFile(file) as archive, archive.open(archive.namelist()[0]) as member:
        if SHAPES[preset] == "csv":
            rows: Any = (row["name"] for row in csv.DictReader(io.TextIOWrapper(member, "utf-8")))
        else:
            rows = (row["domainName"] for row in orjson.loads(member.read())["data"])
        for name in rows:
            found += bool(extract(name.lower()).top_domain_under_public_suffix)
    return found


def read(preset: str, file: Path, watch: Watch) -> int:
    """Every row mapped by the shipped preset."""
    from afterdrop.feeds.containers import Bounds
    from afterdrop.feeds.parse import read_feed
    from afterdrop.feeds.preset_files import open_preset

    spec = open_preset(preset)
    with watch, file.open("rb") as opened:
        batches = read_feed(spec, opened, Bounds(10**10, 200))
        return sum(len(batch) - len(batch.alone) for batch in batches)


def intake(preset: str, file: Path, watch: Watch) -> int:
    """The whole intake into an empty SQLite database."""
    return asyncio.run(_intake(preset, [file], watch))[-1].good


async def _intake(preset: str, files: list[Path], watch: Watch) -> list[SourceRun]:
    """Take in a file a day; only the last one is timed."""
    from afterdrop.core.settings import Authority
    from afterdrop.db import migrate
    from afterdrop.db.engine import open_database
    from afterdrop.db.tables.feeds import candidates, scans
    from afterdrop.feeds.containers import Bounds
    from afterdrop.feeds.intake import take_in
    from afterdrop.feeds.preset_files import open_preset
    from afterdrop.feeds.run_context import AuthorityFilter, IntakeOptions, ScanMoment
    from afterdrop.scoring.authority import filter_verdict, strength, thresholds_by_role

    url = f"sqlite+aiosqlite:///{files[0].with_suffix('.sqlite3')}"
    await asyncio.to_thread(migrate.upgrade, url)
    database = open_database(url)
    least = thresholds_by_role(Authority())
    time_writes(database.engine.sync_engine, watch)
    authority_filter = AuthorityFilter(
        lambda figures: filter_verdict(figures, least), strength, roles=frozenset(least)
    )
    spec, options = open_preset(preset), IntakeOptions(Bounds(10**10, 200))
    gc.freeze()  # as every command does once its database is open
    runs = []
    for day, file in enumerate(files):
        now = NOW + timedelta(days=day)
        async with database.write() as conn:
            made = scans.insert().values(
                day=f"{now:%Y-%m-%d}", started_at=now, deadline_at=now + timedelta(days=1), counts={}
            )
            scan = (await conn.execute(made.returning(scans.c.id))).scalar_one()
            await conn.execute(candidates.update().values(state="settled", outcome="published"))
        watch.writes.clear()
        with watch, file.open("rb") as opened:
            runs.append(
                await take_in(database, spec, opened, ScanMoment(scan, now, now), authority_filter, options)
            )
        assert runs[-1].state == "done", runs[-1].error
    await database.close()
    return runs


def time_writes(engine: Any, watch: Watch) -> None:
    """Time every write transaction of `engine` from its begin until its connection is back in the pool."""
    import sqlalchemy as sa

    begun: dict[int, float] = {}

    def begin(conn: sa.Connection) -> None:
        if not conn.get_execution_options().get("read_only"):
            begun[id(conn.connection.dbapi_connection)] = time.perf_counter()

    def back(dbapi: Any, _record: object) -> None:
        started = begun.pop(id(dbapi), None)
        if started is not None:
            watch.writes.append(time.perf_counter() - started)

    sa.event.listen(engine, "begin", begin)
    sa.event.listen(engine, "checkin", back)


def closeouts(_preset: str, file: Path, watch: Watch) -> int:
    """The intake of the day in `file`, after that of the days before in the same folder."""
    days = sorted(day for day in file.parent.glob("day*.zip") if day <= file)
    run = asyncio.run(_intake("godaddy_auctions", days, watch))[-1]
    print(run.counts, file=sys.stderr)
    return run.good


CONTESTANTS: dict[str, Callable[[str, Path, Watch], int]] = {
    "plain": plain,
    "read": read,
    "intake": intake,
    "closeouts": closeouts,
}


def measure(contestant: str, preset: str, file: Path) -> dict[str, Any]:
    """Run one contestant in a process of its own."""
    command = [sys.executable, __file__, "--one", contestant, "--preset", preset, "--file", str(file)]
    result: dict[str, Any] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return result


def one(contestant: str, preset: str, file: Path) -> None:
    """What the child process does: run, and print what it took."""
    watch = Watch()
    count = CONTESTANTS[contestant](preset, file, watch)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    took = {"names": count, "wall_s": watch.wall, "cpu_s": watch.cpu}
    if watch.writes:
        ordered = sorted(watch.writes)
        took |= {"writes": len(ordered), "p99_ms": ordered[int(len(ordered) * 0.99)] * 1000}
        took |= {"longest_ms": ordered[-1] * 1000, "over_50_ms": sum(one > 0.05 for one in ordered)}
    print(json.dumps({**took, "per_cpu_s": count / watch.cpu, "peak_mib": peak}))


def main() -> None:
    """Generate, run every contestant on every shape, print names/s, memory and the ratio to `plain`."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    options.add_argument("--rows", type=int, default=ROWS)
    options.add_argument("--closeouts", type=int, default=0)
    options.add_argument("--json", action="store_true")
    for hidden in ("--one", "--preset", "--file"):
        options.add_argument(hidden, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.one:
        one(given.one, given.preset, Path(given.file))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if given.closeouts:
            for number, file in enumerate(generate_days(folder, given.rows, given.closeouts), 1):
                took = measure("closeouts", "godaddy_auctions", file)
                print(json.dumps({"day": number, **took}), flush=True)
                file.with_name("day0.sqlite3").unlink()
            return
        generate(folder, given.rows)
        for preset in SHAPES:
            base = 0.0
            for contestant in ("plain", "read", "intake"):
                took = measure(contestant, preset, folder / f"{preset}.zip")
                base = base or took["per_cpu_s"]
                took |= {"shape": preset, "what": contestant, "to_plain": took["per_cpu_s"] / base}
                print(
                    json.dumps(took)
                    if given.json
                    else f"{preset:17} {contestant:7} {took['names']:>9,} names {took['per_cpu_s']:>9,.0f} names/CPU-s "
                    f"(wall {took['wall_s']:5.1f} s) {took['to_plain']:5.2f} x plain, peak {took['peak_mib']:6.0f} MiB",
                    flush=True,
                )
                if "writes" in took and not given.json:
                    print(
                        f"{'':25} {took['writes']:,} write transactions: p99 {took['p99_ms']:.0f} ms, "
                        f"longest {took['longest_ms']:.0f} ms, {took['over_50_ms']} over 50 ms"
                    )


if __name__ == "__main__":
    main()
