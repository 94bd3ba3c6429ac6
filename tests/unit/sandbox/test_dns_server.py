"""DNS records of delegated, parked and dropped names."""

from __future__ import annotations

import pytest
from dnslib import QTYPE, RCODE

from afterdrop.sandbox import dns_server as zone
from tests.unit.sandbox.worlds import moment, role, world

NOW = moment(0.5)


def _ask(name: str, kind: str) -> zone.DnsAnswer:
    return zone.answer(world(), name, kind, NOW)


@pytest.mark.parametrize(
    ("before", "scenario", "kind", "texts"),
    [
        ("www.", "live_buy_now", "A", ["{name}.", "45.77"]),
        ("mail.", "live_buy_now", "A", ["45.77"]),
        ("_dmarc.", "live_buy_now", "TXT", ['"v=DMARC1; p=none"']),
        ("", "ended_caught", "NS", ["ns1.afternic.com.", "ns2.afternic.com."]),
        ("", "ended_caught", "A", ["15.197.148.33", "3.33.130.190"]),
        ("", "ended_caught", "MX", ["0 ."]),
        ("_dmarc.", "ended_caught", "TXT", []),
        ("", "dropped_delegated", "SOA", ["ns"]),
    ],
)
def test_a_delegated_name_has_its_own_records_or_those_of_its_parking_provider(
    before: str, scenario: str, kind: str, texts: list[str]
) -> None:
    name = role(scenario).domain
    found = _ask(before + name, kind)
    assert found.code == RCODE.NOERROR
    told = [str(record.rdata) for record in found.records]
    assert len(told) == len(texts)
    assert all(one.startswith(text.format(name=name)) for one, text in zip(told, texts, strict=True))


def test_other_names_do_not_exist() -> None:
    for name in (role("dropped_free").domain, f"nothing.{role('live_buy_now').domain}", "never-was.com"):
        assert _ask(name, "NS").code == RCODE.NXDOMAIN, name


def test_every_record_type_occurs() -> None:
    kinds = ("A", "AAAA", "MX", "TXT", "CAA", "NS", "SOA")
    found = {
        QTYPE[record.rtype]
        for story in world().stories[:60]
        for kind in kinds
        for record in _ask(story.domain, kind).records
    }
    assert found == set(kinds)


def test_a_few_weak_names_fail_or_stay_silent_and_no_published_one_does() -> None:
    codes: dict[str, set[int]] = {}
    for story in world(400).stories:
        code = zone.answer(world(400), story.domain, "A", NOW).code
        codes.setdefault(story.outcome, set()).add(code)
    assert {RCODE.SERVFAIL, zone.SILENT} <= codes["below_filter"]
    assert codes["published"] == {RCODE.NOERROR, RCODE.NXDOMAIN}
