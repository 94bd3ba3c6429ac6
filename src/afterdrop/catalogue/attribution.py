"""Whose data is shown: the credits that licences ask for, each once. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def credits_owed(
    values: Iterable[Mapping[str, str]], listings: Iterable[Mapping[str, str] | None]
) -> list[dict[str, str | None]]:
    """`{text, url}` for the metric values and the listings shown, each once, by text; `url` null without one."""
    owed = {
        (credit["text"], credit.get("url") or None)
        for credit in (*values, *listings)
        if credit and credit.get("text")
    }
    return [
        {"text": text, "url": url} for text, url in sorted(owed, key=lambda pair: (pair[0], pair[1] or ""))
    ]
