"""RDAP answers in the shapes of different registries (RFC 9083, and how real servers deviate from it).

Pure. One registry is thin and writes upper case, another has `.0Z` dates, a third reorders and omits members.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from afterdrop.sandbox.registries import CANARIES, Registry
from afterdrop.sandbox.story import Phase, Story
from afterdrop.sandbox.texts import landers

# Invented registrars; the last three belong to auction houses and drop catchers.
REGISTRARS = (
    ("Harbourlight Domains Ltd.", "3101"), ("NordRegistrar GmbH", "3117"), ("Blue Quay Names, Inc.", "3122"),
    ("Papillon Domaines SAS", "3140"), ("Register Ventures LLC", "3155"), ("Tallships Internet S.L.", "3168"),
    ("Dropwell Catchers LLC", "3901"), ("SecondHand Domains, Inc.", "3902"), ("QuickSnap Names Ltd.", "3903"),
)  # fmt: skip
_STATUSES = {
    "auto_renew": ["auto renew period"],
    "redemption": ["redemption period", "pending delete"],
    "pending_restore": ["pending restore", "pending delete"],
    "pending_delete": ["pending delete"],
}
_LOCKED = {
    "verisign": ["client transfer prohibited"],
    "identity": ["client delete prohibited", "client transfer prohibited"],
    "centralnic": ["client transfer prohibited"],
    "google": ["active"],
    "nominet": ["active"],
}
_TERMS = {
    "title": "Terms of Use",
    "description": ["This registry is invented. Its answers serve tests and demonstrations only."],
}
_BLOCKED = {
    "title": "Blocked Domain",
    "description": ["This name has been blocked by a GlobalBlock service"],
    "links": [{"href": "https://brandsafetyalliance.co", "rel": "alternate", "type": "text/html"}],
}


def nameservers_of(story: Story, phase: Phase) -> tuple[str, ...]:
    """The nameservers to which the name is delegated during `phase`."""
    if not phase.delegated:
        return ()
    if phase.parked_at == "registrar":
        return ("ns1.renewyourname.net", "ns2.renewyourname.net")
    if phase.parked_at:
        return landers()[phase.parked_at].nameservers
    last = story.eras[-1]
    if last.scene == "parked" and phase.state == "active":
        return landers()[last.key].nameservers
    return (
        (f"ns1.{story.domain}", "ns2.sandboxhost.net")
        if story.index % 7 == 0
        else ("ns1.sandboxhost.net", "ns2.sandboxhost.net")
    )


def domain_document(
    story: Story, phase: Phase, registry: Registry, base: str, moment: datetime
) -> dict[str, Any]:
    """The registry's answer for a registered name."""
    name = story.domain.upper() if registry.upper else story.domain
    servers = nameservers_of(story, phase)
    found: dict[str, Any] = {
        "objectClassName": "domain",
        "handle": f"{1_000_000 + story.index}_DOMAIN_{story.tld.upper()}",
        "ldhName": name,
        "links": _links(f"{base}domain/{name}"),
        "status": _status(phase, registry),
        "entities": [_registrar(phase, registry)],
        "events": _events(phase, registry, moment),
        "rdapConformance": ["rdap_level_0", "icann_rdap_technical_implementation_guide_1"],
        "notices": [_TERMS],
    }
    if registry.style != "google":
        found["secureDNS"] = {"delegationSigned": story.index % 11 == 0}
    if servers:
        found["nameservers"] = [
            {"objectClassName": "nameserver", "ldhName": server.upper() if registry.upper else server}
            for server in servers
        ]
    if registry.style == "centralnic":
        found["lang"] = "en"
        found["ldhName"] = f"{name}."
    return found


def canary_document(name: str, registry: Registry, base: str) -> dict[str, Any]:
    """The answer for the name that is always registered under the extension."""
    shown = name.upper() if registry.upper else name
    return {
        "objectClassName": "domain",
        "ldhName": shown,
        "handle": "CANARY-1",
        "links": _links(f"{base}domain/{shown}"),
        "status": ["active"],
        "events": [
            {"eventAction": "registration", "eventDate": "2001-04-01T00:00:00Z"},
            {"eventAction": "expiration", "eventDate": "2038-04-01T00:00:00Z"},
        ],
        "entities": [],
        "rdapConformance": ["rdap_level_0"],
    }


def is_canary(name: str) -> bool:
    """Whether `name` is one of the names that are always registered."""
    return name in CANARIES.values()


def error_document(name: str, blocked: bool) -> dict[str, Any]:
    """The body of a 404; a blocked name has a notice about that."""
    return {
        "errorCode": 404,
        "title": "Not Found" if not blocked else "Blocked",
        "description": [f"{name} not found"],
        "rdapConformance": ["rdap_level_0"],
        "notices": [_TERMS, _BLOCKED] if blocked else [_TERMS],
    }


def _links(href: str) -> list[dict[str, str]]:
    return [{"value": href, "rel": "self", "href": href, "type": "application/rdap+json"}]


def _status(phase: Phase, registry: Registry) -> list[str]:
    if phase.state == "auto_renew" and registry.style == "verisign":
        return ["active"]  # the thin registry does not show the grace period
    if phase.state == "pending_delete" and registry.style == "verisign":
        return ["client hold", "pending delete"]
    return list(_STATUSES.get(phase.state, _LOCKED[registry.style]))


def _events(phase: Phase, registry: Registry, moment: datetime) -> list[dict[str, str]]:
    named = (
        ("registration", phase.registered_at),
        ("expiration", phase.expires_at),
        ("last changed", phase.changed_at),
        ("last update of RDAP database", moment - timedelta(minutes=9)),
    )
    events = [
        {"eventAction": action, "eventDate": _date(when, registry.style)} for action, when in named if when
    ]
    return events[::-1] if registry.style == "nominet" else events


def _date(when: datetime, style: str) -> str:
    text = when.strftime("%Y-%m-%dT%H:%M:%S")
    return {"centralnic": f"{text}.0Z", "google": f"{text}.000Z", "identity": f"{text}.999Z"}.get(
        style, f"{text}Z"
    )


def _registrar(phase: Phase, registry: Registry) -> dict[str, Any]:
    name, iana = REGISTRARS[phase.registrar % len(REGISTRARS)]
    field = "org" if registry.style == "google" else "fn"
    entity: dict[str, Any] = {
        "objectClassName": "entity",
        "handle": iana,
        "roles": ["registrar"],
        "vcardArray": ["vcard", [["version", {}, "text", "4.0"], [field, {}, "text", name]]],
        "entities": [
            {
                "objectClassName": "entity",
                "roles": ["abuse"],
                "vcardArray": ["vcard", [["version", {}, "text", "4.0"], ["fn", {}, "text", ""]]],
            }
        ],
    }
    if registry.style != "nominet":
        entity["publicIds"] = [{"type": "IANA Registrar ID", "identifier": iana}]
    return entity
