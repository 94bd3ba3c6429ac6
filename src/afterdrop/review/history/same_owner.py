"""The site's owner in each capture: traits one keeps through redesigns, renamings and languages, and another lacks.

Pure. Points speak for one owner or against it. They were measured on pairs of genuine pages of sites that
bench/owner_lives.py composes its lives of: of one site, also with all shared words taken out, with another name, in
another language; of two sites on one subject in one language, also with the old name taken over.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import combinations, groupby, pairwise

from afterdrop.review.history.clones import sold_links
from afterdrop.review.history.likeness import ENOUGH_WORDS, MUCH, content_words, likeness, shared_words
from afterdrop.review.history.samples import Kind, Sample, title_words
from afterdrop.review.history.timeline import Stretch, confirmed
from afterdrop.review.page.identity import COMMON, is_mail, third_parties
from afterdrop.review.page.values import PageReading

# Without any evidence nobody is taken for another owner. Between two of whom pages say clearly that they are not one,
# only a page that clearly is of both can show it.
ONE_OWNER = -0.75
CLEARLY_ONE = 1.0
CLEARLY_ANOTHER = -2.0
_ACCOUNTS = 3.0, -2.0
_CONTACT = 3.0
_BRAND, _PART_OF_A_BRAND, _OTHER_BRAND = 2.0, 0.3, -2.0
# Both call themselves as the domain is called; only one does.
_NAME_OF_DOMAIN, _ONE_AS_THE_DOMAIN = 1.0, -1.5
_TITLE, _PART_OF_A_TITLE = 1.0, 0.3
_LINKED_DOMAIN, _LINKED_DOMAINS = 1.5, 2
# So much of a name is that name.
_SAME_NAME = 0.75
# Two languages: one page names the other's, or none does.
_NAMED_LANGUAGE, _FOREIGN = 3.0, -0.5
# Likeness of two texts in one language, and what it says.
_LITTLE_IN_COMMON, _SOMETHING, _MUCH = (0.06, -1.0), (0.15, 0.5), (MUCH, 1.0)
# Likeness of a page and its copy; what stands when the owner's site is away.
_COPIED = 0.95
# A name without captures for so long may have been away.
_PAUSE = timedelta(days=365)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
AWAY: frozenset[Kind] = frozenset({"parked", "error", "redirect"})
_LETTERS = re.compile(r"[\W\d_]+")


@dataclass(frozen=True, slots=True)
class Traits:
    """A page's signs of its owner. `own_name` are words that the domain's name is made of, as is anyone's there."""

    accounts: frozenset[str]
    contacts: frozenset[str]
    brand: frozenset[str]
    own_name: frozenset[str]
    title: frozenset[str]
    linked: frozenset[str]
    language: str | None
    languages: frozenset[str]
    text: str

    @property
    def named(self) -> frozenset[str]:
        """Every word that names the owner."""
        return self.brand | self.own_name

    @property
    def silent(self) -> bool:
        """Whether the page says nothing of its owner."""
        told = self.accounts or self.contacts or self.named
        return not told and content_words(self.text).total() < ENOUGH_WORDS


def traits(page: PageReading, inherited: frozenset[str]) -> Traits:
    """The traits of a page; `inherited` are the domain's name and its words."""
    label = max((_LETTERS.sub("", word) for word in inherited if "." not in word), key=len, default="")
    brand = page.brand_tokens - shared_words()
    title = title_words(page.title) - inherited
    return Traits(
        page.accounts,
        page.contacts - inherited,
        frozenset(word for word in brand if word not in label) - inherited,
        frozenset(word for word in brand if word in label),
        frozenset(word for word in title if word not in label),
        _linked(page, inherited),
        page.language,
        frozenset(code.split("-")[0] for code in page.hreflangs),
        page.text,
    )


def _linked(page: PageReading, inherited: frozenset[str]) -> frozenset[str]:
    """Domains that a page links to by its owner's choice."""
    known = third_parties()
    makers = known.makers(page.text, ((link.text, link.target_domain) for link in page.links))
    domains = frozenset(link.target_domain for link in page.links if link.external)
    return domains - COMMON - known.linked - makers.domains - inherited


def points(ours: Traits, theirs: Traits) -> float:
    """How much speaks for one owner of two pages (above 0) or against it (below)."""
    found = 0.0
    if ours.accounts and theirs.accounts:
        found += _ACCOUNTS[0] if ours.accounts & theirs.accounts else _ACCOUNTS[1]
    if _part(ours.brand, theirs.brand) >= _PART_OF_A_BRAND:
        found += _BRAND
    elif ours.brand and theirs.brand and not ours.brand & theirs.brand:
        found += _OTHER_BRAND
    elif ours.named and theirs.named and bool(ours.own_name) != bool(theirs.own_name):
        found += _ONE_AS_THE_DOMAIN
    contacts, linked = _shared(ours, theirs)
    found += _CONTACT * bool(contacts)
    found += _NAME_OF_DOMAIN * bool(ours.own_name & theirs.own_name)
    found += _TITLE * (_part(ours.title, theirs.title) >= _PART_OF_A_TITLE)
    found += _LINKED_DOMAIN * min(len(linked), _LINKED_DOMAINS)
    if ours.language and theirs.language and ours.language != theirs.language:
        named = ours.language in theirs.languages or theirs.language in ours.languages
        return found + (_NAMED_LANGUAGE if named else _FOREIGN)
    alike = likeness(ours.text, theirs.text)
    if alike is None:
        return found
    found += sum(worth for least, worth in (_SOMETHING, _MUCH) if alike >= least)
    return found + (_LITTLE_IN_COMMON[1] if alike < _LITTLE_IN_COMMON[0] else 0)


def _shared(ours: Traits, theirs: Traits) -> tuple[frozenset[str], frozenset[str]]:
    """Contacts and linked domains that two pages share; none where both mail and number of theirs differ beside them.

    Then what is shared is a third party's: an agency's, a helpline's, a theme's.
    """
    contacts = ours.contacts & theirs.contacts
    rests = [{is_mail(contact) for contact in side.contacts - contacts} for side in (ours, theirs)]
    if all(rest == {True, False} for rest in rests):
        return frozenset(), frozenset()
    return contacts, ours.linked & theirs.linked


def _part(ours: frozenset[str], theirs: frozenset[str]) -> float:
    return len(ours & theirs) / min(len(ours), len(theirs)) if ours and theirs else 0.0


def one_owner(ours: PageReading, theirs: PageReading, inherited: frozenset[str]) -> bool:
    """Whether two pages are taken for one owner's: nothing speaks clearly enough against it."""
    left, right = traits(ours, inherited), traits(theirs, inherited)
    return left.silent or right.silent or points(left, right) > ONE_OWNER


@dataclass(frozen=True, slots=True)
class Owned:
    """The owner of the site in each capture.

    `owner` numbers the owners from 1 in the order in which they come, by the time of a capture. `loose` are the times
    of captures which nothing clearly ties to those before them, though they are taken for one owner's: it may be
    another's from there on.
    """

    owner: Mapping[datetime, int]
    loose: frozenset[datetime] = frozenset()


def owned(parts: Sequence[Stretch], inherited: frozenset[str], away: Sequence[datetime] = ()) -> Owned:
    """The owner in each capture of `parts`, which are stretches of sites; `away` are times when none stood there.

    A page that says nothing of its owner belongs to who was there before. So does a short stay of pages without many
    words, and two who take turns more than once are one. An owner after another is the one before him only if
    more than a subject says so. A copy of the old site, put up after it was away, is not its owner's for its text, nor
    is one that sells links.
    """
    samples = list({part.sample.at: part.sample for part in parts}.values())
    told = [traits(sample.page, inherited) for sample in samples]
    speaking = [place for place, one in enumerate(told) if not one.silent]
    group = list(range(len(samples)))
    worth = {pair: points(told[pair[0]], told[pair[1]]) for pair in combinations(speaking, 2)}
    for (one, other), found in sorted(worth.items(), key=lambda item: -item[1]):
        if group[one] != group[other] and found > (
            CLEARLY_ONE if _apart(group, worth, one, other) else ONE_OWNER
        ):
            _join(group, one, other)
    for place, page in enumerate(told):
        if page.silent and (near := [n for n in speaking if n < place][-1:] or speaking[:1]):
            group[place] = group[near[0]]
    _join_passing(group, samples, parts)
    _join_alternating(group)
    _part_returning(group, told)
    _part_copies(group, samples, parts, told, away)
    order = {name: number for number, name in enumerate(dict.fromkeys(group), 1)}
    return Owned(
        {sample.at: order[name] for sample, name in zip(samples, group, strict=True)},
        frozenset(samples[place].at for place in _loose(group, worth, speaking)),
    )


def _loose(
    group: Sequence[int], worth: Mapping[tuple[int, int], float], speaking: Sequence[int]
) -> list[int]:
    """Places from which on no page of a group is clearly of one owner with a page of it before."""
    return [
        place
        for place in speaking
        if any(group[place] == group[before] for before in speaking if before < place)
        and not any(
            found > CLEARLY_ONE and left < place <= right and group[left] == group[right] == group[place]
            for (left, right), found in worth.items()
        )
    ]


def _apart(group: Sequence[int], worth: Mapping[tuple[int, int], float], one: int, other: int) -> bool:
    """Whether pages of two groups are clearly of two owners."""
    both = {group[one], group[other]}
    return any(
        found <= CLEARLY_ANOTHER and {group[left], group[right]} == both
        for (left, right), found in worth.items()
    )


def _join(group: list[int], one: int, other: int) -> None:
    """Let the group of `other` be part of that of `one`."""
    kept, lost = group[one], group[other]
    group[:] = [kept if name == lost else name for name in group]


def _join_passing(group: list[int], samples: Sequence[Sample], parts: Sequence[Stretch]) -> None:
    """A stay that nothing confirms, of a page of few words, is a fault and no owner."""
    for name in dict.fromkeys(group):
        places = [place for place, other in enumerate(group) if other == name]
        times = {samples[place].at for place in places}
        few = all(content_words(samples[place].page.text).total() < ENOUGH_WORDS for place in places)
        if few and not confirmed([part for part in parts if part.sample.at in times]):
            beside = [n for n in range(len(group)) if group[n] != name]
            if beside:
                _join(group, min(beside, key=lambda n: abs(n - places[0])), places[0])


def _part_returning(group: list[int], told: Sequence[Traits]) -> None:
    """A run of pages after another owner's is a further owner's if no page of it shows who was there before."""
    places = [[place for place, _ in run] for _, run in groupby(enumerate(group), lambda item: item[1])]
    for name in dict.fromkeys(group):
        runs = [run for run in places if group[run[0]] == name]
        known: list[list[int]] = runs[:1]
        for run in runs[1:]:
            who = next((before for before in known if _same_again(before, run, told)), None)
            if who is None:
                fresh = max(group) + 1
                for place in run:
                    group[place] = fresh
                known.append(run)
            else:
                for place in run:
                    group[place] = group[who[0]]
                who += run


def _part_copies(
    group: list[int],
    samples: Sequence[Sample],
    parts: Sequence[Stretch],
    told: Sequence[Traits],
    away: Sequence[datetime],
) -> None:
    """A site put up again as it stood, without a contact of it or with another link, is its name's buyer's.

    So is one that sells links, after a pause, too; where they go again, somebody broke in.
    """
    starts: dict[datetime, datetime] = {}
    ends: dict[datetime, datetime] = {}
    for part in parts:
        starts.setdefault(part.sample.at, part.start)
        ends[part.sample.at] = part.end
    for before, place in pairwise(range(len(samples))):
        name, old, new = group[place], samples[before], samples[place]
        if group[before] != name:
            continue
        left = any(old.at < at < new.at for at in away)
        pause = left or starts[new.at] - ends[old.at] >= _PAUSE
        later = [
            sample for sample, other in zip(samples[place:], group[place:], strict=True) if other == name
        ]
        if (left and _is_copy(told[before], told[place])) or (
            pause and all(sold_links(old.page, sample.page) for sample in later)
        ):
            fresh = max(group) + 1
            group[place:] = [fresh if other == name else other for other in group[place:]]


def _is_copy(old: Traits, new: Traits) -> bool:
    """Whether a page is another word for word, no year added, and has lost a contact or gained a link."""
    changed = new.contacts < old.contacts or new.linked - old.linked
    if not changed or set(_YEAR.findall(new.text)) - set(_YEAR.findall(old.text)):
        return False
    alike = likeness(old.text, new.text)
    return alike is not None and alike >= _COPIED


def _same_again(before: Sequence[int], after: Sequence[int], told: Sequence[Traits]) -> bool:
    """Whether a page of two runs shows one owner. If one run says nothing of its owner, nothing speaks against it."""
    ours, theirs = ([told[place] for place in run if not told[place].silent] for run in (before, after))
    return not ours or not theirs or any(_known_by(one, other) for one in ours for other in theirs)


def _known_by(ours: Traits, theirs: Traits) -> bool:
    """Whether two pages share what is one owner's alone: an account, a contact, a site they link to, a name."""
    shared = ours.accounts & theirs.accounts or any(_shared(ours, theirs))
    translated = ours.language in theirs.languages or theirs.language in ours.languages
    if shared or (translated and ours.language != theirs.language):
        return True
    if not ours.named or not theirs.named or ours.own_name & theirs.own_name:
        return True
    return bool(ours.own_name) == bool(theirs.own_name) and _part(ours.named, theirs.named) >= _SAME_NAME


def _join_alternating(group: list[int]) -> None:
    runs = [name for name, _ in groupby(group)]
    for one, other in combinations(dict.fromkeys(runs), 2):
        if runs.count(one) > 1 and runs.count(other) > 1:
            _join(group, group.index(one), group.index(other))
            return _join_alternating(group)
    return None
