"""Links of invented domains compared with the truth: how many are credited to the owner who earned them.

    python -m bench.whose_links [--size 300] [--seeds 11 12 13]

Every name of the worlds whose links an index knows is reviewed as a scan does it, and judged with the links as the
sandbox's index gives them. A link counts as right when it names the owner who earned it; without dates, a text and an
address that fit several owners have to be unknown.
"""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime

from tests.timelines.life import LifeArchive
from tests.timelines.sandbox_lives import life_of

from afterdrop.catalogue.judged_columns import judged_columns
from afterdrop.review.history.domain_history import History
from afterdrop.review.page.pool import read_capture
from afterdrop.review.page.values import Capture, PageReading
from afterdrop.review.run import review_domain
from afterdrop.sandbox.story import Era, Story
from afterdrop.sandbox.world import World
from afterdrop.scoring.judge import judge
from afterdrop.sources.metrics.model import LINKS, Metric, Metrics
from afterdrop.sources.metrics.values import read_value

DAY = date(2026, 11, 20)
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def metrics_of(story: Story) -> Metrics:
    """The links as the sandbox's index gives them."""
    raw = [
        {
            "from": f"https://{link.domain}/links.html",
            "text": link.text,
            "target": link.target,
            "first_seen": link.first.isoformat() if link.first else "",
            "last_seen": link.last.isoformat() if link.last else "",
        }
        for link in story.metrics.links
    ]
    value, note = read_value(LINKS, raw)
    assert note is None and value is not None, note
    return Metrics.of([Metric(LINKS, value, "index", NOW)])


def owner_eras(story: Story) -> list[list[Era]]:
    """The eras of each owner in the order in which they came."""
    sites = [era for era in story.eras if era.scene in ("site", "hacked", "injected")]
    return [
        [era for era in sites if era.brand == brand] for brand in dict.fromkeys(era.brand for era in sites)
    ]


def compare(story: Story, history: History) -> Counter[str]:
    """What of one domain is right and what is wrong."""
    found: Counter[str] = Counter()
    owners = owner_eras(story)
    report = judged_columns(judge(history, metrics_of(story), None, NOW))["report"]
    several = "several owners" if len(owners) > 1 else "one owner"
    for shown, link in zip(report["links"] or (), story.metrics.links, strict=True):
        telling = len(owners) == 1 or any(eras[0].brand.name in link.text for eras in owners)
        if link.first is not None:
            kind = "dated"
        else:
            kind = "undated, told by its text" if telling else "undated, told by nothing but its address"
        right = "right" if shown["era"] == link.era else "unknown" if shown["era"] is None else "wrong"
        found[f"{several}: {kind}: {right}"] += 1
    return found


async def measured(size: int, seeds: Sequence[int]) -> Counter[str]:
    """The sum over all domains of these worlds that a scan would publish."""
    total: Counter[str] = Counter()

    async def reader(capture: Capture) -> PageReading:
        return read_capture(capture)

    for seed in seeds:
        world = World(seed, size, DAY)
        for story in world.stories:
            if story.outcome != "published" or not story.metrics.links:
                continue
            reviewed = await review_domain(LifeArchive(life_of(world, story)), reader, story.domain, NOW)
            total["domains"] += 1
            total += compare(story, reviewed.history)
    return total


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=300)
    parser.add_argument("--seeds", type=int, nargs="+", default=[11, 12, 13])
    chosen = parser.parse_args()
    total = asyncio.run(measured(chosen.size, chosen.seeds))
    for name, count in sorted(total.items()):
        print(f"{count:7,}  {name}")
    for several in ("one owner", "several owners"):
        dated = {key: count for key, count in total.items() if key.startswith(f"{several}: dated")}
        if whole := sum(dated.values()):
            print(
                f"{dated.get(f'{several}: dated: right', 0) / whole:7.3f}  {several}: dated links named right"
            )


if __name__ == "__main__":
    main()
