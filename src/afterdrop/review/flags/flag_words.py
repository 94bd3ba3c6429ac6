"""The flags in words: what people call each, and what it means. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

FLAGS: Final[Mapping[str, tuple[str, str]]] = {
    "dr_inflated": (
        "Inflated rating",
        "The Domain Rating is far higher than the other link figures support. Bought links and link rings do that.",
    ),
    "parked": ("Parked", "The domain was parked for part of its past."),
    "topic_change": ("Change of subject", "The site changed its subject at some point."),
    "lang_change": ("Change of language", "The site changed its language at some point."),
    "gap": ("Gap in the archive", "The web archive has no page for two years or more."),
    "trademark": (
        "Trademark",
        "The name contains a well-known trademark, and its owner may claim the name.",
    ),
    "not_indexed": ("Not indexed", "The search engine lists no pages of the domain."),
    "anchor_foreign": (
        "Foreign link texts",
        "Many links to the domain are in a language its site never used.",
    ),
}


def flag_label(flag: str) -> str:
    """A flag in words."""
    return FLAGS.get(flag, (flag.replace("_", " "), ""))[0]
