"""DNS look-ups against real authoritative servers over UDP and TCP."""

import asyncio
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from afterdrop.core.errors import SettingsError
from afterdrop.core.settings import Dns, Settings
from afterdrop.sources.dns.answers import DnsRecord
from afterdrop.sources.dns.client import open_dns
from afterdrop.sources.lookups.dns import dns
from afterdrop.sources.lookups.sources import Sources
from tests.integration.sources.lookups.conftest import Opening
from tests.support.nameserver import ZONE, Zone, serving
from tests.support.ports import free_port


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[Zone, str]]:
    zone = Zone()
    with serving(zone) as address:
        yield zone, address


@pytest.fixture
def zone(served: tuple[Zone, str]) -> Zone:
    served[0].calm()
    return served[0]


@pytest.fixture
def resolver(served: tuple[Zone, str], zone: Zone) -> str:
    return served[1]


@pytest.fixture
def asking(outward: Settings, resolver: str) -> Settings:
    return outward.model_copy(update={"dns": Dns(resolvers=(resolver,), timeout_seconds=0.6)})


@pytest.fixture
async def looking(asking: Settings, opening: Opening) -> object:
    async with opening(asking) as sources:
        yield sources


async def test_a_whole_host(looking: Sources, now: datetime) -> None:
    found = await dns(looking, "name.com", now)
    assert found["records"]["A"] == [{"value": "93.184.216.34", "ttl": 120, "extra": None}]
    assert [row["value"] for row in found["records"]["AAAA"]] == ["2606:2800:220:1:248:1893:25c8:1946"]
    assert [(row["value"], row["extra"]) for row in found["records"]["MX"]] == [
        ("mx1.name.com", "5"),
        ("mx2.name.com", "20"),
    ]
    assert [row["value"] for row in found["records"]["NS"]] == ["ns1.name.com", "ns2.name.com"]
    assert str(found["records"]["SOA"][0]["extra"]).startswith("hostmaster.name.com 2026112001")
    assert found["records"]["CAA"] == [{"value": "letsencrypt.org", "ttl": 300, "extra": "0 issue"}]
    assert found["records"]["CNAME"] == []
    assert (found["has_mail"], found["spf"], found["dmarc"], found["parked_at"]) == (True, True, True, None)
    assert (found["status"], found["errors"], found["withheld"]) == ("ok", {}, 2)


async def test_a_subdomain_follows_its_alias_and_its_domains_policy(looking: Sources, now: datetime) -> None:
    found = await dns(looking, "www.name.com", now)
    assert found["records"]["CNAME"] == [{"value": "name.com", "ttl": 300, "extra": None}]
    assert [row["value"] for row in found["records"]["A"]] == ["93.184.216.34"]
    assert [row["value"] for row in found["records"]["MX"]] == ["mx1.name.com", "mx2.name.com"]
    assert (found["records"]["NS"], found["records"]["SOA"]) == ([], [])
    assert (found["has_mail"], found["spf"], found["dmarc"]) == (True, True, True)


async def test_several_policies_are_none_and_an_address_takes_mail(looking: Sources, now: datetime) -> None:
    found = await dns(looking, "plain.com", now)
    assert found["records"]["A"] == [{"value": "93.184.216.36", "ttl": 300, "extra": "implicit MX"}]
    assert (found["has_mail"], found["spf"], found["dmarc"]) == (True, False, False)
    assert (await dns(looking, "below.plain.com", now))["has_mail"] is False  # its address is not public


async def test_a_policy_is_looked_for_at_eight_names_at_most(
    looking: Sources, zone: Zone, now: datetime
) -> None:
    assert (await dns(looking, "a.b.c.d.e.f.g.name.com", now))["dmarc"] is True
    parents = [
        "c.d.e.f.g.name.com",
        "d.e.f.g.name.com",
        "e.f.g.name.com",
        "f.g.name.com",
        "g.name.com",
        "name.com",
        "com",
    ]
    expected = [f"_dmarc.{name}" for name in ("a.b.c.d.e.f.g.name.com", *parents)]
    assert sorted(name for name, _, _ in zone.asked if name.startswith("_dmarc.")) == sorted(expected)


async def test_a_host_with_a_null_mx_accepts_no_mail(looking: Sources, now: datetime) -> None:
    found = await dns(looking, "no-mail.com", now)
    assert found["records"]["MX"] == [{"value": ".", "ttl": 300, "extra": "0"}]
    assert (found["has_mail"], found["spf"], found["dmarc"]) == (False, False, False)


async def test_a_name_that_does_not_exist(looking: Sources, now: datetime) -> None:
    found = await dns(looking, "gone.com", now)
    assert (found["records"], found["status"], found["errors"]) == ({}, "nxdomain", {})
    found = await dns(looking, "alias.com", now)
    assert (found["status"], found["records"]["A"]) == ("ok", [])


async def test_a_failing_server_and_a_silent_one(looking: Sources, zone: Zone, now: datetime) -> None:
    zone.failing |= {"ill.com", "_dmarc.ill.com"}
    found = await dns(looking, "ill.com", now)
    assert (found["status"], found["has_mail"], found["dmarc"]) == ("servfail", None, None)
    assert set(found["errors"].values()) == {"servfail"}
    zone.silent |= {"silent.com"}
    found = await dns(looking, "silent.com", now)
    assert (found["status"], found["has_mail"]) == ("timeout", None)
    assert set(found["errors"].values()) == {"timeout"}


async def test_a_cut_answer_is_asked_for_again_over_tcp(looking: Sources, zone: Zone, now: datetime) -> None:
    zone.long |= {"long.com"}
    found = await dns(looking, "long.com", now)
    assert len(found["records"]["TXT"]) == 40
    assert [protocol for name, kind, protocol in zone.asked if (name, kind) == ("long.com", "TXT")] == [
        "udp",
        "tcp",
    ]


async def test_parking_is_recognised_by_the_nameservers_of_the_domain(
    looking: Sources, zone: Zone, now: datetime
) -> None:
    assert (await dns(looking, "parked-name.com", now))["parked_at"] == "Sedo"
    assert (await dns(looking, "www.parked-name.com", now))["parked_at"] == "Sedo"


async def test_every_look_up_is_live_and_simultaneous_ones_share_an_answer(
    looking: Sources, zone: Zone, now: datetime
) -> None:
    alone = await dns(looking, "name.com", now)
    asked = len(zone.asked)
    assert await asyncio.gather(*(dns(looking, "name.com", now) for _ in range(5))) == [alone] * 5
    assert len(zone.asked) == 2 * asked


async def test_answers_are_cached_for_the_ttl_and_at_most_minutes_where_the_operator_wants_it(
    asking: Settings, opening: Opening, zone: Zone, now: datetime
) -> None:
    keeping = asking.registry.model_copy(update={"answer_cache_seconds": 300})
    async with opening(asking.model_copy(update={"registry": keeping})) as sources:
        await dns(sources, "name.com", now)
        asked = len(zone.asked)
        await dns(sources, "name.com", now + timedelta(seconds=119))
        assert len(zone.asked) == asked
        await dns(sources, "name.com", now + timedelta(seconds=121))
        assert len(zone.asked) > asked


async def test_after_a_dead_resolver_the_next_one_is_asked(outward: Settings, resolver: str) -> None:
    dead = f"127.0.0.1:{free_port()}"
    client = open_dns(outward.model_copy(update={"dns": Dns(resolvers=(dead,), timeout_seconds=0.3)}))
    assert (await client.reply("name.com", "A")).outcome == "timeout"
    assert await client.delegated("name.com", "gone.com") is None
    client = open_dns(
        outward.model_copy(update={"dns": Dns(resolvers=(dead, resolver), timeout_seconds=1.2)})
    )
    assert (await client.reply("name.com", "A")).records == (DnsRecord("93.184.216.34", 120),)


async def test_delegation(asking: Settings, zone: Zone) -> None:
    client = open_dns(asking)
    assert await client.delegated("name.com", "gone.com") is True
    assert await client.delegated("www.name.com", "gone.com") is True  # an alias
    assert await client.delegated("gone.com", "unused.com") is False
    # A name without records of its own has others below it, unless the registry answers so for every name.
    assert await client.delegated("no-mail.com", "gone.com") is True
    assert await client.delegated("no-mail.com", "unused.com") is False
    zone.failing.add("unused.com")
    assert await client.delegated("no-mail.com", "unused.com") is None
    # The servers of a delegation fail below a zone that answers; where that fails, too, the resolver does.
    zone.failing.add("name.com")
    assert await client.delegated("name.com", "gone.com") is True
    zone.failing.add("com")
    assert await client.delegated("name.com", "gone.com") is None


async def test_a_name_too_long_for_dns_is_an_answer_not_an_exception(asking: Settings) -> None:
    assert (await open_dns(asking).reply("a" * 70 + ".com", "A")).outcome == "servfail"


@pytest.mark.parametrize("resolvers", [("1.1.1.1", "not-an-address"), ("1.1.1.1:dns",), ("[::1",), ("",)])
def test_a_resolver_that_is_no_address_stops_the_start(resolvers: tuple[str, ...]) -> None:
    if resolvers == ("[::1",):
        open_dns(Settings(dns=Dns(resolvers=resolvers)))  # a missing bracket is read as meant
        return
    with pytest.raises(SettingsError):
        open_dns(Settings(dns=Dns(resolvers=resolvers)))


def test_addresses_with_and_without_a_port() -> None:
    client = open_dns(
        Settings(dns=Dns(resolvers=("1.1.1.1", "9.9.9.9:5353", "[2620:fe::fe]:53", "2620:fe::9")))
    )
    assert [str(server) for server in client.resolver.nameservers] == [
        "Do53:1.1.1.1@53",
        "Do53:9.9.9.9@5353",
        "Do53:2620:fe::fe@53",
        "Do53:2620:fe::9@53",
    ]


@pytest.fixture
def nsd(tmp_path: Path) -> Iterator[str]:
    """NSD, a name server the internet runs on, serving the same zone."""
    binary = shutil.which("nsd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if binary is None:
        pytest.skip("NSD is not on this machine (apt-get install nsd)")
    port = free_port()
    lines = [line for line in ZONE.splitlines() if "name.com." in line and "parked" not in line]
    (tmp_path / "name.com.zone").write_text("\n".join(lines) + "\n")
    (tmp_path / "nsd.conf").write_text(
        f'server:\n  ip-address: 127.0.0.1@{port}\n  zonesdir: "{tmp_path}"\n  pidfile: ""\n  database: ""\n'
        f'  username: ""\n  xfrdfile: ""\n  zonelistfile: "{tmp_path}/zone.list"\n'
        "remote-control:\n  control-enable: no\n"
        'zone:\n  name: "name.com"\n  zonefile: "name.com.zone"\n'
    )
    process = subprocess.Popen([binary, "-d", "-c", str(tmp_path / "nsd.conf")], stderr=subprocess.DEVNULL)
    try:
        time.sleep(0.5)
        yield f"127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(180)


async def test_the_same_zone_from_nsd(outward: Settings, nsd: str, now: datetime, opening: Opening) -> None:
    async with opening(
        outward.model_copy(update={"dns": Dns(resolvers=(nsd,), timeout_seconds=4)})
    ) as sources:
        found = await dns(sources, "name.com", now)
        assert [row["value"] for row in found["records"]["MX"]] == ["mx1.name.com", "mx2.name.com"]
        assert (found["has_mail"], found["spf"], found["dmarc"], found["status"]) == (True, True, True, "ok")
        assert (await dns(sources, "nothing.name.com", now))["records"] == {}
