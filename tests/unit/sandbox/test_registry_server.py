"""RDAP and WHOIS answers: each registry's shape, and what none of them says."""

from __future__ import annotations

import json

import pytest

from afterdrop.sandbox import registry_server
from afterdrop.sandbox.registry_server import REGISTRIES
from afterdrop.sandbox.state import SandboxClock, SandboxState
from afterdrop.sandbox.whois_server import whois_text
from afterdrop.sources.registry.rdap_answer import parse_answer
from afterdrop.sources.registry.whois_servers import read_saved_whois
from tests.unit.sandbox.worlds import moment, role, world


@pytest.mark.parametrize(
    ("registry", "ending", "status"),
    [
        ("verisign", "Z", "active"),
        ("pir", ".999Z", "auto renew period"),
        ("identitydigital", ".999Z", "auto renew period"),
        ("centralnic", ".0Z", "auto renew period"),
        ("google", ".000Z", "auto renew period"),
        ("nominet", "Z", "auto renew period"),
        ("dnspl", "Z", "auto renew period"),
    ],
)
def test_every_registry_has_its_own_shape(registry: str, ending: str, status: str) -> None:
    own = next(item for item in REGISTRIES if item.key == registry)
    story, phase = next(
        (story, phase)
        for story in world(400).stories
        for phase in story.phases
        if story.tld.rpartition(".")[2] in own.paths and phase.state == "auto_renew"
    )
    found = registry_server.domain_document(story, phase, own, "http://127.0.0.1:1/", moment(0))
    events = {event["eventAction"]: event["eventDate"] for event in found["events"]}
    assert events["registration"].endswith(ending) and found["status"] == [status]
    assert found["ldhName"].isupper() is own.upper
    assert found["nameservers"][0]["ldhName"].lower() == "ns1.renewyourname.net"
    parsed = parse_answer(200, "application/rdap+json", json.dumps(found).encode(), story.domain)
    assert parsed.state == "registered"


def test_nameservers_depend_on_the_site() -> None:
    caught, parked = role("ended_caught"), role("flag_parked")
    assert registry_server.nameservers_of(caught, caught.phases[-1])[0] == "ns1.afternic.com"
    assert "sandboxhost" not in registry_server.nameservers_of(parked, parked.phases[0])[0]
    own = next(item for item in world().stories if item.index % 7 == 0 and item.eras[-1].scene == "site")
    assert registry_server.nameservers_of(own, own.phases[0])[0] == f"ns1.{own.domain}"


def test_whois_refuses_where_the_registry_does() -> None:
    sandbox = SandboxState(world(), SandboxClock(lambda: moment(0)), lambda: 0.0)
    assert read_saved_whois(whois_text(sandbox, "nic.se").encode(), "whois.iis.se").state == "registered"
    assert read_saved_whois(whois_text(sandbox, "a.de").encode(), "whois.denic.de").reason == "refused"


def test_a_name_of_the_real_world_is_not_called_free() -> None:
    assert registry_server.may_be_real("google.com")
    assert not registry_server.may_be_real("bvqzkxqcbwvsuirkfxtikewy.com")
    for document, state in (
        (registry_server.stranger_document("google.com"), "unknown"),
        (registry_server.error_document("google.com", blocked=False), "available"),
    ):
        body = json.dumps(document).encode()
        assert parse_answer(404, "application/rdap+json", body, "google.com").state == state
