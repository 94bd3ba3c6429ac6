"""How often the review is right on genuine pages, by groups that nobody looked at while the rules were written.

    python -m bench.review_genuine [--part all|development|held-out] [--list]

Reads the labelled pages beside the project (../shared/real/history), which it unpacks into a scratch folder. Views of
pages are kept there: a run after a change of rules takes seconds. Shares come with their 95 % interval, Wilson's where
each site counts once, else drawn anew by group a thousand times. `--list` names what was judged otherwise than
labelled, of the development part only.
"""

from __future__ import annotations

import argparse
import asyncio
import html
import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from bench import genuine
from bench.genuine_lives import lives, outcome
from bench.second_opinion import FOLDS, fold_of
from bench.shares import interval

from afterdrop.review.page.reader import read_view
from afterdrop.review.page.reading import PageReading
from afterdrop.review.spam.second_opinion import read_opinion

ACCUSED = frozenset({"spam", "parked"})
DRAWS = 1000


@dataclass(frozen=True)
class Read:
    """One labelled page with its reading, and whether all its quotes stand in it."""

    page: genuine.Genuine
    reading: PageReading
    verbatim: bool

    @property
    def key(self) -> str:
        """What names the page."""
        return self.page.file.stem


def read_all(chosen: Sequence[genuine.Genuine]) -> list[Read]:
    """Read every page that holds one."""
    rows = []
    opinions = []
    for fold in range(FOLDS):
        with np.load(genuine.SCRATCH / f"opinion-{fold}.npz") as arrays:
            opinions.append(read_opinion({name: arrays[name] for name in arrays.files}))
    for page, view in genuine.views(chosen):
        if view is None:
            continue
        reading = read_view(view, opinion=opinions[fold_of(page.family)])
        source = view.decoded.text
        plain = " ".join(html.unescape(source).split()) if reading.evidence else ""
        verbatim = all(item.quote in source or item.quote in plain for item in reading.evidence)
        rows.append(Read(page, reading, verbatim))
    return rows


def say(name: str, figure: str) -> None:
    """One row of the table."""
    print(f"{name:62} {figure}")


def by_group(rows: Sequence[Read]) -> dict[str, list[Read]]:
    """The pages of each group."""
    groups: dict[str, list[Read]] = defaultdict(list)
    for row in rows:
        groups[row.page.group].append(row)
    return groups


def front(rows: Sequence[Read]) -> list[Read]:
    """One page of each group: the one whose path is nearest to a home page."""
    return [
        min(
            own,
            key=lambda row: (row.page.path.count("/"), "index" not in row.page.path, row.page.path, row.key),
        )
        for own in by_group(rows).values()
    ]


def macro(rows: Sequence[Read], hit: Callable[[Read], bool]) -> str:
    """The mean over groups of each group's share, with an interval from drawing groups anew."""
    shares = [sum(map(hit, own)) / len(own) for own in by_group(rows).values()]
    if not shares:
        return "   –"
    rng = random.Random(1)
    drawn = sorted(sum(rng.choices(shares, k=len(shares))) / len(shares) for _ in range(DRAWS))
    mean = sum(shares) / len(shares)
    return f"{mean:15.3f}  [{drawn[DRAWS // 40]:.3f}, {drawn[-DRAWS // 40]:.3f}]"


def pages_table(rows: Sequence[Read]) -> None:
    """Single pages."""
    honest = [row for row in rows if row.page.label == "legit"]
    near = [row for row in honest if row.page.near]
    spam = [row for row in rows if row.page.label == "spam"]
    parked = [row for row in rows if row.page.label == "parked"]

    def verdict(*verdicts: str) -> Callable[[Read], bool]:
        return lambda row: row.reading.verdict in verdicts

    def share(chosen: Sequence[Read], *verdicts: str) -> str:
        return interval(sum(map(verdict(*verdicts), chosen)), len(chosen))

    say("honest pages called spam or parked (want ≤ .05 %)", share(honest, "spam", "parked"))
    say("honest pages called suspect", share(honest, "suspect"))
    say("honest pages near a trade called spam or parked (want 0)", share(near, "spam", "parked"))
    say("honest pages near a trade called suspect (want ≤ .8 %)", share(near, "suspect"))
    say("spam, one page a site, strict (want .85)", share(front(spam), "spam"))
    say("  with suspect (want .95)", share(front(spam), "spam", "suspect"))
    say("spam, macro by site over all pages, strict (want .75)", macro(spam, verdict("spam")))
    say("  with suspect (want .90)", macro(spam, verdict("spam", "suspect")))
    say("parked, one page a template (want .90)", share(front(parked), "parked"))
    told = [row for row in rows if row.page.language and row.page.label == "legit"]
    say("language (want .995)", interval(sum(r.reading.language == r.page.language for r in told), len(told)))
    sure = [row for row in told if row.reading.language_sure]
    say("  where sure", interval(sum(r.reading.language == r.page.language for r in sure), len(sure)))
    shown = [row for row in rows if row.reading.evidence]
    say("evidence found verbatim (want 100 %)", interval(sum(row.verbatim for row in shown), len(shown)))


def lives_table(rows: Sequence[Read], listed: bool) -> None:
    """Whole sites."""
    readings = {row.key: row.reading for row in rows}
    honest = [row.key for row in rows if row.page.label == "legit" and row.reading.verdict == "clean"]
    accused = [
        row.key for row in rows if row.page.label == "legit" and row.reading.verdict not in {"clean", "error"}
    ]
    spam = [row.key for row in front([row for row in rows if row.page.label == "spam"])]
    parked = [row.key for row in front([row for row in rows if row.page.label == "parked"])]
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for life in lives(honest, spam, parked, accused):
        rejected, flags, reasons = asyncio.run(outcome(life, readings))
        hit = life.flags <= flags if life.flags else rejected
        counts[life.kind][0] += hit
        counts[life.kind][1] += 1
        if life.kind == "accused page all along" and rejected and listed:
            print(f"  rejected: {life.shots[0].body.decode()} {reasons}")
        if life.kind == "honest, parked, honest" and rejected:
            counts["  … rejected (want 0)"][0] += 1
    for kind, (hits, total) in counts.items():
        say(f"life: {kind}", interval(hits, total or counts["honest, parked, honest"][1]))


def mistakes(rows: Sequence[Read]) -> None:
    """What was judged otherwise than labelled."""
    for row in rows:
        want = {"legit": "clean"}.get(row.page.label, row.page.label)
        got = row.reading
        if got.verdict == want or (want == "clean" and got.verdict == "error") or want == "out":
            continue
        shown = "; ".join(f"{e.zone} “{e.quote[:60]}” ({e.rule})" for e in got.evidence[:5])
        print(
            f"{row.key} {row.page.kind} {row.page.group} {row.page.path[:60]}: {row.page.label} → {got.verdict}"
            f" {got.category or got.parked_kind or ''} [{got.language} {got.words}w “{(got.title or '')[:70]}”] {shown}"
        )


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--part", choices=("all", "development", "held-out"), default="all")
    options.add_argument("--list", action="store_true")
    given = options.parse_args()
    chosen = [
        page
        for page in genuine.pages()
        if page.label != "out" and (given.part == "all" or page.held_out == (given.part == "held-out"))
    ]
    rows = read_all(chosen)
    print(f"{given.part}: {len(rows)} pages of {len(by_group(rows))} groups")
    pages_table(rows)
    lives_table(rows, given.list)
    if given.list:
        mistakes([row for row in rows if not row.page.held_out])


if __name__ == "__main__":
    main()
