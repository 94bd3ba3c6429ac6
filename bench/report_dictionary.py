"""Make the dictionary that reports are compressed with from the reports of the demo's reviews, and measure it.

    python -m bench.report_dictionary [TARGET]

Half of the reports are for training, the others are measured. The file in use is never overwritten: see
`afterdrop/db/packed_json.py`.
"""

from __future__ import annotations

import argparse
import lzma
import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import orjson
import zstandard

from afterdrop.catalogue.judged_columns import judged_columns
from afterdrop.cli import demo_reviews
from afterdrop.review.history.domain_history import History
from afterdrop.scoring.judge import judge
from afterdrop.sources.metrics.model import Metrics

_SIZE: Final = 32 * 1024


def reports() -> list[bytes | bytearray | memoryview]:
    """The reports of the demo's reviews as JSON, in a random order."""
    made: demo_reviews.MadeAhead = orjson.loads(lzma.decompress(demo_reviews.FILE.read_bytes()))
    now = datetime.now(UTC)
    found: list[bytes | bytearray | memoryview] = []
    for history in demo_reviews.read(made["seed"], now.date(), "https://web.archive.org/web"):
        judged = judge(History.from_dict(history), Metrics.of([]), None, now)
        found.append(orjson.dumps(judged_columns(judged)["report"]))
    random.Random(1).shuffle(found)
    return found


def main() -> None:
    """Train, measure, and write the dictionary if a file is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("target", nargs="?", type=Path)
    given = parser.parse_args()
    every = reports()
    learnt, others = every[: len(every) // 2], every[len(every) // 2 :]
    made = zstandard.train_dictionary(_SIZE, learnt)
    for name, dictionary in (("without a dictionary", None), ("with it", made)):
        packer = zstandard.ZstdCompressor(level=9, dict_data=dictionary)
        sizes = [len(packer.compress(each)) for each in others]
        print(f"{name}: {sum(map(len, others)) / len(others):.0f} bytes become {sum(sizes) / len(sizes):.0f}")
    if given.target is not None:
        with given.target.open("xb") as file:
            file.write(made.as_bytes())


if __name__ == "__main__":
    main()
