"""Pages per CPU second of the page reader beside trafilatura's extraction, on genuine pages and in the same rounds.

    python -m bench.page_reading [--pages 120] [--rounds 5] [--all]

Reads labelled pages that stand beside the project (../shared/real/history), by default honest ones of 80 to 200 kB
(124 kB in the mean). The reader takes the bytes and gives all it gives: verdict with evidence,
language, topic, texts and links. `trafilatura.extract` with its defaults is given text that is decoded already and
gives the main text alone. The sides take turns after every tenth page, so that a busy machine slows both down, and
each reads with its own tables at hand, as a process that reads nothing but pages does.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence

import trafilatura
from bench import genuine

from afterdrop.review.page.charset import decode
from afterdrop.review.page.reader import read_page

Page = tuple[bytes, str]
LEAST, MOST = 80_000, 200_000
TURN = 10


def bodies(count: int, everything: bool) -> list[bytes]:
    """So many of the pages, evenly drawn."""
    chosen_from = [page for page in genuine.pages() if page.collection != "collected"]
    read = (page.file.read_bytes() for page in chosen_from if everything or page.label == "legit")
    chosen = [body for body in read if everything or LEAST <= len(body) <= MOST]
    return chosen[:: max(1, len(chosen) // count)][:count]


def read_all(pages: Sequence[Page]) -> None:
    """Our side."""
    for body, _ in pages:
        read_page(body, url="")


def extract_all(pages: Sequence[Page]) -> None:
    """Their side."""
    for _, text in pages:
        trafilatura.extract(text)


def spent(act: Callable[[Sequence[Page]], object], pages: Sequence[Page]) -> float:
    """CPU seconds that one side takes for these pages."""
    started = time.process_time()
    act(pages)
    return time.process_time() - started


def main() -> None:
    """Print the pages per CPU second of both sides and their ratio."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pages", type=int, default=120)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--all", action="store_true", help="pages of every label and size")
    given = options.parse_args()
    chosen = [(body, decode(body).text) for body in bodies(given.pages, given.all)]
    for act in (read_all, extract_all):  # models and tables load once a process
        act(chosen[:5])
    turns = [chosen[at : at + TURN] for at in range(0, len(chosen), TURN)]
    ours, theirs = [], []
    for _ in range(given.rounds):
        costs = [(spent(read_all, turn), spent(extract_all, turn)) for turn in turns]
        ours.append(sum(mine for mine, _ in costs))
        theirs.append(sum(other for _, other in costs))
    mean = statistics.mean(len(body) for body, _ in chosen)
    mine, other = statistics.median(ours), statistics.median(theirs)
    print(f"{len(chosen)} pages of {mean / 1000:.0f} kB in the mean, median of {given.rounds} rounds")
    print(f"read_page            {len(chosen) / mine:6.1f} pages per CPU second")
    print(f"trafilatura.extract  {len(chosen) / other:6.1f} pages per CPU second")
    ratios = sorted(their / own for own, their in zip(ours, theirs, strict=True))
    print(f"ratio                {other / mine:6.2f} (rounds {ratios[0]:.2f} to {ratios[-1]:.2f})")


if __name__ == "__main__":
    main()
