"""Every reading of every page at hand, to show that a change of the code changes none.

    python -m bench.freeze WRITE.jsonl [--every N]
    python -m bench.freeze --compare OLD.jsonl NEW.jsonl

Pages: the stored ones (`genuine.py`), of which `--every` takes each Nth, the composed ones, and each body that the unit
tests of the review give to the reader; those are recorded once and kept beside the unpacked pages. A row has a page's
verdict, kinds, language, topic, chance as hex and evidence, and hashes of the model's input and of the whole reading.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from multiprocessing import Pool
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from bench import genuine
from tests.unit.review.all_composed import composed_pages

from afterdrop.review.page import charset, reader
from afterdrop.review.page.charset import no_page
from afterdrop.review.page.model import Question, page_model
from afterdrop.review.page.reader import view_page
from afterdrop.review.page.values import Features

BODIES = genuine.SCRATCH / "bodies.jsonl"
# A longer one tests how the reader bears it, and takes minutes.
LONGEST = 4_000_000


class Page(NamedTuple):
    """What the reader is given, and where it is from."""

    name: str
    body: bytes
    url: str = ""
    content_type: str | None = None
    site: str | None = None
    refresh: str | None = None


class Kept(Question):
    """A question that keeps what it was asked of."""

    def __init__(self, asked: Question) -> None:
        self.asked = asked
        self.seen: Features | None = None
        self.telling = asked.telling  # type: ignore[method-assign]

    def probability(self, page: Features) -> float:
        """The answer of the question it stands for."""
        self.seen = page
        return self.asked.probability(page)


def record() -> None:
    """Run the unit tests and keep each body that they give to the reader."""
    rows: dict[str, None] = {}

    def recorded(act: Callable[..., Any]) -> Callable[..., Any]:
        def call(body: bytes, *given: Any, **named: Any) -> Any:
            told = {**named, "content_type": given[0]} if given else named
            rows[json.dumps({"body": b64encode(body).decode(), **told}, sort_keys=True)] = None
            return act(body, *given, **named)

        return call

    reader.read_page, charset.decode = recorded(reader.read_page), recorded(charset.decode)
    pytest.main(["-q", "-p", "no:cacheprovider", "tests/unit/review", "tests/unit/review_history"])
    BODIES.parent.mkdir(parents=True, exist_ok=True)
    BODIES.write_text("".join(f"{row}\n" for row in rows if len(row) < LONGEST))


def pages(every: int) -> Iterator[Page]:
    """Every page at hand."""
    for stored in genuine.pages()[::every]:
        yield Page(f"{stored.collection} {stored.file.stem}", stored.file.read_bytes())
    for _, name, body in composed_pages():
        yield Page(f"composed {name}", body)
    for number, line in enumerate(BODIES.read_text().splitlines()):
        told = json.loads(line)
        yield Page(f"test {number}", b64decode(told.pop("body")), **told)


def frozen(page: Page) -> dict[str, Any]:
    """One page's row."""
    asked = Kept(page_model().spam)
    decoded = charset.decode(page.body, page.content_type)
    if no_page(page.body, decoded):
        read = reader.read_page(page.body, url=page.url, content_type=page.content_type)
    else:
        view = view_page(decoded, page.url, page.site, page.refresh)
        read = reader.read_view(view, replace(page_model(), spam=asked))
    seen = hashlib.sha256()
    if asked.seen:
        for block in asked.seen.blocks:
            seen.update(
                block.text.encode("utf-8", "replace") + block.columns.tobytes() + block.values.tobytes()
            )
        seen.update(asked.seen.figures.tobytes())
    whole = json.dumps(
        asdict(read), default=lambda one: sorted(one) if isinstance(one, frozenset) else str(one)
    )
    return {
        "page": page.name,
        "key": hashlib.sha256(repr(page[1:]).encode()).hexdigest()[:16],
        "verdict": read.verdict,
        "kinds": [read.category, read.parked_kind, read.provider, read.error_kind],
        "language": read.language,
        "topic": str(read.topic),
        "chance": read.spam_chance.hex(),
        "evidence": [list(asdict(item).values()) for item in read.evidence],
        "seen": seen.hexdigest()[:16],
        "reading": hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()[:16],
    }


def compare(old: Path, new: Path) -> bool:
    """Print what differs; whether nothing does."""
    was, now = (
        {row["key"]: row for row in map(json.loads, path.read_text().splitlines())} for path in (old, new)
    )
    differing = 0
    for key in was.keys() & now.keys():
        if fields := [name for name in was[key] if name != "page" and was[key][name] != now[key][name]]:
            differing += 1
            print(was[key]["page"], {name: (was[key][name], now[key][name]) for name in fields})
    print(f"{len(was)} and {len(now)} pages, {len(was.keys() & now.keys())} in both, {differing} differ")
    return not differing and was.keys() <= now.keys()


def main() -> None:
    """Write a freeze, or compare two."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("write", type=Path, nargs="?")
    options.add_argument("--every", type=int, default=1)
    options.add_argument("--compare", type=Path, nargs=2)
    given = options.parse_args()
    if given.compare:
        sys.exit(not compare(*given.compare))
    if not BODIES.exists():
        record()
    with Pool(2) as pool, given.write.open("w") as out:
        for row in pool.imap(frozen, pages(given.every), chunksize=20):
            out.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
