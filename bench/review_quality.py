"""How often the page reader is right on pages from sources that it was not written from.

    python -m bench.review_quality [--real FOLDER] [--list]

Shares come with their 95 % interval (Wilson). Labelled pages are judged leave-one-group-out: the only fitted values,
the points from which a page is spam or suspect, are chosen anew on the other groups for each source held out. The
lexicon itself was written from knowledge of the trades, not from these pages. Composed pages (honest pages on spam's
subjects, spam in twenty languages, landers) are the tests' own and printed apart.
"""

from __future__ import annotations

import argparse
import html
import json
import resource
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from bench.shares import interval
from tests.unit.review.composed_honest import HONEST
from tests.unit.review.composed_near import NEAR
from tests.unit.review.composed_parked import provider_landers, worded_landers
from tests.unit.review.composed_spam import SPAM
from tests.unit.review.composed_subtle import SUBTLE

from afterdrop.review.page import language
from afterdrop.review.page.charset import decode
from afterdrop.review.page.lexicon import lexicon
from afterdrop.review.page.markup import parse
from afterdrop.review.page.reader import page_language, read_page
from afterdrop.review.page.source import without_archive
from afterdrop.review.page.text import count_words
from afterdrop.review.page.topics import topic_of_text
from afterdrop.review.page.trades import LIMITS, Limits, Zoned, is_spam, is_suspect, tally, weigh
from afterdrop.review.page.values import PageReading, Weighed

REQUIRED = ("en", "de", "fr", "es", "it", "nl", "pt", "tr", "ru", "sv", "ja")
HONEST_MOST = 0.005
GRID = [Limits(s, d, u) for s, d, u in product((8.0, 9.5, 11.0, 13.0), (10.0, 12.0, 15.0), (4.0, 6.0, 8.0))]


@dataclass(frozen=True)
class Labelled:
    """One labelled page with its reading."""

    name: str
    label: str
    group: str
    reading: PageReading
    weighed: tuple[Weighed, ...]
    verbatim: bool


def say(name: str, figure: str) -> None:
    """One row of the table."""
    print(f"{name:58} {figure}")


def read_labelled(name: str, label: str, group: str, body: bytes) -> Labelled:
    """Read one page, and look for its evidence in the source and in the source's text."""
    reading = read_page(body, url="")
    source = decode(body).text
    plain = " ".join(html.unescape(source).split())
    verbatim = all(item.quote in source or item.quote in plain for item in reading.evidence)
    parts = parse(without_archive(source))
    pieces = [
        Zoned("title", parts.title),
        *(Zoned("meta", parts.metas.get(key, "")) for key in ("description", "keywords")),
        *(Zoned("meta", heading) for heading in parts.headings[:4]),
        Zoned("body", parts.text),
    ]
    tallies = tally(pieces, page_language(parts).language, lexicon())
    words = count_words(parts.text)
    explicit = lexicon().medium_decides
    weighed = tuple(
        weigh(counted, words, explicit=category in explicit) for category, counted in tallies.trades.items()
    )
    return Labelled(name, label, group, reading, weighed, verbatim)


def real_pages(folder: Path) -> list[Labelled]:
    """The labelled pages of a history folder."""
    rows: list[dict[str, Any]] = json.loads((folder / "pages.json").read_text())
    return [
        read_labelled(row["file"], row["label"], row["group"], (folder / row["file"]).read_bytes())
        for row in rows
    ]


def recall(pages: Sequence[Labelled], rule: Callable[[Weighed], bool]) -> float:
    """Share of pages that a rule catches by any category."""
    return sum(any(map(rule, page.weighed)) for page in pages) / len(pages) if pages else 0.0


def fit(pages: Sequence[Labelled]) -> Limits:
    """The limits with the best recall (strict, then lenient) among those that keep honest pages honest."""
    spam = [page for page in pages if page.label == "spam"]
    honest = [page for page in pages if page.label == "legit"]
    safe = [g for g in GRID if recall(honest, lambda w, g=g: is_spam(w, g)) <= HONEST_MOST]  # type: ignore[misc]

    def worth(g: Limits) -> tuple[float, float, float]:
        lenient = recall(spam, lambda w: is_spam(w, g) or is_suspect(w, g))
        false = recall(honest, lambda w: is_suspect(w, g))
        return recall(spam, lambda w: is_spam(w, g)) + lenient - 2 * false, g.spam, g.suspect

    return max(safe, key=worth, default=LIMITS)


def held_out(pages: Sequence[Labelled]) -> None:
    """Spam recall, each source judged with limits chosen on all the others."""
    groups = sorted({page.group for page in pages if page.label == "spam"})
    strict, lenient = [], []
    for group in groups:
        limits = fit([page for page in pages if page.group != group])
        own = [page for page in pages if page.group == group and page.label == "spam"]
        hard = sum(any(is_spam(w, limits) for w in page.weighed) for page in own)
        soft = sum(any(is_spam(w, limits) or is_suspect(w, limits) for w in page.weighed) for page in own)
        strict.append(hard / len(own))
        lenient.append(soft / len(own))
        say(
            f"  held out: {group.removeprefix('github:')}",
            f"strict {hard}/{len(own)}, with suspect {soft}/{len(own)}",
        )
    say("spam recall held out, macro over sources", f"{sum(strict) / len(strict):.3f} (want .85)")
    say("  with suspect", f"{sum(lenient) / len(lenient):.3f} (want .95)")


def shipped(pages: Sequence[Labelled], title: str, show: bool) -> None:
    """Verdicts with the limits that are shipped."""
    print(f"\n{title}")
    by_label: dict[str, list[Labelled]] = defaultdict(list)
    for page in pages:
        by_label[page.label].append(page)
    honest = by_label["legit"]
    wrong = [page for page in honest if page.reading.verdict in {"spam", "parked"}]
    say("honest pages called spam or parked (want 0.5 % at most)", interval(len(wrong), len(honest)))
    say(
        "honest pages called suspect",
        interval(sum(p.reading.verdict == "suspect" for p in honest), len(honest)),
    )
    for page in wrong:
        found = "; ".join(f"{e.zone} “{e.quote[:70]}” ({e.rule})" for e in page.reading.evidence[:4])
        print(
            f"    {page.name}: {page.reading.verdict} {page.reading.category or page.reading.parked_kind}: {found}"
        )
    sources: dict[str, list[Labelled]] = defaultdict(list)
    for page in by_label["spam"]:
        sources[page.group].append(page)
    for name, verdicts in (("strict", {"spam"}), ("with suspect", {"spam", "suspect"})):
        shares = [sum(p.reading.verdict in verdicts for p in own) / len(own) for own in sources.values()]
        if shares:
            hits = sum(p.reading.verdict in verdicts for p in by_label["spam"])
            say(
                f"spam recall {name}, macro {sum(shares) / len(shares):.3f}",
                interval(hits, len(by_label["spam"])),
            )
    called = [page for page in pages if page.reading.verdict == "parked"]
    if by_label["parked"]:
        say("parked precision", interval(sum(page.label == "parked" for page in called), len(called)))
        say("parked recall", interval(sum(p.label == "parked" for p in called), len(by_label["parked"])))
    errors = by_label["error"]
    say("error pages called error", interval(sum(p.reading.verdict == "error" for p in errors), len(errors)))
    told = [page for page in pages if page.reading.evidence]
    say(
        "pages whose evidence quotes all stand in the page",
        interval(sum(p.verbatim for p in told), len(told)),
    )
    if show:
        for page in pages:
            want = {"legit": "clean"}.get(page.label, page.label)
            if page.reading.verdict != want:
                print(f"    {page.name}: {page.label} → {page.reading.verdict} {page.reading.category or ''}")


def rows_of(path: Path) -> list[dict[str, str]]:
    """The objects of a JSON lines file."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def majority(text: str) -> str | None:
    """The language that most of the three detectors give; a tie goes to the n-grams."""
    voices = [language._ngrams([text]), language._fasttext([text]), language._langid([text])]
    firsts = [
        language._first({k: v for k, v in voice.items() if k in language.LANGUAGES}) for voice in voices
    ]
    return max(firsts, key=firsts.count) if any(firsts) else None


def languages(folder: Path) -> None:
    """Accuracy by kind of text, against a plain majority of the same detectors."""
    print("\nlanguage")
    rows = rows_of(folder / "titles_lang.jsonl") + rows_of(folder / "pages_lang.jsonl")
    for kind in ("flores_fragment_20_60", "real_html_title", "flores_500"):
        own = [row for row in rows if row["kind"] == kind]
        say(f"{kind}, {len({r['lang'] for r in own})} languages", interval(_right(own, ours), len(own)))
        say("  plain majority of the three", interval(_right(own, majority), len(own)))
        eleven = [row for row in own if row["lang"] in REQUIRED]
        say("  the contract's eleven", interval(_right(eleven, ours), len(eleven)))
        if kind.startswith("flores_fragment"):
            each = {code: [row for row in own if row["lang"] == code] for code in REQUIRED}
            shares = ", ".join(f"{code} {_right(part, ours) / len(part):.2f}" for code, part in each.items())
            say("  each", shares)


def ours(text: str) -> str | None:
    """The answer of the shipped detector."""
    return language.detect_language(text).language


def _right(rows: Iterable[dict[str, str]], answer: Callable[[str], str | None]) -> int:
    return sum(answer(row["text"]) == row["lang"] for row in rows)


def topics(folder: Path) -> None:
    """Answered share and accuracy of the topic estimate."""
    print("\ntopic")
    for name in ("site_text_topic", "sib200_topic"):
        rows = rows_of(folder / f"{name}.jsonl")
        given = [(row["topic"], topic_of_text(row["text"], row.get("lang", "en"))) for row in rows]
        answered = [(want, got) for want, got in given if got]
        say(f"{name}: answered", interval(len(answered), len(rows)))
        say("  right when answered", interval(sum(want == got for want, got in answered), len(answered)))


def speed(folder: Path) -> None:
    """Pages a second of one core (processor time) and the most memory so far."""
    bodies = [path.read_bytes() for path in sorted((folder / "html").iterdir())]
    size = sum(map(len, bodies)) / len(bodies) / 1000
    start = time.process_time()
    for body in bodies:
        read_page(body, url="")
    rate = len(bodies) / (time.process_time() - start)
    print()
    say(f"pages a second of a core ({size:.0f} kB, want 40)", f"{rate:.0f}")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    say("most memory of this process (want 400 MB)", f"{most:.0f} MB")


def composed() -> list[Labelled]:
    """Print the results for the tests' own pages."""
    pages = [read_labelled(page.name, "legit", "composed", page.html()) for page in HONEST + NEAR]
    pages += [read_labelled(page.name, "spam", page.name.split()[0], page.html()) for page in SPAM + SUBTLE]
    landers = provider_landers() + worded_landers()
    return pages + [read_labelled(page.name, "parked", "composed", page.body) for page in landers]


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    options.add_argument("--real", type=Path, default=Path(__file__).parents[2] / "shared/real/history")
    options.add_argument(
        "--list", action="store_true", help="print every page judged otherwise than labelled"
    )
    given = options.parse_args()
    if given.real.is_dir():
        pages = real_pages(given.real)
        shipped(pages, f"labelled pages of {given.real}", given.list)
        held_out(pages)
        languages(given.real)
        speed(given.real)
        topics(given.real)
    else:
        print(f"no labelled pages at {given.real}: composed ones only")
    shipped(composed(), "composed pages", given.list)


if __name__ == "__main__":
    main()
