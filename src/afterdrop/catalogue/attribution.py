"""The credits that licences ask for wherever their data is shown, each once. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from afterdrop.catalogue.rows import Attribution


def credits_owed(
    values: Iterable[Mapping[str, str | None] | Attribution],
    listings: Iterable[Mapping[str, str | None] | None],
) -> list[Attribution]:
    """The credits for the metric values and the listings shown, sorted by text; `url` is null where none is given."""
    owed = {
        (str(credit["text"]), str(credit["url"]) if credit.get("url") else None)
        for credit in (*values, *listings)
        if credit and credit.get("text")
    }
    return [
        {"text": text, "url": url} for text, url in sorted(owed, key=lambda pair: (pair[0], pair[1] or ""))
    ]
