"""The view of a page that a test writes, as the rules get it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from afterdrop.review.page.charset import decode
from afterdrop.review.page.reader import view_page
from afterdrop.review.page.values import PageView


def viewed(source: str, site: str | None = None, **told: Any) -> PageView:
    """The view of a page's source; `told` stands instead of what would be read, such as `words`."""
    return replace(view_page(decode(source.encode()), "", site), **told)
