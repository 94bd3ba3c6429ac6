"""G and C: the base address, spellings, envelopes, strictness."""

from __future__ import annotations

import re

import pytest

from tests.contract.routes import table
from tests.support.service import ENDED, FREED, OPEN, SITE, Service, code, fields, row

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


async def test_g_01_every_path_is_relative_to_the_base_address(service: Service) -> None:
    assert (await service.get("/me")).status_code == 200
    assert (await service.get(f"{SITE}/me")).status_code == 404
    assert (await service.get(f"{SITE}/v1/me")).status_code == 404


async def test_g_02_neutral_spellings_are_literal(service: Service) -> None:
    document = (await service.get("/openapi.json")).text
    for key in (
        "<vendor_a>_authority_score",
        "<vendor_b>_domain_authority",
        "<vendor_d>_pagerank",
        "<search_engine>_indexed_pages",
        "<vendor_c>_dr",
        "<vendor_a>_as",
    ):
        assert f'"{key}"' in document


async def test_g_03_no_provider_or_marketplace_is_named(service: Service) -> None:
    document = (await service.get("/openapi.json")).text.lower()
    for name in ("majestic", "ahrefs", "semrush", "godaddy", "sedo", "namejet", "dynadot", "archive.org"):
        assert not re.search(rf"\b{re.escape(name)}\b", document), name


async def test_g_08_there_are_two_plans(service: Service) -> None:
    document = (await service.get("/openapi.json")).json()
    assert document["components"]["schemas"]["Me"]["properties"]["plan"]["enum"] == ["free", "pro"]


async def test_g_14_g_15_the_description_is_openapi_3_1_and_needs_no_key(service: Service) -> None:
    answer = await service.get("/openapi.json", who="")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json()["openapi"].startswith("3.1")


async def test_c_01_c_02_success_is_data_and_only_the_paged_lists_have_meta(service: Service) -> None:
    await service.show(row("a.com"))
    await service.ask("POST", "/alerts", json={"name": "one"})
    check = (await service.ask("POST", "/checks", json={"domain": "a.com"})).json()["data"]["id"]
    await service.ask("POST", "/webhooks", json={"url": "https://hooks.example.org/"})
    with_meta = set()
    for template, method in table():
        if method != "GET" or template.startswith("/tools"):
            continue
        path = template.replace("{domain}", "a.com").replace("/checks/{id}", f"/checks/{check}")
        number = (await service.get("/alerts")).json()["data"][0]["id"]
        if template.startswith("/webhooks"):
            number = (await service.get("/webhooks")).json()["data"][0]["id"]
        body = (await service.get(path.replace("{id}", str(number)))).json()
        assert set(body) <= {"data", "meta"}, template
        assert "data" in body, template
        if "meta" in body:
            with_meta.add(template)
    beyond_the_interface = {"/alerts/matches"}
    assert with_meta - beyond_the_interface == {
        "/domains",
        "/domains/available",
        "/domains/archive",
        "/domains/{domain}/pages",
        "/checks",
    }


async def test_c_03_deletions_are_204_without_a_body(service: Service) -> None:
    await service.show(row("a.com"))
    rule = (await service.ask("POST", "/alerts", json={"name": "one"})).json()["data"]["id"]
    hook = (await service.ask("POST", "/webhooks", json={"url": "https://h.example.org/"})).json()["data"]
    for path in (f"/alerts/{rule}", f"/webhooks/{hook['id']}", "/watchlist/a.com"):
        answer = await service.ask("DELETE", path)
        assert (answer.status_code, answer.content) == (204, b""), path


async def test_c_04_times_are_utc_in_whole_seconds(service: Service) -> None:
    await service.show(row("a.com"), row("b.com", **FREED))
    made = (await service.ask("POST", "/alerts", json={"name": "one"})).json()["data"]
    check = (await service.ask("POST", "/checks", json={"domain": "c.com"})).json()["data"]
    summary = (await service.get("/domains")).json()["data"][0]
    me = (await service.get("/me")).json()["data"]
    report = (await service.get("/domains/b.com")).json()["data"]
    for value in (
        made["created_at"],
        check["created_at"],
        summary["found_at"],
        summary["listing"]["ends_at"],
        me["plan_renews_at"],
        report["listing"]["ends_at"],
    ):
        assert TIME.fullmatch(value), value


async def test_c_06_missing_values_are_null_never_zero(service: Service) -> None:
    await service.show(row("a.com", price_usd=None, domain_rating=None, language=None, title=None))
    (found,) = (await service.get("/domains")).json()["data"]
    assert found["listing"]["price_usd"] is None
    assert found["metrics"]["domain_rating"] is None
    assert (found["language"], found["title"]) == (None, None)


async def test_c_08_lists_in_query_strings_are_comma_separated(service: Service) -> None:
    await service.show(row("a.com"), row("b.net"), row("c.org"))
    assert set(await service.names("/domains?tld=com,net")) == {"a.com", "b.net"}


async def test_c_10_unknown_parameters_and_members_are_named(service: Service) -> None:
    assert "min_dr_" in fields(await service.get("/domains?min_dr_=5"))
    assert "x" in fields(await service.get("/me?x=1"))
    assert "nam" in fields(await service.ask("POST", "/alerts", json={"name": "a", "nam": "b"}))
    assert "x" in fields(await service.ask("POST", "/checks", json={"domain": "a.com", "x": 1}))


async def test_c_11_a_repeated_parameter_is_refused(service: Service) -> None:
    assert "tld" in fields(await service.get("/domains?tld=com&tld=net"))


async def test_c_12_every_bad_value_is_named(service: Service) -> None:
    found = fields(await service.get("/domains?min_score=101&sort=worst&foo=1&page=0"))
    assert set(found) == {"min_score", "sort", "foo", "page"}


@pytest.mark.parametrize("name", ["tld", "type", "topic", "lang"])
async def test_c_13_an_empty_list_parameter_is_refused(service: Service, name: str) -> None:
    for value in ("", ",", "com,", ",com"):
        assert name in fields(await service.get(f"/domains?{name}={value}"))


async def test_c_13_an_empty_list_of_domains_is_refused(service: Service) -> None:
    for tool in ("availability", "domain-rating"):
        assert "domains" in fields(await service.get(f"/tools/{tool}?domains="))
        assert "domains" in fields(await service.get(f"/tools/{tool}?domains=a.com,,b.com"))


GOOD = ("clean=true", "clean=1", "clean=false", "clean=0", "min_score=007", "min_ref_domains=2147483647")
BAD = ("clean=yes", "clean=True", "clean=", "min_score=-1", "min_score=5.0", "min_score=+5", "min_score=0x5")
WORSE = (
    "min_score=%205",
    "min_score=٥",
    "min_ref_domains=2147483648",
    "page=99999999999999999999",
    "q=",
    "q=%20",
)


async def test_c_14_spellings_of_booleans_and_numbers(service: Service) -> None:
    for query in GOOD:
        assert (await service.get(f"/domains?{query}")).status_code == 200, query
    for query in (*BAD, *WORSE):
        assert set(fields(await service.get(f"/domains?{query}"))) == {query.partition("=")[0]}, query


TIMES = (
    ("2026-11-19T18:00:00Z", 200),
    ("2026-11-19t18:00:00z", 200),
    ("2026-11-19T20:00:00+02:00", 200),
    ("2026-11-19T20:00:00%2B02:00", 200),
    ("2026-11-19T18:00:00.5Z", 200),
    ("2026-11-19", 200),
    ("0001-01-01T00:00:00%2B14:00", 200),
    ("9999-12-31T23:59:59-14:00", 200),
    ("2026-11-19T18:00:60Z", 422),
    ("2026-11-19T18:00:00", 422),
    ("2026-02-30", 422),
    ("yesterday", 422),
    ("1763575200", 422),
    ("", 422),
)


@pytest.mark.parametrize(("text", "status"), TIMES)
async def test_c_14_spellings_of_times(service: Service, text: str, status: int) -> None:
    assert (await service.get(f"/domains?since={text}")).status_code == status


async def test_c_07_c_09_documented_keys_are_there_even_when_null(service: Service) -> None:
    bare = dict.fromkeys(("domain_rating", "trust_flow", "citation_flow", "referring_domains", "topic"))
    years = dict.fromkeys(("archive_years", "archive_first_year", "archive_last_year"))
    await service.show(row("a.com", **bare, **years, language=None, title=None, price_usd=None, url=None))
    (found,) = (await service.get("/domains")).json()["data"]
    assert {"topic", "language", "title"} <= set(found)
    assert {"trust_flow", "citation_flow", *years} <= set(found["metrics"])


async def test_c_05_dates_have_no_time(service: Service) -> None:
    await service.show(row("a.com", **ENDED, **OPEN))
    assert code(await service.get("/domains?since=2026-13-01")) == (422, "validation_failed")
