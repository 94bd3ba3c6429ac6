"""What looking at the links of a name costs: pages, requests, seconds, CPU time and memory.

    python -m bench.live_links [--names 5] [--pages 100]

Looks at the strongest links of the sandbox's names, at the pace of a real deployment (a request every five seconds a
host), for as long as a check looks. The hosts are the sandbox's: they answer at once, so that the seconds are
those of the pace.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import statistics
import tempfile
from collections import Counter
from pathlib import Path

from afterdrop.core import clock
from afterdrop.core.settings_file import load
from afterdrop.core.settings_sections import Live
from afterdrop.db.engine import open_database
from afterdrop.db.migrate import upgrade
from afterdrop.review.live_links import looked_at
from afterdrop.sandbox import settings_toml, start
from afterdrop.sources.metrics.lookup import link_profile
from afterdrop.sources.metrics.model import LINKS_TODAY, Metrics
from afterdrop.worker.context import open_context


async def measure(names: int, pages: int, folder: Path) -> None:
    """Look at the links of so many names, at up to `pages` pages each, and print a line for each name."""
    url = f"sqlite+aiosqlite:///{folder}/bench.sqlite3"
    await asyncio.to_thread(upgrade, url)
    async with start(1, 250) as running:
        file = folder / "bench.toml"
        file.write_text(settings_toml(running), encoding="utf-8")
        settings = load({}, file)
        live = settings.live.model_copy(update={"pages": pages, "host_seconds": Live().host_seconds})
        database, log = open_database(url), running.state.log
        known = [story for story in running.world.stories if "majestic" in story.metrics.known]
        stories = sorted(known, key=lambda story: -len(story.metrics.links))
        spent = []
        settings = settings.model_copy(update={"live": live, "contact": "bench@example.com"})
        async with open_context(settings, database, worker="bench", environ=running.environment) as context:
            for story in stories[:names]:
                metrics = Metrics.of((await link_profile(context, story.domain)).values)
                before, began = len(log), clock.monotonic()
                seen = await looked_at(context, story.domain, metrics, live.check_seconds)
                spent.append(clock.monotonic() - began)
                hosts = Counter(entry["host"] for entry in list(log)[before:] if entry["server"] == "links")
                items = Metrics.of([seen] if seen else []).items(LINKS_TODAY) or ()
                states = Counter(item["state"] for item in items)
                asked = f"{hosts.total():3} requests, {max(hosts.values(), default=0)} to one host"
                print(f"{len(items):3} pages  {asked}  {spent[-1]:5.1f} s  {story.domain}: {dict(states)}")
        await database.close()
    print(f"median {statistics.median(spent):.1f} s, longest {max(spent):.1f} s")
    for what, who in (
        ("this process", resource.RUSAGE_SELF),
        ("a reading process", resource.RUSAGE_CHILDREN),
    ):
        used = resource.getrusage(who)
        print(
            f"{what}: {used.ru_utime + used.ru_stime:.1f} s of CPU in all, {used.ru_maxrss // 1024} MB at most"
        )


def main() -> None:
    """Print what each name cost."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--names", type=int, default=5)
    options.add_argument("--pages", type=int, default=100)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(chosen.names, chosen.pages, Path(folder)))


if __name__ == "__main__":
    main()
