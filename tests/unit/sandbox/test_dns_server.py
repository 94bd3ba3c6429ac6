"""DNS records of delegated, parked and dropped names, and the zone of faults."""

from __future__ import annotations

from dnslib import QTYPE, RCODE

from afterdrop.sandbox import dns_server as zone
from tests.unit.sandbox.worlds import moment, role, world

NOW = moment(0.5)


def _ask(name: str, kind: str) -> zone.DnsAnswer:
    return zone.answer(world(), name, kind, NOW)


def _texts(answer: zone.DnsAnswer) -> list[str]:
    return [str(record.rdata) for record in answer.records]


def test_a_registered_name_has_every_record() -> None:
    story = role("live_buy_now")
    assert _texts(_ask(story.domain, "NS"))
    assert _texts(_ask(story.domain, "SOA"))
    assert _texts(_ask(story.domain, "A"))
    assert _ask(f"www.{story.domain}", "A").records[0].rtype == QTYPE.CNAME
    assert _ask(f"nothing.{story.domain}", "A").code == RCODE.NXDOMAIN
    assert _texts(_ask(f"mail.{story.domain}", "A"))
    assert _ask(f"_dmarc.{story.domain}", "TXT").code == RCODE.NOERROR


def test_every_record_type_occurs() -> None:
    kinds: set[str] = set()
    for story in world().stories[:60]:
        for kind in ("A", "AAAA", "MX", "TXT", "CAA", "NS", "SOA"):
            kinds.update(QTYPE[record.rtype] for record in _ask(story.domain, kind).records)
    assert kinds == {"A", "AAAA", "MX", "TXT", "CAA", "NS", "SOA"}


def test_a_dropped_name_does_not_exist_and_a_delegated_one_does() -> None:
    assert _ask(role("dropped_free").domain, "NS").code == RCODE.NXDOMAIN
    assert _ask("never-was.com", "A").code == RCODE.NXDOMAIN
    assert _texts(_ask(role("dropped_delegated").domain, "NS"))


def test_a_parked_name_points_at_the_provider_and_takes_no_mail() -> None:
    caught = role("ended_caught").domain
    assert _texts(_ask(caught, "NS")) == ["ns1.afternic.com.", "ns2.afternic.com."]
    assert _texts(_ask(caught, "A")) == ["15.197.148.33", "3.33.130.190"]
    assert _texts(_ask(caught, "MX")) == ["0 ."]
    assert _ask(f"_dmarc.{caught}", "TXT").records == ()


def test_a_few_names_fail_or_stay_silent() -> None:
    weak = [story for story in world(400).stories if story.outcome == "below_filter"]
    codes = {zone.answer(world(400), story.domain, "A", NOW).code for story in weak}
    assert {RCODE.SERVFAIL, zone.SILENT} <= codes


def test_no_published_name_fails() -> None:
    for story in world(400).stories:
        if story.outcome == "published":
            assert zone.answer(world(400), story.domain, "NS", NOW).code in (RCODE.NOERROR, RCODE.NXDOMAIN)


def test_hosts_on_which_the_world_depends_exist() -> None:
    assert _texts(_ask("ns1.sandboxhost.net", "A")) == ["45.77.140.2"]
    assert _ask("ns1.sandboxhost.net", "AAAA").records == ()
