"""Pages per CPU second of the page reader beside trafilatura's extraction, on genuine pages and in the same rounds.

    python -m bench.page_reading [--pages 120] [--rounds 5] [--all]

Reads labelled pages that stand beside the project (../shared/real/history), by default honest ones of 80 to 200 kB
(129 kB in the mean). The reader takes the bytes and gives all it gives: verdict with evidence,
language, topic, texts and links. `trafilatura.extract` with its defaults is given text that is decoded already and
gives the main text alone. Each side reads in a process of its own, with its own tables at hand, as a process that reads
nothing but pages does. They take turns after every tenth page, so that a busy machine slows both down.
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager

import trafilatura
from bench import genuine

from afterdrop.review.page.charset import decode
from afterdrop.review.page.reader import read_page

Page = tuple[bytes, str]
LEAST, MOST = 80_000, 200_000
TURN = 10


def bodies(count: int, everything: bool) -> list[bytes]:
    """So many of the pages, evenly drawn."""
    shared = [page for page in genuine.pages() if page.collection != "collected"]
    read = (page.file.read_bytes() for page in shared if everything or page.label == "legit")
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


@contextmanager
def side(act: Callable[[Sequence[Page]], object], warm: Sequence[Page]) -> Iterator[ProcessPoolExecutor]:
    """A process for one side, whose models and tables are loaded."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as process:
        process.submit(spent, act, warm).result()
        process.submit(gc.freeze).result()  # as every command does once it is ready
        yield process


def main() -> None:
    """Print the pages per CPU second of both sides and their ratio."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pages", type=int, default=120)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--all", action="store_true", help="pages of every label and size")
    given = options.parse_args()
    chosen = [(body, decode(body).text) for body in bodies(given.pages, given.all)]
    turns = [chosen[at : at + TURN] for at in range(0, len(chosen), TURN)]
    ours, theirs = [], []
    with side(read_all, chosen[:TURN]) as reader, side(extract_all, chosen[:TURN]) as extractor:
        for _ in range(given.rounds):
            mine = other = 0.0
            for turn in turns:
                mine += reader.submit(spent, read_all, turn).result()
                other += extractor.submit(spent, extract_all, turn).result()
            ours.append(mine)
            theirs.append(other)
    mean = statistics.mean(len(body) for body, _ in chosen)
    mine, other = statistics.median(ours), statistics.median(theirs)
    print(f"{len(chosen)} pages of {mean / 1000:.0f} kB in the mean, median of {given.rounds} rounds")
    print(f"read_page            {len(chosen) / mine:6.1f} pages per CPU second")
    print(f"trafilatura.extract  {len(chosen) / other:6.1f} pages per CPU second")
    ratios = sorted(their / own for own, their in zip(ours, theirs, strict=True))
    print(f"ratio                {other / mine:6.2f} (rounds {ratios[0]:.2f} to {ratios[-1]:.2f})")


if __name__ == "__main__":
    main()
