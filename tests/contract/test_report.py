"""R and K: the report and the revival kit."""

from __future__ import annotations

import re
from typing import Any

import pytest
import sqlalchemy as sa

from afterdrop.core.settings import Registry as RegistrySettings
from afterdrop.db.tables.review import archived_pages
from tests.support.published import (
    NAME,
    STRONG,
    history,
    offer,
    page,
    put_metrics,
    put_offer,
    reviewed,
)
from tests.support.service import BASE, ENDED, FREED, OPEN, Service, code, fields, row

ADDED = {
    *("score_breakdown", "top_referring_domains", "anchors", "topical_trust_flow", "risk_checks"),
    *("webarchive_url", "registration", "rank_on_hunt_day", "revival_kit"),
}
EXTENDED = {
    *("tf_cf_ratio", "backlinks", "<vendor_a>_authority_score", "<vendor_b>_domain_authority"),
    *("<vendor_d>_pagerank", "<search_engine>_indexed_pages", "archived_urls"),
}
FLAGS = [
    "dr_inflated",
    "parked",
    "topic_change",
    "lang_change",
    "gap",
    "trademark",
    "not_indexed",
    "anchor_foreign",
]
RISKS = [{"flag": flag, "label": "l", "result": "clean", "severity": "info", "note": "n."} for flag in FLAGS]


async def published(service: Service, **values: Any) -> dict[str, Any]:
    """A domain that went through review and publication, and its report."""
    await put_offer(service.database, offer())
    await put_metrics(service.database, STRONG)
    await reviewed(service.database, history(**values))
    found: dict[str, Any] = (await service.get(f"/domains/{NAME}")).json()["data"]
    return found


async def put_pages(service: Service, domain: str, count: int, *, content: str | None = "# Text") -> None:
    rows = [
        {
            "domain": domain,
            "era": 1,
            "overall": True,
            "path": f"/p{n:03}",
            "url": f"http://{domain}/p{n:03}",
            "captures": 1000 - n // 2,
            "last_capture": "2019-06-01",
            "timestamp": "20190601120000",
            "title": "T",
            "words": 5,
            "content_state": "stored" if content else "none",
            "content": content,
        }
        for n in range(count)
    ]
    async with service.database.write() as conn:
        await conn.execute(sa.insert(archived_pages), rows)


async def test_r_01_r_02_r_03_the_report_adds_the_documented_keys(service: Service) -> None:
    report = await published(service)
    assert set(report) >= ADDED
    assert set(report["metrics"]) >= EXTENDED


async def test_r_04_r_05_the_breakdown_has_nine_fractions(service: Service) -> None:
    breakdown = (await published(service))["score_breakdown"]
    assert sorted(breakdown) == sorted(
        [
            *("<vendor_c>_dr", "trust_flow", "ref_domains", "<vendor_a>_as", "<vendor_d>_pagerank"),
            *("history", "age", "price", "penalty"),
        ]
    )
    assert all(value is None or 0 <= value <= 1 for value in breakdown.values())
    assert breakdown["penalty"] is not None


async def test_r_06_r_07_r_08_what_is_not_known_is_null(service: Service) -> None:
    report = await published(service)
    assert report["anchors"]["spam_share"] is None
    assert report["top_referring_domains"] in (None, [])
    assert report["topical_trust_flow"] in (None, [])


async def test_r_09_to_r_13_every_flag_once_in_order(service: Service) -> None:
    report = await published(service)
    assert [check["flag"] for check in report["risk_checks"]] == FLAGS
    for check in report["risk_checks"]:
        assert set(check) >= {"flag", "label", "result", "severity", "note"}
        assert check["result"] in ("clean", "found", "unknown")
        assert check["severity"] in ("risk", "info")
        assert isinstance(check["note"], str)
    assert report["flags"] == [c["flag"] for c in report["risk_checks"] if c["result"] == "found"]


async def test_r_14_webarchive_url_names_the_domain(service: Service) -> None:
    assert NAME in (await published(service))["webarchive_url"]


async def test_r_15_registration_is_null_while_live(service: Service) -> None:
    assert (await published(service))["registration"] is None


async def test_r_16_r_17_registration_after_the_end(service: Service) -> None:
    await service.show(row("a.com", **ENDED), row("b.com", **FREED))
    fresh = (await service.get("/domains/a.com")).json()["data"]["registration"]
    assert fresh == {
        "availability": "unknown",
        **dict.fromkeys(("checked_at", "available_since", "register_url", "registrar")),
        **dict.fromkeys(("registered_at", "expires_at")),
        "caught_after_drop": False,
    }
    free = (await service.get("/domains/b.com")).json()["data"]["registration"]
    assert free["availability"] == "available"
    assert "b.com" in free["register_url"]


async def both_links(service: Service, domain: str) -> tuple[str, str]:
    """Where the listing and the registration of an available domain lead."""
    (listed,) = (await service.get(f"/domains/available?q={domain}")).json()["data"]
    report = (await service.get(f"/domains/{domain}")).json()["data"]
    assert listed["listing"]["url"] == report["listing"]["url"]
    return listed["listing"]["url"], report["registration"]["register_url"]


async def test_d_33_r_17_an_available_domain_leads_to_a_registrars_search(service: Service) -> None:
    await service.show(row("b.com", **FREED), row("xn--bcher-kva.de", **FREED))
    for domain in ("b.com", "xn--bcher-kva.de"):
        search = f"https://porkbun.com/checkout/search?q={domain}"
        assert await both_links(service, domain) == (search, search)


ELSEWHERE = RegistrySettings(
    register_url="https://one.example/?q={domain}",
    register_urls={"de": "https://two.example/{tld}/{domain}", "co.uk": "https://three.example/{domain}"},
)


@pytest.mark.parametrize("more_settings", [{"registry": ELSEWHERE}])
async def test_d_33_r_17_a_setting_names_registrars_by_extension(service: Service) -> None:
    for domain, search in (
        ("b.com", "https://one.example/?q=b.com"),
        ("b.de", "https://two.example/de/b.de"),
        ("b.co.uk", "https://three.example/b.co.uk"),
        ("b.uk", "https://one.example/?q=b.uk"),
    ):
        await service.show(row(domain, **FREED))
        assert await both_links(service, domain) == (search, search)


async def test_r_20_revival_kit_leads_to_the_pages(service: Service) -> None:
    kit = (await published(service))["revival_kit"]
    assert kit == {"pages": 2, "url": f"{BASE}/domains/{NAME}/pages", "eras": []}
    assert (await service.get(kit["url"])).json()["meta"]["total"] == 2


async def test_r_21_a_basic_report_is_the_summary(service: Service) -> None:
    await service.show(row("a.com", **ENDED))
    (listed,) = (await service.get("/domains/archive", "free")).json()["data"]
    assert (await service.get("/domains/a.com", "free")).json()["data"] == listed
    assert listed["detail"] == "basic"


async def test_r_22_an_unlisted_domain_is_not_found(service: Service) -> None:
    await service.show(row("gone.com", removed_at=service.clock.now, removed_reason="spam"))
    for domain in ("never-listed.com", "gone.com"):
        assert code(await service.get(f"/domains/{domain}")) == (404, "not_found")


async def test_r_23_e_04_a_locked_domain_needs_pro(service: Service) -> None:
    await service.show(row("a.com"))
    answer = await service.get("/domains/a.com", "free")
    assert code(answer) == (403, "plan_required")
    assert answer.json()["error"]["upgrade_url"] == "http://127.0.0.1:8000/pricing"


async def test_r_24_r_25_ended_domains_are_basic_unless_open(service: Service) -> None:
    await service.show(
        row("a.com", **ENDED), row("b.com", **ENDED, **OPEN), row("c.com", **FREED, last_open_on="2026-11-01")
    )
    for domain, detail in (("a.com", "basic"), ("b.com", "full"), ("c.com", "basic")):
        answer = await service.get(f"/domains/{domain}", "free")
        assert (answer.status_code, answer.json()["data"]["detail"]) == (200, detail)


async def test_r_26_one_row_whatever_the_spelling(service: Service) -> None:
    await service.show(row("xn--bcher-kva.de"))
    bodies = [
        (await service.get(f"/domains/{name}")).json()
        for name in ("xn--bcher-kva.de", "XN--BCHER-KVA.DE", "b%C3%BCcher.de", "B%C3%9CCHER.de")
    ]
    assert bodies[0]["data"]["domain"] == "xn--bcher-kva.de"
    assert all(body == bodies[0] for body in bodies)


async def test_r_27_what_cannot_be_a_domain_is_not_found(service: Service) -> None:
    for name in (
        "co.uk",
        "1.2.3.4",
        "a..b",
        "localhost",
        "www.a.com",
        "a%00.com",
        "%F0%9F%98%80",
        "a" * 300 + ".com",
    ):
        assert code(await service.get(f"/domains/{name}")) == (404, "not_found"), name
        assert code(await service.get(f"/domains/{name}/pages")) == (404, "not_found"), name


async def test_r_28_the_lists_are_never_taken_as_domains(service: Service) -> None:
    for name in ("available", "archive"):
        assert (await service.get(f"/domains/{name}")).json()["meta"]["list"] == name


async def test_k_01_k_02_k_08_pages_and_their_order(service: Service) -> None:
    await service.show(row("a.com"))
    await put_pages(service, "a.com", 5, content=None)
    body = (await service.get("/domains/a.com/pages")).json()
    assert set(body["data"][0]) == {
        *("path", "url", "captures", "last_capture", "title", "words", "webarchive_url", "has_content"),
        "era",
    }
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", body["data"][0]["last_capture"])
    assert body["meta"] == {"domain": "a.com", "total": 5, "page": 1, "per_page": 50, "pages": 1}
    assert [item["path"] for item in body["data"]] == [f"/p{n:03}" for n in range(5)]


async def test_k_03_content_only_when_asked(service: Service) -> None:
    await service.show(row("a.com"), row("b.com"))
    await put_pages(service, "a.com", 1)
    await put_pages(service, "b.com", 1, content=None)
    for domain, content, stored in (("a.com", "# Text", True), ("b.com", None, False)):
        (item,) = (await service.get(f"/domains/{domain}/pages?include=content")).json()["data"]
        assert (item["content"], item["has_content"]) == (content, stored)
        (item,) = (await service.get(f"/domains/{domain}/pages")).json()["data"]
        assert "content" not in item


async def test_k_04_to_k_07_bounds(service: Service) -> None:
    await service.show(row("a.com"))
    await put_pages(service, "a.com", 60)
    pages = "/domains/a.com/pages"
    for query, name in (
        ("include=text", "include"),
        ("page=0", "page"),
        ("per_page=0", "per_page"),
        ("per_page=101", "per_page"),
        ("include=content&per_page=21", "per_page"),
    ):
        assert name in fields(await service.get(f"{pages}?{query}"))
    for query, count in (
        ("", 50),
        ("per_page=100", 60),
        ("include=content", 10),
        ("include=content&per_page=20", 20),
    ):
        body = (await service.get(f"{pages}?{query}")).json()
        assert len(body["data"]) == count
        assert body["meta"]["total"] == 60


async def test_k_09_pages_need_full(service: Service) -> None:
    await service.show(row("a.com", **ENDED), row("b.com", **OPEN), row("c.com"))
    assert code(await service.get("/domains/a.com/pages", "free")) == (403, "plan_required")
    assert code(await service.get("/domains/c.com/pages", "free")) == (403, "plan_required")
    assert (await service.get("/domains/b.com/pages", "free")).status_code == 200


async def test_k_10_k_11_unlisted_and_beyond(service: Service) -> None:
    await service.show(row("a.com"))
    assert code(await service.get("/domains/none.com/pages")) == (404, "not_found")
    body = (await service.get("/domains/a.com/pages?page=9999")).json()
    assert (body["data"], body["meta"]["page"]) == ([], 9999)


async def test_a_hostile_title_stays_text(service: Service) -> None:
    report = await published(service, title="<script>alert(1)</script>\u202e", pages=(page("/"),))
    assert report["title"].startswith("<script>")


async def test_etags_of_lists_and_reports(service: Service) -> None:
    await service.show(row("a.com"))
    for path in (
        "/domains",
        "/domains/archive",
        "/domains/available",
        "/domains/a.com",
        "/domains/a.com/pages",
    ):
        first = await service.get(path, headers={"Accept-Encoding": "identity"})
        tag = first.headers["ETag"]
        for sent in (tag, f"W/{tag}", f'"x", {tag}', "*"):
            again = await service.get(path, headers={"If-None-Match": sent})
            assert (again.status_code, again.content) == (304, b"")
            assert again.headers["ETag"] == (sent if sent.startswith("W/") else tag)
            assert "X-RateLimit-Remaining" in again.headers
        assert (await service.get(path, headers={"If-None-Match": '"x"'})).status_code == 200
        assert first.headers["Cache-Control"] == "private, no-cache"
