"""Spam, worth a second look, or neither: the rules over a whole site, each with its reason.

Pure. A site is rejected only on what stands twice or decides alone, because an honest site called spam is the worst
error: one page read wrongly must never take it off the lists. Phrases that a site's honest captures have, too, are
taken off the captures that they accused: what stands on every page of an honest site is its menu.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from afterdrop.review.history.farm import DOUBTFUL, Farm, farmed
from afterdrop.review.history.findings import CATEGORY_WORDS, day, quoted
from afterdrop.review.history.samples import Sample, same_site
from afterdrop.review.page.identity import COMMON
from afterdrop.review.page.text import fold, shortened, squeeze
from afterdrop.review.page.values import ACT, Evidence, PageReading, Zone
from afterdrop.sources.archive.cdx_index import Span

# Weighty phrases that have to stay for a capture to be spam, and the chance that makes up for them.
STAY_SPAM, SURE = 2, 0.5
_CODES = frozenset({"spam_phrase", "hidden_link", "injected_link"})
_CHARS = 60_000


def discounted(samples: Sequence[Sample]) -> list[Sample]:
    """The samples, those accused by phrases of honest captures judged by what is left."""
    honest = [f" {squeeze(fold(s.page.text[:_CHARS]))} " for s in samples if s.kind == "site" and s.home]
    if not honest:
        return list(samples)
    return [_less(sample, honest) if sample.kind in ("spam", "suspect") else sample for sample in samples]


def _less(sample: Sample, honest: Sequence[str]) -> Sample:
    page = sample.page
    kept = tuple(item for item in page.evidence if not _stands(item, honest))
    if len(kept) == len(page.evidence):
        return sample
    return replace(sample, reading=_judged(page, kept))


def _judged(page: PageReading, kept: tuple[Evidence, ...]) -> PageReading:
    weighty = [item for item in kept if item.severity >= 2]
    if page.verdict == "spam" and len(weighty) >= STAY_SPAM:
        return replace(page, evidence=kept)
    if weighty or page.spam_chance >= SURE:
        return replace(page, verdict="suspect", evidence=kept)
    return replace(page, verdict="clean", category=None, evidence=())


def _stands(item: Evidence, honest: Sequence[str]) -> bool:
    """Whether an honest capture has the phrase; a planted link by its words, which stand for its phrase."""
    if item.code not in _CODES:
        return False
    phrase = squeeze(fold(item.rule.rpartition(": ")[2].removesuffix("*")))
    wanted = f" {phrase} " if phrase.isascii() else phrase
    return bool(phrase) and any(wanted in text for text in honest)


Outcome = Literal["spam", "suspect", "ok"]
# By the time of a capture that was read, the first and the last that are known to show the same page.
Shown = Mapping[datetime, Span]
_READ_ONLY: Shown = {}
_HEADS = frozenset({"title", "meta"})
_PLANTED = frozenset({"hidden", "link", "anchor"})
SUSPECTS = 2
SUSPECTS_ALONE = 3
TELLING_PHRASES = 3
# By how many phrases a page tells where no other site stood before it.
ALONE_PHRASES = 4
# Chances by the page model that tell beside phrases: after another site, and with none before.
LIKELY, LIKELY_ALONE, LIKELY_PHRASES = 0.85, 0.9, 2
QUOTED, QUOTED_CHARS, PATH_CHARS = 3, 60, 100
# So many phrases say who stands behind a page: a practice, a shop with a door, a society.
PUBLISHER_PHRASES_TO_CLEAR = 2
# So many links to one other site are told.
LINKS = 5
_DOES = {
    "repeated_sentence": "the page is made of the same few sentences",
    "hidden_link": "the page has links to other sites that its visitors do not see",
}
PATHS = 3
PATHS_ALONE = 10


@dataclass(frozen=True, slots=True)
class SpamVerdict:
    """`outcome` with its `reasons`, short English sentences; spam is rejected, suspect is risky.

    `farmed`: the site's farm speaks against it, whether or not something graver decides.
    """

    outcome: Outcome
    reasons: tuple[str, ...] = ()
    farmed: bool = False


def spam_verdict(
    samples: Iterable[Sample],
    paths: Sequence[str] = (),
    inherited: frozenset[str] = frozenset(),
    farm: Farm | None = None,
    shown: Shown = _READ_ONLY,
) -> SpamVerdict:
    """Judge a site by the captures read, by the `paths` of its index that speak of spam, and by its `farm`.

    Times are told as far as they are known from `shown`, as eras tell them.

    Rules, first match wins:
    1. captures with two digests read as spam;
    2. the home page once read as spam with its phrase in title or description;
    3. the home page once read as spam in its body only, with no honest (or hardly suspect) page of the same
       site, and honest pages of any site not on both sides;
    4. suspect captures of one category that tell (a phrase in title or description, three of weight, or one and a
       chance of LIKELY; nobody behind the page, and not all of it hidden): two digests after honest pages that are
       all another site's; or three without honest pages before, each with four phrases of weight, one of them in
       title or description, and no mere doorways, or with a chance of LIKELY_ALONE;
    5. three or more spam paths and a page among them read as spam or suspect, or ten and none of them read
       as honest;
    6. a farm of addresses built alike, of which two pages are rather spam than not.
    Under rules 1 to 3 the same site standing there honestly before and after makes it suspect only, unless two
    captures show it in titles or planted links: a page read wrongly, or a break-in soon mended. A site that only
    comes near a rule is suspect, too.
    Phrases that the site's honest captures have, too, count nowhere. `inherited`: the words of the domain's own name.
    """
    told = discounted(sorted((s for s in samples if s.reading is not None), key=lambda s: s.at))
    bad = [s for s in told if s.kind == "spam"]
    doubtful = [s for s in told if s.kind == "suspect"]
    honest = [s for s in told if s.kind == "site" and s.home]
    made_alike, of_farm = _farm(farm, told)
    for reason in (
        _spam(bad, honest, doubtful, inherited, shown),
        _suspects(sorted([*bad, *doubtful], key=lambda s: s.at), honest, inherited, shown),
        _paths(paths, told),
        of_farm if made_alike == "spam" else None,
    ):
        if reason:
            return SpamVerdict("spam", (reason,), made_alike is not None)
    near = _near(bad, doubtful, honest, paths, inherited)
    return SpamVerdict("suspect", (*near.reasons, of_farm), farmed=True) if made_alike else near


def _spam(
    bad: Sequence[Sample],
    honest: Sequence[Sample],
    doubtful: Sequence[Sample],
    inherited: frozenset[str],
    shown: Shown,
) -> str | None:
    if not bad or _between_same(bad, honest, inherited):
        return None
    first = bad[0]
    if _digests(bad) >= SUSPECTS:
        return f"{_subject(*bad)} spam {_stood(first, [*bad, *doubtful], honest, shown)}{_words(bad)}."
    if not first.home:  # one odd page among many: the addresses of the index decide
        return None
    if _in_head(first):
        return f"{_subject(first)} spam in the title of the capture of {day(first.at)}{_words(bad)}."
    mild = [*honest, *(other for other in doubtful if not _tells(other))]
    beside = any(same_site(first.page, other.page, inherited) for other in mild)
    if beside or (_before(first, honest) and any(other.at > first.at for other in honest)):
        return None
    return f"{_subject(first)} spam in the text of the capture of {day(first.at)}{_words(bad)}."


def _stood(first: Sample, found: Sequence[Sample], honest: Sequence[Sample], shown: Shown) -> str:
    """From when to when pages like `first` stood, by all of those found since the honest ones before it."""
    since = max((other.at for other in honest if other.at < first.at), default=None)
    stay = [sample for sample in found if since is None or sample.at > since]
    spans = [shown.get(sample.at, (sample.at, sample.at)) for sample in stay]
    return (
        f"from {day(min(start for start, _ in spans))} to {day(max(end for _, end in spans))}, in {len(stay)} captures"
        " we read"
    )


def _between_same(bad: Sequence[Sample], honest: Sequence[Sample], inherited: frozenset[str]) -> bool:
    """Whether the site of the bad pages stood there honestly both before and after all of them.

    Then one capture, or several that speak of a trade in their text only, may be a page read wrongly or a break-in
    soon mended; titles and planted links that stood on two captures are neither.
    """
    if _digests(bad) >= SUSPECTS and any(_in_head(s) or _planted(s) for s in bad):
        return False
    own = [other for other in honest if any(same_site(s.page, other.page, inherited) for s in bad)]
    return bool(own) and own[0].at < bad[0].at and own[-1].at > bad[-1].at


def _suspects(
    found: Sequence[Sample], honest: Sequence[Sample], inherited: frozenset[str], shown: Shown
) -> str | None:
    telling = [s for s in found if _tells(s)]
    category, _ = Counter(s.page.category for s in telling).most_common(1)[0] if telling else (None, 0)
    alike = [s for s in telling if s.page.category == category]
    if any(same_site(s.page, other.page, inherited) for s in alike for other in honest):
        return None
    taken = bool(alike) and _before(alike[0], honest)
    if not taken:
        alike = [s for s in alike if _tells_alone(s)]
    if _digests(alike) < (SUSPECTS if taken else SUSPECTS_ALONE):
        return None
    return (
        f"{_subject(alike[0])} content {_stood(alike[0], found, honest, shown)},"
        f" {'under a different owner than before' if taken else 'with no other site before'}{_words(alike)}."
    )


def _words(samples: Sequence[Sample]) -> str:
    """The acts of the pages, and the phrases most captures rest on, as a sentence's end."""
    counts: Counter[str] = Counter()
    shown: dict[str, str] = {}
    for sample in samples:
        found = {item.quote: item for item in sample.page.evidence if item.severity >= 2 and item.quote}
        counts.update(found.keys())
        for words, item in found.items():
            shown.setdefault(words, quoted(sample.page, item))
    said = ", ".join(f"“{shortened(shown[words], QUOTED_CHARS)}”" for words, _ in counts.most_common(QUOTED))
    return "".join(f": {part}" for part in (does(samples), said) if part)


def does(samples: Iterable[Sample]) -> str:
    """The acts of accused pages, as an English clause; "" where nothing but their words is known.

    An act is told as its rule says it, repetition and hidden links as such, else where most of a page's links lead.
    """
    found = [item for sample in samples for item in sample.page.evidence if item.severity >= 2]
    acts = Counter(item.rule.removeprefix(ACT) for item in found if item.code == "spam_act")
    if acts:
        return f"the page {acts.most_common(1)[0][0]}"
    codes = {item.code for item in found}
    for code, told in _DOES.items():
        if code in codes:
            return told
    led = [_most_linked(sample.page) for sample in samples]
    site, links = max(led, key=lambda one: one[1], default=("", 0))
    return f"{links} of the page's links lead to {site}" if links >= LINKS else ""


def _most_linked(page: PageReading) -> tuple[str, int]:
    """The other site that most of a page's links lead to, and how many do."""
    led = Counter(link.target_domain for link in page.links if link.external)
    return next(((site, times) for site, times in led.most_common() if site not in COMMON), ("", 0))


def _tells(sample: Sample) -> bool:
    """Whether a page tells of a trade: not by hidden text alone, nor where someone stands behind a doubtful page."""
    hidden = not _weighty(sample, outside="hidden")
    if sample.kind == "suspect" and (hidden or sample.page.publisher_phrases >= PUBLISHER_PHRASES_TO_CLEAR):
        return False
    phrases = _weighty(sample)
    likely = sample.kind == "suspect" and phrases > 0 and sample.page.spam_chance >= LIKELY
    return phrases >= TELLING_PHRASES or _in_head(sample) or likely


def _tells_alone(sample: Sample) -> bool:
    """Whether a page tells where nothing but such pages stood: a shop of cheap goods, a lender or a help page does not.

    Nor does one that speaks of the trade in its text alone: honest sites warn and refuse there, year after year.
    Doorways are known by the site they are not part of, so never alone.
    """
    # What a paper's menu sells is not what the paper is.
    in_text = _weighty(sample, outside="link")
    likely = sample.page.spam_chance >= LIKELY_ALONE and in_text >= LIKELY_PHRASES
    if sample.kind == "spam" or likely:
        return True
    if sample.page.category == "doorway" or sample.page.publisher_phrases >= PUBLISHER_PHRASES_TO_CLEAR:
        return False
    return _weighty(sample) >= ALONE_PHRASES and _in_head(sample)


def _weighty(sample: Sample, outside: Zone | None = None) -> int:
    """How many phrases of weight there are, of those in any zone or `outside` one."""
    return sum(found.severity >= 2 and found.zone != outside for found in sample.page.evidence)


def _paths(paths: Sequence[str], told: Sequence[Sample]) -> str | None:
    if len(paths) < PATHS:
        return None
    deep = [s for s in told if not s.home]
    confirmed = any(s.kind in ("spam", "suspect") for s in deep)
    if confirmed or (len(paths) >= PATHS_ALONE and not any(s.kind == "site" for s in deep)):
        return f"{len(paths)} archived addresses point to spam, such as {shortened(paths[0], PATH_CHARS)}."
    return None


def _farm(farm: Farm | None, told: Sequence[Sample]) -> tuple[Literal["spam", "suspect"] | None, str]:
    """The result of a site's farm with its pages that were read, and the sentence that says so."""
    if farm is None:
        return None, ""
    urls = {page.url for page in farm.pages}
    stood = [s for s in told if not s.home and s.kind in ("site", "suspect", "spam")]
    read = [s.page for s in stood if s.url in urls]
    doubtful = sum(page.spam_chance >= DOUBTFUL for page in read)
    rest = f", and {doubtful} of {len(read)} pages read look written for search engines" if doubtful else ""
    return farmed(farm, read), f"{farm.note}{rest}."


def _near(
    bad: Sequence[Sample],
    doubtful: Sequence[Sample],
    honest: Sequence[Sample],
    paths: Sequence[str],
    inherited: frozenset[str],
) -> SpamVerdict:
    reasons = [f"The capture of {day(s.at)} reads like {_subject(s).lower()} spam." for s in bad[:1]]
    strangers = [s for s in doubtful if not any(same_site(s.page, o.page, inherited) for o in honest)]
    if strangers or _digests(doubtful) >= SUSPECTS:
        first = (strangers or doubtful)[0]
        reasons.append(f"The capture of {day(first.at)} may be {_subject(first).lower()} content.")
    if len(paths) >= PATHS:
        reasons.append(
            f"{len(paths)} archived addresses point to spam, such as {shortened(paths[0], PATH_CHARS)}."
        )
    return SpamVerdict("suspect" if reasons else "ok", tuple(reasons))


def _digests(samples: Iterable[Sample]) -> int:
    return len({sample.digest or sample.at.isoformat() for sample in samples})


def _in_head(sample: Sample) -> bool:
    return any(found.zone in _HEADS and found.severity >= 2 for found in sample.page.evidence)


def _planted(sample: Sample) -> bool:
    return any(found.zone in _PLANTED and found.severity >= 2 for found in sample.page.evidence)


def _before(sample: Sample, honest: Sequence[Sample]) -> bool:
    return any(other.at < sample.at for other in honest)


def _subject(*samples: Sample) -> str:
    """The trade most of these captures are accused of; where as many are of another, doorways to whatever sells."""
    (category, most), *others = Counter(sample.page.category or "" for sample in samples).most_common()
    if others and others[0][1] == most:
        category = "doorway"
    return CATEGORY_WORDS.get(category, category or "unwanted").capitalize()
