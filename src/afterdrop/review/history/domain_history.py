"""The history of a domain: what the archive's index and a few captures say about it, ready to store and to score.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, lru_cache
from itertools import groupby
from typing import Any

from pydantic import TypeAdapter

from afterdrop.core.safe_text import storable
from afterdrop.review.flags.trademarks import Marks, mark_finding
from afterdrop.review.history.calendars import is_calendar_page
from afterdrop.review.history.changes import OwnerChange, SiteChange, changes, other_subject
from afterdrop.review.history.cloaking import cloaking_notes
from afterdrop.review.history.eras import Era, eras, mostly
from afterdrop.review.history.farm import Farm
from afterdrop.review.history.findings import Finding, day, gap_note, of_samples
from afterdrop.review.history.life import LifeEra, life
from afterdrop.review.history.owners import Owner, last_change, longest_first, owners
from afterdrop.review.history.parked_history import answered_alike, parked_finding
from afterdrop.review.history.same_owner import AWAY, Owned, owned
from afterdrop.review.history.samples import Kind, Sample, name_words
from afterdrop.review.history.timeline import Gap, Stretch, gaps, honest_years, share, stretches
from afterdrop.review.history.verdict import Outcome, spam_verdict
from afterdrop.review.page.language import language_name
from afterdrop.review.page.text import QUOTE_CHARS, shortened
from afterdrop.sources.archive.cdx import digests_at
from afterdrop.sources.archive.cdx_index import COMMON_CRAWL, ArchivedPage, Index, Span
from afterdrop.sources.archive.same_page import page_key

REVIVAL_PAGES = 20
# So many addresses for each page are looked at, of which most may be the same.
_ADDRESSES = 10
# What has an owner, by the outcome: among spam suspect pages are spam; in an honest life a page of spam was none.
OWNED: Mapping[Outcome, frozenset[Kind]] = {
    "spam": frozenset({"site"}),
    "suspect": frozenset({"site", "suspect"}),
    "ok": frozenset({"site", "suspect", "spam"}),
}
# Owners whose pages are kept, those whose site was there for the longest time.
MOST_KITS = 3
PATH_CHARS = 2000
PATH_FINDINGS = 5
# The port that a scheme has anyway, after the host.
_DEFAULT_PORT = re.compile(r"^([^/?#]*?):(?:80|443)?(?=[/?#]|$)")


@dataclass(frozen=True, slots=True)
class RevivalPage:
    """One of the most-archived HTML pages of an owner: `era` is the owner's number, counted from 1.

    `timestamp` (fourteen digits) is its last good capture while the owner's site stood, `captures` counts those.
    `place` is where Common Crawl's files have that page, "" where they do not.
    `overall` are the most-archived addresses whoever had them: each once, as the owner's who had it archived most.
    """

    path: str
    url: str
    captures: int
    last_capture: str
    timestamp: str
    era: int = 1
    overall: bool = True
    place: str = ""


@dataclass(frozen=True, slots=True)
class CaptureRead:
    """One capture that was asked for, and what stood there."""

    at: datetime
    url: str
    kind: Kind
    language: str | None = None
    title: str | None = None
    words: int = 0
    detail: str | None = None


@dataclass(frozen=True)
class History:
    """The result of one review; frozen, and the same after a trip through JSON.

    `archive_years` counts calendar years with captures of any kind, `archived_urls` distinct addresses; both are
    None where the archive keeps the site from view (`blocked`). `good_years` have a page archived, `honest_years` a
    page while the site itself stood there; `parked_share` is the share of the time covered, None where nothing was
    read. `language`, `title` and `topic` are those of the last owner's honest site, None where unknown; the topic is an
    estimate.
    `outcome` spam rejects, suspect asks for a second look, with `reasons`; `findings` carry the evidence, `notes`
    what was odd on the way.
    """

    domain: str
    reviewed_at: datetime
    outcome: Outcome
    reasons: tuple[str, ...] = ()
    archive_years: int | None = None
    first_year: int | None = None
    last_year: int | None = None
    first_capture: datetime | None = None
    last_capture: datetime | None = None
    captures: int = 0
    archived_urls: int | None = None
    good_years: tuple[int, ...] = ()
    honest_years: tuple[int, ...] = ()
    parked_share: float | None = None
    language: str | None = None
    title: str | None = None
    topic: str | None = None
    eras: tuple[Era, ...] = ()
    findings: tuple[Finding, ...] = ()
    pages: tuple[RevivalPage, ...] = ()
    read: tuple[CaptureRead, ...] = ()
    blocked: bool = False
    notes: tuple[str, ...] = ()

    @property
    def spam(self) -> bool:
        """Whether the domain is to be rejected."""
        return self.outcome == "spam"

    @property
    def unread(self) -> bool:
        """Whether there are captures, but no page of them could be read: then nothing is known of what stood there."""
        read = any(capture.kind not in ("failed", "redirect") for capture in self.read)
        return bool(self.captures) and not (self.blocked or self.spam or read)

    @property
    def errors_only(self) -> bool:
        """Whether nothing but error pages could be read, which do not tell what stood there."""
        told = {capture.kind for capture in self.read} - {"failed", "redirect"}
        return told == {"error"}

    @cached_property
    def life(self) -> tuple[LifeEra, ...]:
        """The eras as people are shown them."""
        return life(self.eras, self.findings, self.outcome)

    @cached_property
    def owners(self) -> tuple[Owner, ...]:
        """The owners that the site had, as a report tells its life."""
        return owners(self.eras, self.life)

    @property
    def last_owner_since(self) -> datetime | None:
        """When the last owner's site was first read; None where one owner had the site all along."""
        return last_change(self.life)

    def with_notes(self, notes: Sequence[str]) -> History:
        """The same with further notes."""
        return replace(self, notes=(*self.notes, *notes))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values that every database takes: no NUL and no lone surrogate in any text."""
        plain: dict[str, Any] = storable(_adapter().dump_python(self, mode="json"))
        return plain

    @classmethod
    def from_dict(cls, stored: Mapping[str, object]) -> History:
        """The history `to_dict` gave."""
        return _adapter().validate_python(dict(stored))


@lru_cache(maxsize=1)
def _adapter() -> TypeAdapter[History]:
    return TypeAdapter(History)


def review(
    index: Index,
    samples: Sequence[Sample],
    now: datetime,
    *,
    paths: Sequence[str] = (),
    farm: Farm | None = None,
    listing_url: str = "",
    notes: Sequence[str] = (),
    marks: Marks | None = None,
) -> History:
    """Put a domain's history together from its index, the captures read, and the spam `paths` and `farm` of its index.

    `listing_url` is the archive's listing of the domain, where a finding of the index can be seen; `marks`, where
    an operator has some, are compared with the name here.
    """
    inherited = name_words(index.domain)
    samples = [answered_alike(sample, index) for sample in samples]
    parts = stretches(index, samples)
    judged = spam_verdict(samples, paths, inherited, farm, _shown(parts))
    standing = [part for part in parts if part.sample.kind in OWNED[judged.outcome]]
    away = [part.sample.at for part in parts if part.sample.kind in AWAY]
    told = owned(standing, inherited, away)
    turns = changes(parts, told.owner)
    stood = eras(parts, told, suspects="spam" if judged.outcome == "spam" else "site")
    sites = _of_last_owner(parts, stood, told)
    good = _good_years(index, samples)
    history = History(
        index.domain,
        now,
        judged.outcome,
        judged.reasons,
        archive_years=None if index.blocked else len(index.years),
        first_year=min(index.years, default=None),
        last_year=max(index.years, default=None),
        first_capture=index.first,
        last_capture=index.last,
        captures=index.captures,
        archived_urls=None if index.blocked else index.urls,
        good_years=good,
        honest_years=tuple(sorted(set(honest_years(parts, good)).difference(_unread_years(index, samples)))),
        parked_share=round(share(parts, "parked"), 4) if parts else None,
        language=_language(stood, sites),
        title=next((era.title for era in reversed(stood) if era.kind == "site" and era.title), None),
        topic=mostly(sites, "topic", 0.5),
        eras=stood,
        findings=(
            *_findings(index, samples, parts, turns, paths, inherited, listing_url),
            *((_farm(farm, listing_url),) if farm and judged.farmed else ()),
            *((marked,) if marks and (marked := mark_finding(index.domain, marks)) else ()),
        ),
        read=tuple(map(_read, sorted(samples, key=lambda sample: sample.at))),
        blocked=index.blocked,
        notes=(*notes, *_notes(index, samples)),
    )
    return replace(history, pages=_revival_pages(index, history.owners))


def _shown(parts: Sequence[Stretch]) -> dict[datetime, Span]:
    """From when to when the page of each home capture that was read is known to have stood."""
    known = [(part.sample.at, part.shown) for part in parts if part.shown is not None]
    known.sort(key=lambda each: each[1])
    return {at: (next(span[0] for own, span in known if own == at), last) for at, (_, last) in known}


def _good_years(index: Index, samples: Sequence[Sample]) -> tuple[int, ...]:
    """The years with a page archived. Captures that were read are believed, and the index of the others."""
    counts = dict(index.good_years)
    listed = {capture.at for capture in index.home if capture.good}
    for sample in samples:
        if sample.kind in ("site", "suspect", "spam", "parked"):
            counts.setdefault(sample.at.year, 1)
        elif sample.asked in listed and (sample.kind == "redirect" or sample.status >= 400):
            counts[sample.asked.year] = counts.get(sample.asked.year, 0) - 1
    return tuple(sorted(year for year, count in counts.items() if count > 0))


def _of_last_owner(parts: Sequence[Stretch], stood: Sequence[Era], told: Owned) -> list[Stretch]:
    """The stretches of the last owner's site, from where it may have become his."""
    last = next((era.owner for era in reversed(stood) if era.kind == "site"), None)
    since = max((at for at in told.loose if told.owner[at] == last), default=None)
    return [
        part
        for part in parts
        if part.sample.kind == "site"
        and told.owner[part.sample.at] == last
        and (since is None or part.sample.at >= since)
    ]


def _findings(
    index: Index,
    samples: Sequence[Sample],
    parts: Sequence[Stretch],
    turns: Sequence[OwnerChange],
    paths: Sequence[str],
    inherited: frozenset[str],
    listing_url: str,
) -> tuple[Finding, ...]:
    parked = parked_finding(parts, inherited)
    found = [
        *([parked] if parked else []),
        *map(_change, turns),
        *(
            _gap(gap, index.archives, listing_url)
            for gap in sorted(gaps(index), key=lambda gap: -len(gap.years))
        ),
        *(_path(index, path, listing_url) for path in paths[:PATH_FINDINGS]),
        *of_samples(sorted(samples, key=lambda sample: sample.at)),
    ]
    return tuple(found)


# Of a change of owner that left the subject as it was.
ONE_SUBJECT = "one_subject"


def _change(turn: OwnerChange) -> Finding:
    """A change as it is told: the captures around it, and what the owner changed with the site."""
    change, language = turn.change, turn.language
    changed = [code for code, what in (("lang_change", language), ("topic_change", turn.subject)) if what]
    alike = not changed and other_subject(change.before.page, change.after.page) is False
    what = "owner"
    if language:
        what += f" and its language (from {language_name(language.old)} to {language_name(language.new)})"
    if turn.subject:
        what += _subjects(turn.subject)
    titles = [shortened(side.page.title or "untitled", 60) for side in (change.before, change.after)]
    return Finding(
        "owner_change",
        2 if changed else 0,
        f"The site's {what} changed between {day(change.last)} (“{titles[0]}”) and {day(change.first)}"
        f" (“{titles[1]}”).",
        ONE_SUBJECT if alike else (language and language.new) or (turn.subject and turn.subject.new) or "",
        change.first,
        _address(change.after, change.first),
        before=change.last,
        before_url=_address(change.before, change.last),
        changed=tuple(changed),
    )


def _subjects(change: SiteChange) -> str:
    known = change.old and change.new and change.old != change.new
    return f" and its subject (from {change.old} to {change.new})" if known else " and its subject"


def _address(sample: Sample, at: datetime) -> str:
    """The address of the capture `at`, which shows the page of `sample`; of frames, which are other pages, its own."""
    return sample.replay_url.replace(f"{sample.at:%Y%m%d%H%M%S}", f"{at:%Y%m%d%H%M%S}", 1)


def _gap(gap: Gap, archives: Sequence[str], listing_url: str) -> Finding:
    return Finding("gap", 1, gap_note(gap, archives), url=listing_url, years=(gap.years[0], gap.years[-1]))


def _path(index: Index, path: str, listing_url: str) -> Finding:
    note = f"The web archive has the address {shortened(path, 120)}, which points to spam."
    return _addresses(note, path, index.page_at(path), listing_url)


def _farm(farm: Farm, listing_url: str) -> Finding:
    return _addresses(f"{farm.note}.", farm.example, next(iter(farm.pages), None), listing_url, "doorway")


def _addresses(
    note: str, path: str, page: ArchivedPage | None, listing_url: str, category: str = ""
) -> Finding:
    at = page.last if page else None
    return Finding("spam_paths", 2, note, category, at, listing_url, "url", path[:QUOTE_CHARS])


def _language(stood: Sequence[Era], sites: Sequence[Stretch]) -> str | None:
    """The language of the site whose title is shown, the last one; what most pages speak where it is not known."""
    last = next((era for era in reversed(stood) if era.kind == "site"), None)
    return (last.language if last else None) or mostly(sites, "language")


def _revival_pages(index: Index, owned: Sequence[Owner]) -> tuple[RevivalPage, ...]:
    """The pages that were archived most while an owner's site stood, as they last stood then, for each owner apart."""
    kept = longest_first(owned)[:MOST_KITS]
    found = [(owner.era, page) for owner in kept for page in _most_archived(index, owner)]
    found.sort(key=lambda each: (-each[1].captures, each[1].path, each[0]))
    scheme = "https" if any(page.url.startswith("https:") for _, page in found) else "http"
    pages: list[RevivalPage] = []
    seen: set[str] = set()
    for era, page in found:
        overall = page.path not in seen and len(seen) < REVIVAL_PAGES
        seen.add(page.path)
        pages.append(
            RevivalPage(
                page.path,
                plain_address(page.url, scheme),
                page.captures,
                day(page.last),
                page.last.strftime("%Y%m%d%H%M%S"),
                era,
                overall,
            )
        )
    return tuple(pages)


def _most_archived(index: Index, owner: Owner) -> list[ArchivedPage]:
    found = index.pages_within(owner.spans, _ADDRESSES * REVIVAL_PAGES)
    fitting = {
        page.path: page
        for page in reversed(found)
        if len(page.path) <= PATH_CHARS and not is_calendar_page(page.path)
    }
    pages = sorted(fitting.values(), key=lambda page: (-page.captures, page.path))
    return _apart(index, pages)[:REVIVAL_PAGES]


def _apart(index: Index, pages: Sequence[ArchivedPage]) -> list[ArchivedPage]:
    """Pages without those that are the same as another: a server that answers every address alike has one page.

    Of the same pages the home page is kept, or else the first.
    """
    untold = {page.urlkey: page.last for page in pages if not page.digest}
    told = digests_at(index, untold) if len(pages) > 1 and untold else {}
    kept: dict[str, ArchivedPage] = {}
    for page in pages:
        digest = page.digest or told.get(page.urlkey, page.path)
        if digest not in kept or page_key(page.path) == "":
            kept[digest] = page
    return sorted(kept.values(), key=lambda page: (-page.captures, page.path))


def plain_address(url: str, scheme: str) -> str:
    """An address under `scheme` and without a default port, so that all of a site's look alike.

    >>> plain_address("http://www.a.com:80/x?y", "https")
    'https://www.a.com/x?y'
    """
    rest = _DEFAULT_PORT.sub(r"\1", url.partition("://")[2])
    return f"{scheme}://{rest}"


def _read(sample: Sample) -> CaptureRead:
    page = sample.page
    detail = sample.failure or sample.redirected_to or page.category or page.parked_kind or page.error_kind
    return CaptureRead(
        sample.at, sample.replay_url, sample.kind, page.language, page.title, page.words, detail
    )


def _notes(index: Index, samples: Sequence[Sample]) -> tuple[str, ...]:
    notes = [f"{count} index lines could not be read ({reason})." for reason, count in index.bad.items()]
    if index.blocked:
        notes.append("The web archive does not show this site.")
    others = " and ".join(index.archives)
    notes.extend(
        f"{name[0].upper()}{name[1:]} did not answer, so all that is told rests on {others}."
        for name in index.missing
    )
    if index.archives == (COMMON_CRAWL,) and not index.missing:
        notes.append(
            "All that is told rests on Common Crawl: the Wayback Machine was not asked, or excludes the site."
        )
    notes.extend(cloaking_notes(samples))
    if index.cut:
        notes.append(
            "The web archive has more captures than we asked for, so the counts cover only the first ones."
        )
    if index.home_path != "/" and index.home:
        notes.append(f"The home page is not archived, so {index.home_path[:100]} was read instead.")
    notes.extend(
        f"The home page sent its visitors on to {url[:200]}, so what was archived there within a year was read."
        for url in index.sent_to
    )
    notes.extend(
        f"The capture of {day(sample.at)} could not be read: {sample.failure}."
        for sample in samples
        if sample.failure
    )
    if unread := _spans(_unread_years(index, samples)):
        notes.append(
            f"No page of {', '.join(unread)} could be read: nothing is known of what stood there then."
        )
    return tuple(notes)


def _unread_years(index: Index, samples: Sequence[Sample]) -> list[int]:
    """The years with pages of which none that was asked for could be read.

    Captures that failed one after another leave the years between them unread, too.
    """
    known = {sample.at.year for sample in samples if sample.kind != "failed"}
    unread: list[int] = []
    ordered = sorted(samples, key=lambda sample: sample.at)
    for failed, run in groupby(ordered, lambda sample: sample.kind == "failed"):
        if failed:
            years = [sample.at.year for sample in run]
            unread += [
                year
                for year in range(years[0], years[-1] + 1)
                if year in index.good_years and year not in known
            ]
    return list(dict.fromkeys(unread))


def _spans(years: Sequence[int]) -> list[str]:
    """Years in words: "2004", "2007–2009"."""
    spans: list[list[int]] = []
    for year in years:
        if spans and year == spans[-1][-1] + 1:
            spans[-1].append(year)
        else:
            spans.append([year])
    return [str(span[0]) if len(span) == 1 else f"{span[0]}–{span[-1]}" for span in spans]
