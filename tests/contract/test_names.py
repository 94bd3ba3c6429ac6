"""AN: names as requests spell them, at every place that takes one."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from tests.contract.test_checks import left
from tests.support.service import Service, code, fields, row

# The command line and the site's forms trim blanks; the API does not.
ODD_NAMES = (
    " a.com", "a.com ", "\ta.com", "a.com\n", "\u00a0a.com", "a.com\u3000", ".a.com", "..a.com", "。a.com", "a.com..",
    "a.com.。", "a .com", "exa\tmple.com", "exa\nmple.com", "a\x00.com", "a.com\x85", "a.com\\",
)  # fmt: skip
ODD_URLS = (
    "http://exa\tmple.com", "http://exa\nmple.com/", "http://exa\r\nmple.com/x", "https://evil.com\\@a.com/",
    "https://a.com\\", "https://a.com /x", "https://u\t@a.com/", "https://a.com:8\t0/", "http://.a.com/",
    "http://a.com../", " https://a.com/", "a.com\n/x", "//a\x0b.com", "https://\x00a.com/",
    "https://a.com\x9f/",
)  # fmt: skip


@pytest.mark.parametrize("name", ODD_NAMES)
async def test_an_01_an_02_odd_names_are_404_in_paths_and_422_elsewhere(service: Service, name: str) -> None:
    await service.show(row("a.com"), row("example.com"))
    escaped = quote(name, safe="")
    for method, path in (
        ("GET", f"/domains/{escaped}"),
        ("GET", f"/domains/{escaped}/pages"),
        ("PUT", f"/watchlist/{escaped}"),
        ("DELETE", f"/watchlist/{escaped}"),
    ):
        assert code(await service.ask(method, path)) == (404, "not_found"), (method, name)
    assert (await service.get("/watchlist")).json()["data"] == []
    assert "domain" in fields(await service.get(f"/tools/whois?domain={escaped}"))
    assert "host" in fields(await service.get(f"/tools/dns?host={escaped}"))
    for tool in ("availability", "domain-rating"):
        assert "domains" in fields(await service.get(f"/tools/{tool}?domains=b.com,{escaped}"))


@pytest.mark.parametrize("name", [*ODD_NAMES, *ODD_URLS])
async def test_an_02_an_03_odd_names_and_addresses_cost_no_credit(service: Service, name: str) -> None:
    before = await left(service)
    assert "domain" in fields(await service.ask("POST", "/checks", json={"domain": name}))
    for credits in ({}, {"credits": 5}):
        body = {"domains": ["b.com", name], **credits}
        assert list(fields(await service.ask("POST", "/checks/batch", json=body))) == ["domains"]
    assert await left(service) == before
    assert (await service.get("/checks")).json()["meta"]["total"] == 0


async def test_an_04_one_trailing_dot_is_the_same_name(service: Service) -> None:
    await service.show(row("a.com"))
    for path in ("/domains/a.com.", "/domains/A.COM%E3%80%82"):
        assert (await service.get(path)).json()["data"]["domain"] == "a.com"
    for name in ("b.com", "b.com.", "https://b.com./x", "https://b.com/\\\t\n", "b.com/ a"):
        answer = await service.ask("POST", "/checks", json={"domain": name})
        assert (answer.status_code, answer.json()["data"]["domain"]) in ((202, "b.com"), (200, "b.com")), name


@pytest.mark.parametrize(
    "text", ["2026-11-19T18:00:60Z", "2016-12-31T23:59:60Z", "9999-12-31T23:59:60-14:00"]
)
async def test_an_05_second_sixty_is_refused(service: Service, text: str) -> None:
    assert list(fields(await service.get(f"/domains?since={text}"))) == ["since"]
