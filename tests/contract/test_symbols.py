"""Names of symbols, of which IDNA 2008 knows no Unicode form: their A-label is their only spelling, everywhere."""

from __future__ import annotations

import csv
import io
import json

import pytest

from tests.support.service import OPEN, Service, code, fields, row

SNOWMAN = "xn--n3h.net"
# Written in Unicode; another spelling of the same code points (RFC 3492); no Punycode; nothing beyond ASCII.
WRONG = ("☃.net", "xn---n3h.net", "xn--99999999.net", "xn--google-.net")


async def test_r_26_the_report_in_any_case(service: Service) -> None:
    await service.show(row(SNOWMAN, **OPEN))
    bodies = [(await service.get(f"/domains/{name}")).json() for name in (SNOWMAN, SNOWMAN.upper())]
    assert bodies[0]["data"]["domain"] == SNOWMAN
    assert bodies[0] == bodies[1]
    assert "☃" not in json.dumps(bodies[0], ensure_ascii=False)
    assert (await service.get(f"/domains/{SNOWMAN}/pages")).status_code == 200
    for name in WRONG:
        assert code(await service.get(f"/domains/{name}")) == (404, "not_found"), name


async def test_lists_searches_and_exports(service: Service) -> None:
    await service.show(row(SNOWMAN), row("plain.net"))
    assert await service.names("/domains?q=n3h") == [SNOWMAN]
    assert await service.names("/domains?q=☃") == []
    assert await service.names("/domains?tld=net&no_hyphens=true") == ["plain.net"]
    assert await service.names("/domains?min_length=7") == [SNOWMAN]
    lines = (await service.get("/exports/live")).text.splitlines()
    assert {json.loads(line)["domain"] for line in lines} == {SNOWMAN, "plain.net"}
    table = csv.DictReader(io.StringIO((await service.get("/exports/live?format=csv")).text))
    assert {line["domain"] for line in table} == {SNOWMAN, "plain.net"}


async def test_the_watchlist(service: Service) -> None:
    await service.show(row(SNOWMAN))
    assert (await service.ask("PUT", f"/watchlist/{SNOWMAN.upper()}")).json()["data"]["domain"] == SNOWMAN
    assert await service.names("/watchlist") == [SNOWMAN]
    for name in WRONG:
        assert code(await service.ask("PUT", f"/watchlist/{name}")) == (404, "not_found"), name
    assert (await service.ask("DELETE", f"/watchlist/{SNOWMAN}")).status_code == 204


@pytest.mark.parametrize("name", WRONG)
async def test_what_is_refused_names_its_field(service: Service, name: str) -> None:
    assert "domain" in fields(await service.ask("POST", "/checks", json={"domain": name}))
    assert "domain" in fields(await service.get(f"/tools/whois?domain={name}"))
    assert "domains" in fields(await service.get(f"/tools/availability?domains={name}"))
    assert "domains" in fields(await service.get(f"/tools/domain-rating?domains=a.com,{name}"))
    assert "host" in fields(await service.get(f"/tools/dns?host=www.{name}"))


async def test_a_check(service: Service) -> None:
    answer = await service.ask("POST", "/checks", json={"domain": f"https://www.{SNOWMAN.upper()}/x"})
    assert (answer.status_code, answer.json()["data"]["domain"]) == (202, SNOWMAN)
