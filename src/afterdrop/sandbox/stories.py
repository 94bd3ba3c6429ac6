"""Tells every domain's story: a pure function of seed, size and the world's day.

Names, languages, owners and pasts hang on the seed alone; the day only moves the dates.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta

from afterdrop.sandbox import lifecycles, link_profile, name_gen, site_history
from afterdrop.sandbox.scenarios import Part, part
from afterdrop.sandbox.story import Listing, Outcome, Story
from afterdrop.sandbox.texts import Genre, Language, languages

_FEEDS = {
    "bid": ("godaddy_auctions", "namecheap_market", "dynadot_auctions"),
    "auction": ("sedo_auctions", "parkio_auctions"),
    "buy_now": ("namecheap_buy_now",),
    "drop": ("dropcatch_dropping",),
}
_TLDS = {
    "godaddy_auctions": ("com", "com", "com", "net", "org", "info"),
    "namecheap_market": ("com", "com", "org", "xyz", "app", "io"),
    "namecheap_buy_now": ("com", "net", "xyz", "org"),
    "dynadot_auctions": ("com", "com", "net", "org", "xyz"),
    "dropcatch_dropping": ("com", "com", "net", "org", "info", "xyz"),
    "snapnames_deleting": ("com", "net", "org"),
    "sedo_auctions": ("com", "de", "org", "de"),
    "parkio_auctions": ("io", "app", "io"),
}
# How many years at most a site under a young extension can have stood.
_OLDEST = {"app": 7, "xyz": 11}
_CURRENCIES = {"sedo_auctions": ("EUR", "USD", "EUR", "GBP")}
_OUTCOMES: dict[str, Outcome] = {"weak": "below_filter", "unknown": "no_metrics", "poor": "low_score"}


def tell(seed: int, size: int, day: date) -> tuple[Story, ...]:
    """The stories of a world of `size` domains around `day`."""
    taken: set[str] = set()
    return tuple(_story(seed, index, day, taken) for index in range(size))


def _story(seed: int, index: int, day: date, taken: set[str]) -> Story:
    role = part(index)
    rng = random.Random(f"afterdrop:{seed}:{index}")
    feed = role.feed or rng.choice(_FEEDS[role.sale])
    tld = rng.choice(role.tlds or _TLDS[feed])
    spoken = _spoken(rng, role.past, tld)
    genre = _genre(rng, role.past, spoken.genres)
    owner = name_gen.brand(rng, spoken)
    domain = name_gen.domain(rng, owner, genre, tld, role.past == "trademark", taken)
    span = min(site_history.years(role.past, rng), _OLDEST.get(tld, 30))
    listing = _listing(role, feed, tld, day, rng)
    end = listing.end or _midnight(day) + timedelta(days=9)
    expires = lifecycles.expiry(role, end, rng)
    until = min(expires, _midnight(day)) - timedelta(days=rng.randrange(6, 30))
    start = until - timedelta(days=365 * span + rng.randrange(20, 200))
    told = site_history.tell(role.past, rng, site_history.Frame(owner, genre, start, until))
    lasting = expires.year - start.year + 1
    last = next((era for era in reversed(told.eras) if era.scene != "parked"), None)
    return Story(
        index=index,
        domain=domain,
        role=role.name,
        eras=told.eras,
        phases=lifecycles.run(role, listing.withdrawn or end, expires, lasting, rng),
        listing=listing,
        metrics=link_profile.stand(rng, role.strength, role.past, domain, owner, genre),
        outcome=_outcome(role, told),
        reasons=told.reasons if role.strength in ("good", "strong") else (),
        flags=told.flags,
        may=told.may,
        language=last.language if last else "",
        topic=genre.topic,
    )


def _spoken(rng: random.Random, kind: str, tld: str) -> Language:
    """A language for the site; some pasts need one with enough genres."""
    spoken = languages()[name_gen.language(rng, tld)]
    topics = {genre.topic for genre in spoken.genres.values()}
    one_topic = kind == "topic_change" and len(topics) < 2
    return languages()["en"] if kind.startswith("hard_") or one_topic else spoken


def _outcome(role: Part, told: site_history.Past) -> Outcome:
    if role.strength in _OUTCOMES:
        return _OUTCOMES[role.strength]
    return "rejected" if told.reasons else "published"


def _genre(rng: random.Random, kind: str, genres: Mapping[str, Genre]) -> Genre:
    fixed = {"hard_news": "news", "hard_clinic": "clinic"}.get(kind)
    return genres[fixed] if fixed else rng.choice(list(genres.values()))


def _listing(role: Part, feed: str, tld: str, day: date, rng: random.Random) -> Listing:
    start = _midnight(day) + timedelta(days=role.first)
    end: datetime | None = None
    if role.last is not None and role.sale == "drop":
        end = lifecycles.release(tld, day + timedelta(days=role.last), rng.randrange(1, 90))
    elif role.last is not None:
        end = _midnight(day) + timedelta(days=role.last, hours=15, minutes=rng.randrange(0, 480, 5))
    priced = {"bid": (9, 240), "auction": (60, 900), "buy_now": (25, 1400), "drop": None}[role.sale]
    return Listing(
        feed=feed,
        sale=role.sale,
        start=start,
        end=end,
        withdrawn=_midnight(day) - timedelta(days=1) if role.fate == "renewed" else None,
        currency=rng.choice(_CURRENCIES.get(feed, ("USD",))),
        first_price=float(rng.randint(*priced)) if priced else None,
        number=rng.randrange(100_000_000, 999_999_999),
    )


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(0), UTC)
