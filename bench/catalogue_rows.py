"""A catalogue of any size for benches: invented rows, 12 % of them live, and a Pro account to ask as."""

from __future__ import annotations

import json
import random
import secrets
import sqlite3
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from afterdrop.accounts import members
from afterdrop.catalogue.lists.search_index import search_text
from afterdrop.core import clock
from afterdrop.db.engine import open_database
from afterdrop.db.packed_json import pack

TLDS: Final = ("com", "org", "net", "de", "co.uk", "io", "fr", "info", "eu", "shop")
TOPICS: Final = ("Arts", "Business", "Games", "Health", "News", "Science", "Shopping", "Society", None)
TYPES: Final = ("auction", "bid", "buy_now", "pending_delete")
SYLLABLES: Final = (
    *("al", "ber", "cor", "dan", "el", "fin", "gar", "hol", "in", "jor", "kel", "lin", "mar", "nor"),
    *("ol", "per", "qui", "ran", "sol", "tor", "ul", "ven", "wil", "xan", "yor", "zel", "shop", "web"),
)
WORDS: Final = (
    *("walks", "lakes", "garden", "old", "town", "music", "club", "guide", "travel", "house", "the", "and"),
    *("society", "history", "art", "news", "school", "shop", "river", "north", "family", "food", "of"),
)
# A report of the sandbox, which `_report` varies.
_REPORT: Final = json.loads((Path(__file__).parent / "report.json").read_text(encoding="utf-8"))
# So many different reports are repeated.
_REPORTS: Final = 500
# Datasette is given what lists filter and sort by, what they show, and the same indexes.
_FLAT: Final = """
CREATE TABLE lists AS SELECT domain, tld, round, found_at, language, title, score, verdict, flags, flag_count, topic,
archive_years, archive_first_year, archive_last_year, domain_rating, trust_flow, citation_flow, referring_domains,
source, type, price_usd, bids, ends_at, url, live_until, announced, open_now, search FROM domains
"""


def rows(count: int, now: datetime) -> Iterator[dict[str, Any]]:
    """Rows of `domains`: 12 % of them live, the others ended within five years."""
    rng = random.Random(17)
    at = int(now.timestamp())
    for number in range(count):
        tld = rng.choices(TLDS, (50, 10, 8, 8, 6, 4, 4, 4, 3, 3))[0]
        name = "".join(rng.choice(SYLLABLES) for _ in range(rng.randint(2, 4)))
        domain = f"{name}-{number}.{tld}"
        title = " ".join(rng.choice(WORDS) for _ in range(rng.randint(3, 7))).capitalize()
        live = rng.random() < 0.12
        end = at + rng.randint(600, 10 * 86_400) if live else at - rng.randint(60, 5 * 365 * 86_400)
        flags = ["gap"] if rng.random() < 0.3 else []
        dr = rng.choice([None, *range(80)])
        yield {
            "domain": domain, "tld": tld, "round": 1, "found_at": end - rng.randint(86_400, 900_000),
            "hunt_day": "2026-11-19", "language": rng.choice(["en", "de", "fr", None]), "title": title,
            "search": search_text(domain, title), "archive_years": rng.randint(1, 20),
            "archive_first_year": 2002, "archive_last_year": 2021, "life": _life(rng),
            "announced": int(rng.random() < 0.1),
            "open_now": 0, "caught_after_drop": 0, "updated_at": at,
            "score": rng.randint(40, 98), "verdict": rng.choice(["ok", "ok", "ok", "risky"]),
            "flags": json.dumps(flags), "flag_count": len(flags), "topic": rng.choice(TOPICS),
            "domain_rating": dr, "trust_flow": rng.choice([None, *range(60)]), "citation_flow": 20,
            "referring_domains": rng.choice([None, *range(0, 5000, 7)]), "source": "market_a",
            "type": rng.choice(TYPES), "price_usd": rng.choice([None, *range(0, 900, 9)]),
            "bids": rng.randint(0, 20), "ends_at": end, "live_until": end,
            "url": f"https://lots.market-a.example/{number}",
        }  # fmt: skip


def _report(rng: random.Random) -> dict[str, Any]:
    """A report with as much in it as one with figures of three providers has (16.6 kB), in invented words."""

    def said(words: int) -> str:
        return " ".join("".join(rng.choices(SYLLABLES, k=rng.randint(1, 3))) for _ in range(words))

    def day() -> str:
        return f"{rng.randint(2003, 2025)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"

    made: dict[str, Any] = json.loads(json.dumps(_REPORT))
    [finding, *_], [era, *_] = made["history"]["findings"], made["history"]["eras"]
    made["history"]["findings"] = [
        {
            **finding,
            "note": said(18),
            "quote": said(9),
            "at": f"{day()}T10:00:00Z",
            "url": f"https://{said(1)}.example",
        }
        for _ in range(6)
    ]
    made["history"]["eras"] = [
        {**era, "start": day(), "end": day(), "title": said(5), "excerpt": said(30), "brand": said(5).split()}
        for _ in range(4)
    ]
    made["top_referring_domains"] = [f"{said(1)}-{said(1)}.{rng.choice(TLDS)}" for _ in range(100)]
    made["anchors"]["top"] = [
        {"text": said(3), "referring_domains": rng.randint(1, 900), "era": 1} for _ in range(20)
    ]
    made["links"] = [
        {"domain": f"{said(1)}.{rng.choice(TLDS)}", "text": said(3), "target": f"/{said(1)}/{said(1)}",
         "first_seen": day(), "last_seen": day(), "era": 1}
        for _ in range(36)
    ]  # fmt: skip
    made["score_notes"] = {part: said(12) for part in ("history", "age", "price")}
    return made


def _life(rng: random.Random) -> str:
    """A life as `review.history.life` packs it: a placeholder, a site, another owner's site."""
    begins, ends, last, month = (
        rng.randint(*span) for span in ((2000, 2007), (2008, 2018), (2020, 2025), (10, 12))
    )
    return f"h{begins}{month}{begins}{month}s{begins + 1}{month}{ends}{month}o{ends + 1}01{last}{month}"


def fill(file: Path, count: int, now: datetime) -> None:
    """Write the rows, and Datasette's table of them."""
    rng = random.Random(23)
    reports = [pack(_report(rng)) for _ in range(_REPORTS)]
    with sqlite3.connect(file) as db:
        batch: list[dict[str, Any]] = []
        for each in rows(count, now):
            batch.append(each)
            if len(batch) == 2000:
                _insert(db, batch, reports)
        _insert(db, batch, reports)
        db.execute(_FLAT)
        for column in (
            "domain",
            "score",
            "found_at",
            "live_until",
            "tld",
            "ends_at",
            "domain_rating",
            "price_usd",
        ):
            db.execute(f"CREATE INDEX ix_lists_{column} ON lists ({column})")
        db.execute("ANALYZE")


def _insert(db: sqlite3.Connection, batch: list[dict[str, Any]], reports: list[bytes]) -> None:
    if batch:
        names = ", ".join(batch[0])
        marks = ", ".join(f":{name}" for name in batch[0])
        db.executemany(f"INSERT INTO domains ({names}) VALUES ({marks})", batch)
        told = [(each["domain"], reports[at % len(reports)]) for at, each in enumerate(batch)]
        db.executemany("INSERT INTO reports VALUES (?, NULL, ?)", told)
        batch.clear()


def change_one(file: Path, domain: str) -> None:
    """Change one domain as publishing does, which raises the catalogue's version."""
    change_some(file, [domain])


def change_some(file: Path, names: list[str]) -> None:
    """Change domains in one transaction."""
    with sqlite3.connect(file, timeout=30) as db:
        db.executemany("UPDATE domains SET bids = bids + 1 WHERE domain = ?", [(name,) for name in names])
        raised = "INSERT INTO versions VALUES ('catalogue', 1) ON CONFLICT DO UPDATE SET value = value + 1"
        version = db.execute(f"{raised} RETURNING value").fetchone()[0]
        marked = (
            "INSERT INTO changed_domains VALUES (?, ?) ON CONFLICT DO UPDATE SET version = excluded.version"
        )
        db.executemany(marked, [(name, version) for name in names])


async def make_key(url: str) -> str:
    """A Pro account's API key."""
    database = open_database(url)
    now = clock.now()
    async with database.write() as conn:
        wanted = members.NewAccount("bench@example.com", verified=True, plan_until=now + timedelta(days=365))
        account = await members.create_account(conn, wanted, now=now, welcome=0)
        issued = await members.issue_key(conn, account.id, "bench", entropy=secrets.token_bytes(32), now=now)
    await database.close()
    return issued.key.text
