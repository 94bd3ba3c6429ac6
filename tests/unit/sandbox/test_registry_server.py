"""RDAP answers: each registry's shape and the statuses of each phase."""

from __future__ import annotations

import json

import pytest

from afterdrop.sandbox import registry_server
from afterdrop.sandbox.registry_server import REGISTRIES, Registry, registry_of
from afterdrop.sandbox.state import SandboxClock, SandboxState
from afterdrop.sandbox.story import Phase, Story
from afterdrop.sandbox.whois_server import whois_text
from afterdrop.sources.registry.rdap_answer import parse_answer
from afterdrop.sources.registry.whois_servers import read_saved_whois
from tests.unit.sandbox.worlds import moment, role, world


def _document(story: Story, state: str) -> registry_server.Document:
    phase = next(phase for phase in story.phases if phase.state == state)
    registry = registry_of(story.domain)
    assert registry is not None
    return registry_server.domain_document(story, phase, registry, "http://127.0.0.1:1/com/v1/", moment(0))


def _of_registry(key: str) -> tuple[Story, Registry]:
    registry = next(item for item in REGISTRIES if item.key == key)
    story = next(item for item in world(400).stories if registry_of(item.domain) is registry)
    return story, registry


def test_the_thin_registry_hides_the_grace_period_and_writes_upper_case() -> None:
    found = _document(role("dropped_free"), "auto_renew")
    assert (found["status"], found["ldhName"]) == (["active"], role("dropped_free").domain.upper())


def test_a_name_in_grace_shows_the_renewed_expiry_and_the_registrars_hold_servers() -> None:
    found = _document(role("withdrawn_renewed"), "auto_renew")
    dates = {event["eventAction"]: event["eventDate"] for event in found["events"]}
    assert dates["expiration"] > "2027"
    assert found["nameservers"][0]["ldhName"] == "NS1.RENEWYOURNAME.NET"


@pytest.mark.parametrize("registry", ["pir", "identitydigital", "centralnic", "google", "nominet", "dnspl"])
def test_every_registry_has_its_own_shape(registry: str) -> None:
    story, own = _of_registry(registry)
    found = registry_server.domain_document(story, story.phases[0], own, "http://127.0.0.1:1/", moment(0))
    registration = next(event for event in found["events"] if event["eventAction"] == "registration")
    endings = {"centralnic": ".0Z", "google": ".000Z", "pir": ".999Z", "identitydigital": ".999Z"}
    assert registration["eventDate"].endswith(endings.get(registry, "Z"))
    assert ("secureDNS" in found) is (own.style != "google")
    assert ("publicIds" in found["entities"][0]) is (own.style != "nominet")
    assert found["ldhName"].endswith(".") is (own.style == "centralnic")


def test_a_blocked_name_says_so_in_a_notice() -> None:
    titles = [notice["title"] for notice in registry_server.error_document("a.xyz", True)["notices"]]
    assert "Blocked Domain" in titles
    assert registry_server.error_document("a.xyz", False)["errorCode"] == 404


def test_extensions_without_rdap_have_no_registry() -> None:
    assert registry_of("a.de") is None
    assert registry_of("a.io") is None
    found = registry_of("a.co.uk")
    assert found is not None and found.key == "nominet"


def test_nameservers_depend_on_the_phase() -> None:
    story = role("ended_caught")
    assert registry_server.nameservers_of(story, story.phases[-1]) == ("ns1.afternic.com", "ns2.afternic.com")
    assert registry_server.nameservers_of(story, Phase(moment(0), "free", delegated=False)) == ()
    parked = next(item for item in world().stories if item.scenario == "flag_parked")
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
    body = json.dumps(registry_server.stranger_document("google.com")).encode()
    assert parse_answer(404, "application/rdap+json", body, "google.com").state == "unknown"
    free = json.dumps(registry_server.error_document("google.com", blocked=False)).encode()
    assert parse_answer(404, "application/rdap+json", free, "google.com").state == "available"
