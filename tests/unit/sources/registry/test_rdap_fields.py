from datetime import UTC, datetime
from typing import Any

import pytest

from afterdrop.sources.registry import rdap_fields
from afterdrop.sources.registry.rdap_fields import Notes


def at(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type, misc]  # year … second, spelled short


@pytest.mark.parametrize(
    ("raw", "moment"),
    [
        ("2024-11-22T18:01:08Z", at(2024, 11, 22, 18, 1, 8)),
        ("2024-11-22t18:01:08z", at(2024, 11, 22, 18, 1, 8)),
        ("2024-11-22T18:01:08.123z", at(2024, 11, 22, 18, 1, 8)),
        ("2024-11-22t18:01:08+02:00", at(2024, 11, 22, 16, 1, 8)),
        ("2023-07-05 10:11:12 utc", at(2023, 7, 5, 10, 11, 12)),
        ("1990-12-31t23:59:60z", at(1990, 12, 31, 23, 59, 59)),
        ("2022-02-10T08:00:00.000+0000", at(2022, 2, 10, 8)),
        ("2024-06-18T22:01:39+03:00", at(2024, 6, 18, 19, 1, 39)),
        ("2024-06-12T22:09:39.881923Z", at(2024, 6, 12, 22, 9, 39)),
        ("2024-06-12T22:09:39.999999999Z", at(2024, 6, 12, 22, 9, 39)),
        ("2001-04-07T10:05:37.0Z", at(2001, 4, 7, 10, 5, 37)),
        ("2023-07-05T00:00:00", at(2023, 7, 5)),
        ("2023-07-05 10:11:12", at(2023, 7, 5, 10, 11, 12)),
        ("2023-07-05 10:11:12 UTC", at(2023, 7, 5, 10, 11, 12)),
        ("2023-07-05 10:11:12 +0100", at(2023, 7, 5, 9, 11, 12)),
        ("2023-07-05", at(2023, 7, 5)),
        ("20230705", at(2023, 7, 5)),
        ("1990-12-31T23:59:60Z", at(1990, 12, 31, 23, 59, 59)),
        ("2020-01-01T12:60:00Z", None),
        ("9999-12-31T23:59:59Z", at(9999, 12, 31, 23, 59, 59)),
        ("9999-12-31T23:59:59-01:00", None),
        ("294247-01-10T04:00:54Z", None),
        ("1970-01-01T00:00:00Z", None),
        ("0001-01-01T00:00:00Z", None),
        ("not a date", None),
        ("", None),
        (1690000000, None),
        (None, None),
        (["2023-07-05"], None),
    ],
)
def test_timestamps_in_every_form_seen(raw: object, moment: datetime | None) -> None:
    assert rdap_fields.timestamp(raw) == moment


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("GOOGLE.COM", "google.com"),
        ("amazon.ooo.", "amazon.ooo"),
        (" Bücher.DE. ", "xn--bcher-kva.de"),
        ("XN--BCHER-KVA.DE", "xn--bcher-kva.de"),
        ("_dmarc.example.com", "_dmarc.example.com"),
        ("com", "com"),
        ("2.0.192.in-addr.arpa", "2.0.192.in-addr.arpa"),
        ("%DOMAIN%", None),
        ("a..com", None),
        ("😀.com", None),
        ("\ud800ü.com", None),
        ("a" * 64 + ".com", None),
        ("a." * 127 + "com", None),
        ("a" * 2000, None),
        ("", None),
        (7, None),
        (None, None),
    ],
)
def test_domain_names_as_a_labels(raw: object, name: str | None) -> None:
    assert rdap_fields.domain_name(raw) == name


def test_the_unicode_name_stands_in_for_a_missing_ldh_name() -> None:
    notes = Notes()
    assert rdap_fields.object_name({"unicodeName": "bücher.de"}, notes) == "xn--bcher-kva.de"
    assert notes == ["ldhName is missing or not a name: unicodeName is used"]
    assert rdap_fields.object_name({"ldhName": 3, "unicodeName": None}, Notes()) is None


def test_text_is_one_clean_line() -> None:
    assert rdap_fields.plain_text("A\n\tB\x00 \u202eC\ud800") == "A B C"
    assert rdap_fields.plain_text("plain") == "plain"
    assert rdap_fields.plain_text("x" * 900) == "x" * 200
    assert rdap_fields.plain_text(None) == ""
    assert rdap_fields.plain_text({"a": 1}) == ""


def test_notes_are_few_and_each_once() -> None:
    notes = Notes()
    for number in range(30):
        notes.add(f"note {number % 25}")
        notes.add("note 0")
    assert len(notes) == 20
    assert len(set(notes)) == 20


def test_events_by_action_with_odd_ones_noted() -> None:
    notes = Notes()
    doc: dict[str, Any] = {
        "events": [
            {"eventAction": "last changed", "eventDate": "2020-01-01T00:00:00Z"},
            {"eventAction": "Last_Changed", "eventDate": "2021-01-01T00:00:00Z"},
            {"eventAction": None, "eventDate": "2021-01-01T00:00:00Z"},
            {"eventAction": "expiration", "eventDate": "soon"},
            "expiration",
            None,
        ]
    }
    assert rdap_fields.event_times(doc, notes) == {"lastchanged": [at(2020, 1, 1), at(2021, 1, 1)]}
    assert notes == [
        "the date of event expiration cannot be read: 'soon'",
        "events holds something that is not an object",
    ]


@pytest.mark.parametrize(
    ("value", "words", "noted"),
    [
        (["ok", "active", "clientHold"], ("active", "client hold"), None),
        ("active", ("active",), "status is not an array"),
        (["clientHold, serverHold"], ("client hold", "server hold"), None),
        ([None, 3, "", "active"], ("active",), "status holds something that is not text"),
        ({"a": 1}, (), "status is not an array"),
        (7, (), "status has the wrong type"),
        (None, (), None),
        (["weird one"], ("weird one",), "status not in the RDAP registry: 'weird one'"),
    ],
)
def test_statuses(value: Any, words: tuple[str, ...], noted: str | None) -> None:
    notes = Notes()
    assert rdap_fields.statuses({"status": value}, notes) == words
    assert (noted in notes) if noted else not notes


def test_a_flood_of_statuses_is_cut_with_a_note() -> None:
    notes = Notes()
    assert rdap_fields.statuses({"status": ["active"] * 5000}, notes) == ("active",)
    assert notes == ["more than 100 status: the first 100 are read"]


@pytest.mark.parametrize(
    ("doc", "servers"),
    [
        (
            {
                "nameservers": [
                    {"ldhName": "NS1.A.COM."},
                    {"ldhName": "ns1.a.com"},
                    {"ldhName": "ns2.a.com 192.0.2.1"},
                ]
            },
            ("ns1.a.com", "ns2.a.com"),
        ),
        ({"nameservers": [{"unicodeName": "ns.bücher.de"}]}, ("ns.xn--bcher-kva.de",)),
        ({"nameservers": ["ns1.a.com", None, {}, {"ldhName": ""}, {"ldhName": 5}]}, ("ns1.a.com",)),
        ({"nameServers": [{"ldhName": "a.share-dns.com"}]}, ("a.share-dns.com",)),
        ({"fred_nsset": {"nameservers": [{"ldhName": "ns.a.cz"}]}}, ("ns.a.cz",)),
        ({"cznic_nsset": {"nameServers": [{"ldhName": "ns.a.cz"}]}}, ("ns.a.cz",)),
        ({"fred_nsset": "x"}, ()),
        ({"nameservers": []}, ()),
        ({}, ()),
    ],
)
def test_nameservers(doc: dict[str, Any], servers: tuple[str, ...]) -> None:
    assert rdap_fields.nameservers(doc, Notes()) == servers


@pytest.mark.parametrize(
    ("secure", "signed"),
    [
        ({"delegationSigned": True}, True),
        ({"delegationSigned": False, "zoneSigned": True}, False),
        ({"delegationSigned": "TRUE"}, True),
        ({"delegationSigned": "false"}, False),
        ({"dsData": [{"keyTag": 1}]}, True),
        ({"keyData": [{"flags": 257}]}, True),
        ({"zoneSigned": True}, None),
        ({"delegationSigned": 1}, None),
        ({"delegationSigned": None}, None),
        ([], None),
        (None, None),
    ],
)
def test_dnssec_is_the_delegation_and_missing_is_not_false(secure: Any, signed: bool | None) -> None:
    assert rdap_fields.dnssec({"secureDNS": secure}, Notes()) is signed
