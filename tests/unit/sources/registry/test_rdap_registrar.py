from typing import Any

import pytest

from afterdrop.sources.registry.rdap_fields import Notes
from afterdrop.sources.registry.rdap_registrar import card_name, registrar

IANA: list[Any] = [{"type": "IANA Registrar ID", "identifier": "292"}]


def card(*properties: Any) -> list[Any]:
    return ["vcard", [["version", {}, "text", "4.0"], *properties]]


def sponsor(**more: Any) -> dict[str, Any]:
    return {"objectClassName": "entity", "roles": ["registrar"], **more}


def test_name_and_number_from_card_and_public_ids() -> None:
    doc: dict[str, Any] = {
        "entities": [sponsor(vcardArray=card(["fn", {}, "text", "MarkMonitor Inc."]), publicIds=IANA)]
    }
    assert registrar(doc, "google.com", Notes()) == ("MarkMonitor Inc.", "292")


def test_roles_in_any_case_and_as_text() -> None:
    spelled: list[Any] = [["Registrar"], "registrar", ["sponsor", " REGISTRAR "]]
    for roles in spelled:
        doc: dict[str, Any] = {"entities": [{"roles": roles, "handle": "X"}]}
        assert registrar(doc, "a.com", Notes())[0] == "X"
    others: list[Any] = [["abuse"], None, 5, [None]]
    for roles in others:
        assert registrar({"entities": [{"roles": roles, "handle": "X"}]}, "a.com", Notes()) == (None, None)


def test_the_contacts_nested_in_an_entity_are_not_its_name() -> None:
    nested = {"roles": ["registrar", "abuse"], "vcardArray": card(["fn", {}, "text", "Abuse desk"])}
    doc: dict[str, Any] = {"entities": [{"roles": ["registrant"], "entities": [nested]}]}
    assert registrar(doc, "a.com", Notes()) == (None, None)


@pytest.mark.parametrize(
    ("entity", "name"),
    [
        (
            {"vcardArray": card(["fn", {}, "text", ""], ["org", {}, "text", "MarkMonitor Inc."])},
            "MarkMonitor Inc.",
        ),
        ({"vcardArray": card(["org", {}, "text", ["Example", "Unit", 5]])}, "Example Unit"),
        ({"vcardArray": ["vcard", ["version", "{}", "text", "4.0"], ["fn", "{}", "text", "Flat"]]}, "Flat"),
        ({"jscontact_card": {"name": {"full": "Contact Ltd"}}}, "Contact Ltd"),
        ({"jscontact_card": {"name": "x", "organizations": {"o": {"name": "Org"}}}}, "Org"),
        ({"jscontact_card": {"organizations": {"a": {}, "b": 5}}}, ""),
        ({"vcardArray": card(["fn", {}, "text"], [["fn"]], "fn", [5, 5, 5, 5])}, ""),
        ({}, ""),
    ],
)
def test_card_shapes(entity: dict[str, Any], name: str) -> None:
    assert card_name(entity) == name


def test_a_handle_stands_in_for_the_name() -> None:
    notes = Notes()
    assert registrar({"entities": [sponsor(handle="REG-INTERNET-CZ")]}, "example.cz", notes) == (
        "REG-INTERNET-CZ",
        None,
    )
    assert notes == ["the registrar has no name: its handle is used"]
    assert registrar({"entities": [sponsor()]}, "example.cz", Notes()) == (None, None)


def test_the_first_registrar_with_a_name_wins() -> None:
    notes = Notes()
    doc: dict[str, Any] = {
        "entities": [sponsor(handle="1"), sponsor(handle="2", vcardArray=card(["fn", {}, "text", "Two"]))]
    }
    assert registrar(doc, "a.com", notes) == ("Two", "2")
    assert notes == ["more than one registrar: the first with a name is used"]


def test_a_number_on_the_domain_itself() -> None:
    entity = sponsor(vcardArray=card(["fn", {}, "text", "Namecheap, Inc."]))
    doc: dict[str, Any] = {
        "entities": [entity],
        "publicIds": ["x", {"type": "NAMECHEAP INC", "identifier": "1068"}],
    }
    assert registrar(doc, "bitcoin.org", Notes()) == ("Namecheap, Inc.", "1068")
    doc["publicIds"] = [{"type": "ENS_Auth ID", "identifier": "1234"}]
    assert registrar(doc, "bitcoin.org", Notes()) == ("Namecheap, Inc.", None)
    assert registrar({"publicIds": IANA}, "bitcoin.org", Notes()) == (None, "292")
    assert registrar({"publicIds": [{"type": "Registrar", "identifier": 9}]}, "a.shop", Notes()) == (
        None,
        "9",
    )
    assert registrar({"publicIds": [{"type": "Norid registrar ID", "identifier": "7"}]}, "a.no", Notes()) == (
        None,
        None,
    )


def test_a_numeric_handle_is_the_number_under_generic_extensions_only() -> None:
    entities: list[Any] = [sponsor(handle="292", vcardArray=card(["fn", {}, "text", "MarkMonitor"]))]
    assert registrar({"entities": entities}, "microsoft.click", Notes()) == ("MarkMonitor", "292")
    assert registrar({"entities": entities}, "example.cz", Notes()) == ("MarkMonitor", None)
    assert registrar({"entities": entities}, "example.xn--p1ai", Notes()) == ("MarkMonitor", None)
    assert registrar({"entities": entities}, None, Notes()) == ("MarkMonitor", None)


@pytest.mark.parametrize(
    ("identifier", "number"),
    [
        ("0292", "292"),
        (292, "292"),
        (True, None),
        ("not applicable", None),
        ("123456", None),
    ],
)
def test_numbers_are_numbers(identifier: object, number: str | None) -> None:
    ids = [{"type": "iana registrar id", "identifier": identifier}]
    assert registrar({"entities": [sponsor(handle="H", publicIds=ids)]}, "a.com", Notes())[1] == number


def test_public_ids_of_another_kind_are_passed_over() -> None:
    ids = ["x", {"type": "Norwegian organization number", "identifier": "976"}, *IANA]
    assert registrar({"entities": [sponsor(handle="H", publicIds=ids)]}, "a.no", Notes())[1] == "292"
