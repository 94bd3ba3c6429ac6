"""A list comes in answers of at most 25 rows and 8,000 characters; cursors lose nothing and repeat nothing."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from afterdrop.db.tables.checks import checks
from afterdrop.db.tables.review import archived_pages
from afterdrop.db.tables.watching import alert_matches
from tests.integration.mcp.conftest import all_of, body_of, call, client_of, refused, told
from tests.support.rows import REPORT
from tests.support.service import NOW, Service, row


def domains(answers: list[dict[str, Any]]) -> list[str]:
    return [item["domain"] for answer in answers for item in answer["data"]]


async def test_a_list_page_by_page(service: Service) -> None:
    await service.show(*[row(f"d{n:02}.org", score=99 - n, title="word " * 12) for n in range(60)])
    answers = await all_of(service, "search_domains")
    expected = await service.names("/domains?per_page=60")
    assert domains(answers) == expected
    assert all(0 < len(answer["data"]) <= 25 for answer in answers)
    assert {answer["meta"]["total"] for answer in answers} == {60}
    few = await all_of(service, "search_domains", limit=7)
    assert domains(few) == expected
    assert [len(answer["data"]) for answer in few] == [7] * 8 + [4]
    assert domains(await all_of(service, "search_domains", list="archive", sort="dr")) == []


async def test_small_rows_come_25_at_a_time(service: Service) -> None:
    rows = [{"id": f"chk_{n:026}", "domain": f"d{n}.org", "slot": f"s{n}"} for n in range(60)]
    account = {"account_id": service.accounts["pro"].id, "status": "failed", "created_at": NOW, "due_at": NOW}
    async with service.database.write() as conn:
        await conn.execute(sa.insert(checks), [{**each, **account} for each in rows])
    answers = await all_of(service, "list_checks")
    assert [len(answer["data"]) for answer in answers] == [25, 25, 10]
    assert len({item["id"] for answer in answers for item in answer["data"]}) == 60
    for limit in (0, 26, "five", "26", 1.5):
        assert (await refused(service, "list_checks", limit=limit))["fields"].keys() == {"limit"}


async def test_a_long_report_is_given_whole(service: Service) -> None:
    top = [{"text": f"anchor {n} " + "x" * 80, "referring_domains": n} for n in range(200)]
    await service.show(row("a.com", report={**REPORT, "anchors": {"top": top, "spam_share": 0.1}}))
    [answer] = await all_of(service, "get_report", domain="a.com")
    assert answer["data"]["untrusted_text"]["anchors"] == top
    assert answer["data"]["score"] == 60


async def test_a_long_text_is_never_cut(service: Service) -> None:
    await service.show(row("a.com"))
    text = "".join(f"{n} words and words\n" for n in range(1_500))
    async with service.database.write() as conn:
        await conn.execute(
            sa.insert(archived_pages), [page(n, text if n == 1 else "short") for n in range(7)]
        )
    answers = await all_of(service, "list_pages", domain="a.com", content=True)
    said = {
        item["number"]: item["untrusted_text"]["content"] for answer in answers for item in answer["data"]
    }
    assert said == {1: "short", 2: text, **dict.fromkeys(range(3, 8), "short")}
    listed = await all_of(service, "list_pages", domain="a.com")
    assert [item["untrusted_text"]["path"] for item in listed[0]["data"]] == [f"/p{n}" for n in range(7)]
    assert listed[0]["meta"] == {"domain": "a.com", "total": 7}


def page(n: int, content: str) -> dict[str, Any]:
    return {
        "domain": "a.com",
        "era": 1,
        "overall": True,
        "path": f"/p{n}",
        "url": f"http://a.com/p{n}",
        "captures": 1000 - n,
        "last_capture": "2019-06-01",
        "timestamp": "20190601120000",
        "title": "T",
        "words": 5,
        "content_state": "stored",
        "content": content,
    }


async def test_matches_of_one_second(service: Service) -> None:
    names = [f"d{n:02}.org" for n in range(40)]
    await service.show(*[row(name) for name in names])
    rule = (await told(service, "create_rule", name="all"))["data"]["id"]
    await put_matches(
        service, rule, [(name, timedelta(minutes=int(n >= 30))) for n, name in enumerate(names)]
    )
    first = await told(service, "list_matches", limit=12)
    # New matches come before all others and move nothing.
    await service.show(row("new.org"))
    await put_matches(service, rule, [("new.org", timedelta(seconds=-5))])
    rest = await all_of(service, "list_matches", limit=12, cursor=first["next_cursor"])
    found = [match["domain"]["domain"] for answer in (first, *rest) for match in answer["data"]]
    api = (await service.get("/alerts/matches?limit=100")).json()["data"]
    assert found == [item["domain"]["domain"] for item in api][1:]
    assert sorted(found) == names
    assert (await all_of(service, "list_matches", before="2026-11-20T17:59:30Z"))[0]["data"][0]["alert"] == {
        "id": rule,
        "name": "all",
    }


async def test_a_hidden_match_neither_ends_the_pages_nor_takes_a_place(service: Service) -> None:
    """A match whose domain is in no catalogue any more."""
    names = [f"d{n:02}.org" for n in range(23)]
    await service.show(*[row(name) for name in names if name != "d03.org"])
    rule = (await told(service, "create_rule", name="all"))["data"]["id"]
    await put_matches(service, rule, [(name, timedelta(seconds=n)) for n, name in enumerate(names)])
    seen = [name for name in names if name != "d03.org"]
    found = await all_of(service, "list_matches", limit=5)
    assert [match["domain"]["domain"] for answer in found for match in answer["data"]] == seen
    for limit in (2, 4, 22):
        rows = (await service.get(f"/alerts/matches?limit={limit}")).json()["data"]
        assert [item["domain"]["domain"] for item in rows] == seen[:limit]


async def put_matches(service: Service, rule: int, at: list[tuple[str, timedelta]]) -> None:
    rows = [
        {
            "rule_id": rule,
            "account_id": service.accounts["pro"].id,
            "domain": domain,
            "round": 1,
            "matched_at": NOW - ago,
        }
        for domain, ago in at
    ]
    async with service.database.write() as conn:
        await conn.execute(sa.insert(alert_matches), rows)


async def test_a_watchlist_is_continued(service: Service) -> None:
    names = [f"d{n:02}.org" for n in range(30)]
    await service.show(*[row(name) for name in names])
    async with client_of(service, service.keys["pro"]) as client:
        for name in names:
            assert body_of(await client.call_tool("watch_domain", {"domain": name}))["data"]["domain"] == name
    assert domains(await all_of(service, "list_watched")) == names


async def test_a_cursor_belongs_to_one_question(service: Service) -> None:
    await service.show(*[row(f"d{n:02}.org") for n in range(10)])
    cursor = (await told(service, "search_domains", limit=3))["next_cursor"]
    for arguments in ({"cursor": "nonsense"}, {"cursor": cursor, "min_score": 1}, {"cursor": ""}):
        assert (await refused(service, "search_domains", **arguments))["fields"].keys() == {"cursor"}
    assert (await refused(service, "list_watched", cursor=cursor))["fields"].keys() == {"cursor"}
    assert len((await told(service, "search_domains", cursor=cursor, limit=25))["data"]) == 7


async def test_a_long_refusal_stays_in_bounds(service: Service) -> None:
    bad: dict[str, Any] = {
        name: [f"no{n}!" for n in range(100)] for name in ("tlds", "topics", "langs", "listing_types")
    }
    bad |= {f"unknown{'u' * 200}{n}": 1 for n in range(30)}
    result = await call(service, "create_rule", name="x", keywords=["\x00"] * 100, **bad)
    assert body_of(result)["error"]["code"] == "validation_failed"
