"""The RDAP server of one registry, and the bootstrap file that lists all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
from aiohttp import web

from afterdrop.sandbox import rdap_documents
from afterdrop.sandbox.registries import REGISTRIES, Registry
from afterdrop.sandbox.state import SandboxState, json_answer

_TYPE = "application/rdap+json"


def routes(sandbox: SandboxState, registry: Registry) -> Iterator[web.RouteDef]:
    """The routes of one registry: `<path>domain/<name>` for each of its extensions."""

    async def domain(request: web.Request) -> web.StreamResponse:
        return _domain(sandbox, registry, request)

    for path in sorted(set(registry.paths.values())):
        yield web.get(f"{path}domain/{{name}}", domain)


def _domain(sandbox: SandboxState, registry: Registry, request: web.Request) -> web.Response:
    name = request.match_info["name"].lower().rstrip(".")
    base = f"{request.scheme}://{request.host}{request.path.partition('domain/')[0]}"
    if name.rpartition(".")[2] not in registry.paths:
        return _rdap({"errorCode": 400, "title": "Bad Request", "description": [f"{name} is not ours"]}, 400)
    sick = registry.key == "nicbiz"
    if rdap_documents.is_canary(name) and not sick:
        return _rdap(rdap_documents.canary_document(name, registry, base))
    story = sandbox.world.by_domain.get(name)
    now = sandbox.clock.now()
    phase = story.phase(now) if story else None
    if story is None or phase is None or phase.state in ("free", "blocked", "registry_404"):
        blocked = phase is not None and phase.state == "blocked"
        return _rdap(rdap_documents.error_document(name, blocked), 404)
    return _rdap(rdap_documents.domain_document(story, phase, registry, base, now))


def _rdap(document: dict[str, Any], status: int = 200) -> web.Response:
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
