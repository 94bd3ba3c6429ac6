"""How the review judges whole genuine sites, whose addresses all stand in the index: farms, and honest sites as large.

    python -m bench.whole_sites [--most N] [--list]

Reads sites gathered beside the project (../collected/sites/sites.jsonl: site, label, addresses, and the files of a
dozen pages by address, among them those that the review asks for), and reviews each from its index with the page
model that `python -m bench.page_model --scheme groups` trained without it: once as the review is, once with the home
page alone. `--most` puts no more than so many addresses, drawn at random, into the index, as archives have but a part
of a site. Pages that were not gathered are not archived.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench import genuine
from bench.page_model import fold_of
from bench.review_genuine import model_of, say
from bench.shares import interval

from afterdrop.review.page.charset import decode, no_page
from afterdrop.review.page.reader import read_view, view_page
from afterdrop.review.page.values import Capture, PageReading
from afterdrop.review.run import review_domain
from afterdrop.sources.archive.capture_file import surt
from afterdrop.sources.archive.cdx import read_index
from afterdrop.sources.archive.wayback import IndexAnswer, MissingCapture, Replay

SITES = genuine.COLLECTED / "sites"
DOMAIN = "a-site.com"
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
HOMES = ("20130301", "20140301", "20150301", "20160301")


@dataclass
class SiteArchive:
    """An archive of one gathered site."""

    addresses: list[str]
    pages: dict[str, str]

    async def index(
        self, domain: str, now: datetime, *, closed: bytes = b"", closed_before: int = 0
    ) -> IndexAnswer:
        """Each address once, the home page four times."""
        rows = [(path, "20150101000000") for path in self.addresses] + [
            ("/", f"{day}000000") for day in HOMES
        ]
        lines = sorted(
            f"{surt(f'http://{DOMAIN}{path}')} {stamp} http://{DOMAIN}{path} text/html 200 {path[:40]}{stamp} 900"
            for path, stamp in rows
        )
        return IndexAnswer(read_index("\n".join(lines).encode(), domain))

    async def capture(self, at: datetime, url: str) -> Replay | MissingCapture:
        """A page that was gathered."""
        file = self.pages.get(url.partition(DOMAIN)[2])
        if file is None:
            return MissingCapture(at, url, "not_archived")
        return Replay(at, at, url, url, 200, "text/html", (SITES / file).read_bytes(), {}, None)


async def judged(site: dict[str, Any], addresses: list[str]) -> tuple[str, tuple[str, ...]]:
    """What comes of one site, with the reasons."""
    model = model_of(f"groups-{fold_of(site['site'])}")

    async def reader(capture: Capture) -> PageReading:
        decoded = decode(capture.body)
        if no_page(capture.body, decoded):
            return PageReading("error", error_kind="empty")
        return read_view(view_page(decoded, ""), model=model)

    reviewed = await review_domain(SiteArchive(addresses, site["pages"]), reader, DOMAIN, NOW)
    return reviewed.history.outcome, reviewed.history.reasons


async def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--most", type=int, default=1_000_000, help="addresses in the index")
    options.add_argument("--list", action="store_true", help="name what was judged otherwise than labelled")
    given = options.parse_args()
    sites = [json.loads(line) for line in Path(SITES / "sites.jsonl").read_text("utf-8").splitlines()]
    rng = random.Random(1)
    for label in ("spam", "legit"):
        own = [site for site in sites if site["label"] == label]
        whole: Counter[str] = Counter()
        alone: Counter[str] = Counter()
        for site in own:
            every = site["addresses"]
            read = [path for path in every if path in site["pages"]]
            some = {*rng.sample(every, min(given.most, len(every))), *read[: given.most]}
            result, reasons = await judged(site, sorted(some))
            whole[result] += 1
            alone[(await judged(site, []))[0]] += 1
            if given.list and (result == "ok") == (label == "spam"):
                print(f"  {result}: {site['site']} {len(every)} {reasons}")
        for name, told in (("home page alone", alone), ("whole site", whole)):
            say(f"{label}, {name}: rejected", interval(told["spam"], len(own)))
            say("  or risky", interval(told["spam"] + told["suspect"], len(own)))


if __name__ == "__main__":
    asyncio.run(main())
