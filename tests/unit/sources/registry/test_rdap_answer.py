import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterdrop.sources.registry.rdap_answer import RegistryAnswer, parse_answer, written
from afterdrop.sources.registry.rdap_fields import MAX_BODY

RDAP = "application/rdap+json;charset=utf-8"


def domain(**more: Any) -> dict[str, Any]:
    doc: dict[str, Any] = {
        "objectClassName": "domain",
        "ldhName": "EXAMPLE-NAME.COM",
        "status": ["clientTransferProhibited", "active"],
        "entities": [
            {
                "roles": ["registrar"],
                "publicIds": [{"type": "IANA Registrar ID", "identifier": "69"}],
                "vcardArray": ["vcard", [["fn", {}, "text", "Tucows Domains Inc."]]],
            }
        ],
        "events": [
            {"eventAction": "registration", "eventDate": "2004-11-22T18:01:08Z"},
            {"eventAction": "expiration", "eventDate": "2026-11-22T18:01:08.999Z"},
            {"eventAction": "last changed", "eventDate": "2025-11-26T06:34:24Z"},
            {"eventAction": "transfer", "eventDate": "2010-01-01T00:00:00Z"},
            {"eventAction": "transfer", "eventDate": "2015-01-01T00:00:00Z"},
            {"eventAction": "registrar expiration", "eventDate": "2031-01-01T00:00:00Z"},
            {"eventAction": "last update of RDAP database", "eventDate": "2025-12-21T06:09:46Z"},
        ],
        "secureDNS": {"delegationSigned": False},
        "nameservers": [{"ldhName": "NS1.EXAMPLE-NAME.COM"}],
    }
    return {key: value for key, value in (doc | more).items() if value is not None}


def ask(
    doc: object,
    status: int | None = 200,
    kind: str | None = RDAP,
    asked: str | None = "example-name.com",
    **more: Any,
) -> RegistryAnswer:
    body = doc if isinstance(doc, bytes) else json.dumps(doc).encode()
    return parse_answer(status, kind, body, asked, **more)


def test_a_whole_record() -> None:
    answer = ask(domain())
    assert answer.record.as_json() == {
        "domain": "example-name.com",
        "state": "registered",
        "registrar": "Tucows Domains Inc.",
        "registrar_iana_id": "69",
        "registered_at": "2004-11-22T18:01:08Z",
        "expires_at": "2026-11-22T18:01:08Z",
        "updated_at": "2025-11-26T06:34:24Z",
        "statuses": ("client transfer prohibited", "active"),
        "nameservers": ("ns1.example-name.com",),
        "dnssec": False,
    }
    assert answer.state == "registered"
    assert answer.notes == ()
    assert answer.transferred_at == datetime(2015, 1, 1, tzinfo=UTC)
    assert answer.database_at == datetime(2025, 12, 21, 6, 9, 46, tzinfo=UTC)
    assert answer.deleted_at is None


def test_the_registrars_own_expiry_is_an_event_apart() -> None:
    ahead = {"eventAction": "expiration", "eventDate": "2027-11-01T07:08:09Z"}
    own = {"eventAction": "registrar expiration", "eventDate": "2026-11-01T07:08:09Z"}
    answer = ask(domain(events=[own, ahead]))
    assert answer.record.expires_at == datetime(2027, 11, 1, 7, 8, 9, tzinfo=UTC)
    assert answer.registrar_expires_at == datetime(2026, 11, 1, 7, 8, 9, tzinfo=UTC)
    assert ask(domain(events=[ahead])).registrar_expires_at is None
    assert ask(domain(events=[own])).record.expires_at is None, "it is never taken for the registry's"
    odd = {"eventAction": "Registrar_Expiration", "eventDate": "soon"}
    assert ask(domain(events=[odd, ahead])).registrar_expires_at is None


def test_missing_members_are_null() -> None:
    answer = ask({"objectClassName": "domain", "ldhName": "example-name.com"})
    assert answer.record.as_json() == {
        "domain": "example-name.com",
        "state": "registered",
        "registrar": None,
        "registrar_iana_id": None,
        "registered_at": None,
        "expires_at": None,
        "updated_at": None,
        "statuses": (),
        "nameservers": (),
        "dnssec": None,
    }


@pytest.mark.parametrize(
    ("words", "state"),
    [
        (["pending delete", "redemption period"], "dropping"),
        (["redemptionPeriod"], "dropping"),
        (["pendingDelete"], "dropping"),
        (["pending restore"], "dropping"),
        (["active", "auto renew period"], "registered"),
        (["inactive"], "registered"),
        ([], "registered"),
    ],
)
def test_dropping_is_redemption_and_pending_delete_only(words: list[str], state: str) -> None:
    assert ask(domain(status=words)).state == state


def test_a_non_standard_last_update_is_the_last_change_but_the_databases_is_not() -> None:
    event = {"eventAction": "last update", "eventDate": "2021-01-09T10:35:54.000+0000"}
    assert ask(domain(events=[event])).record.updated_at == datetime(2021, 1, 9, 10, 35, 54, tzinfo=UTC)
    event = {"eventAction": "last update of RDAP database", "eventDate": "2021-01-09T10:35:54Z"}
    assert ask(domain(events=[event])).record.updated_at is None


def test_any_spelling_asks_for_the_same_name() -> None:
    doc = domain(ldhName="XN--BCHER-KVA.COM.")
    assert ask(doc, asked="Bücher.com").record.domain == "xn--bcher-kva.com"


def test_an_answer_about_another_name_proves_nothing() -> None:
    answer = ask(domain(ldhName="other.com"))
    assert (answer.state, answer.reason, answer.record.domain) == (
        "unknown",
        "wrong_name",
        "example-name.com",
    )
    answer = ask(domain(ldhName="%NAME%"))
    assert (answer.state, answer.reason) == ("unknown", "wrong_name")


def test_a_domain_without_a_name_is_what_was_asked() -> None:
    answer = ask(domain(ldhName=None))
    assert (answer.state, answer.record.domain) == ("registered", "example-name.com")
    assert "the object has no name" in answer.notes
    answer = ask(domain(ldhName="%NAME%"), asked=None)
    assert (answer.state, answer.record.domain) == ("registered", None)
    assert answer.notes == ("the object's name is not a domain name: '%NAME%'",)


@pytest.mark.parametrize("kind", [None, "", "domain", "DOMAIN"])
def test_old_registries_leave_out_the_class(kind: str | None) -> None:
    assert ask(domain(objectClassName=kind)).state == "registered"


@pytest.mark.parametrize(
    "members",
    [
        {"nameServers": []},
        {"events": [{"eventAction": "expiration", "eventDate": "2030-01-01T00:00:00Z"}]},
        {"entities": [{"roles": ["registrar"], "handle": "X"}]},
    ],
)
def test_a_domain_is_known_by_its_members(members: dict[str, Any]) -> None:
    answer = ask({"ldhName": "example-name.com"} | members)
    assert answer.state == "registered"
    assert "objectClassName is missing: read as a domain by its members" in answer.notes


@pytest.mark.parametrize(
    ("doc", "note"),
    [
        (
            {"objectClassName": "nameserver", "ldhName": "ns1.a.com"},
            "an object of class 'nameserver', not a domain",
        ),
        ({"objectClassName": "entity"}, "an object of class 'entity', not a domain"),
        (
            {"domainSearchResults": [domain()]},
            "a search result (domainSearchResults, 1 found), not one domain",
        ),
        ({}, "an empty object"),
        ({"rdapConformance": []}, "an object without objectClassName, not a domain"),
        (
            {"ldhName": "ns1.a.com", "nameservers": [], "ipAddresses": {}},
            "an object without objectClassName, not a domain",
        ),
        ({"ldhName": "ns1.a.com"}, "an object without objectClassName, not a domain"),
    ],
)
def test_a_wrong_object_is_unknown(doc: dict[str, Any], note: str) -> None:
    answer = ask(doc, asked=None)
    assert (answer.state, answer.reason, answer.notes) == ("unknown", "wrong_object", (note,))


@pytest.mark.parametrize(
    ("body", "note"),
    [
        (b"", "the answer is empty"),
        (b"<!doctype html><html>", "the answer is HTML or XML, not JSON"),
        (b"[]", "a JSON list, not an object"),
        (b"null", "a JSON NoneType, not an object"),
        (b'{"objectClassName":"domain","ldhName":"exam', "the answer is not JSON, or is cut short"),
        (b"No match", "the answer is not JSON, or is cut short"),
        (b'{"a":' * 200_000, "the answer is not JSON, or is cut short"),
        (b"[" * 200_000, "the answer is not JSON, or is cut short"),
        (b'{"a":' + b"9" * 6000 + b"}", "the answer is not JSON, or is cut short"),
        (b" " * (MAX_BODY + 1), f"the answer is longer than {MAX_BODY} bytes"),
    ],
)
def test_a_body_that_is_no_object_is_unknown(body: bytes, note: str) -> None:
    answer = ask(body)
    assert (answer.state, answer.reason) == ("unknown", "bad_content")
    assert answer.notes[-1].startswith(note)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_byte_order_marks(encoding: str) -> None:
    answer = ask(json.dumps(domain()).encode(encoding))
    assert answer.state == "registered"
    assert answer.notes == ("the answer starts with a byte order mark",)


def test_raw_control_characters_and_latin_1_are_read_with_a_note() -> None:
    body = json.dumps(domain(remarks=["#"])).replace("#", "a\nb").encode()
    assert ask(body).notes == ("the answer is not strict JSON",)
    body = json.dumps(domain(remarks=["#"])).replace("#", "\xe9").encode("latin-1")
    assert ask(body).notes == ("the answer is not UTF-8", "the answer is not strict JSON")


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (400, "bad_name"),
        (422, "bad_name"),
        (403, "refused"),
        (429, "rate_limited"),
        (503, "server_error"),
        (302, "bad_content"),
    ],
)
def test_other_http_answers_are_unknown(status: int, reason: str) -> None:
    answer = ask(domain(), status=status)
    assert (answer.state, answer.reason) == ("unknown", reason)
    assert answer.notes == (f"the server answered HTTP {status}",)


def test_not_found_from_the_registry_itself_is_available() -> None:
    for body in (b"", b"{}", b'{"errorCode":404,"title":"Not Found"}', b'{"errorCode":"404"}'):
        answer = ask(body, status=404)
        assert (answer.state, answer.reason) == ("available", "not_found")
        assert answer.record.as_json()["domain"] == "example-name.com"
    assert ask(b"", status=404, kind=None).state == "available"


def test_not_found_in_the_body_of_a_200_is_available() -> None:
    assert ask({"errorCode": 404}).state == "available"
    assert ask({"errorCode": "404"}).state == "available"


def test_error_codes_in_a_200() -> None:
    for code, reason in (
        (400, "bad_name"),
        ("429", "rate_limited"),
        (501, "server_error"),
        ({}, "bad_content"),
    ):
        answer = ask({"errorCode": code, "title": "Oops", "description": ["Line one", 5]})
        assert (answer.state, answer.reason) == ("unknown", reason)
        assert "Oops Line one" in answer.notes[0]


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", "text/html"),
        (b"<html>", "text/html"),
        (b'{"errorCode":404}', "text/html"),
        (b'{"errorCode":404}', None),
        (b"Not found", "application/json"),
        (b'{"errorCode":400}', RDAP),
        (b'{"objectClassName":"domain"}', RDAP),
    ],
)
def test_a_404_that_is_not_rdap_is_unknown(body: bytes, kind: str | None) -> None:
    answer = ask(body, status=404, kind=kind)
    assert (answer.state, answer.reason) == ("unknown", "bad_content")


def test_not_found_from_elsewhere_is_unknown() -> None:
    for status, body in ((404, b'{"errorCode":404}'), (404, b""), (200, b'{"errorCode":404}')):
        answer = ask(body, status=status, from_bootstrap_host=False)
        assert (answer.state, answer.reason) == ("unknown", "not_registry")


@pytest.mark.parametrize(
    ("doc", "state", "reason"),
    [
        (
            {
                "errorCode": 404,
                "title": "Not Found",
                "description": ["example.lol blocked by BSA"],
                "notices": [
                    {
                        "title": "Blocked Domain",
                        "description": ["This name has been blocked by a GlobalBlock service"],
                    }
                ],
            },
            "unknown",
            "blocked",
        ),
        (
            {"errorCode": 404, "description": "The domain name is reserved by the registry"},
            "unknown",
            "reserved",
        ),
        ({"errorCode": 404, "remarks": [{"description": ["Reserved Domain Name"]}]}, "unknown", "reserved"),
        (
            {
                "errorCode": 404,
                "notices": [
                    {
                        "title": "Expiry Access Period",
                        "description": [
                            "This domain is currently available for registration in the Expiry Access Period"
                        ],
                    }
                ],
            },
            "available",
            "premium",
        ),
        (
            {
                "errorCode": 404,
                "notices": [
                    {"title": "Terms", "description": ["All rights reserved. Access may be blocked."]}
                ],
            },
            "available",
            "not_found",
        ),
    ],
)
def test_a_404_may_say_that_the_name_is_blocked_or_reserved(
    doc: dict[str, Any], state: str, reason: str
) -> None:
    answer = ask(doc, status=404)
    assert (answer.state, answer.reason) == (state, reason)


def test_a_fred_registrys_bare_name_is_about_to_be_deleted() -> None:
    stub = {
        "objectClassName": "domain",
        "ldhName": "a.cz",
        "rdapConformance": ["rdap_level_0", "fred_version_0"],
    }
    answer = ask(stub, asked="a.cz")
    assert (answer.state, answer.record.statuses) == ("dropping", ("pending delete",))
    assert ask(stub | {"rdapConformance": 5}, asked="a.cz").state == "registered"
    assert ask(stub | {"events": [{"eventAction": "registration"}]}, asked="a.cz").state == "registered"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
members = st.sampled_from(sorted({*domain(), "unicodeName", "errorCode", "notices", "publicIds", "variants"}))


@given(doc=st.dictionaries(members, json_values, max_size=8), status=st.sampled_from([200, 404]))
def test_no_member_of_any_type_raises(doc: dict[str, Any], status: int) -> None:
    answer = ask(doc, status=status)
    assert answer.state in {"available", "registered", "dropping", "unknown"}
    json.dumps(answer.record.as_json()).encode()


@given(body=st.binary(max_size=200), status=st.integers(100, 599))
def test_no_body_raises(body: bytes, status: int) -> None:
    assert parse_answer(status, RDAP, body, None).state in {"available", "unknown"}


@given(member=members, value=json_values)
def test_one_odd_member_leaves_the_rest_readable(member: str, value: Any) -> None:
    answer = ask(domain(**{member: value}), asked=None)
    if member not in ("objectClassName", "errorCode", "events") and value is not None:
        assert answer.record.registered_at == datetime(2004, 11, 22, 18, 1, 8, tzinfo=UTC)


def test_what_was_written_is_told_where_the_values_come_from() -> None:
    doc = domain()
    told = written(json.dumps(doc).encode())
    assert (told["domain"], told["statuses"], told["events"]) == (
        doc["ldhName"],
        doc["status"],
        doc["events"],
    )
    assert told["registrar"] == [
        {"handle": None, **{name: doc["entities"][0][name] for name in ("publicIds", "vcardArray")}}
    ]
    assert written(b"<html>") == {}
