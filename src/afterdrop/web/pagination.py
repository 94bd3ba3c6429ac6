"""Where in a list a page is. Pure."""

from __future__ import annotations


def page_meta(total: int, page: int, per_page: int) -> dict[str, int]:
    """The paging members of `meta`; no pages where nothing is."""
    return {"total": total, "page": page, "per_page": per_page, "pages": -(-total // per_page)}
