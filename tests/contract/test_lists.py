"""L and LM: the three lists and their meta."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from afterdrop.db.dialects import bump_version
from tests.support.rows import put
from tests.support.service import ENDED, FREED, NOW, OPEN, Service, fields, row

LISTS = ("/domains", "/domains/available", "/domains/archive")
HOUR = timedelta(hours=1)


def ends(after: timedelta) -> dict[str, Any]:
    return {"ends_at": NOW + after, "live_until": NOW + after}


async def test_l_01_the_live_list_is_best_score_first(service: Service) -> None:
    await service.show(
        row("a.com", score=50), row("b.com", score=70), row("c.com", score=60), row("d.com", **ENDED)
    )
    assert await service.names("/domains") == ["b.com", "c.com", "a.com"]


async def test_l_02_available_now_holds_dropped_and_unregistered_ones(service: Service) -> None:
    await service.show(row("a.com"), row("b.com", **ENDED), row("c.com", **FREED))
    assert await service.names("/domains/available") == ["c.com"]


async def test_l_03_l_04_the_archive_is_every_ended_domain_on_every_plan(service: Service) -> None:
    await service.show(
        row("a.com"),
        row("b.com", **ends(-2 * HOUR)),
        row("c.com", **{**FREED, **ends(-HOUR)}),
    )
    for who in ("free", "pro"):
        assert await service.names("/domains/archive", who) == ["c.com", "b.com"]


async def test_l_05_lm_01_each_list_has_data_and_says_which_it_is(service: Service) -> None:
    for path, name in zip(LISTS, ("live", "available", "archive"), strict=True):
        body = (await service.get(path)).json()
        assert (body["data"], body["meta"]["list"]) == ([], name)


async def test_l_06_the_free_live_list_is_the_days_open_domains(service: Service) -> None:
    await service.show(*(row(f"o{n}.com", **OPEN) for n in range(5)), *(row(f"p{n}.com") for n in range(3)))
    assert set(await service.names("/domains", "free")) == {f"o{n}.com" for n in range(5)}
    assert len(await service.names("/domains")) == 8


async def test_l_09_the_free_available_list_holds_what_was_open_once(service: Service) -> None:
    await service.show(row("a.com", **FREED), row("b.com", **FREED, last_open_on="2026-11-01"))
    assert await service.names("/domains/available", "free") == ["b.com"]
    assert (await service.get("/domains/archive", "free")).json()["data"][0]["status"] in (
        "ended",
        "available",
    )
    statuses = {
        d["domain"]: d["status"] for d in (await service.get("/domains/archive", "free")).json()["data"]
    }
    assert statuses == {"a.com": "ended", "b.com": "available"}


async def test_l_10_l_11_q_searches_name_and_title_plainly(service: Service) -> None:
    await service.show(
        row("alpine.com", title="Old"), row("b.com", title="The ALPINE hut"), row("c.com", title="50%_")
    )
    assert set(await service.names("/domains?q=Alpine")) == {"alpine.com", "b.com"}
    assert await service.names("/domains?q=%25") == ["c.com"]
    assert await service.names("/domains?q=_") == ["c.com"]


async def test_l_12_q_has_at_most_sixty_characters(service: Service) -> None:
    assert (await service.get(f"/domains?q={'ä' * 60}")).status_code == 200
    assert "q" in fields(await service.get(f"/domains?q={'a' * 61}"))
    assert "q" in fields(await service.get("/domains?q=a%00b"))


@pytest.mark.parametrize(
    ("name", "column"), [("min_score", "score"), ("min_dr", "domain_rating"), ("min_tf", "trust_flow")]
)
async def test_l_13_l_14_lowest_values_are_inclusive_and_exclude_unknown(
    service: Service, name: str, column: str
) -> None:
    await service.show(row("a.com", **{column: 50}), row("b.com", **{column: 49}))
    if column != "score":
        await service.show(row("c.com", **{column: None}))
        assert set(await service.names(f"/domains?{name}=0")) == {"a.com", "b.com", "c.com"}
    assert await service.names(f"/domains?{name}=50") == ["a.com"]
    assert (await service.get(f"/domains?{name}=100")).status_code == 200
    assert name in fields(await service.get(f"/domains?{name}=101"))
    assert name in fields(await service.get(f"/domains?{name}=-1"))


async def test_l_15_l_16_fewest_domains_and_years(service: Service) -> None:
    await service.show(
        row("a.com", referring_domains=100, archive_years=12),
        row("b.com", referring_domains=99, archive_years=11),
    )
    assert await service.names("/domains?min_ref_domains=100") == ["a.com"]
    assert await service.names("/domains?min_archive_years=12") == ["a.com"]
    assert "min_archive_years" in fields(await service.get("/domains?min_archive_years=31"))


async def test_l_17_max_price_passes_what_has_no_price(service: Service) -> None:
    await service.show(
        row("a.com", price_usd=10),
        row("b.com", price_usd=11),
        row("c.com", price_usd=None),
        row("d.com", price_usd=0),
    )
    assert set(await service.names("/domains?max_price=10")) == {"a.com", "c.com", "d.com"}
    assert set(await service.names("/domains?max_price=0")) == {"c.com", "d.com"}


async def test_l_18_extensions_in_any_spelling(service: Service) -> None:
    await service.show(row("a.com"), row("b.co.uk"), row("c.uk"))
    for spelling in ("com", ".com", "COM", ".Com"):
        assert await service.names(f"/domains?tld={spelling}") == ["a.com"]
    assert await service.names("/domains?tld=co.uk") == ["b.co.uk"]
    assert "tld" in fields(await service.get("/domains?tld=c m"))


async def test_l_19_types(service: Service) -> None:
    await service.show(row("a.com", type="bid"), row("b.com", type="buy_now"), row("c.com", type="auction"))
    assert set(await service.names("/domains?type=bid,buy_now")) == {"a.com", "b.com"}
    assert "type" in fields(await service.get("/domains?type=auctions"))
    assert "type" in fields(await service.get("/domains?type=Bid"))


async def test_l_20_topics_in_any_case(service: Service) -> None:
    await service.show(row("a.com", topic="Arts"), row("b.com", topic="News"), row("c.com", topic=None))
    assert await service.names("/domains?topic=arts") == ["a.com"]
    assert set(await service.names("/domains?topic=ARTS,News")) == {"a.com", "b.com"}
    assert "topic" in fields(await service.get("/domains?topic=x"))


async def test_l_21_languages(service: Service) -> None:
    await service.show(row("a.com", language="en"), row("b.com", language="de"), row("c.com", language=None))
    assert set(await service.names("/domains?lang=EN,de")) == {"a.com", "b.com"}
    assert "lang" in fields(await service.get("/domains?lang=eng"))


async def test_l_22_clean_is_verdict_ok_without_flags(service: Service) -> None:
    await service.show(row("a.com"), row("b.com", flags=["gap"]), row("c.com", verdict="risky"))
    assert await service.names("/domains?clean=true") == ["a.com"]
    assert len(await service.names("/domains?clean=false")) == 3


async def test_l_23_since_is_inclusive(service: Service) -> None:
    await service.show(row("a.com", found_at=NOW), row("b.com", found_at=NOW - timedelta(seconds=1)))
    assert await service.names(f"/domains?since={NOW:%Y-%m-%dT%H:%M:%SZ}") == ["a.com"]


async def test_l_24_ending_within_hours(service: Service) -> None:
    await service.show(
        row("a.com", **ends(6 * HOUR)),
        row("b.com", **ends(6 * HOUR + timedelta(seconds=1))),
        row("c.com", ends_at=None, live_until=None),
        row("d.com", **FREED),
    )
    assert await service.names("/domains?ending_within_hours=6") == ["a.com"]
    for path in LISTS[1:]:
        assert await service.names(f"{path}?ending_within_hours=6") == []
    for hours in (0, 721):
        assert "ending_within_hours" in fields(await service.get(f"/domains?ending_within_hours={hours}"))


ORDERED = {
    "score": "bca",
    "dr": "cba",
    "ending": "cab",
    "newest": "abc",
    "price": "bca",
}


@pytest.mark.parametrize("sort", ORDERED)
async def test_l_25_l_27_sorts_and_their_directions(service: Service, sort: str) -> None:
    await service.show(
        row("a.com", score=50, domain_rating=None, price_usd=None, found_at=NOW, **ends(2 * HOUR)),
        row(
            "b.com",
            score=90,
            domain_rating=10,
            price_usd=5,
            found_at=NOW - HOUR,
            ends_at=None,
            live_until=None,
        ),
        row("c.com", score=70, domain_rating=20, price_usd=9, found_at=NOW - 2 * HOUR, **ends(HOUR)),
    )
    assert await service.names(f"/domains?sort={sort}") == [f"{letter}.com" for letter in ORDERED[sort]]


async def test_l_25_l_26_default_sorts(service: Service) -> None:
    await service.show(
        row("a.com", score=60),
        row("b.com", score=80),
        row("c.com", **ends(-HOUR), score=50),
        row("d.com", **ends(-2 * HOUR)),
    )
    assert await service.names("/domains") == await service.names("/domains?sort=score")
    assert await service.names("/domains/archive") == await service.names("/domains/archive?sort=ended")
    assert "sort" in fields(await service.get("/domains?sort=best"))


async def test_l_28_ties_never_make_pages_overlap(service: Service) -> None:
    rows = [row(f"n{n:02}.com", found_at=NOW - (n % 3) * HOUR) for n in range(20)]
    await service.show(*rows)
    walked = [
        name for page in range(1, 8) for name in await service.names(f"/domains?per_page=3&page={page}")
    ]
    expected = sorted(rows, key=lambda r: (-r["found_at"].timestamp(), r["domain"]))
    assert walked == [r["domain"] for r in expected]


async def test_l_29_page_and_per_page_bounds(service: Service) -> None:
    for query, name in (("page=0", "page"), ("per_page=0", "per_page"), ("per_page=101", "per_page")):
        assert name in fields(await service.get(f"/domains?{query}"))
    assert (await service.get("/domains?per_page=100")).status_code == 200


async def test_l_30_beyond_the_last_page_is_empty(service: Service) -> None:
    await service.show(row("a.com"))
    body = (await service.get("/domains?page=99")).json()
    assert (body["data"], body["meta"]["page"], body["meta"]["total"]) == ([], 99, 1)
    assert (await service.get("/domains?page=2147483647")).json()["data"] == []


async def test_l_31_filters_are_the_same_on_all_lists(service: Service) -> None:
    query = (
        "q=x&min_score=1&min_dr=1&min_tf=1&min_ref_domains=1&min_archive_years=1&max_price=1&tld=com&type=bid"
    )
    more = "&topic=Arts&lang=en&clean=1&since=2026-01-01&ending_within_hours=5&sort=price&page=1&per_page=5"
    for path in LISTS:
        assert (await service.get(f"{path}?{query}{more}")).status_code == 200


async def test_l_32_filters_combine_by_and_values_by_or(service: Service) -> None:
    await service.show(row("a.com", language="en"), row("b.net", language="en"), row("c.com", language="de"))
    assert await service.names("/domains?tld=com&lang=en") == ["a.com"]
    assert len(await service.names("/domains?tld=com,net&lang=en,de")) == 3


async def test_l_33_trust_flow_leaks_nothing_to_the_free_plan(service: Service) -> None:
    await service.show(row("a.com", **ENDED, trust_flow=40), row("b.com", **ENDED, trust_flow=40, **OPEN))
    assert await service.names("/domains/archive?min_tf=30", "free") == ["b.com"]
    assert set(await service.names("/domains/archive?min_tf=30")) == {"a.com", "b.com"}


async def test_l_34_a_domain_moves_lists_the_second_it_ends(service: Service) -> None:
    await service.show(row("a.com", **ends(timedelta(seconds=1))))
    assert await service.names("/domains") == ["a.com"]
    service.clock.move(seconds=1)
    assert await service.names("/domains") == []
    assert await service.names("/domains/archive") == ["a.com"]


async def test_lm_02_lm_03_lm_04_total_and_pages(service: Service) -> None:
    await service.show(*(row(f"n{n}.com") for n in range(26)))
    meta = (await service.get("/domains")).json()["meta"]
    assert (meta["total"], meta["page"], meta["per_page"], meta["pages"]) == (26, 1, 25, 2)
    meta = (await service.get("/domains?page=2&per_page=13")).json()["meta"]
    assert (meta["page"], meta["per_page"], meta["pages"]) == (2, 13, 2)
    assert (await service.get("/domains", "free")).json()["meta"]["total"] == 0


async def test_lm_05_no_pages_of_nothing(service: Service) -> None:
    assert (await service.get("/domains?min_score=100")).json()["meta"]["pages"] == 0


async def test_lm_06_lm_10_plan_and_upgrade_url(service: Service) -> None:
    for path in LISTS:
        free, pro = [(await service.get(path, who)).json()["meta"] for who in ("free", "pro")]
        assert (free["plan"], pro["plan"]) == ("free", "pro")
        assert free["upgrade_url"].endswith("/pricing")
        assert not {"locked", "locked_note", "upgrade_url"} & set(pro)


async def test_lm_07_lm_08_locked_counts_what_the_pro_list_has_more(service: Service) -> None:
    await service.show(row("a.com", **OPEN), row("b.com"), row("c.net"), row("d.com", **FREED))
    for query in ("", "?tld=com", "?tld=net", "?min_score=99"):
        free = (await service.get(f"/domains{query}", "free")).json()["meta"]
        pro = (await service.get(f"/domains{query}")).json()["meta"]
        assert free["locked"] == pro["total"] - free["total"]
        assert isinstance(free["locked_note"], str)
    assert (await service.get("/domains/available", "free")).json()["meta"]["locked"] == 1
    assert not {"locked", "locked_note"} & set((await service.get("/domains/archive", "free")).json()["meta"])


async def test_what_locked_gives_away_is_accepted_and_written_down(service: Service) -> None:
    """Filters that leave one archived name tell a free caller whether it is free: the count is exact all the same."""
    await service.show(row("only-one.org", **ENDED, score=77), row("other.com", **FREED))
    asked = "/domains/available?tld=org&min_score=77"
    assert (await service.get(asked, "free")).json()["meta"]["locked"] == 0
    await service.show(row("only-two.org", **FREED, score=78))
    assert (await service.get(asked, "free")).json()["meta"]["locked"] == 1
    accepted = (Path(__file__).parents[2] / "SECURITY.md").read_text(encoding="utf-8")
    assert "a free caller can infer whether a single archived name is free" in " ".join(accepted.split())


async def test_lm_09_locked_is_left_out_with_q(service: Service) -> None:
    meta = (await service.get("/domains?q=a", "free")).json()["meta"]
    assert not {"locked", "locked_note"} & set(meta)


async def test_lm_11_locked_ignores_the_trust_flow_filter(service: Service) -> None:
    await service.show(
        row("a.com", trust_flow=1), row("b.com", trust_flow=90), row("c.com", **OPEN, trust_flow=50)
    )
    meta = (await service.get("/domains?min_tf=40", "free")).json()["meta"]
    assert (meta["total"], meta["locked"]) == (1, 2)
    assert "Trust Flow" in meta["locked_note"]


async def test_lm_12_without_locked_the_trust_flow_filter_has_a_note(service: Service) -> None:
    await service.show(row("a.com", **ENDED, trust_flow=50), row("b.com", **OPEN, trust_flow=50))
    for path in ("/domains/archive?min_tf=40", "/domains?q=b&min_tf=40"):
        meta = (await service.get(path, "free")).json()["meta"]
        assert "locked" not in meta and "part of Pro" in meta["filter_note"]
    for path, who in (
        ("/domains/archive?min_tf=0", "free"),
        ("/domains/archive", "free"),
        ("/domains?min_tf=40", "free"),
        ("/domains/archive?min_tf=40", "pro"),
    ):
        assert "filter_note" not in (await service.get(path, who)).json()["meta"], (path, who)


async def test_a_list_kept_for_its_second_falls_with_every_change(service: Service) -> None:
    await service.show(row("a.com"))
    assert await service.names("/domains") == ["a.com"]
    async with service.database.write() as conn:
        await put(conn, row("b.com", score=90))
        await bump_version(conn, "catalogue")
    assert await service.names("/domains") == ["b.com", "a.com"]
    assert await service.names("/domains", "free") == []
