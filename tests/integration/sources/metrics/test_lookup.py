"""The metric providers over real HTTP: which provider is asked about which names, and what its faults cause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from afterdrop.core import clock
from afterdrop.core.settings import Authority, HostPace, Pace, Settings
from afterdrop.db.engine import Database
from afterdrop.http.client import Fetcher
from afterdrop.scoring.authority import judge_metrics
from afterdrop.sources.metrics import store
from afterdrop.sources.metrics.lookup import ask_bulk, ask_domain, plan_bulk
from afterdrop.sources.metrics.model import LINK_RANK, TRUST_FLOW, Metric, Metrics
from afterdrop.sources.metrics.provider_client import FAIL_FAST, ProviderClient, RetryPolicy
from afterdrop.sources.metrics.store import end_cool_down, standings
from tests.integration.sources.metrics.vendors import (
    Handler,
    Truth,
    Vendors,
    always,
    body,
    cut,
    specs_of,
    status,
)

QUICK = RetryPolicy(wait=3, pauses=(0.0,))
NAMES = ["a.com", "b.org", "c.net"]


def worth(_domain: str, metrics: Metrics) -> bool:
    return judge_metrics(metrics, Authority()) == "pass"


async def test_values_are_joined_by_name_across_vendors(
    fetcher: Fetcher, database: Database, outward: Settings, vendors: Vendors, now: datetime
) -> None:
    vendors.truth = {"a.com": Truth(dr=46.4), "b.org": Truth(dr=3.0, pagerank=1.0)}
    specs = specs_of(outward, vendors, "majestic", "open_pagerank", "ahrefs_free")
    got = await ask_bulk(ProviderClient(fetcher, database, now), specs, NAMES, worth_paying=worth)
    assert {m.role: m.value for m in got.metrics["a.com"]} == {
        "vendor_d_pagerank": 3.1,
        "domain_rating": 46,
        "trust_flow": 12,
        "citation_flow": 20,
        "referring_domains": 40,
        "backlinks": 120,
        "topic": "Arts",
        "topical_trust_flow": [{"topic": "Arts/Music", "trust_flow": 12}],
    }
    assert [m.value for m in got.metrics["b.org"]] == [1.0, 3]
    assert "c.net" not in got.metrics
    # The paid one came last, and only for the name that passes on what the free ones said.
    assert [who for who, _ in vendors.asked] == ["pagerank", "ahrefs", "majestic"]
    assert vendors.names_asked("majestic") == ["a.com"]
    assert got.asked == {"open_pagerank": 3, "ahrefs_free": 3, "majestic": 1}
    assert got.spent == {"open_pagerank": 3, "ahrefs_free": 3, "majestic": 1}
    assert not got.notes and not got.faults
    rating = next(m for m in got.metrics["a.com"] if m.role == "domain_rating")
    assert rating.attribution == {"text": "Domain Rating by Ahrefs", "url": "https://ahrefs.com/"}
    assert got.merged("a.com").best(TRUST_FLOW) == Metric(TRUST_FLOW, 12, "majestic", now)


async def test_nothing_is_paid_for_without_reason_and_known_values_are_not_requested(
    fetcher: Fetcher, database: Database, outward: Settings, vendors: Vendors, now: datetime
) -> None:
    vendors.truth = {name: Truth() for name in NAMES}
    specs = specs_of(outward, vendors, "majestic", "open_pagerank")
    known = {"a.com": Metrics.of([Metric("vendor_d_pagerank", 2.5, "feed:x", now)])}
    got = await ask_bulk(ProviderClient(fetcher, database, now), specs, NAMES, known=known)
    assert vendors.names_asked("pagerank") == ["b.org", "c.net"]
    assert vendors.names_asked("majestic") == [] and "majestic" not in got.asked


async def test_answers_are_cached_also_when_the_name_was_not_found(
    fetcher: Fetcher, database: Database, outward: Settings, vendors: Vendors, now: datetime
) -> None:
    vendors.truth = {"a.com": Truth()}
    specs = specs_of(outward, vendors, "open_pagerank")
    for days in (0, 29):
        later = now + timedelta(days=days)
        got = await ask_bulk(ProviderClient(fetcher, database, later), specs, NAMES)
        assert got.merged("a.com").number("vendor_d_pagerank") == 3.1
    assert got.cached == {"open_pagerank": 3} and not got.spent
    assert len(vendors.asked) == 1
    await ask_bulk(ProviderClient(fetcher, database, now + timedelta(days=31)), specs, NAMES)
    assert len(vendors.asked) == 2


async def test_batches_are_no_larger_than_the_vendor_allows(
    fetcher: Fetcher, database: Database, outward: Settings, vendors: Vendors, now: datetime
) -> None:
    names = [f"n{number}.com" for number in range(230)]
    vendors.truth = {name: Truth() for name in names}
    got = await ask_bulk(
        ProviderClient(fetcher, database, now), specs_of(outward, vendors, "open_pagerank"), names
    )
    assert [len(asked) for _, asked in vendors.asked] == [100, 100, 30]
    assert len(got.metrics) == 230


async def test_a_provider_without_its_key_gives_nothing_and_is_named(
    fetcher: Fetcher, database: Database, outward: Settings, vendors: Vendors, now: datetime
) -> None:
    specs = specs_of(outward, vendors, "open_pagerank", "semrush", keys={})
    got = await ask_bulk(ProviderClient(fetcher, database, now), specs, NAMES)
    assert got.unconfigured == {"open_pagerank": ("OPEN_PAGERANK_API_KEY",)} and not got.metrics
    got = await ask_domain(ProviderClient(fetcher, database, now), specs, "a.com")
    assert got.unconfigured == {"open_pagerank": ("OPEN_PAGERANK_API_KEY",), "semrush": ("SEMRUSH_API_KEY",)}
    assert vendors.asked == []


@pytest.mark.parametrize(
    ("faults", "words", "units"),
    [
        ([status(500), status(502)], "answered 502", 0),
        ([status(401)], "answered 401: the key is wrong, or its plan does not include this", 0),
        (
            [status(302, Location="https://evil.example/")],
            "answered 302, a redirect; redirects are not followed",
            0,
        ),
        ([cut, cut], "broke off in the middle", 2),
        ([body('{"Code": "OK", "DataT')], "the answer is not JSON", 1),
        ([body('{"Code": "NoUnits", "ErrorMessage": "0 left for majestic-key"}')], "0 left for ***", 0),
        ([status(429, **{"Retry-After": "900"})] * 2, "is blocked for another", 0),
    ],
)
async def test_a_fault_is_recorded_without_keys_and_gives_nothing(
    fetcher: Fetcher,
    database: Database,
    outward: Settings,
    vendors: Vendors,
    now: datetime,
    faults: list[Handler],
    words: str,
    units: int,
) -> None:
    vendors.faults["majestic"] = list(faults)
    specs = specs_of(outward, vendors, "majestic")
    got = await ask_bulk(ProviderClient(fetcher, database, now, QUICK), specs, ["a.com"], worth_paying=always)
    assert not got.metrics and list(got.faults) == ["majestic"]
    assert got.faults["majestic"][0].startswith("1 name: ")
    assert words in got.faults["majestic"][0]
    assert "majestic-key" not in str(got)
    async with database.read() as conn:
        [standing] = await standings(conn, specs, now)
    assert standing.spent_in_month == standing.spent_on_day == units == got.spent.get("majestic", 0)


async def test_an_answer_about_one_name_without_a_value_is_not_kept(
    fetcher: Fetcher, database: Database, outward: Settings, vendors: Vendors, now: datetime
) -> None:
    vendors.truth = {"a.com": Truth()}
    vendors.faults["majestic"] = [body('{"Code": "OK", "ErrorMessage": "", "DataTables": {}}')]
    specs = specs_of(outward, vendors, "majestic_anchors")
    client = ProviderClient(fetcher, database, now, FAIL_FAST)
    got = await ask_domain(client, specs, "a.com")
    assert not got.metrics
    assert got.faults == {"majestic_anchors": ["1 name: the answer has nothing where its values should be"]}
    got = await ask_domain(client, specs, "a.com")
    assert not got.faults and not got.cached and got.metrics["a.com"], "it is asked again"


async def test_a_transient_fault_is_retried(
    fetcher: Fetcher, database: Database, outward: Settings, vendors: Vendors, now: datetime
) -> None:
    vendors.truth = {"a.com": Truth()}
    vendors.faults["majestic"] = [status(503, **{"Retry-After": "0"})]
    specs = specs_of(outward, vendors, "majestic")
    got = await ask_bulk(ProviderClient(fetcher, database, now, QUICK), specs, ["a.com"], worth_paying=always)
    assert got.merged("a.com").number(TRUST_FLOW) == 12 and got.spent == {"majestic": 1} and not got.faults


async def test_retry_after_of_a_503_blocks_the_host_for_everybody(
    fetcher: Fetcher, database: Database, outward: Settings, vendors: Vendors, now: datetime
) -> None:
    vendors.faults["majestic"] = [status(503, **{"Retry-After": "900"})]
    specs = specs_of(outward, vendors, "majestic")
    got = await ask_bulk(ProviderClient(fetcher, database, now, QUICK), specs, ["a.com"], worth_paying=always)
    assert "is blocked for another" in got.faults["majestic"][0]
    assert vendors.asked == []


async def test_after_two_failed_batches_in_a_row_the_provider_is_given_up(
    fetcher: Fetcher, database: Database, outward: Settings, vendors: Vendors, now: datetime
) -> None:
    names = [f"n{number}.com" for number in range(400)]
    vendors.faults["pagerank"] = [status(500)] * 2
    specs = specs_of(outward, vendors, "open_pagerank")
    got = await ask_bulk(
        ProviderClient(fetcher, database, now, RetryPolicy(3, (), cool_down=0)), specs, names
    )
    assert got.faults == {"open_pagerank": ["100 names: answered 500"] * 2}
    assert vendors.asked == []
    vendors.truth = {name: Truth() for name in names}
    vendors.faults["pagerank"] = [status(500)]
    got = await ask_bulk(ProviderClient(fetcher, database, now, RetryPolicy(3, ())), specs, names)
    assert len(got.metrics) == 300 and got.faults == {"open_pagerank": ["100 names: answered 500"]}


async def test_a_provider_that_was_given_up_cools_down_but_its_cache_answers(
    fetcher: Fetcher, database: Database, outward: Settings, vendors: Vendors, now: datetime
) -> None:
    vendors.truth = {name: Truth() for name in NAMES}
    [spec] = specs_of(outward, vendors, "open_pagerank")
    await ProviderClient(fetcher, database, now).ask(spec, ["a.com"])
    vendors.faults["pagerank"] = [status(401)]
    assert "answered 401" in (await ProviderClient(fetcher, database, now).ask(spec, ["b.org"])).faults[0]
    got = await ProviderClient(fetcher, database, now).ask(spec, NAMES)
    assert got.faults == ["not asked for another 300 s after a fault"]
    assert list(got.values) == ["a.com"] and got.units == 0 and len(vendors.asked) == 1
    assert not (await ProviderClient(fetcher, database, now).ask(spec, ["a.com"])).faults
    later = replace(fetcher, epoch=lambda: clock.epoch() + 301)
    assert len((await ProviderClient(later, database, now).ask(spec, NAMES)).values) == 3
    vendors.faults["pagerank"] = [status(401)]
    assert (await ProviderClient(later, database, now).ask(spec, ["d.io"])).faults
    async with database.write() as conn:
        await end_cool_down(conn, spec.name)
    assert not (await ProviderClient(later, database, now).ask(spec, ["d.io"])).faults


@pytest.mark.parametrize(
    "refusal", [status(400), status(422), body('{"error": "bad target"}'), body("ERROR: no such target")]
)
async def test_a_name_that_is_refused_does_not_keep_the_others_from_a_provider(
    fetcher: Fetcher, database: Database, outward: Settings, vendors: Vendors, now: datetime, refusal: Handler
) -> None:
    vendors.truth = {name: Truth() for name in NAMES}
    [spec] = specs_of(outward, vendors, "open_pagerank")
    client = ProviderClient(fetcher, database, now)

    async def answered(name: str, fault: Handler | None = None) -> bool:
        vendors.faults["pagerank"] = [fault] if fault else []
        return name in (await client.ask(spec, [name])).values

    for _ in range(3):
        assert not await answered("odd.com", refusal)
    assert await answered("a.com")
    assert not await answered("odder.com", refusal)  # the answer between them says that it was the name
    assert await answered("b.org")
    assert not await answered("odd.com", refusal) and not await answered("odder.com", refusal)
    assert not await answered("c.net")
    assert "after a fault" in (await client.ask(spec, ["c.net"])).faults[0]
    async with database.write() as conn:
        await end_cool_down(conn, spec.name)
    assert not await answered("odd.com", refusal)
    assert await answered("c.net")


async def test_a_vendor_that_cannot_be_reached(
    fetcher: Fetcher, database: Database, outward: Settings, vendors: Vendors, now: datetime
) -> None:
    specs = [
        replace(spec, url="https://192.168.0.1/{{domain}}") for spec in specs_of(outward, vendors, "majestic")
    ]
    got = await ask_bulk(ProviderClient(fetcher, database, now, QUICK), specs, ["a.com"], worth_paying=always)
    assert "is not a public address" in got.faults["majestic"][0]
    assert "majestic-key" not in str(got) and not got.spent


async def test_wrong_types_are_notes_and_the_rest_counts(
    fetcher: Fetcher, database: Database, outward: Settings, vendors: Vendors, now: datetime
) -> None:
    vendors.faults["pagerank"] = [
        body(
            '{"results": [{"domain": "a.com", "found": true, "open_page_rank": "high"},'
            '{"domain": "b.org", "found": true, "open_page_rank": 4}, 7]}'
        )
    ]
    got = await ask_bulk(
        ProviderClient(fetcher, database, now), specs_of(outward, vendors, "open_pagerank"), NAMES
    )
    assert got.merged("b.org").number("vendor_d_pagerank") == 4.0 and "a.com" not in got.metrics
    assert got.notes["open_pagerank"] == [
        "answers for None, which was not asked",
        "a.com: vendor_d_pagerank: 'high' is not a number",
        "1 of 3 names were not answered",
    ]


async def test_every_provider_is_asked_about_one_name_bulk_ones_first(
    fetcher: Fetcher, database: Database, outward: Settings, vendors: Vendors, now: datetime
) -> None:
    vendors.truth = {"a.com": Truth()}
    specs = specs_of(
        outward,
        vendors,
        "semrush",
        "majestic_anchors",
        "moz_links",
        "majestic",
        "ahrefs_free",
        "open_pagerank",
    )
    got = await ask_domain(ProviderClient(fetcher, database, now, QUICK), specs, "a.com")
    assert [who for who, _ in vendors.asked] == [
        "ahrefs",
        "pagerank",
        "moz",
        "majestic",
        "semrush",
        "anchors",
    ]
    merged = got.merged("a.com")
    assert merged.items("anchors") == [{"text": "home", "referring_domains": 9}]
    assert merged.number("vendor_a_authority_score") == 9 and merged.number("vendor_b_domain_authority") == 18
    assert not got.faults
    again = await ask_domain(ProviderClient(fetcher, database, now), specs, "a.com", known=merged)
    assert not again.metrics and len(vendors.asked) == 6


async def test_a_name_semrush_does_not_know(
    fetcher: Fetcher, database: Database, outward: Settings, vendors: Vendors, now: datetime
) -> None:
    outcome = await ProviderClient(fetcher, database, now).ask(
        specs_of(outward, vendors, "semrush")[0], ["a.com"]
    )
    assert outcome.values == {"a.com": []} and outcome.units == 40 and not outcome.faults


class Ranks:
    """A local table that knows one name."""

    name = "link_ranks"

    def __init__(self, at: datetime) -> None:
        self.at = at

    async def metrics_of(self, domains: Sequence[str]) -> Mapping[str, Sequence[Metric]]:
        return {"a.com": [Metric(LINK_RANK, 31.5, self.name, self.at)]} if "a.com" in domains else {}


async def test_local_ranks_come_first_and_can_make_a_name_worth_paying_for(
    fetcher: Fetcher, database: Database, outward: Settings, vendors: Vendors, now: datetime
) -> None:
    vendors.truth = {name: Truth() for name in NAMES}
    specs = specs_of(outward, vendors, "majestic")
    got = await ask_bulk(
        ProviderClient(fetcher, database, now), specs, NAMES, worth_paying=worth, local=[Ranks(now)]
    )
    assert got.merged("a.com").number(LINK_RANK) == 31.5
    assert vendors.names_asked("majestic") == ["a.com"]
    alone = await ask_domain(ProviderClient(fetcher, database, now), [], "a.com", local=[Ranks(now)])
    assert alone.merged("a.com").number(LINK_RANK) == 31.5


async def test_a_plan_says_what_would_be_asked_and_sends_nothing(
    fetcher: Fetcher, database: Database, outward: Settings, vendors: Vendors, now: datetime
) -> None:
    names = [f"n{number}.com" for number in range(250)]
    vendors.truth = {name: Truth() for name in names}
    specs = specs_of(outward, vendors, "majestic", "open_pagerank", per_day=180)
    await ask_bulk(ProviderClient(fetcher, database, now), specs, names[:40])
    asked = len(vendors.asked)
    known = {names[0]: Metrics.of([Metric(TRUST_FLOW, 30, "feed:x", now)])}
    async with database.read() as conn:
        free, paid = await plan_bulk(conn, specs, names, now, known=known, worth_paying=worth)
    assert (
        free.provider,
        free.names,
        free.cached,
        free.ask,
        free.requests,
        free.units,
        free.over_budget,
    ) == (
        "open_pagerank",
        250,
        40,
        140,
        2,
        140,
        70,
    )
    assert (paid.provider, paid.names, paid.ask, paid.units) == ("majestic", 1, 1, 1)
    assert len(vendors.asked) == asked
    got = await ask_bulk(ProviderClient(fetcher, database, now), specs, names)
    assert got.asked == {"open_pagerank": free.ask} and got.over_budget == {"open_pagerank": free.over_budget}


async def test_a_plan_names_what_is_not_configured(
    database: Database, outward: Settings, vendors: Vendors, now: datetime
) -> None:
    specs = specs_of(outward, vendors, "open_pagerank", keys={})
    async with database.read() as conn:
        [planned] = await plan_bulk(conn, specs, NAMES, now)
    assert (planned.ask, planned.over_budget, planned.missing) == (0, 0, ("OPEN_PAGERANK_API_KEY",))


async def test_a_vendors_pace_is_kept_unless_the_operator_set_one(
    fetcher: Fetcher, database: Database, outward: Settings, vendors: Vendors, now: datetime
) -> None:
    specs = specs_of(outward, vendors, "majestic", "ahrefs_free")
    host = vendors.url.removeprefix("http://")
    assert ProviderClient(fetcher, database, now).paced(specs).fetcher.pace_of(host) == HostPace(
        per_second=2000, at_once=20
    )
    free = replace(fetcher, settings=outward.model_copy(update={"pace": Pace(hosts={})}))
    assert ProviderClient(free, database, now).paced(specs).fetcher.pace_of(host) == HostPace(
        per_second=0.9, at_once=1
    )


async def test_old_answers_are_deleted(
    fetcher: Fetcher, database: Database, outward: Settings, vendors: Vendors, now: datetime
) -> None:
    await ask_bulk(ProviderClient(fetcher, database, now), specs_of(outward, vendors, "open_pagerank"), NAMES)
    async with database.write() as conn:
        assert await store.forget_answers(conn, now, limit=2) == 0
        assert await store.forget_answers(conn, now + timedelta(days=1), limit=2) == 2
        assert await store.forget_answers(conn, now + timedelta(days=1)) == 1
