"""The registries: the extensions of each, its RDAP server, and the bootstrap file that lists them all.

Answers have the shapes of different registries (RFC 9083, and how real servers deviate from it): one registry is thin
and writes upper case, another has `.0Z` dates, a third reorders and omits members. Extensions that are not listed
(de, se, io …) have no RDAP server in the real bootstrap either: .se answers by WHOIS (`whois_server`), .de refuses, and
the RDAP server that somebody lists for .io calls every name free.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import orjson
from aiohttp import web

from afterdrop.sandbox import feed_scenes
from afterdrop.sandbox.state import SandboxState, json_answer
from afterdrop.sandbox.story import Phase, Story
from afterdrop.sandbox.texts import landers


@dataclass(frozen=True, slots=True)
class Registry:
    """One registry operator; `paths` maps an extension to the path at the end of its base URL."""

    key: str
    paths: dict[str, str]
    style: str
    upper: bool = False


REGISTRIES = (
    Registry("verisign", {"com": "/com/v1/", "net": "/net/v1/"}, "verisign", upper=True),
    Registry("pir", {"org": "/rdap/"}, "identity"),
    Registry("identitydigital", {"info": "/rdap/", "live": "/rdap/"}, "identity"),
    Registry("centralnic", {"xyz": "/xyz/", "online": "/online/"}, "centralnic"),
    Registry("google", {"app": "/rdap/", "dev": "/rdap/"}, "google"),
    Registry("nominet", {"uk": "/uk/"}, "nominet"),
    Registry("dnspl", {"pl": "/"}, "nominet"),
    Registry("nicbiz", {"biz": "/"}, "identity"),
)
# An RDAP server outside of the bootstrap that calls every name free: its canary must catch it.
LIAR_REGISTRY, LIAR_PATH, LIAR_EXTENSION = "identitydigital", "/broken/", "io"
# Names that are always registered, one per extension, which tell a broken registry from a free name.
CANARIES = {tld: f"nic.{tld}" for registry in REGISTRIES for tld in registry.paths}


def registry_of(domain: str) -> Registry | None:
    """The registry of a domain; None where the bootstrap has none."""
    top = domain.rpartition(".")[2]
    return next((registry for registry in REGISTRIES if top in registry.paths), None)


# Invented registrars; the last three belong to auction houses and drop catchers.
REGISTRARS = (
    ("Harbourlight Domains Ltd.", "3101"), ("NordRegistrar GmbH", "3117"), ("Blue Quay Names, Inc.", "3122"),
    ("Papillon Domaines SAS", "3140"), ("Register Ventures LLC", "3155"), ("Tallships Internet S.L.", "3168"),
    ("Dropwell Catchers LLC", "3901"), ("SecondHand Domains, Inc.", "3902"), ("QuickSnap Names Ltd.", "3903"),
)  # fmt: skip
_NOBODYS = 24
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
# What a registry answers, as a JSON object.
Document = dict[str, Any]


@cache
def _templates() -> dict[str, Document]:
    """The answers of `data/rdap.json`."""
    found: dict[str, Document] = orjson.loads((Path(__file__).parent / "data" / "rdap.json").read_bytes())
    return found


def _document(kind: str, **values: object) -> Document:
    """The answer of that kind. A text `$events` stands for the value of `events`, `{name}` for a part of the text."""
    filled: Document = _filled(_templates()[kind], values)
    return filled


def _filled(part: Any, values: Mapping[str, object]) -> Any:
    if isinstance(part, dict):
        return {key: _filled(value, values) for key, value in part.items()}
    if isinstance(part, list):
        return [_filled(value, values) for value in part]
    if isinstance(part, str):
        return values[part[1:]] if part.startswith("$") else part.format_map(values)
    return part


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


def domain_document(story: Story, phase: Phase, registry: Registry, base: str, moment: datetime) -> Document:
    """The registry's answer for a registered name."""
    name = story.domain.upper() if registry.upper else story.domain
    servers = nameservers_of(story, phase)
    found = _document(
        "domain",
        handle=f"{1_000_000 + story.index}_DOMAIN_{story.tld.upper()}",
        name=name,
        href=f"{base}domain/{name}",
        status=_status(phase, registry),
        registrar=_registrar(phase, registry),
        events=_events(phase, registry, moment),
    )
    if registry.style != "google":
        found["secureDNS"] = {"delegationSigned": story.index % 11 == 0}
    if servers:
        found["nameservers"] = [
            {"objectClassName": "nameserver", "ldhName": server.upper() if registry.upper else server}
            for server in servers
        ]
    if registry.style == "centralnic":
        found |= {"lang": "en", "ldhName": f"{name}."}
    return found


def canary_document(name: str, registry: Registry, base: str) -> Document:
    """The answer for the name that is always registered under the extension."""
    shown = name.upper() if registry.upper else name
    return _document("canary", name=shown, href=f"{base}domain/{shown}")


def is_canary(name: str) -> bool:
    """Whether `name` is one of the names that are always registered."""
    return name in CANARIES.values()


def error_document(name: str, blocked: bool) -> Document:
    """The body of a 404; a blocked name has a notice about that."""
    return _document("blocked" if blocked else "free", name=name)


def may_be_real(name: str) -> bool:
    """Whether somebody may hold a name that is not of this world: none as long as the random ones that are asked for
    to test a server.
    """
    return len(name.partition(".")[0]) < _NOBODYS


def stranger_document(name: str) -> Document:
    """The body of a 404 about a name of the real world: an invented registry cannot call it free."""
    return _document("stranger", name=name)


def _status(phase: Phase, registry: Registry) -> list[str]:
    if phase.state == "auto_renew" and registry.style == "verisign":
        return ["active"]  # the thin registry does not show the grace period
    if phase.state == "pending_delete" and registry.style == "verisign":
        return ["client hold", "pending delete"]
    return list(_STATUSES.get(phase.state, _LOCKED[registry.style]))


def _events(phase: Phase, registry: Registry, moment: datetime) -> list[Document]:
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


def _registrar(phase: Phase, registry: Registry) -> Document:
    name, iana = REGISTRARS[phase.registrar % len(REGISTRARS)]
    field = "org" if registry.style == "google" else "fn"
    entity = _document("registrar", iana=iana, field=field, registrar=name)
    if registry.style != "nominet":
        entity["publicIds"] = [{"type": "IANA Registrar ID", "identifier": iana}]
    return entity


_TYPE = "application/rdap+json"


def routes(sandbox: SandboxState, registry: Registry) -> Iterator[web.RouteDef]:
    """The routes of one registry: `<path>domain/<name>` for each of its extensions."""

    async def domain(request: web.Request) -> web.StreamResponse:
        return _domain(sandbox, registry, request)

    async def lie(request: web.Request) -> web.StreamResponse:
        return _rdap(error_document(request.match_info["name"], blocked=False), 404)

    for path in sorted(set(registry.paths.values())):
        yield web.get(f"{path}domain/{{name}}", domain)
    if registry.key == LIAR_REGISTRY:
        yield web.get(f"{LIAR_PATH}domain/{{name}}", lie)


def _domain(sandbox: SandboxState, registry: Registry, request: web.Request) -> web.Response:
    name = request.match_info["name"].lower().rstrip(".")
    base = f"{request.scheme}://{request.host}{request.path.partition('domain/')[0]}"
    if name.rpartition(".")[2] not in registry.paths:
        return _rdap(_document("not ours", name=name), 400)
    sick = registry.key == "nicbiz"
    if is_canary(name) and not sick:
        return _rdap(canary_document(name, registry, base))
    story = sandbox.world.by_domain.get(name)
    if story is None and not sick and may_be_real(name):
        return _rdap(stranger_document(name), 404)
    now = sandbox.clock.now()
    phase = story.phase(now) if story else None
    if story is not None and "may_drop" in sandbox.faults.playing:
        phase = feed_scenes.phase_put_off(sandbox.world, story, now)
    if story is None or phase is None or phase.state in ("free", "blocked", "registry_404"):
        blocked = phase is not None and phase.state == "blocked"
        return _rdap(error_document(name, blocked), 404)
    return _rdap(domain_document(story, phase, registry, base, now))


def _rdap(document: Document, status: int = 200) -> web.Response:
    response = json_answer(document, status, _TYPE)
    response.headers["Access-Control-Allow-Origin"] = "*"
    return response


def bootstrap(sandbox: SandboxState) -> bytes:
    """The bootstrap file in IANA's form (RFC 9224) with the addresses of this sandbox's registries."""
    services = []
    for registry in REGISTRIES:
        for path in sorted(set(registry.paths.values())):
            suffixes = [tld for tld, own in registry.paths.items() if own == path]
            services.append([suffixes, [f"{sandbox.origins[registry.key]}{path}"]])
    document = {
        "description": "RDAP bootstrap file for Domain Name System registrations",
        "publication": f"{sandbox.world.day.isoformat()}T00:00:00Z",
        "services": services,
        "version": "1.0",
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2)
