"""How often verdicts agree with labels, as the lines of a table.

Pure. Labels are legit, spam or parked. Shares come with Wilson's interval at 95 %, as a handful of pages says little.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from afterdrop.review.page.values import PageVerdict

Label = Literal["legit", "spam", "parked"]
LABELS: Final = frozenset(get_args(Label))
_Z: Final = 1.96
_WIDTH: Final = 44


@dataclass(frozen=True, slots=True)
class Judged:
    """One labelled page with its verdict; pages of one `group` (a site) count once where sites are counted."""

    label: Label
    group: str
    verdict: PageVerdict


def table(pages: Sequence[Judged]) -> Iterator[str]:
    """The lines, for the labels that occur."""
    by_label: dict[str, list[Judged]] = defaultdict(list)
    for page in pages:
        by_label[page.label].append(page)
    if honest := by_label["legit"]:
        yield _line("honest pages called spam or parked", honest, "spam", "parked")
        yield _line("honest pages called suspect", honest, "suspect")
    if spam := by_label["spam"]:
        yield _line("spam pages called spam", spam, "spam")
        yield _line("  with suspect", spam, "spam", "suspect")
        yield _by_group("spam, mean over sites, called spam", spam, "spam")
        yield _by_group("  with suspect", spam, "spam", "suspect")
    if parked := by_label["parked"]:
        yield _line("parked pages called parked", parked, "parked")


def share(hits: int, of: int) -> str:
    """`hits of of`, the share, and its interval; `of` is at least 1."""
    low, high = wilson(hits, of)
    return f"{hits} of {of}  {hits / of:.1%}  [{low:.1%}, {high:.1%}]"


def wilson(hits: int, of: int) -> tuple[float, float]:
    """The interval in which the share lies 95 times in a hundred (Wilson 1927); `of` is at least 1."""
    part, weight = hits / of, 1 + _Z**2 / of
    middle = (part + _Z**2 / (2 * of)) / weight
    half = _Z * math.sqrt(part * (1 - part) / of + _Z**2 / (4 * of**2)) / weight
    return max(0.0, middle - half), min(1.0, middle + half)


def _line(name: str, pages: Iterable[Judged], *verdicts: PageVerdict) -> str:
    found = [page.verdict in verdicts for page in pages]
    return f"{name:{_WIDTH}} {share(sum(found), len(found))}"


def _by_group(name: str, pages: Iterable[Judged], *verdicts: PageVerdict) -> str:
    groups: dict[str, list[bool]] = defaultdict(list)
    for page in pages:
        groups[page.group].append(page.verdict in verdicts)
    mean = sum(sum(own) / len(own) for own in groups.values()) / len(groups)
    return f"{name:{_WIDTH}} {mean:.3f} over {len(groups)}"
