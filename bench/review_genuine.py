"""How often the review is right on genuine pages that its model has not seen.

    python -m bench.review_genuine [--scheme last|groups|kinds|frozen] [--by both|lists|model] [--lives] [--list]

Reads the labelled pages beside the project (../shared/real/history), which it unpacks into a scratch folder, and judges
them with the models that `python -m bench.page_model --scheme …` left there: `last` judges the two last collections,
each for itself, by a model trained on all the rest, `groups` every page by one trained without a fifth of the groups,
its own among them, `kinds` every spam page by one trained without its kind of spam, and `frozen` all by the model that
ships, which has seen them. Pages gathered beside the project (../collected) have tables of their own. `--by` judges
spam by the word lists alone or by the model alone, to compare. Views of pages are kept in the scratch folder: a run
after a change takes seconds. Shares come with their 95 % interval, Wilson's where each site counts once, else drawn
anew by group a thousand times. `--lives` composes whole sites of the pages and judges those too; `--list` names what
was judged otherwise than labelled.
"""

from __future__ import annotations

import argparse
import asyncio
import html
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

import numpy as np
from bench import genuine
from bench.genuine_lives import lives, outcome
from bench.page_model import fold_of, kind_of
from bench.shares import interval

from afterdrop.review.page.judge import ALONE
from afterdrop.review.page.model import PageModel, features, read_model
from afterdrop.review.page.reader import read_view
from afterdrop.review.page.signs import read_signs
from afterdrop.review.page.text import explains
from afterdrop.review.page.values import PageReading, PageVerdict, PageView

DRAWS = 1000
STEPS = (0.0, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 1.01)


@dataclass(frozen=True)
class Read:
    """One labelled page with its reading, and whether all its quotes stand in it and say something."""

    page: genuine.Genuine
    reading: PageReading
    verbatim: bool
    telling: bool

    @property
    def key(self) -> str:
        """What names the page."""
        return self.page.file.stem


@cache
def model_of(name: str) -> PageModel:
    """One of the models in the scratch folder."""
    with np.load(genuine.SCRATCH / f"model-{name}.npz") as arrays:
        return read_model({part: arrays[part] for part in arrays.files})


def judge_of(page: genuine.Genuine, scheme: str) -> PageModel:
    """The model that a scheme judges a page by."""
    if scheme == "groups":
        return model_of(f"groups-{fold_of(page.family)}")
    if scheme == "kinds":
        return model_of(f"kinds-{kind_of(page.kind) if page.label == 'spam' else ''}")
    return model_of(scheme)


def judged(scheme: str) -> list[genuine.Genuine]:
    """The pages that a scheme judges."""
    chosen = [page for page in genuine.pages() if page.label != "out"]
    if scheme == "last":
        return [page for page in chosen if page.collection in genuine.COLLECTED_LAST]
    return [page for page in chosen if scheme != "kinds" or page.label == "spam"]


def by_lists(view: PageView, model: PageModel) -> PageReading:
    """A page's reading with spam as the word lists alone see it."""
    found = read_signs(view).listed
    verdict: PageVerdict = (
        "spam" if found and found.sure else "suspect" if found and not found.hinted else "clean"
    )
    return _without(read_view(view, model=model), verdict, 1.0 if found else 0.0)


def by_model(view: PageView, model: PageModel) -> PageReading:
    """A page's reading with spam as the model alone sees it, by the thresholds for what the lists know nothing of."""
    chance = model.spam.probability(features(view, read_signs(view)))
    verdict: PageVerdict = "spam" if chance >= ALONE[0] else "suspect" if chance >= ALONE[1] else "clean"
    return _without(read_view(view, model=model), verdict, chance)


def _without(read: PageReading, verdict: PageVerdict, chance: float) -> PageReading:
    """A reading with another verdict on spam; what is parked or no page stays so."""
    kept = read.verdict in {"parked", "error"} and verdict != "spam"
    return replace(read, verdict=read.verdict if kept else verdict, evidence=(), spam_chance=chance)


BY: dict[str, Callable[[PageView, PageModel], PageReading]] = {
    "both": lambda view, model: read_view(view, model=model),
    "lists": by_lists,
    "model": by_model,
}


def read_all(scheme: str, by: str = "both") -> list[Read]:
    """Read every page that holds one."""
    rows = []
    for page, view in genuine.views(judged(scheme)):
        if view is None:
            continue
        reading = BY[by](view, judge_of(page, scheme))
        source = view.decoded.text
        plain = " ".join(html.unescape(source).split()) if reading.evidence else ""
        verbatim = all(item.quote in source or item.quote in plain for item in reading.evidence)
        telling = all(explains(item.quote) for item in reading.evidence)
        rows.append(Read(page, reading, verbatim, telling))
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
    say("  in quotes long enough to explain", interval(sum(row.telling for row in shown), len(shown)))


def kinds_table(rows: Sequence[Read]) -> None:
    """Spam by kind, one page a site."""
    chosen = front([row for row in rows if row.page.label == "spam"])
    for kind in sorted({kind_of(row.page.kind) for row in chosen}):
        own = [row.reading.verdict for row in chosen if kind_of(row.page.kind) == kind]
        strict, told = own.count("spam"), own.count("spam") + own.count("suspect")
        say(f"  {kind}: strict; with suspect", f"{strict} of {len(own)}; {told}")


def reliability_table(rows: Sequence[Read]) -> None:
    """Of pages with such a chance, how many are spam, each group weighing once."""
    sizes = Counter(row.page.group for row in rows)
    print("chance given: pages, and the share of spam among them by group")
    for low, high in pairwise(STEPS):
        own = [row for row in rows if low <= row.reading.spam_chance < high]
        weight = sum(1 / sizes[row.page.group] for row in own)
        spam = sum(1 / sizes[row.page.group] for row in own if row.page.label == "spam")
        say(f"  {low:.2f} to {min(high, 1):.2f}", f"{len(own):5} pages  {spam / weight if weight else 0:.2f}")


def beside(rows: Sequence[Read]) -> dict[str, dict[str, str]]:
    """For each page the others of its site that are labelled alike, by address."""
    sites: dict[tuple[str, str, str], list[Read]] = defaultdict(list)
    for row in rows:
        if row.page.label in ("spam", "legit"):
            sites[row.page.label, row.page.group, row.page.host].append(row)
    return {
        row.key: {o.page.path: o.key for o in own if o is not row} for own in sites.values() for row in own
    }


def lives_table(rows: Sequence[Read], listed: bool) -> None:
    """Whole sites."""
    readings = {row.key: row.reading for row in rows}
    own = [row for row in rows if row.page.label == "legit" and row.reading.verdict != "error"]
    honest = [row.key for row in own]
    accused = [row.key for row in own if row.reading.verdict != "clean"]
    spam = [row.key for row in front([row for row in rows if row.page.label == "spam"])]
    parked = [row.key for row in front([row for row in rows if row.page.label == "parked"])]
    told: dict[str, Counter[str]] = defaultdict(Counter)
    flagged = 0
    for life in lives(honest, spam, parked, accused, beside(rows)):
        result, flags, reasons = asyncio.run(outcome(life, readings))
        told[life.kind][result] += 1
        told[life.truth][result] += 1
        flagged += bool(life.flags) and life.flags <= flags
        if listed and (result == "spam") != (life.truth == "spam"):
            print(f"  {result}: {life.kind} {life.shots[-1].body.decode()} {reasons}")
    for kind, results in sorted(told.items()):
        total = results.total()
        say(f"lives, {kind}: rejected", interval(results["spam"], total))
        say("  for a second look; let through", f"{results['suspect']}; {results['ok']}")
    say("lives, parked between: flagged", interval(flagged, len(parked)))


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
    """Print the tables."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--scheme", choices=("last", "groups", "kinds", "frozen"), default="groups")
    options.add_argument("--by", choices=tuple(BY), default="both")
    options.add_argument("--lives", action="store_true")
    options.add_argument("--list", action="store_true")
    given = options.parse_args()
    rows = read_all(given.scheme, given.by)
    told = [row for row in rows if row.page.collection != "collected"]
    for name, own in parts_of(rows, given.scheme).items():
        print(f"{name}: {len(own)} pages of {len(by_group(own))} groups")
        pages_table(own)
        kinds_table(own)
    if given.scheme != "kinds":
        reliability_table(told)
    if given.lives:
        lives_table(told, given.list)
    if given.list:
        mistakes(rows)


def parts_of(rows: Sequence[Read], scheme: str) -> dict[str, list[Read]]:
    """The pages of each table: each of the last collections for itself, what was gathered apart from the rest."""
    parts: dict[str, list[Read]] = defaultdict(list)
    for row in rows:
        kept = row.page.collection if row.page.collection in {"collected", *genuine.COLLECTED_LAST} else ""
        parts[kept if scheme == "last" or kept == "collected" else scheme].append(row)
    return parts


if __name__ == "__main__":
    main()
