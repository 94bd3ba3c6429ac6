"""The invented internet at any moment: stories by domain, and the listings and captures that the servers show.

Pure: it depends on seed, size and day alone. Names, languages, owners and histories depend on the seed; the day only
moves the dates. Rendered pages and captures are kept.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property

from afterdrop.sandbox import captures, lifecycles, link_profile, name_gen, site_history
from afterdrop.sandbox.captures import Capture
from afterdrop.sandbox.pages import PageRenderer
from afterdrop.sandbox.scenarios import Scenario, scenario_at
from afterdrop.sandbox.story import ExpectedOutcome, Link, Listing, Story
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
# The most years that a site under a young extension can have existed.
_OLDEST = {"app": 7, "xyz": 11}
_CURRENCIES = {"sedo_auctions": ("EUR", "USD", "EUR", "GBP")}
# Language and genre of histories that only some sites can have.
_FIXED = {"hard_news": ("en", "news"), "hard_clinic": ("en", "clinic"), "bilingual": ("fr", "village")}
_OUTCOMES: dict[str, ExpectedOutcome] = {"weak": "below_filter", "unknown": "no_metrics", "poor": "low_score"}


def make_stories(seed: int, size: int, day: date) -> tuple[Story, ...]:
    """The stories of a world of `size` domains around `day`."""
    taken: set[str] = set()
    return tuple(_make_story(seed, index, day, taken) for index in range(size))


def _make_story(seed: int, index: int, day: date, taken: set[str]) -> Story:
    scenario = scenario_at(index)
    rng = random.Random(f"afterdrop:{seed}:{index}")
    feed = scenario.feed or rng.choice(_FEEDS[scenario.sale])
    tld = rng.choice(scenario.tlds or _TLDS[feed])
    language = _pick_language(rng, scenario.past, tld)
    genre = _genre(rng, scenario.past, language.genres)
    owner = name_gen.make_brand(rng, language)
    domain = name_gen.make_domain(rng, owner, genre, tld, scenario.past == "trademark", taken)
    span = min(site_history.history_years(scenario.past, rng), _OLDEST.get(tld, 30))
    listing = _listing(scenario, feed, tld, day, rng)
    end = listing.end or _midnight(day) + timedelta(days=9)
    expires = lifecycles.expiry_time(scenario, end, rng)
    until = min(expires, _midnight(day)) - timedelta(days=rng.randrange(6, 30))
    start = until - timedelta(days=365 * span + rng.randrange(20, 200))
    told = site_history.make_history(
        scenario.past, rng, site_history.HistoryFrame(owner, genre, start, until)
    )
    lasting = expires.year - start.year + 1
    last = next((era for era in reversed(told.eras) if era.scene != "parked"), None)
    metrics = link_profile.link_metrics(rng, scenario.strength, scenario.past, domain, owner, genre)
    return Story(
        index=index,
        domain=domain,
        scenario=scenario.name,
        eras=told.eras,
        phases=lifecycles.registry_phases(scenario, listing.withdrawn or end, expires, lasting, rng),
        listing=listing,
        metrics=replace(metrics, links=link_profile.links_of(domain, told.eras, metrics.referring_domains)),
        outcome=_outcome(scenario, told),
        reasons=told.reasons if scenario.strength in ("good", "strong") else (),
        flags=told.flags,
        may=told.may,
        language=last.language if last else "",
        topic=genre.topic,
    )


def _pick_language(rng: random.Random, kind: str, tld: str) -> Language:
    """A language for the site; some histories need one with enough genres."""
    language = languages()[name_gen.pick_language(rng, tld)]
    topics = {genre.topic for genre in language.genres.values()}
    one_topic = kind in ("topic_change", "three_owners") and len(topics) < 2
    if kind in _FIXED:
        return languages()[_FIXED[kind][0]]
    return languages()["en"] if one_topic else language


def _outcome(scenario: Scenario, told: site_history.SiteHistory) -> ExpectedOutcome:
    if scenario.strength in _OUTCOMES:
        return _OUTCOMES[scenario.strength]
    return "rejected" if told.reasons else "published"


def _genre(rng: random.Random, kind: str, genres: Mapping[str, Genre]) -> Genre:
    return genres[_FIXED[kind][1]] if kind in _FIXED else rng.choice(list(genres.values()))


def _listing(scenario: Scenario, feed: str, tld: str, day: date, rng: random.Random) -> Listing:
    start = _midnight(day) + timedelta(days=scenario.first)
    end: datetime | None = None
    if scenario.last is not None and scenario.sale == "drop":
        end = lifecycles.release_time(tld, day + timedelta(days=scenario.last), rng.randrange(1, 90))
    elif scenario.last is not None:
        end = _midnight(day) + timedelta(days=scenario.last, hours=15, minutes=rng.randrange(0, 480, 5))
    priced = {"bid": (9, 240), "auction": (60, 900), "buy_now": (25, 1400), "drop": None}[scenario.sale]
    return Listing(
        feed=feed,
        sale=scenario.sale,
        start=start,
        end=end,
        withdrawn=_midnight(day) - timedelta(days=1) if scenario.ending == "renewed" else None,
        currency=rng.choice(_CURRENCIES.get(feed, ("USD",))),
        first_price=float(rng.randint(*priced)) if priced else None,
        number=rng.randrange(100_000_000, 999_999_999),
    )


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(0), UTC)


@dataclass
class World:
    """A world of `size` domains around `day`, made from `seed`."""

    seed: int
    size: int
    day: date
    stories: tuple[Story, ...] = field(init=False)
    by_domain: dict[str, Story] = field(init=False)
    pages: PageRenderer = field(default_factory=PageRenderer)
    _captures: dict[int, tuple[Capture, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.stories = make_stories(self.seed, self.size, self.day)
        self.by_domain = {story.domain: story for story in self.stories}

    @cached_property
    def linking_pages(self) -> Mapping[str, Link]:
        """Every link of the world by the address of its page."""
        return {link.page: link for story in self.stories for link in story.metrics.links}

    @cached_property
    def extensions(self) -> frozenset[str]:
        """The extensions of all domains of the world, and those that they lie under."""
        found = {story.tld for story in self.stories}
        return frozenset(found | {tld.rpartition(".")[2] for tld in found})

    @cached_property
    def linking_sites(self) -> frozenset[str]:
        """Every site with a link to a name of the world."""
        return frozenset(link.domain for link in self.linking_pages.values())

    def find(self, host: str) -> Story | None:
        """The story of the domain that `host` is or lies under."""
        name = host.lower().strip(".")
        while name:
            if name in self.by_domain:
                return self.by_domain[name]
            name = name.partition(".")[2]
        return None

    def listed(self, feed: str, moment: datetime) -> list[Story]:
        """The stories whose offer `feed` lists at `moment`, soonest end first."""
        there = [
            story for story in self.stories if story.listing.feed == feed and story.listing.there(moment)
        ]
        return sorted(
            there, key=lambda story: (story.listing.end is None, story.listing.end or story.listing.start)
        )

    def captures(self, story: Story) -> tuple[Capture, ...]:
        """Every capture of a domain, by key and time."""
        if story.index not in self._captures:
            self._captures[story.index] = captures.captures_of(story, self.pages)
        return self._captures[story.index]
