"""The registries of the sandbox: the extensions of each, and the paths of their RDAP servers.

Pure. Extensions that are not listed (de, se, io …) have no RDAP server in the real bootstrap either.
"""

from __future__ import annotations

from dataclasses import dataclass


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
# Names that are always registered, one per extension, which tell a broken registry from a free name.
CANARIES = {tld: f"nic.{tld}" for registry in REGISTRIES for tld in registry.paths}


def registry_of(domain: str) -> Registry | None:
    """The registry of a domain; None where the bootstrap has none."""
    top = domain.rpartition(".")[2]
    return next((registry for registry in REGISTRIES if top in registry.paths), None)
