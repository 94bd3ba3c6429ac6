"""Intake on a real database: what is stored, refreshed and counted, and which metrics are requested."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import sqlalchemy as sa

from afterdrop.core.errors import UpstreamError
from afterdrop.db.tables.catalogue import banned_domains
from afterdrop.db.tables.feeds import listings
from afterdrop.feeds.preset_files import open_preset
from afterdrop.sources.metrics.model import Metric
from tests.support.desk import DAY, FILTER, NOON, Desk, feed, offer


async def test_a_first_file(desk: Desk) -> None:
    rows = [
        offer("good.com", p="$1,234.50", b=4, dr=31),
        offer("weak.com", tf=3),
        offer("unmeasured.com", tf=None),
        offer("over.com", e="2026-11-20T11:59:59Z"),
        offer("www.shop.co.uk", t="buy_now", e=None, u="javascript:x"),
        offer("bad name"),
        offer("late.com", e="soon"),
    ]
    spec = feed()
    run = await desk.take(rows, spec=spec)
    assert (run.state, run.rows, run.good, run.passed, run.error) == ("done", 7, 5, 2, None)
    assert run.counts == {
        "below_filter": 1,
        "ended": 1,
        "new": 2,
        "no_metrics": 1,
        "bad": {"domain_characters": 1, "ends_at": 1},
        "notes": {"reduced": 1, "url": 1},
    }
    assert run.samples["ends_at"][0]["line"] == 7
    stored = await desk.listings()
    assert set(stored) == {"id-good.com", "id-www.shop.co.uk"}
    good = stored["id-good.com"]
    assert (good["domain"], good["type"], good["price_usd"], good["bids"]) == ("good.com", "bid", 1235, 4)
    assert (good["ends_at"], good["live_until"], good["withdrawn_at"]) == (
        NOON + 3 * DAY,
        NOON + 3 * DAY,
        None,
    )
    assert (good["source"], good["feed"], good["seen_run"]) == ("market_a", "sample", run.run_id)
    shop = stored["id-www.shop.co.uk"]
    assert (shop["domain"], shop["ends_at"], shop["live_until"], shop["url"]) == (
        "shop.co.uk",
        None,
        None,
        None,
    )
    made = await desk.candidates()
    assert set(made) == {"good.com", "shop.co.uk"}
    assert (made["good.com"]["state"], made["good.com"]["authority"], made["good.com"]["ends_at"]) == (
        "due",
        0.31,
        NOON + 3 * DAY,
    )
    assert made["good.com"]["due_at"] == NOON
    told = [(m["domain"], m["role"], m["value"], m["provider"]) for m in await desk.metrics()]
    assert told == [
        ("good.com", "domain_rating", 31, "feed:sample"),
        ("good.com", "trust_flow", 20, "feed:sample"),
        ("shop.co.uk", "trust_flow", 20, "feed:sample"),
    ]


async def test_names_in_a_zone_that_is_not_listed_are_counted_and_left_out(desk: Desk) -> None:
    rows = [offer("shop.uk.com"), offer("www.example.com"), offer("me.github.io"), offer("a.eu.com")]
    run = await desk.take(rows, zones=("eu.com",))
    assert (run.state, run.rows, run.good) == ("done", 4, 2)
    assert run.counts["bad"] == {"unlisted_zone": 2}
    assert [one["line"] for one in run.samples["unlisted_zone"]] == [1, 3]
    assert {one["domain"] for one in (await desk.listings()).values()} == {"example.com", "a.eu.com"}
    assert set(await desk.candidates()) == {"example.com", "a.eu.com"}


async def test_a_name_of_symbols_is_taken_as_its_a_label(desk: Desk) -> None:
    rows = [offer("XN--N3H.net"), offer("xn--i-7iq.ws"), offer("☃.org"), offer("xn---n3h.com")]
    run = await desk.take(rows)
    assert (run.rows, run.good, run.counts["bad"]) == (4, 2, {"domain_idna": 2})
    assert {listing["domain"] for listing in (await desk.listings()).values()} == {
        "xn--n3h.net",
        "xn--i-7iq.ws",
    }


async def test_a_marketplaces_name_is_stored_and_followed(desk: Desk) -> None:
    for days, title in enumerate((None, "Harbour Auctions", "Harbour Auctions", "Quay Auctions")):
        run = await desk.take([offer("good.com")], NOON + days * DAY / 24, spec=feed(title=title))
        assert (await desk.listings())["id-good.com"]["source_title"] == title
        assert run.counts == {("new", "refreshed", "unchanged", "refreshed")[days]: 1}


async def test_a_known_listing_is_refreshed_and_its_published_domain_due_again(desk: Desk) -> None:
    await desk.take([offer("a.com"), offer("b.com"), offer("c.com")])
    await desk.settle("published", NOON, "a.com", "b.com")
    await desk.settle("rejected", NOON, "c.com")
    later = NOON + DAY
    end = "2026-11-24T18:00:00Z"
    rows = [
        offer("a.com", p="55", b=3, e=end, u="https://x.com/moved", tf=1),
        offer("b.com"),
        offer("c.com", p="99"),
    ]
    run = await desk.take(rows, later)
    assert run.counts == {"refreshed": 2, "unchanged": 1}
    stored, waiting = await desk.listings(), await desk.candidates()
    a = stored["id-a.com"]
    assert (a["price_usd"], a["bids"], a["url"]) == (55, 3, "https://x.com/moved")
    assert a["ends_at"] == datetime.fromisoformat(end)
    assert (a["first_seen_at"], a["last_seen_at"]) == (NOON, later)
    assert (stored["id-b.com"]["last_seen_at"], stored["id-b.com"]["seen_run"]) == (later, run.run_id)
    again = waiting["a.com"]
    assert (again["state"], again["outcome"], again["due_at"]) == ("due", None, later)
    assert again["scan_id"] == (await desk.runs())[-1]["scan_id"]
    assert again["ends_at"] == datetime.fromisoformat(end)
    assert (waiting["b.com"]["state"], waiting["c.com"]["outcome"]) == ("settled", "rejected")
    assert {m["domain"]: m["value"] for m in await desk.metrics()}["a.com"] == 1


async def test_an_expired_rejection_is_reviewed_again(desk: Desk) -> None:
    await desk.take([offer("a.com", e=None, t="buy_now")])
    await desk.settle("rejected", NOON, "a.com")
    await desk.take([offer("a.com", e=None, t="buy_now")], NOON + 29 * DAY)
    assert (await desk.candidates())["a.com"]["state"] == "settled"
    await desk.take([offer("a.com", e=None, t="buy_now")], NOON + 30 * DAY)
    assert (await desk.candidates())["a.com"]["state"] == "due"


async def test_a_second_offer_and_the_soonest_end(desk: Desk) -> None:
    await desk.take([offer("a.com")])
    other = feed(name="other", source="market_b")
    sooner = "2026-11-21T12:00:00Z"
    await desk.take(
        [offer("a.com", tf=1, e=sooner), offer("a.com", id="x", tf=1, e="2026-11-30T12:00:00Z")], spec=other
    )
    assert [(row["source"], row["external_id"]) for row in await desk.rows(listings, "id")] == [
        ("market_a", "id-a.com"),
        ("market_b", "id-a.com"),
        ("market_b", "x"),
    ]
    waiting = (await desk.candidates())["a.com"]
    assert waiting["ends_at"] == datetime.fromisoformat(sooner)


async def test_a_listing_may_move_between_feeds_of_one_source(desk: Desk) -> None:
    bids, closeouts = feed(name="bids"), feed(name="closeouts")
    await desk.take([offer("a.com"), offer("b.com")], spec=bids)
    run = await desk.take([offer("a.com", t="buy_now", e=None)], NOON + DAY, spec=closeouts)
    assert run.counts == {"refreshed": 1}
    gone = await desk.take([offer("b.com")], NOON + DAY, spec=bids)
    assert gone.counts == {"unchanged": 1}
    stored = (await desk.listings())["id-a.com"]
    assert (stored["feed"], stored["type"], stored["withdrawn_at"]) == ("closeouts", "buy_now", None)


async def test_the_same_offer_twice_in_a_file(desk: Desk) -> None:
    run = await desk.take([offer("a.com", p="5"), offer("b.com"), offer("a.com", p="7")])
    assert run.counts == {"duplicate": 1, "new": 2}
    assert (await desk.listings())["id-a.com"]["price_usd"] == 7


async def test_prices_in_other_currencies(desk: Desk) -> None:
    rows = [
        offer("eur.com", p="100", c="EUR"),
        offer("xyz.com", p="100", c="XYZ"),
        offer("no.com", p="call us"),
    ]
    await desk.take(rows, rates={"EUR": 0.9})
    stored = await desk.listings()
    assert stored["id-eur.com"]["price_usd"] == 111
    assert (stored["id-xyz.com"]["price_usd"], stored["id-xyz.com"]["price_note"]) == (
        None,
        "no exchange rate for XYZ (100 XYZ)",
    )
    assert stored["id-no.com"]["price_usd"] is None


async def test_a_banned_name_stays_out(desk: Desk) -> None:
    async with desk.database.write() as conn:
        await conn.execute(
            banned_domains.insert().values(domain="a.com", banned_at=NOON, actor="op", reason="trademark")
        )
    run = await desk.take([offer("a.com"), offer("b.com")])
    assert run.counts == {"banned": 1, "new": 1}
    assert set(await desk.candidates()) == {"b.com"}


async def test_names_without_metrics_are_asked_for_in_bulk(desk: Desk) -> None:
    asked: list[Sequence[str]] = []

    async def ask(domains: Sequence[str]) -> Mapping[str, Sequence[Metric]]:
        asked.append(domains)
        return {
            "good.com": [Metric("domain_rating", 44, "ranks", NOON, {"text": "Ranks", "url": ""})],
            "poor.com": [Metric("domain_rating", 2, "ranks", NOON)],
            "listed.com": [],
        }

    rows = [offer(f"{name}.com", tf=None) for name in ("good", "poor", "none", "listed")]
    run = await desk.take([*rows, offer("known.com")], authority_filter=replace(FILTER, ask=ask))
    assert asked == [["good.com", "listed.com", "none.com", "poor.com"]]
    assert run.counts == {"below_filter": 1, "new": 2, "no_metrics": 2}
    assert (run.passed, set(await desk.candidates())) == (2, {"good.com", "known.com"})
    assert (await desk.candidates())["good.com"]["authority"] == 0.44
    told = next(m for m in await desk.metrics() if m["domain"] == "good.com")
    assert (told["provider"], told["value"], told["attribution"]) == (
        "ranks",
        44,
        {"text": "Ranks", "url": ""},
    )


async def test_providers_that_fail_leave_names_unknown(desk: Desk) -> None:
    async def ask(_domains: Sequence[str]) -> Mapping[str, Sequence[Metric]]:
        raise UpstreamError("ranks", "timeout", "did not answer in time")

    run = await desk.take(
        [offer("a.com", tf=None), offer("b.com")], authority_filter=replace(FILTER, ask=ask)
    )
    assert (run.state, run.counts) == ("done", {"new": 1, "no_metrics": 1, "providers_failed": 1})


async def test_thousands_of_rows_are_written_in_short_transactions(desk: Desk) -> None:
    sizes: list[int] = []

    def counted(_conn: object, _cursor: object, statement: str, parameters: object, *_rest: object) -> None:
        if statement.startswith("INSERT INTO metric_values"):
            sizes.append(len(parameters) if isinstance(parameters, list) else 1)

    watched = (desk.database.engine.sync_engine, "before_cursor_execute", counted)
    sa.event.listen(*watched)
    asked = 0

    async def ask(domains: Sequence[str]) -> Mapping[str, Sequence[Metric]]:
        nonlocal asked
        asked += len(domains)
        return {}

    rows = [offer(f"n{number}.com", tf=20 if number % 2 else None) for number in range(3000)]
    run = await desk.take(rows, authority_filter=replace(FILTER, ask=ask))
    sa.event.remove(*watched)
    assert run.counts == {"new": 1500, "no_metrics": 1500}
    assert asked == 1500
    assert sum(sizes) == 1500
    assert max(sizes) <= 1000 // 3  # a listing, a candidate and a metric each


async def test_the_real_lists(desk: Desk, real: Path) -> None:
    at = datetime.fromisoformat("2026-09-30T00:00:00Z")
    spec = open_preset("nominet_uk")
    run = await desk.take(
        (real / "feeds" / "nominet_head.csv").read_bytes(),
        at,
        spec=spec,
        authority_filter=replace(FILTER, judge=lambda _figures: "pass"),
    )
    assert (run.rows, run.good) == (6, 5)
    # 65 days are on the list: the row beyond the next 14 waits
    assert run.counts == {"ended": 1, "new": 3, "waits": 1, "bad": {"ends_at": 1}}
    stored = (await desk.listings())["D_86130058-UK"]
    assert (stored["domain"], stored["type"], stored["exact_drop"]) == ("5thjuly.uk", "pending_delete", True)
    assert stored["attribution"] == {"text": "Drop list: Nominet", "url": "https://droplists.nominet.uk/"}
    auctions = (real / "feeds" / "namesilo_list_auctions_live.json").read_bytes()
    # a row a line, as downloads keep pages
    auctions = "\n".join(map(json.dumps, json.loads(auctions)["reply"]["body"])).encode()
    run = await desk.take(auctions, NOON - 300 * DAY, spec=open_preset("namesilo_auctions"))
    assert (run.good, run.counts) == (3, {"ended": 1, "no_metrics": 2})
