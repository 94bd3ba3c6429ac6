"""A domain's life as people are shown it: what stood there, by whom, from when to when; and in one sentence.

Pure. Every picture, sentence and row about a domain's past is made from these eras, so that no two of them disagree.
`History.life` has them for a review, `stored_life` for a report.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, Final, Literal, get_args

from pydantic import TypeAdapter

from afterdrop.core.safe_text import blank_controls, one_line
from afterdrop.review.history.eras import Era
from afterdrop.review.history.findings import CATEGORY_WORDS, Finding
from afterdrop.review.history.likeness import shared_words
from afterdrop.review.history.samples import title_words
from afterdrop.review.history.verdict import Outcome

LifeKind = Literal["site", "other", "sale", "holder", "spam", "error", "gap"]

KINDS: Final[tuple[LifeKind, ...]] = get_args(LifeKind)
TURN: Final = "owner_change"
TITLE_CHARS: Final = 80
_TITLE_READ: Final = 1000
_SEPARATOR: Final = re.compile(r"( [–—|·»:-]+ |: )")
_SALE: Final = {"for_sale": "For sale", "pay_per_click": "Paid links"}
_HOLDER: Final = {"coming_soon": "Coming soon"}
# An outage of so few captures, with one owner's site around it, is no era of its own.
_PASSING: Final = 2
# How a kind is written in a packed life, and how many eras one holds.
_LETTERS: Final[Mapping[LifeKind, str]] = {
    kind: letter for kind, letter in zip(KINDS, "sofhxeg", strict=True)
}
_KINDS: Final[Mapping[str, LifeKind]] = {letter: kind for kind, letter in _LETTERS.items()}
_PACKED: Final = re.compile(r"([a-z])(\d{4})(\d\d)(\d{4})(\d\d)")
_MOST_PACKED: Final = 24


@dataclass(frozen=True, slots=True)
class LifeEra:
    """`kind` stood from `start` to `end`; `url` opens its last capture that was read (empty: none), taken at `at`.

    Between two eras nothing was read: what changed, changed in between.
    `owner` numbers the owners of sites from 1; None for what is no site. Where it is `perhaps_other`, nothing clearly
    says that it is the same owner's as before. `title` is the site's own title or says
    what stood there, None for a site without a telling one. `captures` is None where it is not known for this era.
    """

    kind: LifeKind
    start: datetime
    end: datetime
    title: str | None
    owner: int | None = None
    captures: int | None = None
    url: str = ""
    language: str | None = None
    topic: str | None = None
    brand: tuple[str, ...] = ()
    excerpt: str | None = None
    at: datetime | None = None
    perhaps_other: bool = False

    @property
    def years(self) -> str:
        """`2008–2015`, or one year."""
        return years(self.start, self.end)


def years(start: datetime, end: datetime) -> str:
    """`2008–2015`, or one year."""
    return str(start.year) if start.year == end.year else f"{start.year}–{end.year}"


def life(eras: Iterable[Era], findings: Sequence[Finding], outcome: Outcome) -> tuple[LifeEra, ...]:
    """The life that a review tells, in the order of time; none where nothing of the home page was read."""
    raw = sorted(eras, key=lambda era: era.start)
    shown = [_life_era(era, outcome) for era in _believed(raw, findings)]
    return _with_gaps(_joined(_without_passing(_joined(shown))), findings)


def stored_life(history: Mapping[str, Any] | None) -> tuple[LifeEra, ...]:
    """The life that a report's `history` tells (`SiteHistory`). Reports of old have no `outcome`."""
    told = history or {}
    return life(*_read(told), told.get("outcome") or "spam")


def stored_findings(history: Mapping[str, Any] | None) -> tuple[Finding, ...]:
    """The findings of a report's `history`."""
    return _read(history or {})[1]


def _read(history: Mapping[str, Any]) -> tuple[tuple[Era, ...], tuple[Finding, ...]]:
    return _adapter().validate_python((history.get("eras") or (), history.get("findings") or ()))


@lru_cache(maxsize=1)
def _adapter() -> TypeAdapter[tuple[tuple[Era, ...], tuple[Finding, ...]]]:
    return TypeAdapter(tuple[tuple[Era, ...], tuple[Finding, ...]])


def packed(eras: Sequence[LifeEra]) -> str:
    """The eras' kinds and months in short, as the row of a list needs them: `s200403201509`, one after the other."""
    return "".join(
        f"{_LETTERS[era.kind]}{era.start:%Y%m}{era.end:%Y%m}".replace(" ", "0") for era in eras[:_MOST_PACKED]
    )


def unpacked(text: str) -> tuple[LifeEra, ...]:
    """The eras of a packed life, from the first day of a month to the last of one, without titles."""
    eras = []
    for letter, first, month, last, end in _PACKED.findall(text):
        after = datetime(int(last) + int(end) // 12, int(end) % 12 + 1, 1, tzinfo=UTC)
        start = datetime(int(first), int(month), 1, tzinfo=UTC)
        eras.append(LifeEra(_KINDS[letter], start, after - timedelta(seconds=1), None))
    return tuple(eras)


def packed_kinds(text: str) -> set[LifeKind]:
    """The kinds of the eras of a packed life."""
    return {_KINDS[era[0]] for era in _PACKED.findall(text)}


def at(text: str) -> datetime:
    """A stored time; a bare date is midnight UTC."""
    read = datetime.fromisoformat(text)
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def _believed(raw: Sequence[Era], findings: Iterable[Finding]) -> list[Era]:
    """The eras without a lone parking page that the review took for one read wrongly.

    A placeholder from before the first site stays: it is no flag, but it stood there.
    """
    if any(finding.code == "parked" for finding in findings):
        return list(raw)
    begun = next((era.start for era in raw if era.kind == "site"), None)
    return [era for era in raw if era.kind != "parked" or begun is None or era.start < begun]


def _life_era(era: Era, outcome: Outcome) -> LifeEra:
    kind = _kind(era, outcome)
    site = kind == "site"
    owner = (era.owner or 1) if site else None
    return LifeEra(
        "other" if owner and owner > 1 else kind,
        era.start,
        era.end,
        _title(kind, era, sure=outcome == "spam"),
        owner,
        captures=era.captures,
        url=era.url,
        language=era.language,
        topic=era.topic if site else None,
        brand=era.brand if site else (),
        excerpt=era.excerpt if era.detail not in _SALE else None,
        at=era.at,
        perhaps_other=site and era.perhaps_other,
    )


def _kind(era: Era, outcome: Outcome) -> LifeKind:
    if era.kind == "parked":
        return "sale" if era.detail in _SALE else "holder"
    if era.kind == "spam":
        # Where the review as a whole saw no spam, its page rested on words that the honest pages have, too.
        return "site" if outcome == "ok" else "spam"
    return "site" if era.kind in ("site", "suspect") else "error"


def _title(kind: LifeKind, era: Era, *, sure: bool) -> str | None:
    detail = era.detail or ""
    if kind == "sale":
        return _SALE[detail]
    if kind == "holder":
        return _HOLDER.get(detail, "Placeholder")
    if kind == "spam":
        words = f"{CATEGORY_WORDS.get(detail, detail)} spam".strip()
        return words.capitalize() if sure else f"Possible {words}"
    if kind == "error":
        return "Redirect elsewhere" if era.kind == "redirect" else "Error pages"
    return site_title(era.title)


def site_title(title: str | None) -> str | None:
    """A page's title on one line, cut at a word, without a leading “Home –”; None where it names nothing."""
    line = one_line(title or "", _TITLE_READ)
    parts = _SEPARATOR.split(line)
    while parts and not title_words(parts[0]) - shared_words():
        parts = parts[2:]
    line = "".join(parts)
    if not line or len(line) <= TITLE_CHARS:
        return line or None
    cut = line[:TITLE_CHARS]
    return (cut.rpartition(" ")[0] or cut).rstrip(" ,;:–-") + "…"


def _without_passing(eras: Sequence[LifeEra]) -> list[LifeEra]:
    around = zip([None, *eras[:-1]], eras, [*eras[1:], None], strict=True) if eras else ()
    return [
        era
        for before, era, after in around
        if era.kind != "error"
        or (era.captures or 0) > _PASSING
        or before is None
        or after is None
        or before.owner is None
        or before.owner != after.owner
    ]


def _joined(eras: Iterable[LifeEra]) -> list[LifeEra]:
    """Neighbours of one kind, title and owner as one era, which shows the later page."""
    found: list[LifeEra] = []
    for era in eras:
        last = found[-1] if found else None
        same = last is not None and (last.kind, last.owner) == (era.kind, era.owner) and not era.perhaps_other
        if last is None or not same or (era.owner is None and last.title != era.title):
            found.append(era)
            continue
        found[-1] = replace(
            era,
            start=last.start,
            perhaps_other=last.perhaps_other,
            title=era.title or last.title,
            captures=(last.captures or 0) + (era.captures or 0) or None,
            language=era.language or last.language,
            topic=era.topic or last.topic,
            brand=era.brand or last.brand,
            excerpt=era.excerpt or last.excerpt,
        )
    return found


def _with_gaps(eras: Sequence[LifeEra], findings: Iterable[Finding]) -> tuple[LifeEra, ...]:
    shown = list(eras)
    for first, last in (finding.years for finding in findings if finding.years):
        start = datetime(first, 1, 1, tzinfo=UTC)
        end = datetime(last + 1, 1, 1, tzinfo=UTC) - timedelta(seconds=1)
        shown = [piece for era in shown for piece in _cut(era, start, end)]
        # The gap, without the time in which something else stood there.
        within = sorted((era.start, era.end) for era in shown if era.end > start and era.start < end)
        edges = [start, *(edge for span in within for edge in span), end]
        pieces = list(zip(edges[::2], edges[1::2], strict=True))
        shown += [LifeEra("gap", first, last, "Nothing archived") for first, last in pieces if last > first]
    return tuple(sorted(shown, key=lambda era: (era.start, era.end)))


def _cut(era: LifeEra, start: datetime, end: datetime) -> list[LifeEra]:
    """The era in two where it stood on both sides of a gap. Its capture is shown on the side on which it was taken."""
    if era.kind == "gap" or era.start >= start or era.end <= end:
        return [era]
    second = timedelta(seconds=1)
    taken = era.at or era.end
    without = replace(era, captures=None, url="", at=None, excerpt=None)
    whole = replace(era, captures=None)
    return [
        replace(whole if taken < start else without, end=start - second),
        replace(whole if taken >= start else without, start=end + second, perhaps_other=False),
    ]


_WORD: Final = re.compile(r"[^\W_]{2,}")
_PLAIN: Final = {
    "For sale": "for sale",
    "Paid links": "a page of paid links",
    "Placeholder": "a placeholder",
    "Coming soon": "a coming-soon page",
    "Error pages": "error pages",
    "Redirect elsewhere": "a redirect elsewhere",
    "Nothing archived": "nothing archived",
}


def story(eras: Sequence[LifeEra]) -> str:
    """One sentence from the first era to the last; empty without eras."""
    groups: dict[tuple[object, ...], list[LifeEra]] = {}
    for era in eras:
        key = (era.owner,) if era.owner is not None else (era.kind, era.title)
        groups.setdefault(key, []).append(era)
    told = ""
    last: LifeEra | None = None
    for group in groups.values():
        joint = "" if last is None else ", then " if group[0].start >= last.end else "; "
        told += f"{joint}{_what(group)} {_years(group)}{_doubt(group)}"
        last = group[-1]
    if not told:
        return ""
    return told[0].upper() + told[1:] + "."


def link_words(text: str) -> set[str]:
    """The words of a link text in lower case; they may name an owner."""
    return set(_WORD.findall(blank_controls(text).lower()))


def _what(group: Sequence[LifeEra]) -> str:
    latest = group[-1]
    if latest.owner is None:
        return _PLAIN.get(latest.title or "", (latest.title or latest.kind).lower())
    title = next((era.title for era in reversed(group) if era.title), None)
    topic = next((era.topic for era in reversed(group) if era.topic), None)
    named = f"“{title}”" if title else f"a site about {topic}" if topic else "a site"
    if latest.owner == 1:
        return named
    return (
        f"another owner’s site, {named},"
        if title
        else f"another owner’s site{f' about {topic}' if topic else ''}"
    )


def _doubt(group: Iterable[LifeEra]) -> str:
    doubtful = [era.start.year for era in group if era.perhaps_other]
    return f" (perhaps another owner’s from {doubtful[0]})" if doubtful else ""


def _years(group: Iterable[LifeEra]) -> str:
    spans: list[list[int]] = []
    for era in group:
        if spans and era.start.year <= spans[-1][1]:
            spans[-1][1] = max(spans[-1][1], era.end.year)
        else:
            spans.append([era.start.year, era.end.year])
    shown = [str(first) if first == last else f"{first}–{last}" for first, last in spans]
    return listed(shown)


def listed(names: Sequence[str]) -> str:
    """`one`, `one and two`, `one, two and three`."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
