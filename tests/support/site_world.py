"""A small service with something on every page: domains of all kinds, a check, a rule with a match, an endpoint."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from afterdrop.accounts.account import Account
from afterdrop.checks.batch import BatchOrder, order_batch
from afterdrop.checks.order import order_check
from afterdrop.db.engine import Database
from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.checks import checks
from afterdrop.db.tables.review import archived_pages, registry_changes, registry_states, visits
from afterdrop.db.tables.watching import alert_matches
from afterdrop.delivery.webhooks import endpoint_store
from afterdrop.review.flags.risk_flags import FLAG_WORDS, FLAGS
from afterdrop.scoring.weights import PARTS
from afterdrop.sources.registry.release_hours import drop_end
from afterdrop.watching import desk_store, rules, store
from afterdrop.watching import desk_store as desk
from afterdrop.watching.desk_rules import filter_name_of, note_of, tag_of
from afterdrop.web.context import WebContext
from afterdrop.web.schemas.rules import NewRule
from tests.support import told_reports
from tests.support.rows import DAY, NOW, put, row

ARCHIVE = "https://web.archive.org/web"
EVIL = '"><script>alert(1)</script><img src=x onerror=alert(2)> {{ 7*7 }}'


def era(kind: str, start: str, end: str, **more: Any) -> dict[str, Any]:
    """One era of a history as it is stored."""
    values = {"language": None, "title": None, "topic": None, "brand": [], "detail": None, **more}
    url = f"{ARCHIVE}/{start[:4]}0101000000/http://old.example/"
    return {"kind": kind, "start": start, "end": end, "captures": 9, "days": 300, "url": url, **values}


def history(title: str = "Alpine huts and walks", evil: str = EVIL) -> dict[str, Any]:
    """Years with a site, a parking page, a gap and a finding."""
    finding = {
        "code": "parked",
        "severity": 1,
        "note": f"Parked on 2016-03-01: {title}",
        "at": "2016-03-01T00:00:00Z",
        "url": f"{ARCHIVE}/20160301000000/http://old.example/",
    }
    wrong = {**finding, "at": "2012-05-01T00:00:00Z", "url": "javascript:alert(1)", "note": evil}
    return {
        "reviewed_at": "2026-11-19T10:00:00Z",
        "first_capture": "2004-03-01T00:00:00Z",
        "last_capture": "2021-03-01T00:00:00Z",
        "captures": 312,
        "eras": [
            era(
                "site",
                "2004-03-01T00:00:00Z",
                "2015-12-01T00:00:00Z",
                language="en",
                title=title,
                topic="Recreation",
            ),
            era("parked", "2016-02-01T00:00:00Z", "2017-06-01T00:00:00Z", detail="for_sale"),
            era("site", "2019-01-01T00:00:00Z", "2021-03-01T00:00:00Z", language="en", title=title),
        ],
        "findings": [finding, wrong],
    }


def links(evil: str) -> dict[str, Any]:
    """Single links of every state, with texts and addresses as long as real ones."""
    states = ("there", "there", "removed", "page_gone", "domain_gone", "unread")
    found = []
    for n, state in enumerate(states):
        domain = f"the-{'very-long-' * (n % 3)}name-of-linking-site-{n}.example"
        seen = {
            "state": state,
            "looked_at": "2026-11-19",
            "text": None,
            "nofollow": n == 1,
            "sponsored": False,
        }
        link = {
            **{
                "domain": domain,
                "page": f"https://{domain}/2012/09/links",
                "rating": 90 - n,
                "nofollow": n == 2,
            },
            **{
                "text": evil if n == 3 else "Alpine huts and the walks between them, a guide",
                "era": (1, None)[n % 2],
            },
            **{
                "target": f"http://old.example/guides/{2000 + n}/index.php?page={n}",
                "first_seen": "2012-09-23",
            },
            **{"last_seen": None if n == 4 else "2026-09-30"},
            "today": {
                **seen,
                "place": "content" if n else "comment",
                "note": "" if n < 3 else "404 Not Found",
            },
        }
        found.append(link if n < 5 else {**link, "today": None, "text": "online casino"})
    gone = {"removed": 1, "page_gone": 1, "domain_gone": 1, "unread": 0}
    shares = {"known": 6, "unknown": 3, "last_era": 1, "eras": [{"era": 1, "links": 3, "share": 0.5}]}
    today = {"looked_at": "2026-11-19", "pages": 5, "there": 2, "followed": 1, **gone}
    return {"links": found, "link_eras": shares, "links_today": today}


def report(title: str = "Alpine huts and walks", evil: str = EVIL, score: int = 75) -> dict[str, Any]:
    """A stored report with every part, whose parts give the score."""
    checks_ = [
        {
            "flag": flag,
            "label": FLAG_WORDS[flag][0],
            "result": "found" if flag == "parked" else "unknown" if flag == "not_indexed" else "clean",
            "severity": "info" if flag in ("parked", "gap", "not_indexed") else "risk",
            "note": f"What was looked for: {flag}.",
        }
        for flag in FLAGS
    ]
    return {
        "metrics": {
            "tf_cf_ratio": 0.83,
            "backlinks": 4100,
            "<vendor_a>_authority_score": 21,
            "archived_urls": 860,
        },
        "score_breakdown": {**dict.fromkeys(PARTS, round(score / 96, 4)), "penalty": 0.04},
        "standing": "scored",
        "spam": {"result": "clean", "note": "No page we read looks like spam."},
        "score_notes": {"<vendor_d>_pagerank": "From the open link rank (25.5)."},
        "score_confidence": 1.0,
        "top_referring_domains": ["news.example", "<b>x</b>.example", evil],
        "anchors": {"top": [{"text": evil, "referring_domains": 31, "era": 1}], "spam_share": 0.02},
        **links(evil),
        "topical_trust_flow": [{"topic": "Recreation/Outdoors", "trust_flow": 17}],
        "risk_checks": checks_,
        "history": history(title, evil),
        "review_notes": ["Read 8 of 8 captures."],
        "attributions": [{"text": "Link ranks: Common Crawl", "url": "https://commoncrawl.org/"}],
        "revival_pages": 2,
        "revival_eras": [],
    }


def rows(evil: str = EVIL) -> list[dict[str, Any]]:
    """Domains in every state."""
    topics = ("Arts", "Recreation", "Science", "News", None)
    many = [
        row(
            f"alpine-hut-{n}.{('org', 'com', 'co.uk')[n % 3]}",
            score=45 + n,
            title=f"Alpine huts and walks, part {n}",
            topic=topics[n % 5],
            ends_at=NOW + timedelta(hours=3 + 7 * n),
            live_until=NOW + timedelta(hours=3 + 7 * n),
            flags=["parked"] if n % 4 == 0 else [],
            price_usd=None if n % 5 == 0 else 12 * n,
            report=report(score=45 + n),
        )
        for n in range(30)
    ]
    ended = {"ends_at": NOW - DAY, "live_until": NOW - DAY, "report": report()}
    return [
        *many,
        row(
            "open-today.com",
            **{"open_now": True, "last_open_on": "2026-11-20", **turned_columns("open-today.com")},
        ),
        *dropping(),
        row("hostile.com", title=evil, report=report(evil, evil, 87), score=87, url="javascript:alert(3)"),
        row(
            ["xn--bcher-kva", "example", "com"][0] + ".com", title="Bücher", report=report(score=60), score=60
        ),
        row("ended.org", **ended),
        row("freed.net", **ended, announced=True, availability="available", last_open_on="2026-11-18"),
    ]


def dropping() -> list[dict[str, Any]]:
    """Names about to drop, in the windows of several registries, and one that is followed."""
    names = ("glenmarch-harps.com", "brindlecombe.net", "hazelstow-farm.org", "lindhult-bygd.se", "late.com")
    found = []
    for n, name in enumerate(names):
        ends_at = drop_end((NOW + DAY * (n // 3)).date(), name)
        times = {"ends_at": ends_at, "live_until": ends_at, "report": report(score=70 + n), "score": 70 + n}
        offer = {"type": "pending_delete", "price_usd": None, "url": None, "source_title": None, "bids": 0}
        found.append(row(name, title="Harp makers of the valley", **times, **offer))
    return found


def open_offers() -> list[dict[str, Any]]:
    """Names that are open today, with the longest texts that marketplaces and archives really give."""
    opened = {"open_now": True, "last_open_on": "2026-11-20", "report": report(score=70), "score": 70}
    figures = {"domain_rating": 100, "trust_flow": 100, "referring_domains": 1_234_567, "bids": 128}
    dear = {"price_usd": 123_456, "flags": list(FLAGS[:3]), "flag_count": 3, **figures}
    endless = {"ends_at": None, "live_until": None, "type": "buy_now", "price_usd": 2500}
    drop = {"type": "pending_delete", "price_usd": None, "certain_from": NOW + 9 * DAY}
    long = "Second-hand books, maps and prints of the valley since 1911"
    sold = {"title": long, **opened, "source_title": "GoDaddy Auctions"}
    return [
        row("wetherbourne-and-district-allotment-gardeners.co.uk", **sold, **dear),
        row("xn--bcherei-caldbourne-und-umgebung-oid.de", **sold, **endless),
        row("hazelstow-archive.org", **{**sold, **drop, "source_title": "Dropping names of the registry"}),
    ]


def turned_columns(domain: str) -> dict[str, Any]:
    """The columns of a domain with a change of owner, as the real judge makes them."""
    columns = {**told_reports.row_values(told_reports.turned()), "price_usd": 222}
    return {**columns, "tld": domain.rpartition(".")[2], "search": domain}


async def _pages(conn: Any, domain: str, evil: str) -> None:
    for n, text in enumerate((f"# Huts\n\n{evil}\n\n[x](javascript:alert(1))", None)):
        values = {
            "domain": domain,
            "era": 1,
            "overall": True,
            "path": f"/../../huts-{n}/",
            "url": f"http://{domain}/../../huts-{n}/",
            "captures": 40 - n,
            "last_capture": "2020-05-01",
            "timestamp": "20200501000000",
            "title": evil if n == 0 else None,
            "words": 620,
            "content_state": "stored" if text else "none",
            "content": text,
        }
        await conn.execute(sa.insert(archived_pages).values(**values))


async def _at_registries(conn: Any, account: Account, evil: str) -> None:
    """Followed names on no list, what registries say of them, and what they said anew."""
    seen = {"since": NOW - DAY, "checked_at": NOW, "due_at": NOW + DAY, "registrar": evil}
    dying = {"expires_at": NOW - 60 * DAY, "earliest": "2026-11-24", "latest": "2026-11-25"}
    for name, stage, change, more in (
        ("our-old-bakery.com", "pending_delete", "pending_delete", dying),
        ("w" * 63 + ".com", "active", "renewed", {"expires_at": NOW + 700 * DAY}),
        ("xn--bcher-kva.de", "available", "dropped", {}),
        ("not-asked-yet.io", None, None, {}),
    ):
        await store.insert_watches(conn, account.id, [name], NOW - 9 * DAY)
        if change is not None:
            values = {"domain": name, "stage": stage, **more}
            await conn.execute(sa.insert(registry_states).values(**values, **seen))
            told = {**values, "change": change, "seen_at": NOW - DAY, "told_at": NOW}
            await conn.execute(sa.insert(registry_changes).values(**told))
    ended = {"domain": "ended.org", "stage": "redemption", **seen}
    await conn.execute(sa.insert(registry_states).values(**ended))
    for day, kind in ((0, "other"), (30, "spam")):
        visit = {"domain": "ended.org", "began_at": NOW - 40 * DAY, "day": day, "registrar": evil}
        visit |= {"visited_at": NOW - (40 - day) * DAY, "kind": kind, "title": evil, "quotes": [evil, evil]}
        visit |= {
            "category": evil[:24],
            "note": evil,
            "url": f"http://ended.org/{evil}",
            "evidence": "a" * 64,
        }
        visit |= {"attempts": 1, "after_account": 0, "told_at": NOW, "ours": "published"}
        await conn.execute(sa.insert(visits).values(**visit))


async def fill(context: WebContext, account: Account, evil: str = EVIL) -> dict[str, Any]:
    """Write all of it. Gives the ids of what the account owns."""
    database: Database = context.database
    rule = NewRule.model_validate(
        {"name": "".join(filter(str.isprintable, evil[:80])).strip(), "min_score": 50, "keywords": ["hut"]}
    )
    async with database.write() as conn:
        await put(conn, *rows(evil))
        for domain in ("open-today.com", "hostile.com"):
            await _pages(conn, domain, evil)
        made = await rules.create_rule(conn, account.id, rule.model_dump(), limit=10, now=NOW)
        match = {"rule_id": made["id"], "account_id": account.id, "domain": "hostile.com", "round": 1}
        await conn.execute(sa.insert(alert_matches).values(**match, matched_at=NOW))
        for name in ("open-today.com", "glenmarch-harps.com", "alpine-hut-1.com", "ended.org", "freed.net"):
            await store.insert_watches(conn, account.id, [name], NOW)
        if account.plan(NOW) == "pro":
            await _at_registries(conn, account, evil)
        await desk.add_tag(conn, account.id, ["open-today.com", "elsewhere.org"], "shortlist", NOW)
        await desk.add_tag(conn, account.id, ["open-today.com"], "<b>x</b>", NOW)
        own = tag_of(evil.replace(",", "")[:20] + " x")
        await desk.add_tag(conn, account.id, ["hostile.com"], own, NOW)
        await desk.save_filter(
            conn, account.id, filter_name_of(f"Huts & walks {evil[:40]}"), ("live", "q=hut&min_score=60"), NOW
        )
        names = ["open-today.com", "hostile.com", "ended.org", "nowhere.org"]
        await desk_store.share(conn, account.id, "shared-with-a-colleague", names, NOW)
        await desk.write_note(conn, account.id, "open-today.com", note_of(evil[:400]), NOW)
        hook = await endpoint_store.create_endpoint(
            conn,
            context.secret_box,
            account.id,
            endpoint_store.NewEndpoint(
                url="https://hooks.example.com/in", events=["alert.matched"], active=True, secret="s" * 40
            ),
            limit=3,
            now=NOW,
        )
        ping = await endpoint_store.test_endpoint(conn, account.id, hook["id"], NOW)
        assert ping is not None
        waiting = await order_check(conn, account.id, "waiting.com", allowance=20, now=NOW)
        done = await order_check(conn, account.id, "done.com", allowance=20, now=NOW)
        unlisted = told_reports.check_values(told_reports.steady(), "done.com")["report"]
        full = {
            **unlisted,
            **report(evil, evil),
            "title": evil,
            "score": 71,
            "metrics": unlisted["metrics"],
        }
        state: dict[str, Any] = {
            "state": "registered",
            "registrar": evil,
            "registered_at": None,
            "expires_at": None,
            "statuses": [],
        }
        await conn.execute(
            sa.update(checks)
            .where(checks.c.id == done.check["id"])
            .values(
                status="done",
                slot=None,
                finished_at=NOW,
                score=75,
                verdict="ok",
                would_list=False,
                reject_reasons=[evil],
                report=full,
                registration=state,
            )
        )
        names = ["open-today.com", "done.com", "waiting.com", "batched.com"]
        wanted = BatchOrder(account.viewer(NOW), names, most_credits=1, allowance=20)
        batch = await order_batch(conn, wanted, NOW, context.settings)
        told = {
            "casino": told_reports.casino(),
            "nothing": told_reports.nothing(),
            "steady": told_reports.steady(),
        }
        finished = {}
        for name, judgement in told.items():
            ordered = await order_check(conn, account.id, f"{name}.com", allowance=20, now=NOW)
            finished[name] = ordered.check["id"]
            values = told_reports.check_values(judgement, f"{name}.com")
            await conn.execute(sa.update(checks).where(checks.c.id == finished[name]).values(**values))
        await conn.execute(sa.update(domains).where(domains.c.domain == "freed.net").values(checked_at=NOW))
    return {
        "rule": made["id"],
        "hook": hook["id"],
        "delivery": ping["id"],
        "waiting": waiting.check["id"],
        "batch": batch.id,
        "share": "shared-with-a-colleague",
        "done": done.check["id"],
        **finished,
    }
