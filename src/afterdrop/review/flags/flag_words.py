"""The flags in words: what people call each, and what it means. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

FLAGS: Final[Mapping[str, tuple[str, str]]] = {
    "dr_inflated": (
        "Inflated rating",
        "The Domain Rating is far above what the other link figures support, as bought or looped links make it.",
    ),
    "parked": ("Parked", "A parking page stood there for part of the past."),
    "topic_change": ("Change of subject", "The old site turned to another subject at some time."),
    "lang_change": ("Change of language", "The old site was written in another language at some time."),
    "gap": ("Gap in the archive", "The archive has no page for two years or more in between."),
    "trademark": (
        "Trademark",
        "The name carries a well-known mark; whoever owns the mark may claim the name.",
    ),
    "not_indexed": ("Not indexed", "The search engine lists no page of the domain."),
    "anchor_foreign": (
        "Foreign link texts",
        "Many links to the domain are written in another language than its old site.",
    ),
}


def flag_label(flag: str) -> str:
    """A flag in words."""
    return FLAGS.get(flag, (flag.replace("_", " "), ""))[0]
