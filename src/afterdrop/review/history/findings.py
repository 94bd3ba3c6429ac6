"""Findings: what was seen, where and when, with an address at which a person can see it too.

Pure. No score without one: every reason, flag and note of a review rests on findings.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from afterdrop.review.history.samples import Sample
from afterdrop.review.history.timeline import Gap
from afterdrop.review.page.text import marked
from afterdrop.review.page.values import ACT, Evidence, PageReading

PER_SAMPLE = 6
TWICE = 2


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found in a site's history.

    `code` names it (`spam_page`, `spam_paths`, `parked`, `gap`, `lang_change`, `topic_change` …), `category` its
    subject, `severity` runs 0 (worth knowing) to 3 (decides alone). `at` and `url` are the capture and the address
    where it can be opened; a finding of the index alone has the index listing's address or none. `quote` stands
    verbatim in `zone` of that capture. `note` is one plain sentence. `rule` and `lexicon` say who found it. `years` are
    the first and the last year of a gap.

    A change of owner came between the captures `before` and `at`; `before_url` opens the former. `changed` names the
    flags that it raises: `lang_change`, `topic_change`.
    """

    code: str
    severity: int
    note: str
    category: str = ""
    at: datetime | None = None
    url: str = ""
    zone: str = ""
    quote: str = ""
    rule: str = ""
    lexicon: str = ""
    years: tuple[int, int] | None = None
    before: datetime | None = None
    before_url: str = ""
    changed: tuple[str, ...] = ()


CATEGORY_WORDS = {
    "gambling": "gambling",
    "adult": "adult",
    "pharma": "pill-shop",
    "payday": "payday-loan",
    "replica": "replica-goods",
    "essay": "essay-mill",
    "crypto": "crypto-scheme",
    "warez": "cracked-software",
    "doorway": "search-engine doorway",
    "injected": "injected-link",
    "for_sale": "for-sale",
    "pay_per_click": "paid-link",
    "hosting_placeholder": "placeholder",
    "coming_soon": "coming-soon",
}
_ZONE_WORDS = {
    "body": "text",
    "meta": "description",
    "hidden": "hidden text",
    "anchor": "link texts",
    "link": "links",
    "url": "address",
    "markup": "source",
}


def of_evidence(sample: Sample, evidence: Evidence) -> Finding:
    """A page's evidence as a finding of its site."""
    where = "home page" if sample.home else "page"
    subject = CATEGORY_WORDS.get(evidence.category, evidence.category)
    does = f"has {subject} content in its {_ZONE_WORDS.get(evidence.zone, evidence.zone)}"
    if evidence.code == "spam_act":
        does = evidence.rule.removeprefix(ACT)
    return Finding(
        evidence.code,
        evidence.severity,
        f"The {where} of {day(sample.at)} {does}: {_said(sample, evidence)}.",
        evidence.category,
        sample.at,
        sample.replay_url,
        evidence.zone,
        evidence.quote,
        evidence.rule,
        evidence.lexicon,
    )


def _said(sample: Sample, evidence: Evidence) -> str:
    """The quote as it stands in the page; else what was found: of a provider's markup, the provider."""
    if not evidence.quote:
        found = evidence.rule.rpartition(": ")[2] if evidence.zone == "markup" else evidence.code
        return found.replace("_", " ")
    return f"“{quoted(sample.page, evidence)}”"


def quoted(page: PageReading, evidence: Evidence) -> str:
    """A page's quote, with "…" where its sentence goes on."""
    whole = {"title": page.title, "meta": page.description, "body": page.text}.get(evidence.zone)
    return marked(evidence.quote, whole or "")


def of_samples(samples: Iterable[Sample]) -> tuple[Finding, ...]:
    """The evidence of every sample that is not simply the site itself, the gravest first.

    At most PER_SAMPLE each, and what one rule found on TWICE captures is not repeated for the others.
    """
    found: list[Finding] = []
    seen: Counter[str] = Counter()
    for sample in samples:
        if sample.kind not in ("spam", "suspect", "parked"):
            continue
        # Two rules may quote the same words, which are told once. An act is one sentence with a quote for each of its
        # parts, of which the first are enough.
        told: dict[tuple[str, str], Evidence] = {}
        acts: Counter[str] = Counter()
        for item in sorted(sample.page.evidence, key=lambda item: -item.severity):
            acts[item.rule] += item.code == "spam_act"
            if acts[item.rule] <= TWICE:
                told.setdefault((item.zone, item.quote or item.rule), item)
        gravest = list(told.values())[:PER_SAMPLE]
        fresh = [item for item in gravest if seen[item.rule] < TWICE] or gravest[:1]
        seen.update(item.rule for item in fresh)
        found.extend(of_evidence(sample, item) for item in fresh)
    return tuple(found)


class ThinTime(NamedTuple):
    """A time in which an archive took in little: from when to when, both included, and why."""

    archive: str
    start: date
    end: date
    why: str


@lru_cache(maxsize=1)
def thin_times() -> tuple[ThinTime, ...]:
    """The times of `thin_times.toml`."""
    text = files("afterdrop.review.history").joinpath("thin_times.toml").read_text(encoding="utf-8")
    return tuple(
        ThinTime(time["archive"], time["start"], time["end"], time["why"])
        for time in tomllib.loads(text)["times"]
    )


def gap_note(gap: Gap, archives: Sequence[str] = ()) -> str:
    """The note of a finding about a gap. `archives` are those that were asked, none for a file of captures.

    The silence of one archive is told as that, and a time in which it took in little as no sign of the site's.
    """
    sentences = [
        f"No page was archived in {gap.years[0]}–{gap.years[-1]} ({len(gap.years)} whole years), between captures of"
        f" {gap.before} and {gap.after}."
    ]
    if len(archives) == 1:
        sentences.append(f"Only {archives[0]} could be asked.")
    elif archives:
        sentences.append(f"Neither {' nor '.join(archives)} has one.")
    sentences += [
        f"{time.archive[0].upper()}{time.archive[1:]} {time.why}."
        for time in thin_times()
        if time.archive in archives and time.start.year <= gap.years[-1] and time.end.year >= gap.years[0]
    ]
    return " ".join(sentences)


def day(at: datetime) -> str:
    """A date as notes spell it."""
    return at.strftime("%Y-%m-%d")
