"""RG, DR, DN and LU: look-ups against a registry and a DNS server of the tests' own."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # ships no types
import pytest

from afterdrop.core.plan_limits import Plans
from afterdrop.core.settings import Dns, HostPace, Pace
from afterdrop.core.settings import Registry as RegistrySettings
from tests.support.nameserver import Zone, serving
from tests.support.registry import (
    Registry,
    domain_object,
    names_itself,
    running,
)
from tests.support.service import Service, code, fields

RECORD = {
    *("domain", "state", "registrar", "registrar_iana_id", "registered_at", "expires_at", "updated_at"),
    *("statuses", "nameservers", "dnssec"),
}


@pytest.fixture
async def registry() -> AsyncIterator[Registry]:
    """A registry for .com whose bootstrap names itself."""
    async with running(Registry()) as made:
        names_itself(made, "com")
        yield made


@pytest.fixture(scope="module")
def name_server() -> Iterator[tuple[Zone, str]]:
    """A DNS server: what it answers, and its address."""
    zone = Zone()
    with serving(zone) as address:
        yield zone, address


@pytest.fixture
def resolver(name_server: tuple[Zone, str]) -> str:
    """The DNS server's address."""
    return name_server[1]


@pytest.fixture
def names_served(name_server: tuple[Zone, str]) -> Iterator[Zone]:
    """What the DNS server answers; it is in order again after the test."""
    yield name_server[0]
    name_server[0].calm()


@pytest.fixture
def more_settings(registry: Registry, resolver: str) -> dict[str, Any]:
    """Ask the tests' own servers; more requests a minute than any test makes."""
    plans = Plans()
    free = plans.free.model_copy(update={"requests_per_minute": 500})
    return {
        "plans": Plans(free=free),
        "trusted_origins": (registry.url,),
        "registry": RegistrySettings(
            bootstrap_url=f"{registry.url}/dns.json", timeout_seconds=1, shipped_rdap_servers=False
        ),
        "pace": Pace(default=HostPace(per_second=2000, at_once=20)),
        "dns": Dns(resolvers=(resolver,), timeout_seconds=1),
    }


@pytest.fixture(autouse=True)
async def outward(service: Service) -> AsyncIterator[None]:
    """The service's way out is open."""
    async with service.context.running():
        yield


PARKED = ("name.com", "parked-name.com")


def names(count: int, start: int = 0) -> str:
    return ",".join(f"n{number}.com" for number in range(start, start + count))


async def test_lu_01_rg_01_rg_05_rg_06_whois(service: Service, registry: Registry) -> None:
    registry.answers = {"taken.com": domain_object("taken.com")}
    found = (await service.get("/tools/whois?domain=Taken.com")).json()["data"]
    assert set(found) >= RECORD | {"drop_estimate"}
    assert (found["domain"], found["state"], found["registrar_iana_id"]) == ("taken.com", "registered", "69")
    estimate = found["drop_estimate"]
    extension = {"rests_on", "hour_rests_on"}
    assert set(estimate) - extension == {"stage", "earliest", "latest", "exact", "drop_hour_utc"}
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", estimate["earliest"])
    assert estimate["earliest"] <= estimate["latest"]
    assert "domain" in fields(await service.get("/tools/whois"))


async def test_rg_02_rg_03_rg_04_rg_12_states(service: Service, registry: Registry) -> None:
    registry.answers = {
        "taken.com": domain_object("taken.com"),
        "late.com": domain_object("late.com", "redemption period"),
        "last.com": domain_object("last.com", "pending delete"),
        "broken.com": 500,
    }
    asked = "taken.com,late.com,last.com,free.com,broken.com,a.nordap"
    answer = await service.get(f"/tools/availability?domains={asked}")
    assert [(item["domain"], item["state"]) for item in answer.json()["data"]] == [
        ("taken.com", "registered"),
        ("late.com", "dropping"),
        ("last.com", "dropping"),
        ("free.com", "available"),
        ("broken.com", "unknown"),
        ("a.nordap", "unknown"),
    ]
    assert all(set(item) >= RECORD for item in answer.json()["data"])
    assert answer.status_code == 200


async def test_c_06_what_a_registry_did_not_say_is_null(service: Service, registry: Registry) -> None:
    registry.answers = {"broken.com": 500, "bare.com": domain_object("bare.com", nameservers=[])}
    whois = (await service.get("/tools/whois?domain=broken.com")).json()["data"]
    asked = "broken.com,a.nordap,free.com,bare.com"
    rows = (await service.get(f"/tools/availability?domains={asked}")).json()["data"]
    assert [(row["statuses"], row["nameservers"]) for row in (whois, *rows)] == [
        (None, None),
        (None, None),
        (None, None),
        ([], []),
        (["active"], []),
    ]


async def test_a_name_of_symbols_is_asked_about_as_it_is_spelled(
    service: Service, registry: Registry
) -> None:
    registry.answers = {"xn--ls8h.com": domain_object("xn--ls8h.com", unicodeName="💩.com")}
    whois = (await service.get("/tools/whois?domain=XN--LS8H.com")).json()["data"]
    assert (whois["domain"], whois["state"]) == ("xn--ls8h.com", "registered")
    assert "💩" not in str(whois)
    asked = "xn--ls8h.com,xn--n3h.com"
    rows = (await service.get(f"/tools/availability?domains={asked}")).json()["data"]
    assert [row["state"] for row in rows] == ["registered", "available"]
    ratings = (await service.get(f"/tools/domain-rating?domains={asked}")).json()["data"]
    assert [row["domain"] for row in ratings] == asked.split(",")
    found = (await service.get("/tools/dns?host=_dmarc.xn--n3h.com")).json()["data"]
    assert found["host"] == "_dmarc.xn--n3h.com"
    assert registry.asked == ["xn--ls8h.com", "xn--ls8h.com", "xn--n3h.com"]


async def test_lu_03_lu_12_one_row_a_distinct_domain_in_the_order_asked(service: Service) -> None:
    answer = await service.get("/tools/availability?domains=b.com,a.com,B.com,a.com")
    assert [item["domain"] for item in answer.json()["data"]] == ["b.com", "a.com"]


@pytest.mark.parametrize(("tool", "free", "pro"), [("availability", 20, 50), ("domain-rating", 10, 25)])
async def test_lu_04_lu_05_domains_a_request(service: Service, tool: str, free: int, pro: int) -> None:
    for who, most in (("free", free), ("pro", pro)):
        assert (await service.get(f"/tools/{tool}?domains={names(most)}", who)).status_code == 200
        assert "domains" in fields(await service.get(f"/tools/{tool}?domains={names(most + 1)}", who))


async def test_lu_02_every_answer_is_read_live_from_the_registry(
    service: Service, registry: Registry
) -> None:
    registry.answers = {"a.com": domain_object("a.com")}
    whois, rows = "/tools/whois?domain=a.com", "/tools/availability?domains=a.com"
    assert (await service.get(whois)).json()["data"]["state"] == "registered"
    assert [item["state"] for item in (await service.get(rows)).json()["data"]] == ["registered"]
    registry.answers = {}
    assert (await service.get(whois)).json()["data"]["state"] == "available"
    assert [item["state"] for item in (await service.get(rows)).json()["data"]] == ["available"]
    assert registry.asked == ["a.com"] * 4


async def test_dr_01_dr_03_ratings_without_a_source_are_null(service: Service) -> None:
    answer = await service.get("/tools/domain-rating?domains=a.com,b.com")
    assert answer.json()["data"] == [
        {"domain": "a.com", "domain_rating": None, "error": None},
        {"domain": "b.com", "domain_rating": None, "error": None},
    ]


async def test_lu_06_dn_01_to_dn_05_dns(service: Service) -> None:
    found = (await service.get("/tools/dns?host=name.com")).json()["data"]
    assert set(found) >= {"host", "records", "has_mail", "spf", "dmarc", "parked_at"}
    assert set(found["records"]) <= {"A", "AAAA", "CNAME", "MX", "NS", "TXT", "SOA", "CAA"}
    assert all(set(item) == {"value", "ttl", "extra"} for rows in found["records"].values() for item in rows)
    assert found["records"]["MX"][0]["extra"] == "5"
    assert (found["has_mail"], found["spf"], found["dmarc"]) == (True, True, True)
    assert "host" in fields(await service.get("/tools/dns"))


async def test_dn_06_parked_hosts_name_the_provider(service: Service) -> None:
    found = {
        host: (await service.get(f"/tools/dns?host={host}")).json()["data"]["parked_at"] for host in PARKED
    }
    assert found["name.com"] is None
    assert isinstance(found["parked-name.com"], str)


async def test_dn_07_hosts_and_names_that_do_not_exist(service: Service) -> None:
    for host in ("www.name.com", "_dmarc.name.com"):
        assert (await service.get(f"/tools/dns?host={host}")).json()["data"]["host"] == host
    gone = await service.get("/tools/dns?host=nobody.name.com")
    assert (gone.status_code, gone.json()["data"]["records"]) == (200, {})


async def test_c_06_what_no_name_server_answered_is_null(service: Service, names_served: Zone) -> None:
    names_served.failing = {"name.com"}
    found = (await service.get("/tools/dns?host=name.com")).json()["data"]
    assert (found["has_mail"], found["spf"], found["dmarc"]) == (None, None, True)
    names_served.failing = {"_dmarc.name.com"}
    found = (await service.get("/tools/dns?host=name.com")).json()["data"]
    assert (found["has_mail"], found["spf"], found["dmarc"]) == (True, True, None)
    names_served.failing = set()
    found = (await service.get("/tools/dns?host=no-mail.com")).json()["data"]
    assert (found["has_mail"], found["spf"], found["dmarc"]) == (False, False, False)


async def test_the_answers_with_nulls_are_as_described(
    service: Service, registry: Registry, names_served: Zone
) -> None:
    described = (await service.get("/openapi.json", who="")).json()
    registry.answers = {"broken.com": 500}
    names_served.failing = {"name.com", "_dmarc.name.com"}
    for template, query in (
        ("/tools/whois", "domain=broken.com"),
        ("/tools/availability", "domains=broken.com"),
        ("/tools/dns", "host=name.com"),
    ):
        content = described["paths"][template]["get"]["responses"]["200"]["content"]["application/json"]
        schema = {**content["schema"], "components": described["components"]}
        jsonschema.Draft202012Validator(schema).validate((await service.get(f"{template}?{query}")).json())


async def test_lu_07_look_ups_use_no_credits(service: Service) -> None:
    await service.get("/tools/whois?domain=a.com")
    assert (await service.get("/me")).json()["data"]["checks"]["available"] == 21


NO_NAMES = (
    *("co.uk", "www.a.com", "https://a.com/", "localhost", "1.2.3.4", "a..com", "a.test"),
    *("%F0%9F%98%80", "a" * 300 + ".com", "a%00.com", "a_b.com", "-a.com"),
)


async def test_lu_08_what_is_not_registrable_is_named_and_asks_nobody(
    service: Service, registry: Registry
) -> None:
    for name in NO_NAMES:
        assert "domain" in fields(await service.get(f"/tools/whois?domain={name}")), name
        for tool in ("availability", "domain-rating"):
            assert "domains" in fields(await service.get(f"/tools/{tool}?domains=a.com,{name}")), name
    for name in ("localhost", "1.2.3.4", "a..com", "a.test", "x", "%00", "a b.com", "[::1]"):
        assert "host" in fields(await service.get(f"/tools/dns?host={name}")), name
    assert registry.asked == []


async def test_lu_09_lu_15_the_hours_quota(service: Service) -> None:
    for batch in range(10):
        answer = await service.get(f"/tools/availability?domains={names(20, batch * 20)}", "free")
        assert answer.status_code == 200
    answer = await service.get("/tools/whois?domain=a.com", "free")
    assert code(answer) == (429, "lookup_quota_exceeded")
    assert answer.headers["Retry-After"] == "3600"
    assert int(answer.headers["X-RateLimit-Remaining"]) > 0
    assert (await service.get("/me", "free")).status_code == 200


async def use(service: Service, count: int) -> None:
    for start in range(0, count, 20):
        await service.get(f"/tools/availability?domains={names(min(20, count - start))}", "free")


async def test_lu_10_lu_11_counted_as_asked_and_refused_whole(service: Service) -> None:
    await use(service, 195)
    refused = await service.get(f"/tools/availability?domains={names(6)}", "free")
    assert code(refused) == (429, "lookup_quota_exceeded")
    assert (await service.get(f"/tools/availability?domains={names(5)}", "free")).status_code == 200
    assert code(await service.get("/tools/dns?host=a.com", "free")) == (429, "lookup_quota_exceeded")


async def test_e_09_head_spends_as_get_does(service: Service, registry: Registry) -> None:
    await use(service, 199)
    registry.asked.clear()
    head = await service.ask("HEAD", "/tools/whois?domain=a.com", "free")
    assert (head.status_code, head.content, registry.asked) == (200, b"", ["a.com"])
    for method in ("HEAD", "GET"):
        answer = await service.ask(method, "/tools/whois?domain=a.com", "free")
        assert answer.status_code == 429


async def test_lu_12_duplicates_count_once(service: Service) -> None:
    await use(service, 198)
    assert (await service.get("/tools/availability?domains=a.com,A.com,b.com", "free")).status_code == 200


async def test_lu_13_the_hour_is_the_clocks(service: Service) -> None:
    service.clock.now = datetime(2026, 11, 20, 18, 59, 59, tzinfo=UTC)
    await use(service, 200)
    answer = await service.get("/tools/whois?domain=a.com", "free")
    assert (code(answer), answer.headers["Retry-After"]) == ((429, "lookup_quota_exceeded"), "1")
    service.clock.move(seconds=1)
    assert (await service.get("/tools/whois?domain=a.com", "free")).status_code == 200


async def test_lu_16_the_quota_is_asked_last(service: Service) -> None:
    await use(service, 200)
    assert "domain" in fields(await service.get("/tools/whois?domain=co.uk", "free"))
    assert "domains" in fields(await service.get(f"/tools/availability?domains={names(21)}", "free"))
