"""What the words of a 404 say of a name: free, free at a price, or something else."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from afterdrop.sources.registry.rdap_answer import RegistryAnswer, parse_answer, read_again, said_of_any
from afterdrop.sources.registry.rdap_not_found import NotFoundAnswer, says_more, what_it_says, word_for_word

NAME = "old-mill.fun"
UNUSED = "qwertzuiopasdfghjklyxcvb.fun"
FIELD = Path(__file__).resolve().parents[5] / "shared" / "real" / "field" / "11-rdap-404"
TERMS = {
    "title": "RDAP Terms of Service",
    "description": [
        "By querying our Domain Database, you are agreeing to comply with these terms.",
        "We reserve the right to restrict or deny your access to the database.",
        "All rights reserved. Access to this service may be blocked.",
    ],
    "links": [{"rel": "terms-of-service", "href": "https://registry.example/tos"}],
}
EVERYWHERE = [
    TERMS,
    {"title": "Status Codes", "description": ["For more information … visit https://icann.org/epp"]},
    {"title": "RDDS Inaccuracy Complaint Form", "description": ["URL of the form: https://icann.org/wicf"]},
    {"title": "Copyright Notice", "description": ["Copyright 1997-2026, Registry Ltd. All rights reserved."]},
    {"title": "Terms of Use", "description": None, "links": [{"rel": None, "href": "https://x.example"}]},
    {"title": "Nutzungsbedingungen", "description": ["Die Daten dürfen nur eingesehen werden."]},
    {"title": "Betriebsregeln", "description": ["Siehe dort."], "links": [{"rel": "terms-of-service"}]},
    {"description": ["Data is subject to the Terms of Use of the registry."]},
    {"description": ["See there."], "links": ["odd", {"rel": "related", "href": "https://icann.org/epp"}]},
    {"title": "Source", "description": ["Objects returned came from source", "REGISTRY"]},
]


def said(*description: str, title: str = "Not Found", **more: Any) -> NotFoundAnswer:
    return what_it_says({"errorCode": 404, "title": title, "description": list(description), **more}, NAME)


def answer(doc: dict[str, Any], asked: str = NAME) -> RegistryAnswer:
    return parse_answer(404, "application/rdap+json", json.dumps(doc).encode(), asked)


@pytest.mark.parametrize(
    "text",
    [
        "Not Found",
        "404 Not Found",
        "NOT_FOUND",
        "objectNotFound",
        "The requested object was not found",
        "old-mill.fun not found",
        "Domain Name: OLD-MILL.FUN",
        'No match for domain "OLD-MILL.FUN".',
        "Domain old-mill.fun doesn't exist in the .fun registry",
        "https://rdap.nic.fun/domain/old-mill.fun not found",
        "The requested URL /rdap/domain/old-mill.fun was not found on this server.",
        "The RDAP server could not find the requested resource",
        "The name cannot be found. Please check your spelling.",
        "The server has not found anything matching the Request-URI.",
        "There is no information available for this domain",
        "This name is not in the registry",
        "Domain is available for registration",
        "Error",
        "Couldn't find the object",
        "Domain nicht gefunden",
        "Die angefragte Domain ist nicht registriert.",
        "Le nom de domaine n'a pas été trouvé",
        "Ce domaine n’existe pas",
        "El dominio no existe",
        "No se encontró el dominio",
        "Domínio não encontrado",
        "Nenhum resultado encontrado para o domínio",
        "Il dominio richiesto non è stato trovato.",
        "Domeinnaam niet gevonden",
        "Nie znaleziono domeny",
        "Požadovaný objekt nebyl nalezen",
        "Doména nebola nájdená",
        "Domänen hittades inte",
        "Domænenavnet findes ikke",
        "Domenet ble ikke funnet",
        "Verkkotunnusta ei löytynyt",
        "Домен не найден",
        "域名不存在",
        "ドメインが見つかりませんでした",
        "도메인을 찾을 수 없습니다",
    ],
)
def test_not_found_in_the_words_of_registries_is_free(text: str) -> None:
    assert not says_more(text, NAME)
    assert said(text) == said(title=text) == NotFoundAnswer("not_found")


@pytest.mark.parametrize(
    ("text", "fate"),
    [
        ("The registration of this domain is restricted, as it is protected by a DPML Block.", "blocked"),
        ("This name subscribes to GlobalBlock", "blocked"),
        ("This name is not available for registration:", "reserved"),
        ("Registry Reserved", "reserved"),
        ("The string is reserved by the registry operator", "reserved"),
        ("This name cannot be registered", "reserved"),
        ("This name can't be registered", "says_more"),
        ("The domain could not be registered", "says_more"),
        ("Der Name kann nicht registriert werden", "says_more"),
        ("El dominio no puede ser registrado", "says_more"),
        ("O domínio não pode ser registrado", "says_more"),
        ("De naam kan niet worden geregistreerd", "says_more"),
        ("Auction pending", "says_more"),
        ("Domain not found, auction pending", "says_more"),
        ("This domain is no longer available", "says_more"),
        ("The domain isn't available", "says_more"),
        ("Available soon", "says_more"),
        ("The domain exists", "says_more"),
        ("Reserved:old-mill.fun", "says_more"),
        ("other.fun not found", "says_more"),
        ("not-old-mill.fun not found", "says_more"),
        ("Unknown TLD", "says_more"),
        ("The server doesn't have information about the requested zone", "says_more"),
        ("Nicht verfügbar", "says_more"),
        ("Der Name ist gesperrt", "says_more"),
        ("Ce nom n'est pas disponible", "says_more"),
        ("El dominio no está disponible", "says_more"),
        ("O domínio não está disponível", "says_more"),
        ("Il nome non è disponibile", "says_more"),
        ("De naam is niet beschikbaar", "says_more"),
        ("Nazwa jest zablokowana", "says_more"),
        ("Domena postoji", "says_more"),
        ("予約されています", "says_more"),
        ("not found " * 200, "says_more"),
    ],
)
def test_any_other_word_is_told(text: str, fate: str) -> None:
    shown = " ".join(text.split())[:200]
    for found in (
        said(text),
        said(title=text),
        said(notices=[{"title": "Notice", "description": [text]}]),
        said(remarks=[{"description": text}]),
        said(message=text),
        said(status=[text]),
    ):
        assert found.fate == fate
        assert shown[:150] in found.text


def test_texts_inside_others_are_read() -> None:
    inner = {"title": "Registry Reserved"}
    members: list[dict[str, Any]] = [
        {"notices": [{"title": "Not found", "remarks": [inner]}]},
        {"notices": {"title": "Not found", "notices": inner}},
        {"remarks": [["Registry Reserved"], 5, None]},
        {"notices": ["Registry Reserved"]},
        {"description": ["Not found", {"text": "Registry Reserved"}]},
        {"description": [["Not found", ["Registry Reserved"]]]},
        {"error": {"message": "Registry Reserved"}},
    ]
    for more in members:
        assert what_it_says({"errorCode": 404, "title": "Not Found", **more}, NAME).fate == "reserved"


@pytest.mark.parametrize("notice", EVERYWHERE)
def test_what_a_registry_puts_on_every_answer_says_nothing_of_the_name(notice: dict[str, Any]) -> None:
    assert said("old-mill.fun not found", notices=[notice]) == NotFoundAnswer("not_found")
    told = said(notices=[notice, {"title": "Blocked Domain", "description": ["By a GlobalBlock service"]}])
    assert told.fate == "blocked"


# What ICANN's RDAP Response Profile (2.1, 2024) puts into every answer.
PROFILE = (
    "Status Codes: For more information on domain status codes, please visit https://icann.org/epp",
    "For more information on domain status codes, please visit https://www.icann.org/epp/.",
    "For more information on Whois status codes, please visit https://icann.org/epp",
    "RDDS Inaccuracy Complaint Form: URL of the ICANN RDDS Inaccuracy Complaint Form: https://icann.org/wicf",
    "URL of the ICANN RDDS Inaccuracy Complaint Form: https://icann.org/wicf",
    "URL of the ICANN Whois Inaccuracy Complaint Form: https://www.icann.org/wicf/",
    "Terms of Service",
    ".fun Terms of Use: https://nic.fun/terms.",
    "Service subject to Terms of Use.",
    "This response conforms to the RDAP Operational Profile for gTLD Registries and Registrars version 1.0",
    "This response conforms to the RDAP Operational Profile for ccTLD Registries and Registrars version 1.0.",
    "This response conforms to the RDAP Response Profile version 2.1",
)  # fmt: skip


@pytest.mark.parametrize("texts", [*([text] for text in PROFILE), PROFILE[:6], PROFILE[6:]])
def test_the_sentences_of_icanns_profile_say_nothing_wherever_they_stand(texts: Sequence[str]) -> None:
    for more in (
        {"notices": [{"description": [*texts]}]},
        {"notices": [{"title": "Notice", "description": [*texts]}]},
        {"remarks": [{"description": text} for text in texts]},
        {"message": ". ".join(text.rstrip(".") for text in ("Not found", *texts))},
    ):
        assert said(**more) == said("old-mill.fun not found", *texts) == NotFoundAnswer("not_found")
    for held, fate in (("This domain is reserved.", "reserved"), ("Auction pending.", "says_more")):
        assert said(" ".join([held, *texts])).fate == said(". ".join([*texts, held])).fate == fate
        assert said(*texts, held).fate == said(notices=[{"description": [*texts, held]}]).fate == fate


@pytest.mark.parametrize(
    "text",
    [
        "Available under terms of service",
        "Restricted, see terms of use",
        "Terms of service: reserved",
        "This response conforms to the RDAP profile of a reserved domain",
        "For more information on domain status codes, please visit https://icann.org/auction",
    ],
)
def test_what_only_resembles_a_sentence_of_the_profile_is_told(text: str) -> None:
    assert said(text).fate in ("says_more", "reserved")


# Terms that name the extension with its dot.
EXTENSIONS = (
    ".fun domain names of two letters are restricted.",
    "The registration of .fun names is subject to the policy; names may be withheld.",
    "Die Vergabe von .fun-Namen mit zwei Buchstaben ist beschränkt.",
    "Les noms de domaine en .fun de deux lettres sont réservés.",
    "Los dominios .fun de dos letras están bloqueados.",
    "Os nomes .fun de duas letras são reservados.",
    "I nomi .fun di due lettere sono protetti.",
    "Nazwy .fun o dwóch literach są zastrzeżone.",
    "Двухбуквенные имена .fun зарезервированы.",
    ".fun の二文字の名前は予約されています。",
)


@pytest.mark.parametrize("text", EXTENSIONS)
def test_terms_that_name_the_extension_are_not_about_the_name(text: str) -> None:
    terms = {**TERMS, "description": [*TERMS["description"], text]}
    assert said(notices=[terms]) == NotFoundAnswer("not_found")
    # Without terms around it, it speaks of names of a kind, of which this may be one.
    docs: list[dict[str, Any]] = [{"description": [text]}, {"notices": [{"description": [text]}]}]
    unused: dict[str, Any] = {"errorCode": 404, "remarks": [{"description": f" {text.replace(' ', '  ')}"}]}
    for doc in docs:
        assert what_it_says(doc, NAME).fate != "not_found"
        assert what_it_says(doc, NAME, word_for_word(unused, UNUSED)) == NotFoundAnswer("not_found")
    assert said(notices=[{**TERMS, "description": [f"{NAME} is on hold. {text}"]}]).fate == "says_more"


@pytest.mark.parametrize(
    ("text", "fate"),
    [
        ("{} is on hold until the launch", "says_more"),
        ("This domain is reserved: {}", "reserved"),
        ("{} is blocked by GlobalBlock", "blocked"),
        ("{} ist gesperrt.", "says_more"),
        ("Le nom {} n'est pas disponible.", "says_more"),
        ("El dominio {} está reservado.", "says_more"),
        ("Nazwa {} jest zablokowana.", "says_more"),
        ("{} は予約されています。", "says_more"),
    ],
)
def test_what_is_said_of_the_unused_name_word_for_word_says_nothing(text: str, fate: str) -> None:
    def asked(name: str, *texts: str, **more: Any) -> RegistryAnswer:
        doc = {"errorCode": 404, "title": "Not Found", "description": list(texts), **more}
        return replace(answer(doc, name), raw=json.dumps(doc).encode())

    mine, terms = asked(NAME, text.format(NAME.upper())), "Data is for lawful purposes."
    assert mine.reason == fate
    same = asked(UNUSED, terms, text.format(UNUSED))
    assert read_again(mine, said_of_any(same)).state == "available"
    for unused in (
        asked(UNUSED, terms),
        asked(UNUSED, text.format("other.fun")),
        asked(UNUSED, f"{text.format(UNUSED)} {terms}"),
        asked(UNUSED, text.format(UNUSED), objectClassName="domain"),  # no "not found"
        asked(UNUSED, text.format(UNUSED), errorCode=None),  # perhaps of a gateway
        replace(same, reason="unreachable", raw=b""),
    ):
        again = read_again(mine, said_of_any(unused))
        assert (again.state, again.reason, again.notes) == ("unknown", fate, mine.notes)
    both = read_again(asked(NAME, terms, text.format(NAME.upper())), said_of_any(asked(UNUSED, terms)))
    assert (both.reason, both.notes) == (fate, mine.notes)


@pytest.mark.parametrize(
    "text",
    [
        "old-mill.fun belongs to a city.",
        "This domain name is reserved by the registry.",
        "This label is withheld from registration.",
        "The name was blocked on request.",
    ],
)
def test_terms_of_use_that_speak_of_the_name_are_read(text: str) -> None:
    assert said(notices=[{**TERMS, "description": [*TERMS["description"], text]}]).text == text


def test_a_notice_that_forbids_is_no_terms_of_use_for_its_link() -> None:
    for notice in ({"title": "Protected name"}, {"description": ["Protected name, see terms of use."]}):
        assert said(notices=[{**notice, "links": [{"rel": "terms-of-service"}]}]).fate == "says_more"


@pytest.mark.parametrize(
    "texts",
    [
        ["This is a premium name"],
        ["Premium domain", "Price: USD 2,500.00 a year"],
        ["Nom prémium"],
        ["This domain is currently available for registration in the Expiry Access Period"],
    ],
)
def test_a_premium_price_is_told_and_the_name_is_free(texts: list[str]) -> None:
    found = answer({"errorCode": 404, "title": "Not Found", "description": texts})
    assert (found.state, found.reason) == ("available", "premium")
    assert found.notes == (f"available at a premium price: {' '.join(texts)}",)


@pytest.mark.parametrize(
    "text",
    ["Reserved premium name", "Premium name, not available", "Premium names cannot be registered here"],
)
def test_a_premium_name_that_is_not_to_be_had_is_unknown(text: str) -> None:
    assert answer({"errorCode": 404, "description": [text]}).state == "unknown"
    both = {"notices": [{"title": "Premium name"}, {"title": "Auction pending"}]}
    assert answer({"errorCode": 404, **both}).state == "unknown"


def test_the_note_is_what_the_registry_says() -> None:
    found = answer({"errorCode": 404, "title": "Not Found", "description": ["Auction", "pending"]})
    assert (found.state, found.reason) == ("unknown", "says_more")
    assert found.notes == ("not found, but the registry says more: Auction pending",)


def test_names_of_other_scripts_are_known_in_both_spellings() -> None:
    for text in ("Domain bücher.de nicht gefunden", "XN--BCHER-KVA.DE not found"):
        assert answer({"errorCode": 404, "title": text}, "bücher.de").state == "available"
    assert not says_more("xn--a-ecp.ru not found", "xn--a-ecp.ru")
    assert says_more("old-mill.fun not found", None)


def test_an_answer_with_very_many_texts_is_not_understood() -> None:
    assert said(*["Not found"] * 600).fate == "says_more"
    assert said(notices=[{}] * 600).fate == "says_more"
    assert said(notices=[{**TERMS, "description": "a" * 100_001}]).fate == "says_more"


# Names whose words are those of fates, prices and terms of use.
ODD = (
    "premium-price.fun", "pricing.fun", "reserved-name.fun", "blocked-domain.fun", "terms.fun", "copyright.fun",
    "privacy.fun", "limit-exceeded.fun", "not-available.fun", "auction.fun", "globalblock.fun", "free.fun",
)  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_the_words_of_the_name_decide_nothing(name: str) -> None:
    for text in ("{} not found", "No match for domain {}.", "Domain name {} is available for registration"):
        told = text.format(name.upper())
        docs: list[dict[str, Any]] = [
            {"title": told},
            {"title": "Not found", "description": [told]},
            {"remarks": [{"title": name, "description": ["Not found"]}]},
        ]
        for doc in docs:
            assert answer({"errorCode": 404, **doc}, name).reason == "not_found"
    for doc in (
        {"title": f"{name}: on hold until the launch"},
        {"notices": [{"title": name, "description": ["On hold until the launch"]}]},
        {"notices": [{"title": f"About {name}", "description": ["On hold until the launch"]}]},
        {"notices": [{"description": [f"{name} is on hold"]}]},
    ):
        found = answer({"errorCode": 404, **doc}, name)
        assert (found.state, found.reason) == ("unknown", "says_more")
    priced = answer({"errorCode": 404, "title": f"{name} has a price: 2,500"}, name)
    assert (priced.state, priced.reason) == ("available", "premium")
    held = answer({"errorCode": 404, "title": f"{name}: this name is reserved"}, name)
    assert (held.state, held.reason) == ("unknown", "reserved")


@pytest.mark.skipif(not FIELD.is_dir(), reason="genuine documents are not on this machine")
def test_the_answers_of_people_of_the_trade() -> None:
    states = {
        file.name: parse_answer(404, "application/rdap+json", file.read_bytes(), NAME).state
        for file in FIELD.glob("*.json")
    }
    assert states.pop("plain.json") == "available"
    assert states and set(states.values()) == {"unknown"}
