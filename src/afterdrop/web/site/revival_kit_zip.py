"""The revival kit as a zip of Markdown. Pure. Entry names are ours: nothing of the old site becomes a path."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping
from typing import Any, Final

from afterdrop.delivery.mail.message import one_line

_STAMP: Final = (1980, 1, 1, 0, 0, 0)


def kit(domain: str, pages: Iterable[Mapping[str, Any]]) -> bytes:
    """`index.md` and `page-01.md` … for the pages whose text is stored."""
    out = io.BytesIO()
    index = [f"# Old pages of {domain}", ""]
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, page in enumerate(pages, 1):
            name = f"page-{number:02}.md"
            has_text = page.get("content") is not None
            about = (
                f"{one_line(page['url'], 2000)} ({page['captures']} captures, last {page['last_capture']})"
            )
            index.append(f"- {name if has_text else 'no text stored'}: {about}")
            if has_text:
                head = f"Source: {one_line(page['url'], 2000)}\nArchived: {one_line(page['webarchive_url'], 2000)}\n\n"
                _add(archive, name, head + page["content"] + "\n")
        _add(archive, "index.md", "\n".join(index) + "\n")
    return out.getvalue()


def _add(archive: zipfile.ZipFile, name: str, text: str) -> None:
    entry = zipfile.ZipInfo(name, date_time=_STAMP)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, text)
