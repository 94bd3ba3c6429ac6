"""The composed pages of tests/unit/review/fresh: the test of the test, written after the rules were set.

python -m bench.review_fresh [--lot 1|2|3|4|5|6|7] [--list]
"""

from __future__ import annotations

import argparse
from collections import defaultdict

from bench.shares import interval
from tests.unit.review.fresh import Fresh, fresh_pages

from afterdrop.review.page.reader import read_page
from afterdrop.review.page.values import PageReading


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--list", action="store_true")
    options.add_argument("--lot", type=int, choices=(1, 2, 3, 4, 5, 6, 7), help="one lot of pages alone")
    given = options.parse_args()
    read = [(page, read_page(page.body, url="")) for page in fresh_pages() if given.lot in {None, page.lot}]
    for label, verdicts in (
        ("legit", "spam parked"),
        ("legit", "suspect"),
        ("spam", "spam"),
        ("spam", "spam suspect"),
        ("parked", "parked"),
        ("error", "error"),
    ):
        own = [(page, got) for page, got in read if page.label == label]
        print(
            f"{label:7} called {verdicts:14}",
            interval(sum(got.verdict in verdicts.split() for _, got in own), len(own)),
        )
    kinds: dict[str, list[bool]] = defaultdict(list)
    for page, got in read:
        if page.label == "spam":
            kinds[page.kind].append(got.verdict == "spam")
    print(
        "  strict by kind:",
        ", ".join(f"{kind} {sum(hits)}/{len(hits)}" for kind, hits in sorted(kinds.items())),
    )
    told = [(page, got) for page, got in read if page.language]
    print(
        "language              ",
        interval(sum(got.language == page.language for page, got in told), len(told)),
    )
    if given.list:
        for page, got in read:
            _show(page, got)


def _show(page: Fresh, got: PageReading) -> None:
    if got.verdict != {"legit": "clean"}.get(page.label, page.label):
        shown = "; ".join(f"{item.zone} “{item.quote[:40]}” ({item.rule})" for item in got.evidence[:4])
        print(
            f"{page.name} {page.label} → {got.verdict} {got.language} p={got.spam_chance:.2f} “{got.title}” {shown}"
        )


if __name__ == "__main__":
    main()
