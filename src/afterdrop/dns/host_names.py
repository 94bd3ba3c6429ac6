"""Host names for DNS look-ups: public names of two labels or more, underscores allowed. Pure."""

from __future__ import annotations

import re

from afterdrop.core import domain_names
from afterdrop.core.errors import BadName

# Service labels (_dmarc, _acme-challenge, selector1._domainkey): letters, digits, hyphens and underscores.
_SERVICE = re.compile(r"(?=[a-z0-9_-]*_)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?", re.ASCII)


def lookup_host(raw: str) -> str:
    """One host as lowercase A-labels. Raises BadName as `host_name` does. The last label has no underscore."""
    labels = raw.strip().strip(".").lower().split(".")
    services = {place: label for place, label in enumerate(labels[:-1]) if _SERVICE.fullmatch(label)}
    plain = ["s" * len(label) if place in services else label for place, label in enumerate(labels)]
    host = domain_names.host_name(".".join(plain) if services else raw).split(".")
    if len(host) != len(labels) and services:
        raise BadName(raw, "characters", "has dots of another script beside underscores")
    return ".".join(services.get(place, label) for place, label in enumerate(host))
