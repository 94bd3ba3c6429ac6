"""Addresses that are built alike: the last piece of each, and families of those that share their words.

Pure. A farm of pages made from one template shows in its addresses whatever the pages are about: …-net-worth for a
thousand names, cheap-flights-to-… for every town.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

# So many words that stand first or last in all slugs of a family.
_SHARED = 2


def slug_of(address: str) -> str:
    """The last piece of an address's path in lower case, without its ending; "" where there is none."""
    path = address.partition("?")[0].partition("#")[0].rstrip("/")
    piece = path.rpartition("/")[2].lower()
    return "" if ":" in piece else piece.rpartition(".")[0] or piece


def families(slugs: Mapping[str, str]) -> list[list[str]]:
    """Addresses whose `slugs` begin or end with the same two words and have another, largest family first.

    An address may be in two families.
    """
    found: dict[tuple[bool, str], list[str]] = defaultdict(list)
    for address, slug in slugs.items():
        if slug.count("-") >= _SHARED:
            words = slug.split("-")
            found[True, "-".join(words[:_SHARED])].append(address)
            found[False, "-".join(words[-_SHARED:])].append(address)
    return sorted(found.values(), key=len, reverse=True)
