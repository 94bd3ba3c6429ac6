"""How well changes of owner are found and dated, over lives composed of genuine pages of many sites.

    python -m bench.owner_lives [--part develop|held-out] [--lives N] [--list]

A life is of one to three owners. One owner's site is redesigned (another page of it, without the words both share),
renamed, or speaks another language; another owner may follow with the same subject in the same language, under the old
name, or with the same agency, theme and privacy statement. A life has at most eight captures read, as in a scan. Pages
are split by source: rules are developed on one part and measured on the other.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import pickle
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from statistics import median

from bench.genuine import SCRATCH, Genuine, pages
from bench.shares import interval
from tests.timelines.life import Life, LifeArchive, Shot

from afterdrop.review.history.domain_history import History
from afterdrop.review.history.samples import title_words
from afterdrop.review.page import reader
from afterdrop.review.page.markup import domain_of_host
from afterdrop.review.page.values import Capture, PageReading
from afterdrop.review.run import review_domain

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
LEAST_WORDS = 30
# Hosts at which each page may be another person's.
_PLATFORMS = frozenset(
    {
        "archive.org", "medium.com", "github.com", "github.io", "blogspot.com", "wordpress.com", "blogs.com",
        "typepad.com", "tumblr.com", "livejournal.com", "ning.com", "pbworks.com", "edu.cn", "nju.edu.cn",
    }
)  # fmt: skip
# What pages of any owners have at their end: an agency's line, a theme's, law and privacy, a mailer's address.
_FOOTERS = [
    "<p>Website by <a href='http://www.pixelhof.com/'>Pixelhof</a>, 01632 960999, hello@pixelhof.com</p>",
    "<p>Site problems? <a href='mailto:support@pixelhof.com'>support@pixelhof.com</a></p>",
    "<p>Webdesign: <a href='http://www.pixelhof.de/'>Pixelhof GmbH</a> | Tel. 030 9609990</p>",
    "<p>Réalisation du site : <a href='http://www.pixelhof.fr/'>Agence Pixelhof</a> - contact@pixelhof.fr</p>",
    "<p>Powered by <a href='http://www.joomla.org/'>Joomla!</a> | Template by <a href='http://loft.com/'>Loft</a></p>",
    "<p>Theme: Meridian by <a href='https://meridianthemes.net/'>Meridian</a> <a href='http://gmpg.org/xfn/'>XFN</a></p>",
    "<p><a href='https://ec.europa.eu/consumers/odr'>ODR</a> <a href='https://www.e-recht24.de/'>e-recht24</a></p>",
    "<p>We process personal data only where the law permits it. Cookies contain no viruses. Server log files hold"
    " browser type, operating system, referrer address and host name. You have the right of access, erasure and"
    " objection, and may complain to a supervisory authority. Analytics services use cookies on your computer.</p>",
    "<p>In danger call the helpline 0800 555 0111</p>",
    "<p>ISSN 1234-5678, open 08.00-12.00 14.00-18.00</p>",
    "<p><a href='https://www.facebook.com/wix'>Facebook</a> <a href='https://twitter.com/wix'>Twitter</a></p>",
    "<p>Write to <a href='mailto:{name}@gmail.com'>us</a></p>",
]
_NAMES = ["Alvora", "Brintex", "Corvane", "Deltimo", "Estovar", "Fenrique", "Galmora", "Hintavo"]


@dataclass(frozen=True)
class Site:
    """One genuine site: its registrable domain and the readings of its pages."""

    domain: str
    pages: tuple[PageReading, ...] = field(repr=False)
    sources: tuple[Genuine, ...] = field(repr=False)


@dataclass
class Told:
    """What became of the lives of one kind: shares by name, and the days in which each change is known to have come."""

    shares: dict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))
    days: list[int] = field(default_factory=list)
    best: list[int] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def count(self, name: str, hits: int, of: int = 1) -> None:
        """Count `hits` more of `of`."""
        self.shares[name][0] += hits
        self.shares[name][1] += of


def readings(scratch: Path = SCRATCH) -> list[tuple[Genuine, PageReading]]:
    """Each honest page with its reading, kept between runs of one version of the reader."""
    folder = Path(reader.__file__).parent
    version = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(folder.glob("*.py")))).hexdigest()
    kept = scratch / f"owner-readings-{version[:12]}.pickle"
    if not kept.exists():
        honest = [page for page in pages(scratch=scratch) if page.label == "legit" and page.host]
        made = [(page, _read(page)) for page in honest]
        kept.write_bytes(pickle.dumps(made, pickle.HIGHEST_PROTOCOL))
    told: list[tuple[Genuine, PageReading]] = pickle.loads(kept.read_bytes())  # written by this function
    return told


def _read(page: Genuine, footer: str = "") -> PageReading:
    site = domain_of_host(page.host)
    body = page.file.read_bytes() + footer.encode()
    return reader.read_page(body, url=f"http://{page.host}/", site=site)


def sites(told: Sequence[tuple[Genuine, PageReading]], *, held_out: bool) -> list[Site]:
    """The sites of one part of the sources."""
    by_host: dict[str, list[tuple[Genuine, PageReading]]] = defaultdict(list)
    for page, reading in told:
        usable = reading.verdict == "clean" and reading.words >= LEAST_WORDS
        if usable and page.held_out == held_out and domain_of_host(page.host) not in _PLATFORMS:
            by_host[page.host].append((page, reading))
    return [
        Site(domain_of_host(host) or host, tuple(r for _, r in found), tuple(page for page, _ in found))
        for host, found in sorted(by_host.items())
    ]


def redesigned(before: PageReading, after: PageReading) -> PageReading:
    """Another page of a site as its next home page, without the runs of five words that both have."""
    old, new = before.text.split(), after.text.split()
    shared = set(zip(*(old[n:] for n in range(5)), strict=False))
    kept = [True] * len(new)
    for place in range(len(new) - 4):
        if tuple(new[place : place + 5]) in shared:
            kept[place : place + 5] = [False] * 5
    return replace(after, text=" ".join(word for word, keep in zip(new, kept, strict=True) if keep))


def renamed(page: PageReading, name: str) -> PageReading:
    """The page under another name of its owner's."""
    return replace(page, title=f"{name} online", brand_tokens=frozenset({name.lower()}))


def translated(page: PageReading, foreign: PageReading) -> PageReading:
    """The page with the text of one in another language, under its own name."""
    return replace(
        page, text=foreign.text, language=foreign.language, language_sure=foreign.language_sure, topic=None
    )


def moved(page: PageReading, old: str, new: str, *, name: frozenset[str] = frozenset()) -> PageReading:
    """The page at another domain, where its own addresses and links are that domain's; `name` is taken over."""
    contacts = frozenset(new if contact == old else contact for contact in page.contacts)
    title = f"{' '.join(sorted(name))} {page.title or ''}"
    return replace(page, contacts=contacts, brand_tokens=page.brand_tokens | name, title=title)


@dataclass(frozen=True)
class Composed:
    """A life, the reading of each body, and the number of the owner of each capture, by its time."""

    life: Life
    readings: Mapping[bytes, PageReading]
    owner: Mapping[datetime, int]


Owner = list[PageReading]


def _captures(rng: random.Random, owners: Sequence[Owner]) -> list[tuple[datetime, int, int, int]]:
    """Times with owner, page of it and edition: 8 to 16 years, 3 to 20 captures a year, edited seldom to always."""
    begun, days = datetime(rng.randint(2000, 2010), 1, 1, tzinfo=UTC), rng.uniform(8, 16) * 365
    times = sorted({int(rng.uniform(0, days)) for _ in range(int(days / 365 * rng.choice([3, 6, 12, 20])))})
    turns = sorted(rng.uniform(0.1, 0.9) * days for _ in owners[1:])
    edits, edition, before = rng.choice([0.1, 0.5, 1]), 0, (-1, -1)
    found = []
    for when in times:
        owner = sum(when >= turn for turn in turns)
        edges = [0, *turns, days]
        share = (when - edges[owner]) / max(edges[owner + 1] - edges[owner], 1)
        page = min(int(share * len(owners[owner])), len(owners[owner]) - 1)
        edition += (owner, page) != before or rng.random() < edits
        before = owner, page
        found.append((begun + timedelta(days=when), owner, page, edition))
    return found


def composed(rng: random.Random, domain: str, kind: str, owners: Sequence[Owner]) -> Composed:
    """A life of these owners at `domain`."""
    shots, made, owned = [], {}, {}
    for at, owner, page, edition in _captures(rng, owners):
        body = f"{owner}/{page}#{edition} ".encode()
        body += b"." * int(owners[owner][page].size / 50 * random.Random(edition).uniform(0.97, 1.03))
        made[body], owned[at] = owners[owner][page], owner
        shots.append(Shot(at, body, content_type="text/html"))
    return Composed(Life(domain, kind, "honest", tuple(shots)), made, owned)


def lives(rng: random.Random, found: Sequence[Site], each: int) -> Iterator[Composed]:
    """`each` lives of every kind."""
    several = [site for site in found if len(site.pages) > 1]
    by_theme: dict[tuple[str | None, str | None], list[Site]] = defaultdict(list)
    for site in found:
        by_theme[site.pages[0].language, site.pages[0].topic].append(site)
    themed = [theme for theme, members in by_theme.items() if all(theme) and len(members) > 1]

    def owner(site: Site, at: str, name: frozenset[str] = frozenset()) -> Owner:
        chosen = [
            moved(page, site.domain, at, name=name)
            for page in rng.sample(site.pages, min(2, len(site.pages)))
        ]
        return [chosen[0], *(redesigned(one, two) for one, two in pairwise(chosen))]

    for _ in range(each):
        site = rng.choice(several)
        first, second = rng.sample(site.pages, 2)
        looks = [first, redesigned(first, second)]
        foreign = rng.choice(
            [other for other in found if other.pages[0].language not in (None, first.language)]
        )
        yield from (
            composed(rng, site.domain, "one owner: redesigned", [looks]),
            composed(
                rng, site.domain, "one owner: renamed", [[first, renamed(looks[1], rng.choice(_NAMES))]]
            ),
            composed(
                rng,
                site.domain,
                "one owner: another language",
                [[first, translated(second, foreign.pages[0])]],
            ),
        )
        one, two, three = rng.sample(found, 3)
        at = one.domain
        yield composed(rng, at, "two owners", [owner(one, at), owner(two, at)])
        alike = rng.sample(by_theme[rng.choice(themed)], 2)
        at = alike[0].domain
        yield composed(rng, at, "two owners: one theme", [owner(site, at) for site in alike])
        label = at.partition(".")[0]
        words = {word for page in alike[0].pages for word in page.brand_tokens | title_words(page.title)}
        name = frozenset(word for word in words if word in label) or frozenset({label})
        heir = [owner(alike[0], at), owner(alike[1], at, name)]
        yield composed(rng, at, "two owners: the old name", heir)
        at = two.domain
        footer = rng.choice(_FOOTERS)
        both = [
            [moved(_read(site.sources[0], footer.format(name=name)), site.domain, at)]
            for site, name in ((two, "first"), (three, "second"))
        ]
        yield composed(rng, at, "two owners: third parties", both)
        at = one.domain
        yield composed(rng, at, "three owners", [owner(site, at) for site in (one, two, three)])


async def judge(made: Composed, told: Told) -> None:
    """Review a life and compare it with what is known of it."""

    async def read(capture: Capture) -> PageReading:
        return made.readings[capture.body]

    reviewed = await review_domain(LifeArchive(made.life), read, made.life.domain, NOW)
    compare(made, reviewed.history, told)


def compare(made: Composed, history: History, told: Told) -> None:
    """Count changes found and invented, days between what is known of two owners, and what eras hold of others."""
    times = sorted(made.owner)
    true = [(old, new) for old, new in pairwise(times) if made.owner[old] != made.owner[new]]
    eras = [era for era in history.eras if era.owner is not None]
    borders = [(old, new) for old, new in pairwise(eras) if old.owner != new.owner]
    doubts = [
        (old.end, new.start) for old, new in pairwise(eras) if old.owner == new.owner and new.perhaps_other
    ]
    found = {
        turn: (old.end, new.start)
        for turn in true
        for old, new in borders
        if old.end <= turn[0] and turn[1] <= new.start
    }
    invented = [(old, new) for old, new in borders if made.owner[old.end] == made.owner[new.start]]
    if true:
        told.count("changes found", len(found), len(true))
        missed = [turn for turn in true if turn not in found]
        doubted = [
            turn for turn in missed if any(end <= turn[0] and turn[1] <= start for end, start in doubts)
        ]
        told.count("changes missed that are told as possible", len(doubted), len(missed))
    told.count("lives with an invented change", bool(invented))
    needless = [(end, start) for end, start in doubts if made.owner[end] == made.owner[start]]
    told.count("lives with a doubt where none need be", bool(needless))
    told.days += [(end - start).days for start, end in found.values()]
    told.best += [(new - old).days for old, new in found]
    read = {capture.at for capture in history.read}
    for era in eras:
        inside = [at for at in times if era.start <= at <= era.end]
        owner = made.owner[era.start]
        told.count(
            "eras that hold a read capture of another",
            any(made.owner[at] != owner for at in inside if at in read),
        )
        unread = [at for at in inside if at not in read]
        told.count(
            "unread captures of another in eras", sum(made.owner[at] != owner for at in unread), len(unread)
        )
    if len(found) < len(true) or invented:
        seen = ", ".join(f"{c.at:%Y-%m} {made.owner[c.at]}" for c in history.read)
        told.wrong.append(
            f"{made.life.kind} {made.life.domain}: {len(found)} of {len(true)}, {len(invented)} invented; {seen}"
        )


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--part", choices=("develop", "held-out"), default="held-out")
    options.add_argument("--lives", type=int, default=60)
    options.add_argument("--list", action="store_true")
    chosen = options.parse_args()
    rng = random.Random(7)
    found = sites(readings(), held_out=chosen.part == "held-out")
    by_kind: dict[str, Told] = defaultdict(Told)
    sizes: Counter[str] = Counter()
    for one in lives(rng, found, chosen.lives):
        sizes[one.life.kind] += 1
        asyncio.run(judge(one, by_kind[one.life.kind]))
    print(f"{chosen.part}: {len(found)} sites, {sizes.total()} lives")
    for kind, told in sorted(by_kind.items()):
        print(f"{kind}: {sizes[kind]} lives")
        for name, share in told.shares.items():
            print(f"  {name:44} {interval(*share)}")
        if told.days:
            print(
                f"  days in which a change is known to have come   {median(told.days):.0f} at the median"
                f" (a plan that knows the truth: {median(told.best):.0f})"
            )
    for line in [line for told in by_kind.values() for line in told.wrong] if chosen.list else ():
        print(f"  ! {line}")
    total = [
        sum(told.shares[name][n] for told in by_kind.values())
        for name in ("changes found", "lives with an invented change")
        for n in (0, 1)
    ]
    print(f"all: changes found {interval(*total[:2])}; lives with an invented change {interval(*total[2:])}")


if __name__ == "__main__":
    main()
