"""Whether a domain stood parked: for sale, full of paid links, or a host's placeholder.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

from afterdrop.review.history.eras import FOR_MONEY
from afterdrop.review.history.findings import Finding, day
from afterdrop.review.history.samples import Sample, name_words, same_site, title_words
from afterdrop.review.history.timeline import Stretch, share, total
from afterdrop.review.page.values import Evidence
from afterdrop.sources.archive.cdx_index import Index

NOTEWORTHY_SHARE = 0.25
LEAST_SHARE = 0.005
ALIKE = 5
ALIKE_WORDS = 80
_WORDS = {
    "for_sale": "a for-sale page",
    "pay_per_click": "a page of paid links",
    "hosting_placeholder": "a hosting placeholder",
    "coming_soon": "a coming-soon page",
}


def parked_finding(parts: Sequence[Stretch], inherited: frozenset[str]) -> Finding | None:
    """The parking worth flagging, None without any.

    For-sale and paid-link pages count whenever they stood, placeholders once the site itself had stood there: before
    that they are the beginning of any site. One lone page between two honest ones of the same site was read wrongly or
    a passing fault, unless its markup decides alone. Severity 2 (risk) for sale or paid links over a quarter of the
    time, else 1.
    """
    found = [part for part in parts if part.sample.kind == "parked"]
    if not found:
        return None
    covered = share(parts, "parked")
    share_said = f"{covered:.0%}" if covered >= LEAST_SHARE else "less than 1%"
    last = parts[-1].sample.kind == "parked"
    grave = [part for part in found if part.sample.page.parked_kind in FOR_MONEY]
    begun = next((part.start for part in parts if part.sample.kind == "site"), parts[0].start)
    telling = [part for part in found if part in grave or part.end > begun]
    often = total(telling) >= NOTEWORTHY_SHARE * total(parts)
    if not (last or (telling and often) or _believed(telling, parts, inherited)):
        return None
    shown = (grave or found)[-1].sample
    what = _WORDS.get(shown.page.parked_kind or "", "a parking page")
    provider = f" from {shown.page.provider}" if shown.page.provider else ""
    gravest = max(shown.page.evidence, key=lambda item: (item.severity, bool(item.quote)), default=None)
    return Finding(
        "parked",
        2 if grave and covered >= NOTEWORTHY_SHARE else 1,
        f"On {day(shown.at)} the domain showed {what}{provider}. It was parked for {share_said} of"
        f" the {_long(total(parts))} that the captures of its home page cover.",
        shown.page.parked_kind or "",
        shown.at,
        shown.replay_url,
        gravest.zone if gravest else "",
        gravest.quote if gravest else "",
        gravest.rule if gravest else "",
        gravest.lexicon if gravest else "",
    )


def _long(time: timedelta) -> str:
    """A time in years with a tenth, one of less than two years in months."""
    months = max(1, round(time / timedelta(days=30.44)))
    return (
        f"{time / timedelta(days=365.25):.1f} years"
        if months >= 24
        else f"{months} month{'s' * (months > 1)}"
    )


def answered_alike(sample: Sample, index: Index) -> Sample:
    """A short page that the server gave for many addresses alike, under the domain's bare name, is a placeholder.

    Other samples come back as they are. A site of one page made by scripts has a title of its own.
    """
    addresses = index.wide_digests.get(sample.digest, 0)
    page = sample.page
    if sample.kind != "site" or addresses < ALIKE or page.words >= ALIKE_WORDS:
        return sample
    title = title_words(page.title)
    if title - name_words(index.domain) - title_words(index.domain):
        return sample
    seen = Evidence("one_page_everywhere", "hosting_placeholder", 1, "url", "", f"{addresses} addresses", "")
    placeholder = replace(
        page, verdict="parked", parked_kind="hosting_placeholder", evidence=(*page.evidence, seen)
    )
    return replace(sample, reading=placeholder)


def _believed(telling: Sequence[Stretch], parts: Sequence[Stretch], inherited: frozenset[str]) -> bool:
    """Whether parking in the middle of a life is more than one page read wrongly."""
    if len({part.sample.digest for part in telling}) != 1 or sum(part.captures for part in telling) > 1:
        return bool(telling)
    if any(item.severity >= 3 for item in telling[0].sample.page.evidence):
        return True
    around = [part for part in parts if part.sample.kind == "site"]
    return not any(
        old.end <= telling[0].start
        and telling[-1].end <= new.start
        and same_site(old.sample.page, new.sample.page, inherited)
        for old, new in pairwise(around)
    )
