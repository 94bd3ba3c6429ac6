"""The sponsoring registrar of an RDAP domain object: its name and IANA number. Pure.

Shapes: jCard (RFC 7095) in `vcardArray`, JSContact in `jscontact_card`, publicIds (RFC 9083 section 4.8).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from afterdrop.core.json_values import Json, JsonObject
from afterdrop.sources.registry.rdap_fields import Notes, items, objects, plain_text

_NUMBER = re.compile(r"\d{1,5}", re.ASCII)


def registrar(doc: Mapping[str, Json], domain: str | None, notes: Notes) -> tuple[str | None, str | None]:
    """The registrar's name and IANA id, each None when the answer does not give it.

    The name is the card's `fn`, else `org`, else the entity's handle. The id is the entity's "IANA Registrar
    ID", else a number on the domain itself, else (in generic extensions) a handle that is a number.
    """
    found = sponsors(doc, notes)
    if not found:
        return None, _domain_id(doc, domain, "")
    if len(found) > 1:
        notes.add("more than one registrar: the first with a name is used")
    entity = next((one for one in found if card_name(one)), found[0])
    handle = plain_text(entity.get("handle"))
    name = card_name(entity)
    if not name and handle:
        notes.add("the registrar has no name: its handle is used")
    iana_id = _iana_id(entity) or _domain_id(doc, domain, name)
    if iana_id is None and _generic(domain) and _NUMBER.fullmatch(handle):
        iana_id = handle
    return name or handle or None, iana_id


def sponsors(doc: Mapping[str, Json], notes: Notes) -> list[JsonObject]:
    """The object's own entities in the role of registrar. Nested entities are contacts of these."""
    return [entity for entity in objects(doc.get("entities"), "entities", notes) if _sponsors(entity)]


def _sponsors(entity: Mapping[str, Json]) -> bool:
    roles = entity.get("roles")
    listed = roles if isinstance(roles, list) else [roles]
    return any(isinstance(role, str) and role.strip().lower() == "registrar" for role in listed)


def card_name(entity: Mapping[str, Json]) -> str:
    """The name on an entity's card: jCard `fn`, then `org`, then JSContact; '' without a name."""
    properties = _properties(entity.get("vcardArray"))
    for wanted in ("fn", "org"):
        for entry in properties:
            if entry[0] == wanted and (name := _joined(entry[3])):
                return name
    return _contact_name(entity.get("jscontact_card"))


def _properties(card: object) -> list[list[Json]]:
    """The properties of a jCard; some servers leave out the level of nesting between card and property."""
    if not isinstance(card, list):
        return []
    nested = card[1] if len(card) > 1 and isinstance(card[1], list) else []
    rows = nested if any(isinstance(row, list) for row in nested) else card[1:]
    return [row for row in rows if isinstance(row, list) and len(row) > 3 and isinstance(row[0], str)]


def _joined(value: object) -> str:
    if isinstance(value, list):
        return plain_text(" ".join(part for part in value if isinstance(part, str)))
    return plain_text(value)


def _contact_name(card: object) -> str:
    if not isinstance(card, dict):
        return ""
    name = card.get("name")
    full = plain_text(name.get("full")) if isinstance(name, dict) else ""
    if full:
        return full
    organizations = card.get("organizations")
    for one in organizations.values() if isinstance(organizations, dict) else ():
        if isinstance(one, dict) and (text := plain_text(one.get("name"))):
            return text
    return ""


def _iana_id(holder: Mapping[str, Json]) -> str | None:
    for public_id in items(holder.get("publicIds"), "publicIds", Notes()):
        if isinstance(public_id, dict) and "ianaregistrarid" in _letters(public_id.get("type")):
            return _number(public_id.get("identifier"))
    return None


def _domain_id(doc: Mapping[str, Json], domain: str | None, name: str) -> str | None:
    """The number on the domain itself: some registrars put it there, with their name as its type."""
    found = _iana_id(doc)
    if found is not None or not _generic(domain):
        return found
    for public_id in items(doc.get("publicIds"), "publicIds", Notes()):
        if isinstance(public_id, dict):
            kind = _letters(public_id.get("type"))
            if "registrar" in kind or _same_name(kind, _letters(name)):
                return _number(public_id.get("identifier"))
    return None


def _same_name(one: str, other: str) -> bool:
    """Whether two company names, reduced to letters, differ only in an ending (`namecheap`, `namecheapinc`)."""
    shorter, longer = sorted((one, other), key=len)
    return len(shorter) > 3 and longer.startswith(shorter)


def _letters(value: object) -> str:
    return re.sub(r"[^a-z0-9]", "", plain_text(value).lower())


def _number(value: object) -> str | None:
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else plain_text(value)
    return str(int(text)) if _NUMBER.fullmatch(text) else None


def _generic(domain: str | None) -> bool:
    """Registrars have IANA numbers under ICANN's extensions only; country codes number by their own rules."""
    top = (domain or "").rpartition(".")[2]
    return len(top) > 2 and not top.startswith("xn--")
