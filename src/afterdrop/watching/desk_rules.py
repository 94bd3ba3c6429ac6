"""Rules for an account's texts about a domain, and for the beginning of a visit to the lists. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from afterdrop.core.errors import AfterdropError
from afterdrop.core.safe_text import one_line

# The steps of a hunt. A domain carries one of them at a time; own words stand beside it.
DECISIONS: Final = ("shortlist", "bidding", "won", "lost", "rejected")
REJECTED: Final = "rejected"
TAG_LENGTH: Final = 30
NOTE_LENGTH: Final = 500
FILTER_NAME_LENGTH: Final = 80
FILTER_LENGTH: Final = 2000
# More than any of these, so that what is too long is refused and not cut.
_LONGEST: Final = 10_000
TAGS_A_DOMAIN: Final = 10
# How much an account may keep.
MOST_TAGGED: Final = 10_000
MOST_NOTES: Final = 5_000
MOST_FILTERS: Final = 50
MOST_SHARED: Final = 100
MOST_LINKS: Final = 100
LINK_LASTS: Final = timedelta(days=30)
MOST_SEEN: Final = 20_000
SEEN_KEPT: Final = timedelta(days=90)
# A break as long as this ends a visit.
VISIT_ENDS: Final = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Marks:
    """The tags and the note of an account on a domain."""

    tags: tuple[str, ...] = ()
    note: str = ""


UNMARKED: Final = Marks()


class BadEntry(AfterdropError):
    """The entry cannot be kept; the message says why."""

    code, status = "validation_failed", 422


class TooMany(AfterdropError):
    """The account keeps as many of these as it may."""

    code, status = "limit_reached", 409


def _line(text: str) -> str:
    """One line in NFC: what stood between a letter and its accent may go, so they are composed once more."""
    return unicodedata.normalize("NFC", one_line(unicodedata.normalize("NFC", text), _LONGEST))


def tag_of(text: str) -> str:
    """A tag as it is stored: small letters, single blanks. Raises BadEntry.

    >>> tag_of("  Watch   LATER ")
    'watch later'
    """
    tag = _line(text).lower()
    if not tag:
        raise BadEntry("", "a tag needs at least one letter")
    if len(tag) > TAG_LENGTH:
        raise BadEntry("", f"a tag can have at most {TAG_LENGTH} characters")
    if "," in tag:
        raise BadEntry("", "a tag cannot contain a comma")
    return tag


def note_of(text: str) -> str:
    """A note as it is stored, empty for none. Raises BadEntry."""
    note = _line(text)
    if len(note) > NOTE_LENGTH:
        raise BadEntry("", f"a note can have at most {NOTE_LENGTH} characters")
    return note


def filter_name_of(text: str) -> str:
    """The name of a saved filter as it is stored. Raises BadEntry."""
    name = _line(text)
    if not 0 < len(name) <= FILTER_NAME_LENGTH:
        raise BadEntry("", f"a name needs 1 to {FILTER_NAME_LENGTH} characters")
    return name


def replaced_by(tag: str) -> tuple[str, ...]:
    """The tags that a domain loses when it gets this one: a domain is at one step of the hunt at a time."""
    return tuple(other for other in DECISIONS if other != tag) if tag in DECISIONS else ()


def in_order(tags: Iterable[str]) -> list[str]:
    """Tags as they are shown: the decision first, own words by the alphabet."""
    return sorted(tags, key=lambda tag: (DECISIONS.index(tag) if tag in DECISIONS else len(DECISIONS), tag))


def shared(names: Collection[str]) -> list[str]:
    """The names of a share link, each once, as they were chosen. Raises BadEntry."""
    kept = list(dict.fromkeys(names))
    if not kept:
        raise BadEntry("", "choose at least one domain")
    if len(kept) > MOST_SHARED:
        raise BadEntry("", f"a link can name at most {MOST_SHARED} domains")
    return kept


@dataclass(frozen=True, slots=True)
class Visit:
    """A visit to the lists. `previous_at` is when the one before it ended, None at the first.

    New domains since the last visit were found after `previous_at`; a domain was seen before when a list showed it
    before `began_at`. Both stay as they are while somebody turns pages.
    """

    began_at: datetime
    last_at: datetime
    previous_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class PageMemory:
    """The memory of an account as it opens a page of a list.

    `before` are those names of the page that a list showed before this visit; `fresh` are those that none showed yet,
    to be recorded, or None where there is nothing to write.
    """

    visit: Visit
    before: frozenset[str]
    fresh: Sequence[str] | None


def visit_at(last: Visit | None, now: datetime) -> Visit:
    """The visit that a page opened at `now` belongs to; `last` is the stored one."""
    if last is None:
        return Visit(now, now)
    if now - last.last_at >= VISIT_ENDS:
        return Visit(now, now, last.last_at)
    return Visit(last.began_at, max(now, last.last_at), last.previous_at)
