"""How true published reports are: scans of three sandbox worlds, each report held against its world's truth.

    python -m bench.truth [--worlds 3] [--size 200] [--list]

Prints one table. An owner change is right if it lies in the interval that the report states; an era is wrong if it
holds a read capture of another owner, a kit if it has pages of two. A link is named right if it is credited to the
owner who earned it; where nothing tells, it should be credited to nobody. Contradictions are counted between a
report's life, its sentence, its risks, its standing (which batches show), its header and its evidence, also of rejected
names: a date outside its interval, a change told twice or not at all, a quote that is no whole words of its page.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from pathlib import Path

from tests.support.sandboxes import context_for
from tests.support.truth import Compared, compare, compare_rejected, published, rejected

from afterdrop.db.engine import open_database
from afterdrop.db.migrate import upgrade
from afterdrop.sandbox import start
from afterdrop.sandbox.expected import expected_document
from afterdrop.scan.run import run_scan

COLUMNS = (
    *("reports", "owner changes", "inside the interval", "changes told", "eras of sites"),
    *("eras with a read capture of another", "kits", "kits with two owners"),
    *("rejected names", "contradictions"),
    *("dated links", "dated links named right", "undated links", "undated links named right"),
    "links credited wrongly",
)


async def world(seed: int, size: int, folder: Path) -> Compared:
    """Scan one world and compare what is published with its truth."""
    url = f"sqlite+aiosqlite:///{folder / 'afterdrop.db'}"
    await asyncio.to_thread(upgrade, url)
    database = open_database(url)
    try:
        async with start(seed, size) as running, context_for(running, database, folder, url) as context:
            await run_scan(context)
            truth = expected_document(running.world, running.url)["domains"]
        told = compare(await published(database), truth, running.world)
        told.add(compare_rejected(await rejected(database), running.world, context.now()))
        return told
    finally:
        await database.close()


def main() -> None:
    """Scan, compare and print."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--worlds", type=int, default=3)
    options.add_argument("--size", type=int, default=200)
    options.add_argument("--list", action="store_true")
    chosen = options.parse_args()
    worlds: list[Compared] = []
    for seed in range(1, chosen.worlds + 1):
        with tempfile.TemporaryDirectory() as folder:
            worlds.append(asyncio.run(world(seed, chosen.size, Path(folder))))
    total = Compared()
    for one in worlds:
        total.add(one)
    print(f"{'':40}" + "".join(f"{f'world {seed}':>9}" for seed in range(1, len(worlds) + 1)) + f"{'all':>9}")
    for column in COLUMNS:
        print(f"{column:40}" + "".join(f"{one.counts[column]:9}" for one in [*worlds, total]))
    for line in total.wrong if chosen.list else ():
        print(f"  ! {line}")


if __name__ == "__main__":
    main()
